package selfmanaged_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged"
	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// TestAvailabilitySets shows that an AzureCluster has the availability sets that its machines are in, and lets go only of those that none is in.
func TestAvailabilitySets(t *testing.T) {
	composers := composertest.Composers{"AzureCluster": selfmanaged.Cluster{}}
	const name = "AvailabilitySet.compute.azure.com/c1-md-0-as"
	base := machineWorld(t)
	xr := composertest.Edited(base.Objects[1], composertest.Set([]any{map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "name": "c1", "uid": "uid-Cluster-c1"}}, "metadata", "ownerReferences"))
	facts := func(sets ...any) composertest.World {
		return base.WithFacts(base.Objects[0], composertest.Set(true, "spec", "failureDomainsKnown"), composertest.Set(sets, "spec", "availabilitySets"))
	}
	set := func(faultDomains int64) any {
		return map[string]any{"name": "c1_md-0-as", "faultDomains": faultDomains}
	}
	live := composertest.Live{}
	compose := func(world composertest.World) *unstructured.Unstructured {
		t.Helper()
		rsp := composers.SettleByObjects(t, world, composertest.Request(t, xr, live.Objects()...))
		if message := composertest.Fatal(rsp); message != "" {
			t.Fatal(message)
		}
		return composertest.Desired(t, rsp)[name]
	}
	if o := compose(facts(set(0))); o != nil {
		t.Errorf("it is made before its number of fault domains is known: %v", o.Object)
	}
	world := facts(set(2))
	for range 6 { // The resource group is made meanwhile.
		rsp := composers.SettleByObjects(t, world, composertest.Request(t, xr, live.Objects()...))
		xr = composertest.Edited(xr, composertest.Set(composertest.Status(rsp), "status"))
		for n, o := range composertest.Desired(t, rsp) {
			live.Apply(t, xr, n, o)
			live.Say(n, "True", "", "Succeeded", map[string]any{"id": "/some/id", "tags": map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_c1": "owned"}})
		}
	}
	if live[name] == nil {
		t.Fatal("it is not composed")
	}
	count := func(o *unstructured.Unstructured) any {
		if o == nil {
			return nil
		}
		value, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "platformFaultDomainCount")
		return value
	}
	for title, c := range map[string]struct {
		world composertest.World
		want  any
	}{
		"a machine is in it":                        {facts(set(2)), float64(2)},
		"Azure has more fault domains than before":  {facts(set(3)), float64(2)},
		"nobody is in it any more":                  {facts(), nil},
		"nobody knows who is in it":                 {base, float64(2)},
		"the facts are of a format of another time": {facts(set(2)).With(composertest.Edited(facts(set(2)).Objects[2], composertest.Set(int64(99), "spec", "format"))), float64(2)},
	} {
		if clusterFacts := c.world.Objects[len(c.world.Objects)-1]; title != "nobody knows who is in it" && clusterFacts.GroupVersionKind() != clusterfacts.Kind {
			t.Fatalf("%s: no facts", title)
		}
		if diff := cmp.Diff(c.want, count(compose(c.world))); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", title, diff)
		}
	}
}
