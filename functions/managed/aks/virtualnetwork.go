package aks

import (
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// virtualNetwork returns the network that the cluster is in.
func (c *aksCluster) virtualNetwork() *plan.Resource {
	network := c.spec.VirtualNetwork
	return c.object("spec.virtualNetwork", v1beta1.ASOObjectName(network.Name), &networks.VirtualNetwork{Spec: networks.VirtualNetwork_Spec{
		AzureName:    network.Name,
		Owner:        typed.OwnedBy(network.ResourceGroup),
		Location:     &c.spec.Location,
		AddressSpace: &networks.AddressSpace{AddressPrefixes: []string{network.CIDRBlock}},
		Tags:         typed.Merged(c.spec.AdditionalTags, typed.OwnedTags(c.cluster.Name, network.Name, typed.RoleCommon)),
	}}, nil)
}
