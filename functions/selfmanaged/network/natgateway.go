package network

import (
	gateways "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// natGateways returns the NAT gateways of the subnets with nodes, each once. A control plane reaches the world by a load balancer.
func (n *Network) natGateways(network *plan.Resource) []*plan.Resource {
	var all []*plan.Resource
	seen := nameSet{}
	for i, s := range n.spec.NetworkSpec.Subnets {
		name := s.NatGateway.Name
		if !hasNodes(s) || !seen.add(name) {
			continue
		}
		r := n.objects.Resource(subnetPath(i)+".natGateway", v1beta1.ASOObjectName(name), &gateways.NatGateway{Spec: gateways.NatGateway_Spec{
			AzureName:         name,
			Owner:             typed.OwnedBy(n.spec.ResourceGroup),
			Location:          &n.spec.Location,
			Sku:               &gateways.NatGatewaySku{Name: ptr.To(gateways.NatGatewaySku_Name_Standard)},
			PublicIpAddresses: []gateways.SubResource{{Reference: typed.ByID(n.publicIPID(natGatewayIP(s)))}},
			Tags:              n.tags(name, ""),
			Zones:             s.NatGateway.Zones,
		}}, nil)
		r.OnlyWith = network
		all = append(all, r)
	}
	return all
}

// natGatewayOf returns the ID of the NAT gateway of a subnet; empty if it has none.
func (n *Network) natGatewayOf(s v1beta1.SubnetSpec) string {
	if s.NatGateway.Name == "" {
		return ""
	}
	return n.id(n.spec.ResourceGroup, "natGateways", s.NatGateway.Name)
}

// natGatewayIP returns the name of the public IP address of a subnet's NAT gateway.
func natGatewayIP(s v1beta1.SubnetSpec) string {
	if name := s.NatGateway.NatGatewayIP.Name; name != "" {
		return name
	}
	return "pip-" + s.NatGateway.Name
}
