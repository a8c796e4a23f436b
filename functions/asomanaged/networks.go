package asomanaged

import (
	"slices"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// networkOrder returns what a new subnet or peering waits for besides its networks: what changes those before it. These are
// the subnets that come before it in the spec; for a peering all subnets, and the peerings before it. Azure answers 429
// AnotherOperationInProgress to a subnet while its network is being changed, which ASO tries again with a growing delay, and
// 400 ReferencedResourceNotProvisioned to a peering, which ASO tries again after an hour (recorded in
// Test_Network_v20250301_CreationAndDeletion of the ASO module).
func networkOrder(resources []*plan.Resource) func(*plan.Resource) []aso.Reference {
	return func(of *plan.Resource) []aso.Reference {
		peering := of.Is(aso.VirtualNetworksVirtualNetworkPeering)
		if !peering && !of.Is(aso.VirtualNetworksSubnet) {
			return nil
		}
		mine := networksOf(of)
		var refs []aso.Reference
		before := true
		for _, r := range resources {
			before = before && r != of
			comesFirst := r.Is(aso.VirtualNetworksSubnet) && (before || peering) || r.Is(aso.VirtualNetworksVirtualNetworkPeering) && before && peering
			if !comesFirst {
				continue
			}
			if at := shared(mine, networksOf(r)); at >= 0 {
				refs = append(refs, aso.ReferenceTo(r.Object, mine[at].Path))
			}
		}
		return refs
	}
}

// shared returns which of the networks is among others, too; -1 when none is.
func shared(networks, others []aso.Reference) int {
	return slices.IndexFunc(networks, func(r aso.Reference) bool {
		return slices.ContainsFunc(others, func(other aso.Reference) bool { return other.Name == r.Name })
	})
}

// networksOf returns the references of an object to virtual networks.
func networksOf(r *plan.Resource) []aso.Reference {
	return slices.DeleteFunc(aso.References(r.Object), func(ref aso.Reference) bool { return ref.GroupKind != aso.VirtualNetwork.GroupKind() })
}
