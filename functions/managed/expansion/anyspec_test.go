package expansion

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// TestAnySpec shows that no spec makes the expansion panic, however odd, and that it depends on nothing but the spec.
func TestAnySpec(t *testing.T) {
	for seed := range int64(500) {
		fill := randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).Funcs(func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63()-c.Int63(), resource.DecimalSI)
		}, func(*runtime.RawExtension, randfill.Continue) {})
		cp, cluster, live := &v1beta1.AzureManagedControlPlane{}, Cluster{}, LiveCluster{}
		var pools []Pool
		fill.Fill(&cp.Spec)
		fill.Fill(&cp.Name)
		fill.Fill(&cluster)
		fill.Fill(&live)
		for range seed % 3 {
			p, livePool := Pool{XR: &v1beta1.AzureManagedMachinePool{}}, LivePool{}
			fill.Fill(&p.XR.Spec)
			fill.Fill(&p.XR.Name)
			fill.Fill(&p.Version)
			fill.Fill(&livePool)
			pools = append(pools, p)
			described(t, MachinePool(p, cp, cluster, livePool))
		}
		before := cp.DeepCopy()
		objects := ControlPlane(cp, cluster, pools, live)
		for _, o := range objects {
			described(t, o)
		}
		if diff := cmp.Diff(before, cp); diff != "" {
			t.Fatalf("seed %d: the spec was changed:\n%s", seed, diff)
		}
		if diff := cmp.Diff(written(t, objects), written(t, ControlPlane(cp, cluster, pools, live))); diff != "" {
			t.Fatalf("seed %d: the same spec gives other objects:\n%s", seed, diff)
		}
	}
}

// described checks that an object is one, or says why not.
func described(t *testing.T, o Object) {
	t.Helper()
	if o.Path == "" || o.Object.GetKind() == "" || o.Object.GetName() == "" && o.Problem == nil {
		t.Fatalf("neither an object nor a problem: %+v", o)
	}
}

func written(t *testing.T, objects []Object) string {
	t.Helper()
	b, err := json.Marshal(objects)
	must(t, err)
	return string(b)
}

// FuzzPatch shows that no patch makes the expansion panic or take the object's identity.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{"", "null", "[]", "{", "spec: null", "spec: 1", "metadata: null", `{"metadata":{"labels":{"a":1}}}`, "apiVersion: v1", "kind: null",
		"status: {}", "spec: {agentPoolProfiles: [null]}", "- op: remove", "spec: {owner: null}", "\t", "a: &a [*a]", "spec: {tags: {a: null}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		cp := controlPlane(t)
		cp.Spec.ASOManagedClusterPatches = []string{patch}
		o := at(t, ControlPlane(cp, cluster, nil, LiveCluster{}), "spec")
		if o.Object.GetName() != "cp" || o.Object.GetNamespace() != namespace || o.Object.GetKind() != "ManagedCluster" {
			t.Errorf("%s %s/%s", o.Object.GetKind(), o.Object.GetNamespace(), o.Object.GetName())
		}
	})
}
