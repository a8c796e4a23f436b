package network

import (
	"slices"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// pathBastionSubnet is the subnet of Azure Bastion, which is not among the others.
const pathBastionSubnet = "spec.bastionSpec.azureBastion.subnet"

// subnets returns the subnets of the cluster, and that of Azure Bastion. In a network that is not the Cluster's they have to be there.
func (n *Network) subnets() []*plan.Resource {
	var all []*plan.Resource
	for i, s := range n.spec.NetworkSpec.Subnets {
		all = append(all, n.subnet(subnetPath(i), s, n.natGatewayOf(s)))
	}
	if bastion := n.spec.BastionSpec.AzureBastion; bastion != nil {
		all = append(all, n.subnet(pathBastionSubnet, bastion.Subnet, ""))
	}
	return all
}

// subnet returns one subnet, with the ID of its NAT gateway or none.
func (n *Network) subnet(path string, s v1beta1.SubnetSpec, natGateway string) *plan.Resource {
	vnet := n.vnet()
	spec := typed.Subnet(vnet.Name, s.Name, s.CIDRBlocks, s.ServiceEndpoints)
	if n.translatesPrivateLinks(s.Name) {
		spec.PrivateLinkServiceNetworkPolicies = ptr.To(networks.SubnetPropertiesFormat_PrivateLinkServiceNetworkPolicies_Disabled)
	}
	if s.RouteTable.Name != "" {
		spec.RouteTable = &networks.RouteTableSpec_VirtualNetworks_Subnet_SubResourceEmbedded{
			Reference: typed.ByID(n.id(vnet.ResourceGroup, "routeTables", s.RouteTable.Name))}
	}
	if natGateway != "" {
		spec.NatGateway = &networks.SubResource{Reference: typed.ByID(natGateway)}
	}
	if s.SecurityGroup.Name != "" {
		spec.NetworkSecurityGroup = &networks.NetworkSecurityGroupSpec_VirtualNetworks_Subnet_SubResourceEmbedded{
			Reference: typed.ByID(n.id(vnet.ResourceGroup, "networkSecurityGroups", s.SecurityGroup.Name))}
	}
	r := n.objects.Resource(path, typed.SubnetName(vnet.Name, s.Name), &networks.VirtualNetworksSubnet{Spec: spec}, nil)
	r.OnlyFound = true
	return r
}

// translatesPrivateLinks reports whether a private link service takes addresses from the subnet. Azure wants its policies off there.
func (n *Network) translatesPrivateLinks(subnet string) bool {
	lb := n.spec.NetworkSpec.APIServerLB
	return lb != nil && slices.ContainsFunc(lb.PrivateLinks, func(link v1beta1.PrivateLink) bool {
		return slices.ContainsFunc(link.NATIPConfigurations, func(c v1beta1.PrivateLinkNATIPConfiguration) bool { return c.Subnet == subnet })
	})
}
