package expansion

import (
	"fmt"
	"strings"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	groups "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// resourceGroups returns the resource group of the cluster, and that of the virtual network where it is another.
func (c *aksCluster) resourceGroups() []Object {
	ofCluster, ofNetwork := c.spec.ResourceGroupName, c.spec.VirtualNetwork.ResourceGroup
	objects := []Object{c.resourceGroup("spec.resourceGroupName", ofCluster, ofCluster)}
	if !strings.EqualFold(ofCluster, ofNetwork) {
		objects = append(objects, c.resourceGroup("spec.virtualNetwork.resourceGroup", ofNetwork, v1beta1.ASOObjectName(ofNetwork)))
	}
	return objects
}

func (c *aksCluster) resourceGroup(path, name, nameTag string) Object {
	return c.object(path, v1beta1.ASOObjectName(name), &groups.ResourceGroup{Spec: groups.ResourceGroup_Spec{
		AzureName: name,
		Location:  &c.spec.Location,
		Tags:      merged(ownedTags(c.cluster.Name, nameTag, roleCommon), c.spec.AdditionalTags),
	}}, nil)
}

func (c *aksCluster) virtualNetwork() Object {
	network := c.spec.VirtualNetwork
	return c.object("spec.virtualNetwork", v1beta1.ASOObjectName(network.Name), &networks.VirtualNetwork{Spec: networks.VirtualNetwork_Spec{
		AzureName:    network.Name,
		Owner:        ownedBy(network.ResourceGroup),
		Location:     &c.spec.Location,
		AddressSpace: &networks.AddressSpace{AddressPrefixes: []string{network.CIDRBlock}},
		Tags:         merged(c.spec.AdditionalTags, ownedTags(c.cluster.Name, network.Name, roleCommon)),
	}}, nil)
}

func (c *aksCluster) subnet() Object {
	network, subnet := c.spec.VirtualNetwork, c.spec.VirtualNetwork.Subnet
	spec := networks.VirtualNetworksSubnet_Spec{
		AzureName:       subnet.Name,
		Owner:           ownedBy(network.Name),
		AddressPrefix:   ptr.To(subnet.CIDRBlock),
		AddressPrefixes: []string{subnet.CIDRBlock},
	}
	for _, e := range subnet.ServiceEndpoints {
		spec.ServiceEndpoints = append(spec.ServiceEndpoints, networks.ServiceEndpointPropertiesFormat{Service: ptr.To(e.Service), Locations: e.Locations})
	}
	return c.object("spec.virtualNetwork.subnet", subnetName(network.Name, subnet.Name), &networks.VirtualNetworksSubnet{Spec: spec}, nil)
}

// subnetReference refers to a subnet of the cluster's network: by its ARM ID as CAPZ does, or by its object where the
// spec has no subscription to build the ID with. Only the subnet of the spec has an object.
func (c *aksCluster) subnetReference(name string) (*genruntime.ResourceReference, *composer.Problem) {
	network := c.spec.VirtualNetwork
	if c.spec.SubscriptionID != "" {
		return byID(armID(c.spec.SubscriptionID, network.ResourceGroup, "Microsoft.Network", "virtualNetworks", network.Name, "subnets", name)), nil
	}
	if name != network.Subnet.Name {
		return nil, c.needsSubscription(fmt.Sprintf("the ID of subnet %q", name))
	}
	return &genruntime.ResourceReference{Group: "network.azure.com", Kind: "VirtualNetworksSubnet", Name: subnetName(network.Name, name)}, nil
}

// needsSubscription says that something cannot be named without the subscription.
func (c *aksCluster) needsSubscription(what string) *composer.Problem {
	return invalid("AzureManagedControlPlane %s: spec.subscriptionID is empty, but must be set, because %s is built with it", c.name, what)
}
