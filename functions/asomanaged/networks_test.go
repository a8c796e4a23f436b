package asomanaged

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

func TestNetworkOrder(t *testing.T) {
	peering := func(name, from, to string) *unstr {
		return owned(network, aso.VirtualNetworksVirtualNetworkPeering.Name, name, from, set(aksReference(aso.VirtualNetwork.Name, to), "spec", "remoteVirtualNetwork", "reference"))
	}
	subnet := func(name, of string) *unstr { return owned(network, aso.VirtualNetworksSubnet.Name, name, of) }
	cases := map[string]struct {
		entries []*unstr
		name    string
		want    []string
	}{
		"subnets of both networks, wherever they stand": {
			[]*unstr{subnet("s1", "a"), peering("p", "a", "b"), subnet("s2", "b"), subnet("s3", "c")}, "p",
			[]string{"VirtualNetworksSubnet s1 (spec.owner)", "VirtualNetworksSubnet s2 (spec.remoteVirtualNetwork.reference)"},
		},
		"the first of two peerings waits for no peering": {[]*unstr{peering("p", "a", "b"), peering("q", "b", "a")}, "p", nil},
		"the second waits for the first": {
			[]*unstr{peering("p", "a", "b"), peering("q", "b", "a")}, "q", []string{"VirtualNetworksVirtualNetworkPeering p (spec.owner)"},
		},
		"peerings of other networks": {[]*unstr{peering("p", "c", "d"), peering("q", "b", "a")}, "q", nil},
		"a subnet waits for those before it": {
			[]*unstr{subnet("s1", "a"), subnet("other", "b"), subnet("s2", "a"), subnet("s3", "a")}, "s2", []string{"VirtualNetworksSubnet s1 (spec.owner)"},
		},
		"another kind waits for none":   {[]*unstr{subnet("s1", "a"), owned(network, aso.VirtualNetwork.Name, "a", "rg")}, "a", nil},
		"a subnet waits for no peering": {[]*unstr{peering("p", "a", "b"), subnet("s", "a")}, "s", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			resources := plan.FromSpec(infraXR(tc.entries...))
			var got []string
			for _, i := range resources {
				if i.Object.GetName() != tc.name {
					continue
				}
				for _, r := range networkOrder(resources)(i) {
					got = append(got, r.String()+" ("+r.Path+")")
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
