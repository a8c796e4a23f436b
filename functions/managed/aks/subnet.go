package aks

import (
	"fmt"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"

	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// subnet returns the subnet of the nodes.
func (c *aksCluster) subnet() *plan.Resource {
	network, subnet := c.spec.VirtualNetwork, c.spec.VirtualNetwork.Subnet
	spec := typed.Subnet(network.Name, subnet.Name, []string{subnet.CIDRBlock}, subnet.ServiceEndpoints)
	return c.object("spec.virtualNetwork.subnet", typed.SubnetName(network.Name, subnet.Name), &networks.VirtualNetworksSubnet{Spec: spec}, nil)
}

// subnetReference refers to a subnet of the cluster's network: by its ARM ID as CAPZ does, or by its object where the
// spec has no subscription to build the ID with. Only the subnet of the spec has an object.
func (c *aksCluster) subnetReference(name string) (*genruntime.ResourceReference, *composer.Blocked) {
	network := c.spec.VirtualNetwork
	if c.spec.SubscriptionID != "" {
		return typed.ByID(typed.ARMID(c.spec.SubscriptionID, network.ResourceGroup, "Microsoft.Network", "virtualNetworks", network.Name, "subnets", name)), nil
	}
	if name != network.Subnet.Name {
		return nil, c.needsSubscription(fmt.Sprintf("the ID of subnet %q", name))
	}
	return &genruntime.ResourceReference{Group: "network.azure.com", Kind: "VirtualNetworksSubnet", Name: typed.SubnetName(network.Name, name)}, nil
}

// needsSubscription says that something cannot be named without the subscription.
func (c *aksCluster) needsSubscription(what string) *composer.Blocked {
	return typed.Invalid("AzureManagedControlPlane %s: spec.subscriptionID is empty, but must be set, because %s is built with it", c.name, what)
}
