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

// quietNetworks returns what a new peering waits for besides its two networks: all that changes those, which are their
// subnets and the peerings that come before it in the spec. Azure answers 400 ReferencedResourceNotProvisioned to a
// peering while a network of it is being changed (recorded in Test_Network_v20250301_CreationAndDeletion of the ASO
// module), and ASO waits an hour before it tries again.
func quietNetworks(inlines []*composer.Inline) func(*composer.Inline) []composer.Reference {
	return func(peering *composer.Inline) []composer.Reference {
		if !peering.Is(peeringKind) {
			return nil
		}
		mine := networksOf(peering)
		var refs []composer.Reference
		before := true
		for _, i := range inlines {
			before = before && i != peering
			if !i.Is(subnetKind) && (!i.Is(peeringKind) || !before) {
				continue
			}
			for _, network := range networksOf(i) {
				at := slices.IndexFunc(mine, func(r composer.Reference) bool { return r.Name == network.Name })
				if at >= 0 {
					refs = append(refs, composer.Reference{
						GroupKind: i.Object.GroupVersionKind().GroupKind(), Name: i.Object.GetName(), Path: mine[at].Path,
					})
					break
				}
			}
		}
		return refs
	}
}

// networksOf returns the references of an object to virtual networks.
func networksOf(i *composer.Inline) []composer.Reference {
	return slices.DeleteFunc(composer.References(i.Object), func(r composer.Reference) bool { return r.GroupKind != networkKind })
}
