package aks

import (
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// resourceGroups returns the resource group of the cluster, and that of the virtual network where it is another.
func (c *aksCluster) resourceGroups() []*plan.Resource {
	ofCluster, ofNetwork := c.spec.ResourceGroupName, c.spec.VirtualNetwork.ResourceGroup
	objects := []*plan.Resource{c.resourceGroup("spec.resourceGroupName", ofCluster, ofCluster)}
	if !strings.EqualFold(ofCluster, ofNetwork) {
		objects = append(objects, c.resourceGroup("spec.virtualNetwork.resourceGroup", ofNetwork, v1beta1.ASOObjectName(ofNetwork)))
	}
	return objects
}

func (c *aksCluster) resourceGroup(path, name, nameTag string) *plan.Resource {
	return c.object(path, v1beta1.ASOObjectName(name), c.common().ResourceGroup(name, nameTag, c.spec.Location, c.spec.AdditionalTags), nil)
}
