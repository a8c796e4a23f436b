package defaulting

import (
	"cmp"
	"slices"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// ClusterTemplate fills in the spec of the AzureClusters that are made from an AzureClusterTemplate, but for what follows from their
// names.
func ClusterTemplate(spec *v1beta1.AzureClusterTemplateResourceSpec) {
	spec.AzureEnvironment = cmp.Or(spec.AzureEnvironment, AzureCloud)
	network := &spec.NetworkSpec
	ranges(&network.Vnet.CIDRBlocks, NetworkRange)
	if b := spec.BastionSpec.AzureBastion; b != nil {
		b.Subnet.Role = cmp.Or(b.Subnet.Role, v1beta1.SubnetBastion)
		b.Subnet.Name = cmp.Or(b.Subnet.Name, BastionSubnet)
		ranges(&b.Subnet.CIDRBlocks, BastionRange)
	}
	templateSubnets(&network.Subnets)
	class(&network.APIServerLB)
	if network.NodeOutboundLB == nil && network.APIServerLB.Type != v1beta1.Internal && slices.ContainsFunc(network.Subnets, hasIPv6NodesOfTemplate) {
		network.NodeOutboundLB = &v1beta1.LoadBalancerClassSpec{}
	}
	for _, lb := range []*v1beta1.LoadBalancerClassSpec{network.NodeOutboundLB, network.ControlPlaneOutboundLB} {
		if lb != nil {
			lb.Type, lb.SKU = v1beta1.Public, v1beta1.SKUStandard
			class(lb)
		}
	}
}

func hasIPv6NodesOfTemplate(s v1beta1.SubnetTemplateSpec) bool {
	return (s.Role == v1beta1.SubnetNode || s.Role == v1beta1.SubnetCluster) && HasIPv6(s.CIDRBlocks)
}

// templateSubnets fills in the subnets of a template. Those that it lacks are added to each cluster.
func templateSubnets(all *v1beta1.SubnetTemplatesSpec) {
	nodes := 0
	for i := range *all {
		s := &(*all)[i]
		switch s.Role {
		case v1beta1.SubnetCluster:
			ranges(&s.CIDRBlocks, bothRolesCIDR)
		case v1beta1.SubnetControlPlane:
			ranges(&s.CIDRBlocks, controlPlaneCIDR)
		case v1beta1.SubnetNode:
			nodes++
			ranges(&s.CIDRBlocks, nodeRange(nodes))
		case v1beta1.SubnetBastion:
		}
		directions(s.SecurityGroup.SecurityRules)
	}
}
