package aks

import (
	"fmt"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// privateEndpoints returns the private endpoints in the subnet of the cluster.
func (c *aksCluster) privateEndpoints() []*plan.Resource {
	var objects []*plan.Resource
	for i, e := range c.spec.VirtualNetwork.Subnet.PrivateEndpoints {
		path := fmt.Sprintf("spec.virtualNetwork.subnet.privateEndpoints[%d]", i)
		subnet, problem := c.subnetReference(c.spec.VirtualNetwork.Subnet.Name)
		objects = append(objects, c.object(path, v1beta1.ASOObjectName(e.Name),
			c.common().PrivateEndpoint(e, c.spec.VirtualNetwork.ResourceGroup, c.spec.Location, subnet, c.spec.AdditionalTags), problem))
	}
	return objects
}
