package managed

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestANewClusterIsMade(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t))
	p.ByFacts = true
	p.rounds(8)
	want := []string{"create ResourceGroup rg", "create VirtualNetwork net", "create VirtualNetworksSubnet nodes", "create ManagedCluster cp"}
	if diff := cmp.Diff(want, p.Did); diff != "" {
		t.Errorf("what ASO did in Azure: -want, +got:\n%s", diff)
	}
	whose := map[string]string{"ResourceGroup": "/owned", "VirtualNetwork": "/owned", "VirtualNetworksSubnet": "/owned", "ManagedCluster": "/owned"}
	if diff := cmp.Diff(whose, p.whose()); diff != "" {
		t.Errorf("policy/ownership: -want, +got:\n%s", diff)
	}
	for conditionType, want := range map[string]string{
		"Ready": "True Provisioned:", "Available": "True Provisioned:", "ResourcesReady": "True AllReady:", "ResourceGroupReady": "True AllReady:",
		"VNetReady": "True AllReady:", "SubnetsReady": "True AllReady:", "ManagedClusterRunning": "True AllReady:", "FleetReady": "", "Paused": "False NotPaused:",
	} {
		if got := condition(p.Response, conditionType); got != want {
			t.Errorf("%s: want %q, got %q", conditionType, want, got)
		}
	}
}

// TestNothingIsAskedForTooEarly shows when each resource is looked for and made: as early as what it refers to allows. Its
// object is there before.
func TestNothingIsAskedForTooEarly(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t))
	p.ByFacts = true
	want := []map[string]string{
		{"ResourceGroup": "skip/undecided"},
		// What lies in a group that Azure does not have is not there, either.
		{"ResourceGroup": "/owned", "VirtualNetwork": "held, skip/owned", "ManagedCluster": "held, skip/owned", "VirtualNetworksSubnet": "held, skip/owned"},
		{"ResourceGroup": "/owned", "VirtualNetwork": "/owned", "ManagedCluster": "held, skip/owned", "VirtualNetworksSubnet": "held, skip/owned"},
		{"ResourceGroup": "/owned", "VirtualNetwork": "/owned", "ManagedCluster": "held, skip/owned", "VirtualNetworksSubnet": "/owned"},
		{"ResourceGroup": "/owned", "VirtualNetwork": "/owned", "ManagedCluster": "/owned", "VirtualNetworksSubnet": "/owned"},
	}
	for n, w := range want {
		p.Compose()
		if diff := cmp.Diff(w, p.whose()); diff != "" {
			t.Errorf("round %d: -want, +got:\n%s", n, diff)
		}
		p.aso()
	}
}

func TestWhatIsThereAlready(t *testing.T) {
	tagged := map[string]any{tagC1: "owned"}
	cases := map[string]struct {
		inAzure []string
		tagged  []string
		did     []string
		whose   map[string]string
	}{
		"network and its group": {
			inAzure: []string{"ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet nodes"},
			did:     []string{"create ManagedCluster cp"},
			whose:   map[string]string{"ResourceGroup": "skip/external", "VirtualNetwork": "skip/external", "VirtualNetworksSubnet": "skip/external", "ManagedCluster": "/owned"},
		},
		"a network without the subnet": {
			inAzure: []string{"ResourceGroup rg", "VirtualNetwork net"},
			did:     []string{"create VirtualNetworksSubnet nodes", "create ManagedCluster cp"},
			whose:   map[string]string{"ResourceGroup": "skip/external", "VirtualNetwork": "skip/external", "VirtualNetworksSubnet": "/owned", "ManagedCluster": "/owned"},
		},
		"the cluster itself": {
			inAzure: []string{"ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet nodes", "ManagedCluster cp"},
			whose:   map[string]string{"ResourceGroup": "skip/external", "VirtualNetwork": "skip/external", "VirtualNetworksSubnet": "skip/external", "ManagedCluster": "skip/external"},
		},
		"everything, made by CAPZ": {
			tagged: []string{"ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet nodes", "ManagedCluster cp"},
			whose:  map[string]string{"ResourceGroup": "/owned", "VirtualNetwork": "/owned", "VirtualNetworksSubnet": "/owned", "ManagedCluster": "/owned"},
		},
	}
	// What must not change whose a resource is.
	afterwards := map[string]func(*play){
		"nothing":         func(*play) {},
		"status is wiped": func(p *play) { p.XR = edited(p.XR, remove("status")) },
		"spec changes":    func(p *play) { p.XR = edited(p.XR, set("blue", "spec", "additionalTags", "color")) },
		"pause and resume": func(p *play) {
			p.XR = edited(p.XR, annotate("cluster.x-k8s.io/paused", ""))
			p.rounds(2)
			p.XR = edited(p.XR, remove("metadata", "annotations", "cluster.x-k8s.io/paused"))
		},
		"somebody wipes the annotations": func(p *play) {
			for n := range p.Live {
				p.Live.Edit(p.T, n, remove("metadata", "annotations"))
			}
		},
		"somebody sets the policy": func(p *play) {
			for n := range p.Live {
				p.Live.Edit(p.T, n, annotate(policy, "manage"))
			}
		},
	}
	for name, c := range cases {
		for event, do := range afterwards {
			t.Run(name+", then "+event, func(t *testing.T) {
				p := newPlay(t, aksWorld(t), controlPlane(t), c.inAzure...)
				for _, resource := range c.tagged {
					p.Azure[resource] = tagged
				}
				p.rounds(8)
				do(p)
				p.rounds(3)
				if diff := cmp.Diff(c.did, p.Did); diff != "" {
					t.Errorf("what ASO did in Azure: -want, +got:\n%s", diff)
				}
				whose := p.whose()
				if event == "somebody sets the policy" {
					for kind, is := range whose { // What is owned keeps the policy that a user sets.
						whose[kind] = strings.Replace(is, "manage/owned", "/owned", 1)
					}
				}
				want := maps.Clone(c.whose)
				if event == "somebody wipes the annotations" && name == "a network without the subnet" {
					// Subnets have no tags, so nothing tells any more that it was made here; in doubt it is left alone.
					want["VirtualNetworksSubnet"] = "skip/external"
				}
				if diff := cmp.Diff(want, whose); diff != "" {
					t.Errorf("policy/ownership: -want, +got:\n%s", diff)
				}
				if got := condition(p.Response, "Available"); !strings.HasPrefix(got, "True") {
					t.Errorf("Available: %s", got)
				}
			})
		}
	}
}

func TestExternalIsShown(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t), "ResourceGroup rg", "VirtualNetwork net", "VirtualNetworksSubnet nodes")
	p.rounds(4)
	want := "True AllReady: VirtualNetwork net: was in Azure before: it is used, and neither changed nor deleted"
	if got := condition(p.Response, "VNetReady"); got != want {
		t.Errorf("want %q, got %q", want, got)
	}
	if got := resources(p.Response)["VirtualNetwork net"]; got != "external true Succeeded" {
		t.Errorf("status.resources: got %q", got)
	}
	delete(p.Azure, "VirtualNetwork net")
	p.rounds(2)
	if got := condition(p.Response, "VNetReady"); !strings.HasPrefix(got, "False AzureResourceNotFound: VirtualNetwork net: was in Azure before and is gone") {
		t.Errorf("after it has gone: %s", got)
	}
	if slices.Contains(p.Did, "create VirtualNetwork net") {
		t.Error("it was made in place of the external one")
	}
	// A user hands it over.
	p.Live.Edit(t, "VirtualNetwork.network.azure.com/net", annotate(ownership, "owned"))
	p.rounds(2)
	if !slices.Contains(p.Did, "create VirtualNetwork net") {
		t.Errorf("handed over, but not made: %v", p.Did)
	}
}

// TestAttachmentsThatAreThereAlready says the same of what is attached to the cluster and its network.
func TestAttachmentsThatAreThereAlready(t *testing.T) {
	attached := []string{"ResourceGroup rg", "Extension flux", "FleetsMember m", "PrivateEndpoint pe"}
	cases := map[string]struct {
		inAzure []string
		joined  bool
		whose   map[string]string
	}{
		"nothing":                {whose: map[string]string{"Extension": "/", "FleetsMember": "/owned", "PrivateEndpoint": "/owned"}},
		"all of the same name":   {inAzure: attached, whose: map[string]string{"Extension": "/", "FleetsMember": "skip/external", "PrivateEndpoint": "skip/external"}},
		"on an external cluster": {inAzure: append(attached, "ManagedCluster cp"), whose: map[string]string{"Extension": "skip/external", "FleetsMember": "skip/external", "PrivateEndpoint": "skip/external"}},
		"after a move":           {joined: true, inAzure: []string{"FleetsMember m"}, whose: map[string]string{"FleetsMember": "/owned"}},
		"an external cluster":    {inAzure: []string{"ResourceGroup rg", "ManagedCluster cp"}, whose: map[string]string{"Extension": "/owned", "FleetsMember": "/owned", "PrivateEndpoint": "/owned"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, aksWorld(t), controlPlane(t, attachments), c.inAzure...)
			p.joined = c.joined
			p.rounds(10)
			got := p.whose()
			for kind, want := range c.whose {
				if got[kind] != want {
					t.Errorf("%s: want %q, got %q", kind, want, got[kind])
				}
			}
			if got := condition(p.Response, "ResourcesReady"); !strings.HasPrefix(got, "True") {
				t.Errorf("ResourcesReady: %s", got)
			}
		})
	}
}

// TestPoolsOfAnotherCluster shows that within a ManagedCluster that was not made here pools are looked for, too.
func TestPoolsOfAnotherCluster(t *testing.T) {
	withManaged := func(ownership string) *unstr {
		return controlPlane(t, set([]any{map[string]any{"ready": true, "ownership": ownership, "resource": map[string]any{
			"group": "containerservice.azure.com", "version": "v1api20250801", "kind": "ManagedCluster", "name": "theirs"}}}, "status", "resources"))
	}
	theirs := object(t, `{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: theirs},
		status: {agentPoolProfiles: [{name: a}, {name: b, vnetSubnetID: /their/subnet}]}}`)
	cases := map[string]struct {
		ownership string
		inAzure   []string
		did       []string
		whose     string
		owner     string
		subnet    string
	}{
		"our cluster":                        {ownership: "owned", did: []string{"create ManagedClustersAgentPool p0"}, whose: "/", owner: "cp", subnet: "/subscriptions/sub/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes"},
		"an external cluster":                {ownership: "external", did: []string{"create ManagedClustersAgentPool p0"}, whose: "/owned", owner: "cp", subnet: "/their/subnet"},
		"an external cluster with that pool": {ownership: "external", inAzure: []string{"ManagedClustersAgentPool p0"}, whose: "skip/external", owner: "cp", subnet: "/their/subnet"},
		"a user's cluster":                   {ownership: "user", did: []string{"create ManagedClustersAgentPool p0"}, whose: "/owned", owner: "theirs", subnet: "/their/subnet"},
		"a user's cluster with that pool":    {ownership: "user", inAzure: []string{"ManagedClustersAgentPool p0"}, whose: "skip/external", owner: "theirs", subnet: "/their/subnet"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, aksWorld(t, withManaged(c.ownership), theirs), poolXR(t, "p0", "System"), c.inAzure...)
			p.ByFacts = true
			p.rounds(3)
			if diff := cmp.Diff(c.did, p.Did); diff != "" {
				t.Errorf("what ASO did in Azure: -want, +got:\n%s", diff)
			}
			if got := p.whose()["ManagedClustersAgentPool"]; got != c.whose {
				t.Errorf("policy/ownership: want %s, got %s", c.whose, got)
			}
			spec := p.Live.Objects()[0].Object["spec"].(map[string]any)
			if got := spec["owner"].(map[string]any)["name"]; got != c.owner {
				t.Errorf("owner: want %s, got %s", c.owner, got)
			}
			if got := spec["vnetSubnetReference"].(map[string]any)["armId"]; got != c.subnet {
				t.Errorf("subnet: want %s, got %s", c.subnet, got)
			}
		})
	}
}
