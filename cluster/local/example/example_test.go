package example

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestLoad(t *testing.T) {
	cluster := "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: c}\n"
	pool := "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachinePool\nmetadata: {name: p, namespace: other}\n"
	machines := "apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nmetadata: {name: k}\n---\n" +
		"apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineDeployment\nmetadata: {name: d}\n"
	cases := map[string]struct {
		files map[string]string
		want  []string
		fails string
	}{
		"Whole":       {files: map[string]string{"a.yaml": cluster, "b.yaml": pool}, want: []string{"default/c", "other/p"}},
		"Machines":    {files: map[string]string{"a.yaml": cluster, "b.yaml": machines}, want: []string{"default/c", "default/k", "default/d"}},
		"OneFile":     {files: map[string]string{"a.yaml": cluster + "---\n" + pool}, want: []string{"default/c", "other/p"}},
		"NoCluster":   {files: map[string]string{"a.yaml": pool}, fails: "this one has 0"},
		"TwoClusters": {files: map[string]string{"a.yaml": cluster, "b.yaml": cluster}, fails: "this one has 2"},
		"Broken":      {files: map[string]string{"a.yaml": "kind: ["}, fails: "a.yaml"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			ex, err := Load(dir)
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("Load() error = %v, want one with %q", err, tc.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := []string{ex.Cluster.String()}
			for _, u := range ex.Nodes {
				got = append(got, client.ObjectKeyFromObject(u).String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Load(): -want, +got:\n%s", diff)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("Load() = nil for a folder that is not there")
	}
}

func TestEveryShippedExampleLoads(t *testing.T) {
	// The other folders are for more than one command.
	clusters, err := filepath.Glob("../../../examples/*/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range clusters {
		ex, err := Load(filepath.Dir(file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if len(ex.Nodes) == 0 {
			t.Errorf("%s has no nodes", file)
		}
	}
	if len(clusters) == 0 {
		t.Error("there are no examples")
	}
}

func TestCredentialSecrets(t *testing.T) {
	naming := func(secrets ...string) *unstructured.Unstructured {
		var resources []any
		for _, s := range secrets {
			resources = append(resources, map[string]any{"metadata": map[string]any{
				"annotations": map[string]any{credentialAnnotation: s},
			}})
		}
		return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"resources": resources}}}
	}
	cases := map[string]struct {
		objects []*unstructured.Unstructured
		want    []string
	}{
		"NoneNamed": {objects: []*unstructured.Unstructured{naming()}, want: []string{"aso-credential"}},
		"Named": {
			objects: []*unstructured.Unstructured{naming("a", "b"), naming("a", "aso-credential")},
			want:    []string{"aso-credential", "a", "b"},
		},
	}
	identity := &unstructured.Unstructured{Object: map[string]any{
		"kind": "AzureClusterIdentity", "spec": map[string]any{"clientSecret": map[string]any{"name": "i"}},
	}}
	cases["OfAnIdentity"] = struct {
		objects []*unstructured.Unstructured
		want    []string
	}{[]*unstructured.Unstructured{identity, naming()}, []string{"aso-credential", "i"}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, (&Example{objects: tc.objects}).credentialSecrets()); diff != "" {
				t.Errorf("credentialSecrets(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestPoolLacks(t *testing.T) {
	pool := func(phase string, want int64, nodes ...any) map[string]any {
		return map[string]any{
			"metadata": map[string]any{"name": "p"},
			"spec":     map[string]any{"replicas": want},
			"status":   map[string]any{"phase": phase, "nodeRefs": nodes},
		}
	}
	node := map[string]any{"name": "n"}
	cases := map[string]struct {
		pool map[string]any
		want string
	}{
		"Running":      {pool: pool("Running", 2, node, node)},
		"NodesMissing": {pool: pool("Running", 2, node), want: "MachinePool p is Running with 1 of 2 nodes"},
		"Scaling":      {pool: pool("ScalingUp", 2, node, node), want: "MachinePool p is ScalingUp with 2 of 2 nodes"},
		"New": {
			pool: map[string]any{"metadata": map[string]any{"name": "p"}},
			want: "MachinePool p is without a phase with 0 of 0 nodes",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, poolLacks(&unstructured.Unstructured{Object: tc.pool})); diff != "" {
				t.Errorf("poolLacks(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestMachinesLack(t *testing.T) {
	machines := func(want, all, ready, current, seen int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"kind": "MachineDeployment", "metadata": map[string]any{"name": "d", "generation": int64(2)}, "spec": map[string]any{"replicas": want},
			"status": map[string]any{"replicas": all, "readyReplicas": ready, "upToDateReplicas": current, "observedGeneration": seen},
		}}
	}
	cases := map[string]struct {
		machines *unstructured.Unstructured
		want     string
	}{
		"All":       {machines: machines(2, 2, 2, 2, 2)},
		"Booting":   {machines: machines(2, 2, 1, 2, 2), want: "MachineDeployment d has 2 of 2 machines, 1 ready and 2 up to date"},
		"RollingIn": {machines: machines(2, 3, 3, 1, 2), want: "MachineDeployment d has 3 of 2 machines, 3 ready and 1 up to date"},
		"Old":       {machines: machines(2, 2, 2, 1, 2), want: "MachineDeployment d has 2 of 2 machines, 2 ready and 1 up to date"},
		"Unseen":    {machines: machines(2, 2, 2, 2, 1), want: "MachineDeployment d has 2 of 2 machines, 2 ready and 2 up to date"},
		"New": {
			machines: &unstructured.Unstructured{Object: map[string]any{"kind": "MachineDeployment", "metadata": map[string]any{"name": "d"}}},
			want:     "MachineDeployment d has 0 of 0 machines, 0 ready and 0 up to date",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, machinesLack(tc.machines)); diff != "" {
				t.Errorf("machinesLack(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestClusterLacks(t *testing.T) {
	cluster := func(conditions ...any) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": "c"}, "status": map[string]any{"conditions": conditions}}
	}
	cases := map[string]struct {
		cluster map[string]any
		want    string
	}{
		"Available": {cluster: cluster(map[string]any{"type": "Available", "status": "True"})},
		"Not": {
			cluster: cluster(map[string]any{"type": "Available", "status": "False", "reason": "NotAvailable", "message": "no"}),
			want:    "Cluster c is not Available (NotAvailable: no)",
		},
		"Lengthy": {
			cluster: cluster(map[string]any{"type": "Available", "status": "False", "reason": "NotAvailable", "message": strings.Repeat("né", 200)}),
			want:    "Cluster c is not Available (NotAvailable: " + strings.Repeat("né", 150) + " ...)",
		},
		"New": {cluster: cluster(), want: "Cluster c has no condition Available"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, clusterLacks(&unstructured.Unstructured{Object: tc.cluster})); diff != "" {
				t.Errorf("clusterLacks(): -want, +got:\n%s", diff)
			}
		})
	}
}
