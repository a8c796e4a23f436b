package capi

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

func TestAnnounceVersion(t *testing.T) {
	announced := func(version string) []any { return []any{map[string]any{"version": version, "replicas": int64(0)}} }
	running := []any{map[string]any{"version": "v1.33.6"}}
	pool := func(name string) any { return map[string]any{"name": name, "class": "user"} }
	cases := map[string]struct {
		wanted   any
		topology []any
		exist    []string
		status   map[string]any
		want     any
	}{
		"a pool has no MachinePool":           {wanted: "v1.33.6", topology: []any{pool("p0")}, want: announced("v1.33.6")},
		"one of two pools has none":           {wanted: "v1.33.6", topology: []any{pool("p0"), pool("p1")}, exist: []string{"p1"}, want: announced("v1.33.6")},
		"without a v":                         {wanted: "1.33.6", topology: []any{pool("p0")}, want: announced("v1.33.6")},
		"another version is wanted meanwhile": {wanted: "v1.34.0", topology: []any{pool("p0")}, status: map[string]any{"versions": announced("v1.33.6")}, want: announced("v1.34.0")},
		"pools have come":                     {wanted: "v1.33.6", topology: []any{pool("p0"), pool("p1")}, exist: []string{"p0", "p1"}, status: map[string]any{"versions": announced("v1.33.6")}},
		"the topology names no pool":          {wanted: "v1.33.6", topology: []any{}},
		"no topology":                         {wanted: "v1.33.6"},
		"no version":                          {topology: []any{pool("p0")}},
		"it has come up": {wanted: "v1.34.0", topology: []any{pool("p0")},
			status: map[string]any{"version": "v1.33.6", "versions": running}, want: running},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "ns"}, "spec": map[string]any{"version": c.wanted}}}
			cluster := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "c1"}}}
			if c.topology != nil {
				composertest.Set(c.topology, "spec", "topology", "workers", "machinePools")(cluster)
			}
			if c.status != nil {
				xr.Object["status"] = c.status
			}
			in := asked(t, xr, c.exist)
			status := ReadControlPlaneStatus(in)
			if err := status.AnnounceVersion(in, cluster); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, status.Result()["versions"]); diff != "" {
				t.Errorf("status.versions: -want +got:\n%s", diff)
			}
		})
	}
}

// asked returns a request in which the MachinePools of the named pools of a topology have been read.
func asked(t *testing.T, xr *unstructured.Unstructured, pools []string) *composer.Request {
	read := &fnv1.Resources{}
	for _, pool := range pools {
		machinePool := &unstructured.Unstructured{Object: map[string]any{"kind": "MachinePool", "metadata": map[string]any{"name": pool, "labels": map[string]any{"topology.cluster.x-k8s.io/pool-name": pool}}}}
		read.Items = append(read.Items, &fnv1.Resource{Resource: composertest.Struct(t, machinePool)})
	}
	req := composertest.Request(t, xr)
	req.RequiredResources = map[string]*fnv1.Resources{"machinepools": read}
	in, err := composer.NewRequest(req)
	if err != nil {
		t.Fatal(err)
	}
	return in
}
