package network

import (
	"strings"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// resourceGroups returns the resource group of the cluster, and that of the virtual network where it is another.
func (n *Network) resourceGroups() []*plan.Resource {
	ofCluster, ofNetwork := n.spec.ResourceGroup, n.vnet().ResourceGroup
	all := []*plan.Resource{n.resourceGroup("spec.resourceGroup", ofCluster, ofCluster)}
	if !strings.EqualFold(ofCluster, ofNetwork) {
		all = append(all, n.resourceGroup("spec.networkSpec.vnet.resourceGroup", ofNetwork, v1beta1.ASOObjectName(ofNetwork)))
	}
	return all
}

func (n *Network) resourceGroup(path, name, nameTag string) *plan.Resource {
	return n.objects.Resource(path, v1beta1.ASOObjectName(name), n.objects.ResourceGroup(name, nameTag, n.spec.Location, n.spec.AdditionalTags), nil)
}

// inGroup refers to a resource group as the owner of something: by its object, or by its ID where it is not one that is composed here.
func (n *Network) inGroup(name string) *genruntime.KnownResourceReference {
	if strings.EqualFold(name, n.spec.ResourceGroup) || strings.EqualFold(name, n.vnet().ResourceGroup) {
		return typed.OwnedBy(name)
	}
	return &genruntime.KnownResourceReference{ARMID: "/subscriptions/" + n.spec.SubscriptionID + "/resourceGroups/" + name}
}
