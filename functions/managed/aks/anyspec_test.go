package aks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
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
func described(t *testing.T, o *plan.Resource) {
	t.Helper()
	if o.Source == "" || o.Object.GetKind() == "" || o.Object.GetName() == "" && o.Err == nil {
		t.Fatalf("neither an object nor a problem: %+v", o)
	}
}

func written(t *testing.T, objects []*plan.Resource) string {
	t.Helper()
	b, err := json.Marshal(objects)
	must(t, err)
	return string(b)
}

// laughs is YAML whose aliases stand for ten times as much on every line.
func laughs(lines int) string {
	text := "a0: &a0 [x]\n"
	for n := 1; n <= lines; n++ {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", n, n, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", n-1), 10), ","))
	}
	return text
}

// TestAliases refuses what would take all memory before it is expanded, and lets the others be.
func TestAliases(t *testing.T) {
	const tooMuch = "with its aliases (*name) expanded it has more than 1048576 bytes"
	cases := map[string]struct{ patch, want string }{
		"used":          {"spec: {tags: &t {a: b}, identity: {userAssignedIdentities: []}, autoScalerProfile: {}, azureMonitorProfile: {}}\nmetadata: {labels: *t}", ""},
		"by lines":      {laughs(9), tooMuch},
		"a long text":   {"a: &a " + strings.Repeat("x", 10000) + "\nb: [" + strings.Repeat("*a, ", 10000) + "]", tooMuch},
		"of itself":     {"a: &a [*a]", tooMuch},
		"merge keys":    {"a: &a {x: " + strings.Repeat("y", 1000) + "}\nb: [" + strings.Repeat("{<<: *a}, ", 2000) + "]", tooMuch},
		"of a key":      {"? &a " + strings.Repeat("x", 20000) + "\n: 1\nb: [" + strings.Repeat("*a, ", 100) + "]", tooMuch},
		"none, as JSON": {`{"spec": {"tags": {"a": "*b", "c": "&d"}}}`, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := bounded(c.patch); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzPatch shows that no patch makes the expansion panic or take the object's identity.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{"", "null", "[]", "{", "spec: null", "spec: 1", "metadata: null", `{"metadata":{"labels":{"a":1}}}`, "apiVersion: v1", "kind: null",
		"status: {}", "spec: {agentPoolProfiles: [null]}", "- op: remove", "spec: {owner: null}", "\t", "a: &a [*a]", "spec: {tags: {a: null}}"} {
		f.Add(seed)
	}
	f.Add(laughs(9))
	f.Add("a: &a " + strings.Repeat("x", 10000) + "\nb: [" + strings.Repeat("*a, ", 10000) + "]")
	f.Fuzz(func(t *testing.T, patch string) {
		cp := controlPlane(t)
		cp.Spec.ASOManagedClusterPatches = []string{patch}
		begun := time.Now()
		o := at(t, ControlPlane(cp, cluster, nil, LiveCluster{}), "spec")
		if took := time.Since(begun); took > 5*time.Second {
			t.Fatalf("it took %s", took)
		}
		if o.Object.GetName() != "cp" || o.Object.GetNamespace() != namespace || o.Object.GetKind() != "ManagedCluster" {
			t.Errorf("%s %s/%s", o.Object.GetKind(), o.Object.GetNamespace(), o.Object.GetName())
		}
	})
}
