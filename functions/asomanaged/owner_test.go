package asomanaged

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// unowned takes from an object what Cluster API core gives it when it has seen that a Cluster or MachinePool refers to it.
func unowned(o *unstr) {
	o.SetOwnerReferences(nil)
	o.SetLabels(nil)
}

func renamed(name string) edit { return func(o *unstr) { o.SetName(name) } }

// TestNotYetOwned has composites before Cluster API core owns them: they are composed for the Cluster or MachinePool of the same
// name if that refers to them, as they will be when it does.
func TestNotYetOwned(t *testing.T) {
	gone := func(o *unstr) { o.SetDeletionTimestamp(&metav1.Time{Time: created}) }
	paused := set(true, "spec", "paused")
	mine := cluster(renamed("infra"))
	poolRef := set(ref("AzureASOManagedMachinePool", "p0"), "spec", "template", "spec", "infrastructureRef")
	minePool := edited(machinePool("p0"), renamed("p0"), poolRef)
	infra, pool := infraXR(group("rg")), poolXR("p0", aksPool("p0"))
	world := aksWorld("p0").With(ready(infraXR(group("rg"))), ready(controlPlaneXR(aksCluster())))
	cases := map[string]struct {
		xr *unstr
		// around are objects in the place of those of the same name.
		around []*unstr
		want   []string
	}{
		"Cluster refers":                {infra, []*unstr{mine}, []string{"ResourceGroup.resources.azure.com/rg"}},
		"Cluster is paused":             {infra, []*unstr{edited(mine, paused)}, nil},
		"Cluster is going":              {infra, []*unstr{edited(mine, gone)}, nil},
		"Cluster refers to another":     {infra, []*unstr{edited(mine, set(ref("AzureASOManagedCluster", "x"), "spec", "infrastructureRef"))}, nil},
		"Cluster of another name":       {infra, []*unstr{cluster()}, nil},
		"Cluster named by the label":    {edited(infra, set("c1", "metadata", "labels", "cluster.x-k8s.io/cluster-name")), []*unstr{cluster()}, []string{"ResourceGroup.resources.azure.com/rg"}},
		"MachinePool refers":            {pool, []*unstr{minePool}, []string{"ManagedClustersAgentPool.containerservice.azure.com/p0"}},
		"MachinePool is going":          {pool, []*unstr{edited(minePool, gone)}, nil},
		"MachinePool refers to another": {pool, []*unstr{edited(minePool, set(ref("AzureASOManagedMachinePool", "x"), "spec", "template", "spec", "infrastructureRef"))}, nil},
		"MachinePool of another name":   {pool, nil, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr := c.xr.DeepCopy()
			xr.SetOwnerReferences(nil)
			if xr.GetLabels()["cluster.x-k8s.io/cluster-name"] != "c1" || name != "Cluster named by the label" {
				unowned(xr)
			}
			rsp := composers.Settle(t, world.With(c.around...), request(t, xr))
			if f := fatal(rsp); f != "" {
				t.Fatal(f)
			}
			var got []string
			if keys := sortedKeys(rsp.GetDesired().GetResources()); len(keys) > 0 {
				got = keys
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("composed: -want, +got:\n%s\n%v", diff, contract(rsp, "Ready"))
			}
		})
	}
}

// TestAsksForFactsOnly shows that where facts tell of the Cluster nothing is read of which each change would compose anew, and of the
// MachinePools no more than concerns each.
func TestAsksForFactsOnly(t *testing.T) {
	for _, c := range []struct {
		xr   *unstr
		want []string
	}{
		{infraXR(group("rg")), []string{"facts"}},
		{controlPlaneXR(aksCluster()), []string{"facts", "machinepoolsfacts"}},
		{poolXR("p0", aksPool("p0")), []string{"facts", "machinepoolfacts"}},
	} {
		xr := c.xr
		t.Run(xr.GetKind(), func(t *testing.T) {
			w := aksWorld("p0").With(ready(infraXR(group("rg"))), ready(controlPlaneXR(aksCluster())))
			req := request(t, xr)
			rsp := composers.Settle(t, w.WithFacts(cluster()), req)
			if diff := cmp.Diff(c.want, sortedKeys(rsp.GetRequirements().GetResources())); diff != "" {
				t.Errorf("required: -want, +got:\n%s", diff)
			}
			if len(rsp.GetDesired().GetResources()) != 1 {
				t.Errorf("composed: %v", rsp.GetDesired().GetResources())
			}
			// As Crossplane has it the next time: what was read is there already, and schemas are not.
			req.RequiredSchemas = nil
			if again := composers.Run(req); again.GetRequirements().GetSchemas()["schema/ClusterFacts.capz.crossplane.io/v1alpha1"] != nil {
				t.Error("it is asked whether facts are served, though there are some")
			}
		})
	}
}

// TestFactsBeforeOwners has facts tell of composites that Cluster API core does not own yet: those it tells of need nothing else.
func TestFactsBeforeOwners(t *testing.T) {
	mine := cluster(renamed("infra"))
	minePool := edited(machinePool("p0"), renamed("p0"), set("infra", "spec", "clusterName"),
		set(ref("AzureASOManagedMachinePool", "p0"), "spec", "template", "spec", "infrastructureRef"))
	infra, pool := edited(infraXR(group("rg")), unowned), edited(poolXR("p0", aksPool("p0")), unowned)
	around := aksWorld("p0").With(mine, minePool, ready(infraXR(group("rg"))), ready(controlPlaneXR(aksCluster())))
	cases := map[string]struct {
		xr    *unstr
		known bool
		want  []string
	}{
		"infrastructure, in the facts":     {infra, true, []string{"facts"}},
		"infrastructure, not in the facts": {infra, false, []string{"cluster", "controlplane", "facts"}},
		"pool, in the facts":               {pool, true, []string{"facts", "machinepool", "machinepoolfacts"}},
		"pool, not in the facts":           {pool, false, []string{"cluster", "controlplane", "facts", "infrastructure", "machinepool", "machinepoolfacts"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr := c.xr.DeepCopy()
			xr.SetUID("not-owned-yet")
			known := around.Without(xr)
			if c.known {
				known = known.With(xr)
			}
			rsp := composers.Settle(t, known.WithFacts(mine).Without(xr), request(t, xr))
			if diff := cmp.Diff(c.want, sortedKeys(rsp.GetRequirements().GetResources())); diff != "" {
				t.Errorf("required: -want, +got:\n%s", diff)
			}
			if len(rsp.GetDesired().GetResources()) != 1 {
				t.Errorf("composed: %v, %v", sortedKeys(rsp.GetDesired().GetResources()), contract(rsp, "Ready"))
			}
		})
	}
}

// TestFactsNotServed has a provider of an older version, which brings no ClusterFacts: to ask for them would fail everything.
func TestFactsNotServed(t *testing.T) {
	w := aksWorld("p0").With(ready(infraXR(group("rg"))))
	rsp := composers.Settle(t, composertest.World{Objects: w.Objects, Schemas: map[schema.GroupVersionKind]*structpb.Struct{clusterfacts.Kind: nil}}, request(t, controlPlaneXR(aksCluster())))
	if f := fatal(rsp); f != "" || rsp.GetRequirements().GetResources()["facts"] != nil || len(rsp.GetDesired().GetResources()) != 1 {
		t.Errorf("fatal %q, asks for %v, composed %v", f, sortedKeys(rsp.GetRequirements().GetResources()), sortedKeys(rsp.GetDesired().GetResources()))
	}
}
