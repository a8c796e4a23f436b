package network

import (
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// virtualNetwork returns the network that the cluster is in.
func (n *Network) virtualNetwork() *plan.Resource {
	vnet := n.vnet()
	return n.objects.Resource("spec.networkSpec.vnet", v1beta1.ASOObjectName(vnet.Name), &networks.VirtualNetwork{Spec: networks.VirtualNetwork_Spec{
		AzureName:        vnet.Name,
		Owner:            typed.OwnedBy(vnet.ResourceGroup),
		Location:         &n.spec.Location,
		ExtendedLocation: n.extendedLocation(),
		AddressSpace:     &networks.AddressSpace{AddressPrefixes: vnet.CIDRBlocks},
		Tags:             n.tags(vnet.Name, typed.RoleCommon, vnet.Tags),
	}}, nil)
}

// extendedLocation returns the edge zone that the cluster is in; nil for none.
func (n *Network) extendedLocation() *networks.ExtendedLocation {
	location := n.spec.ExtendedLocation
	if location == nil {
		return nil
	}
	return &networks.ExtendedLocation{Name: &location.Name, Type: new(networks.ExtendedLocationType(location.Type))}
}
