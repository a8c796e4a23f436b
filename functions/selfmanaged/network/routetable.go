package network

import (
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// routeTables returns the route tables of the subnets, each once. Their routes are written by the cloud controller of the cluster, and ASO
// sends along those that it finds.
func (n *Network) routeTables(network *plan.Resource) []*plan.Resource {
	var all []*plan.Resource
	seen := nameSet{}
	for i, s := range n.spec.NetworkSpec.Subnets {
		name := s.RouteTable.Name
		if !seen.add(name) {
			continue
		}
		r := n.objects.Resource(subnetPath(i)+".routeTable", v1beta1.ASOObjectName(name), &networks.RouteTable{Spec: networks.RouteTable_Spec{
			AzureName: name,
			Owner:     typed.OwnedBy(n.vnet().ResourceGroup),
			Location:  &n.spec.Location,
			Tags:      n.tags(name, ""),
		}}, nil)
		r.OnlyWith = network
		all = append(all, r)
	}
	return all
}
