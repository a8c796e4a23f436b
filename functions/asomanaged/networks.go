package asomanaged

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

var (
	networkKind = schema.GroupKind{Group: "network.azure.com", Kind: "VirtualNetwork"}
	subnetKind  = schema.GroupKind{Group: "network.azure.com", Kind: "VirtualNetworksSubnet"}
	peeringKind = schema.GroupKind{Group: "network.azure.com", Kind: "VirtualNetworksVirtualNetworkPeering"}
)

// quietNetworks returns what a new subnet or peering waits for besides its networks: what changes those before it. These are
// the subnets that come before it in the spec; for a peering all subnets, and the peerings before it. Azure answers 429
// AnotherOperationInProgress to a subnet while its network is being changed, which ASO tries again with a growing delay, and
// 400 ReferencedResourceNotProvisioned to a peering, which ASO tries again after an hour (recorded in
// Test_Network_v20250301_CreationAndDeletion of the ASO module).
func quietNetworks(inlines []*composer.Inline) func(*composer.Inline) []composer.Reference {
	return func(of *composer.Inline) []composer.Reference {
		peering := of.Is(peeringKind)
		if !peering && !of.Is(subnetKind) {
			return nil
		}
		mine := networksOf(of)
		var refs []composer.Reference
		before := true
		for _, i := range inlines {
			before = before && i != of
			comesFirst := i.Is(subnetKind) && (before || peering) || i.Is(peeringKind) && before && peering
			if !comesFirst {
				continue
			}
			if at := shared(mine, networksOf(i)); at >= 0 {
				refs = append(refs, composer.Reference{
					GroupKind: i.Object.GroupVersionKind().GroupKind(), Name: i.Object.GetName(), Path: mine[at].Path,
				})
			}
		}
		return refs
	}
}

// shared returns which of the networks is among others, too; -1 when none is.
func shared(networks, others []composer.Reference) int {
	return slices.IndexFunc(networks, func(r composer.Reference) bool {
		return slices.ContainsFunc(others, func(other composer.Reference) bool { return other.Name == r.Name })
	})
}

// networksOf returns the references of an object to virtual networks.
func networksOf(i *composer.Inline) []composer.Reference {
	return slices.DeleteFunc(composer.References(i.Object), func(r composer.Reference) bool { return r.GroupKind != networkKind })
}
