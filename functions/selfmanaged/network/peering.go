package network

import (
	"fmt"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// peerings returns the peerings of the cluster's network with others, one for each direction.
func (n *Network) peerings() []*plan.Resource {
	var all []*plan.Resource
	own := n.vnet()
	for i, p := range own.Peerings {
		path := peeringPath(i)
		remoteID := n.id(p.ResourceGroup, "virtualNetworks", p.RemoteVnetName)
		there := n.peering(path, own.Name, p.RemoteVnetName, typed.OwnedBy(own.Name), remoteID, p.ForwardPeeringProperties)
		back := n.peering(path+".reversePeeringProperties", p.RemoteVnetName, own.Name, &genruntime.KnownResourceReference{ARMID: remoteID}, n.vnetID(), p.ReversePeeringProperties)
		back.ParentOwnership = n.ownershipOfReverse(back)
		all = append(all, there, back)
	}
	return all
}

// peering returns the peering of one network with another, in one direction.
func (n *Network) peering(path, from, to string, owner *genruntime.KnownResourceReference, toID string, properties v1beta1.VnetPeeringProperties) *plan.Resource {
	name := from + "-To-" + to
	return n.objects.Resource(path, v1beta1.ASOObjectName(name), &networks.VirtualNetworksVirtualNetworkPeering{Spec: networks.VirtualNetworksVirtualNetworkPeering_Spec{
		AzureName:                 name,
		Owner:                     owner,
		RemoteVirtualNetwork:      &networks.SubResource{Reference: typed.ByID(toID)},
		AllowForwardedTraffic:     properties.AllowForwardedTraffic,
		AllowGatewayTransit:       properties.AllowGatewayTransit,
		AllowVirtualNetworkAccess: properties.AllowVirtualNetworkAccess,
		UseRemoteGateways:         properties.UseRemoteGateways,
	}}, nil)
}

var statusRemoteNetwork = field.At[string]("status", "remoteVirtualNetwork", "id")

// ownershipOfReverse returns whose a peering is that Azure has already in somebody else's network: it leads to the cluster's network and is
// good for nothing else, so it goes with that.
func (n *Network) ownershipOfReverse(reverse *plan.Resource) string {
	composed := n.composed(aso.VirtualNetworksVirtualNetworkPeering, reverse.Object.GetName())
	network := n.composed(aso.VirtualNetwork, v1beta1.ASOObjectName(n.vnet().Name))
	if composed == nil || network == nil || !aso.SameID(aso.ParseID(statusRemoteNetwork.Value(composed)), aso.ParseID(n.vnetID())) {
		return v1beta1.OwnershipExternal
	}
	return network.GetAnnotations()[v1beta1.AnnotationOwnership]
}

func peeringPath(i int) string { return fmt.Sprintf("spec.networkSpec.vnet.peerings[%d]", i) }
