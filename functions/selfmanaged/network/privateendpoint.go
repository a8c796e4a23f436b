package network

import (
	"fmt"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// privateEndpoints returns the private endpoints in the subnets of the cluster.
func (n *Network) privateEndpoints() []*plan.Resource {
	var all []*plan.Resource
	in := func(path string, s v1beta1.SubnetSpec) {
		for i, e := range s.PrivateEndpoints {
			all = append(all, n.objects.Resource(fmt.Sprintf("%s.privateEndpoints[%d]", path, i), v1beta1.ASOObjectName(e.Name),
				n.objects.PrivateEndpoint(e, n.spec.ResourceGroup, n.spec.Location, typed.ByID(n.subnetID(s.Name)), n.spec.AdditionalTags), nil))
		}
	}
	for i, s := range n.spec.NetworkSpec.Subnets {
		in(subnetPath(i), s)
	}
	if bastion := n.spec.BastionSpec.AzureBastion; bastion != nil {
		in(pathBastionSubnet, bastion.Subnet)
	}
	return all
}
