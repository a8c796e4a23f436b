package managed

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	managedClusterObject = "ManagedCluster.containerservice.azure.com/cp"
	lostMark             = "infrastructure.cluster.x-k8s.io/lost"
)

// settledPools has pools whose objects are ready, so that the ManagedCluster is sent without them.
func settledPools(t testing.TB) []*unstr {
	var pools []*unstr
	for name, mode := range map[string]string{"p0": "System", "p1": "User"} {
		pools = append(pools, edited(poolXR(t, name, mode), set([]any{map[string]any{"ready": true, "resource": map[string]any{
			"group": "containerservice.azure.com", "version": "v1api20250801", "kind": "ManagedClustersAgentPool", "name": name}}}, "status", "resources")))
	}
	return pools
}

// settledPlay has a cluster that runs, with pools that are objects of their own.
func settledPlay(t testing.TB, inAzure ...string) *play {
	p := newPlay(t, aksWorld(t).With(settledPools(t)...), controlPlane(t), inAzure...).rounds(10)
	if hasProfiles(p.Live.Object(managedClusterObject)) || !strings.HasPrefix(condition(p.Response, "Ready"), "True") {
		t.Fatalf("not settled: %s", condition(p.Response, "Ready"))
	}
	p.Did = nil
	return p
}

// TestAClusterThatAzureLost shows that a cluster that somebody has deleted in Azure is made again with its pools, and that nothing says
// meanwhile that it is there.
func TestAClusterThatAzureLost(t *testing.T) {
	p := settledPlay(t)
	delete(p.Azure, "ManagedCluster cp")
	p.XR = edited(p.XR, set("blue", "spec", "additionalTags", "color"))
	p.Compose() // ASO has not looked yet.
	steps := []struct {
		policy, lost, says string
		pools              bool
	}{
		{"skip", "InvalidParameter 2026-01-02T04:00:01Z", "Azure seems to have it no more, and is asked again (InvalidParameter: Required parameter agentPoolProfiles is missing (null).)", false},
		// Somebody may have deleted more: what the cluster is in is looked at first.
		{"skip", "InvalidParameter 2026-01-02T04:00:01Z", "is gone from Azure, and is made again when VirtualNetworksSubnet net-nodes (spec.agentPoolProfiles[0].vnetSubnetReference.armId) is ready", true},
		{"", "confirmed", "is gone from Azure, and is made again", true},
	}
	for n, s := range steps {
		p.aso()
		p.Compose()
		o := p.Live.Object(managedClusterObject)
		if got := o.GetAnnotations(); got[policy] != s.policy || got[lostMark] != s.lost || hasProfiles(o) != s.pools {
			t.Errorf("step %d: policy %q, lost %q, with pools: %v", n, got[policy], got[lostMark], hasProfiles(o))
		}
		want := "False AzureResourceNotFound: ManagedCluster cp: " + s.says
		for _, conditionType := range []string{"Ready", "Available", "ResourcesReady", "ManagedClusterRunning"} {
			if got := condition(p.Response, conditionType); !strings.HasPrefix(got, want) {
				t.Errorf("step %d: %s:\nwant %s\ngot  %s", n, conditionType, want, got)
			}
		}
	}
	p.rounds(4)
	if want := []string{"create ManagedCluster cp"}; !slices.Equal(want, p.Did) {
		t.Errorf("want %v, got %v", want, p.Did)
	}
	o := p.Live.Object(managedClusterObject)
	if _, marked := o.GetAnnotations()[lostMark]; marked || hasProfiles(o) || p.whose()["ManagedCluster"] != "/owned" {
		t.Errorf("in the end: %v, with pools: %v", o.GetAnnotations(), hasProfiles(o))
	}
	for _, conditionType := range []string{"Ready", "Available"} {
		if got := condition(p.Response, conditionType); !strings.HasPrefix(got, "True") {
			t.Errorf("in the end: %s: %s", conditionType, got)
		}
	}
}

// TestWhatIsNotLost shows that pools are sent to no cluster that may be there.
func TestWhatIsNotLost(t *testing.T) {
	gone := func(p *play) {
		delete(p.Azure, "ManagedCluster cp")
		p.aso()
	}
	refused := func(p *play) { p.refuse(managedClusterObject) }
	cases := map[string]struct {
		inAzure []string
		do      func(*play)
		says    string
		// then is done before all must be well, again with the cluster made, if made is true.
		then func(*play)
		made bool
	}{
		"AKS refuses once, and has the cluster": {do: refused, says: "Azure seems to have it no more", then: func(*play) {}},
		"AKS refuses twice, and has the cluster": {do: func(p *play) {
			p.refuse(managedClusterObject)
			p.rounds(2)
			p.refuse(managedClusterObject)
		}, says: "Azure seems to have it no more", then: func(*play) {}},
		"a user's policy": {do: func(p *play) {
			p.Live.Edit(p.T, managedClusterObject, annotate(policy, "detach-on-delete"))
			gone(p)
		}, says: "is gone from Azure; it is not made again while ManagedCluster cp has annotation " + policy, made: true,
			then: func(p *play) { p.Live.Edit(p.T, managedClusterObject, remove("metadata", "annotations", policy)) }},
		"a user's skip": {do: func(p *play) {
			p.Live.Edit(p.T, managedClusterObject, annotate(policy, "skip"))
			gone(p)
		}, says: "AzureResourceNotFound", then: func(p *play) { p.Azure["ManagedCluster cp"] = nil }},
		"somebody else's": {inAzure: []string{"ResourceGroup rg", "ManagedCluster cp"}, do: gone, says: "was in Azure before and is gone from there",
			then: func(p *play) { p.Azure["ManagedCluster cp"] = nil }},
		"a pool is not known": {do: func(p *play) {
			p.World = p.World.Without(machinePool(t, "p1"))
			gone(p)
			p.Compose()
			p.aso()
		}, says: "is gone from Azure, and is made again when a MachinePool refers to AzureManagedMachinePool p1", made: true,
			then: func(p *play) { p.World = p.World.With(machinePool(t, "p1")) }},
		"paused while Azure is asked": {do: func(p *play) {
			gone(p)
			p.Compose()
			p.XR = edited(p.XR, annotate("cluster.x-k8s.io/paused", ""))
			p.rounds(2)
		}, says: "", made: true, then: func(p *play) { p.XR = edited(p.XR, remove("metadata", "annotations", "cluster.x-k8s.io/paused")) }},
		"another answer of Azure's": {do: func(p *play) {
			p.Live.Say(managedClusterObject, "False", "Warning", "AuthorizationFailed", statusOf(p.Live.Object(managedClusterObject)))
		}, says: "", then: func(*play) {}},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			p := newPlay(t, aksWorld(t).With(settledPools(t)...), controlPlane(t), c.inAzure...).rounds(10)
			p.Did = nil
			c.do(p)
			p.Compose()
			if got := condition(p.Response, "ManagedClusterRunning"); !strings.Contains(got, c.says) || strings.HasPrefix(got, "True") {
				t.Errorf("want %q, got %s", c.says, got)
			}
			if o := p.Live.Object(managedClusterObject); hasProfiles(o) && o.GetAnnotations()[policy] != "skip" || len(p.Did) > 0 {
				t.Errorf("with pools: %v; ASO did %v", hasProfiles(o), p.Did)
			}
			c.then(p)
			for range 6 {
				if _, there := p.Azure["ManagedCluster cp"]; there && !slices.Contains(p.Did, "create ManagedCluster cp") && hasProfiles(p.Live.Object(managedClusterObject)) {
					t.Fatal("pools are sent to a cluster that is there")
				}
				p.rounds(1)
			}
			if made := slices.Contains(p.Did, "create ManagedCluster cp"); made != c.made || len(p.Did) > 1 {
				t.Errorf("ASO did %v", p.Did)
			}
			if got := condition(p.Response, "Ready"); !strings.HasPrefix(got, "True") {
				t.Errorf("in the end: %s", got)
			}
		})
	}
}

// TestWhatWasInItIsGoneToo shows that what lies in a resource that Azure has no more does not say that it is there.
func TestWhatWasInItIsGoneToo(t *testing.T) {
	t.Run("a pool", func(t *testing.T) {
		saying := func(ready bool, reason string) *unstr {
			return controlPlane(t, set("v1.33.6", "status", "version"), set([]any{map[string]any{"ready": ready, "ownership": "owned", "reason": reason, "resource": map[string]any{
				"group": "containerservice.azure.com", "version": "v1api20250801", "kind": "ManagedCluster", "name": "cp"}}}, "status", "resources"))
		}
		p := newPlay(t, aksWorld(t, saying(true, "Succeeded")), edited(poolXR(t, "p0", "System"), set([]any{"azure:///x"}, "spec", "providerIDList"))).rounds(4)
		for _, step := range []struct {
			ready        bool
			reason, says string
		}{
			{true, "Succeeded", "True Provisioned:"},
			{false, "AzureResourceNotFound", "False AzureResourceNotFound: ManagedClustersAgentPool p0: is gone from Azure with ManagedCluster cp, which it was in"},
			{false, "Reconciling", "True Provisioned:"}, // As while it is upgraded.
		} {
			p.World = p.World.With(saying(step.ready, step.reason))
			p.rounds(1)
			if got := condition(p.Response, "Ready"); got != step.says {
				t.Errorf("%s: want %s\ngot %s", step.reason, step.says, got)
			}
		}
	})
	t.Run("a network", func(t *testing.T) {
		p := newPlay(t, aksWorld(t).With(settledPools(t)...), controlPlane(t), "ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet nodes").rounds(10)
		p.Live.Say("ResourceGroup.resources.azure.com/rg", "False", "Warning", "AzureResourceNotFound", nil)
		p.Compose()
		for conditionType, want := range map[string]string{
			"VNetReady":             "False AzureResourceNotFound: VirtualNetwork net: is gone from Azure with ResourceGroup rg, which it was in",
			"SubnetsReady":          "False AzureResourceNotFound: VirtualNetworksSubnet net-nodes: is gone from Azure with ResourceGroup rg, which it was in",
			"ManagedClusterRunning": "False AzureResourceNotFound: ManagedCluster cp: is gone from Azure with ResourceGroup rg, which it was in",
		} {
			if got := condition(p.Response, conditionType); got != want {
				t.Errorf("want %s\ngot %s", want, got)
			}
		}
		if got, _, _ := unstructured.NestedBool(status(p.Response), "initialized"); !got {
			t.Error("what is initialized stays so")
		}
	})
}

// TestAGroupThatAzureLost shows that what a cluster stands on is looked at, too, when the cluster is gone: ASO would come by in an hour only.
func TestAGroupThatAzureLost(t *testing.T) {
	p := settledPlay(t)
	clear(p.Azure)
	looked := map[string]bool{}
	p.reconcile(managedClusterObject) // ASO looks at the cluster only, and then at what changes its policy.
	for range 12 {
		before := map[string]string{}
		for _, o := range p.Live.Objects() {
			before[name(o)] = o.GetAnnotations()[policy]
		}
		p.Compose()
		for _, o := range p.Live.Objects() {
			n := name(o)
			if now := o.GetAnnotations()[policy]; now != before[n] || n == managedClusterObject {
				looked[n] = true
				p.reconcile(n)
			}
		}
	}
	want := []string{"create ResourceGroup rg", "create VirtualNetwork net", "create VirtualNetworksSubnet nodes", "create ManagedCluster cp"}
	slices.Sort(want)
	slices.Sort(p.Did)
	if !slices.Equal(want, p.Did) {
		t.Errorf("want %v, got %v, looked at %v", want, p.Did, looked)
	}
	for n := range p.Live {
		if marked, policy := p.Live.Object(n).GetAnnotations()[lostMark], p.Live.Object(n).GetAnnotations()[policy]; marked != "" || policy != "" {
			t.Errorf("in the end: %s: lost %q, policy %q", n, marked, policy)
		}
	}
	if got := condition(p.Response, "Ready"); !strings.HasPrefix(got, "True") {
		t.Errorf("in the end: %s", got)
	}
}

// TestANetworkWhoseGroupIsGone shows that the answer about one resource has what it lies in looked at, once.
func TestANetworkWhoseGroupIsGone(t *testing.T) {
	const groupObject, networkObject = "ResourceGroup.resources.azure.com/rg", "VirtualNetwork.network.azure.com/net"
	p := settledPlay(t)
	p.Live.Say(networkObject, "False", "Warning", "ResourceGroupNotFound", map[string]any{"id": "/there/once"})
	var seen []string
	for range 5 {
		p.Compose()
		seen = append(seen, p.Live.Object(groupObject).GetAnnotations()[policy])
		p.reconcile(groupObject)
	}
	if want := []string{"skip", "", "", "", ""}; !slices.Equal(want, seen) {
		t.Errorf("policy of the group: want %q, got %q", want, seen)
	}
	p.aso()
	p.rounds(1)
	if got := p.Live.Object(groupObject).GetAnnotations(); got[lostMark] != "" || !strings.HasPrefix(condition(p.Response, "Ready"), "True") {
		t.Errorf("in the end: %v, %s", got, condition(p.Response, "Ready"))
	}
}
