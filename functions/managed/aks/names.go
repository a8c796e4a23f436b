package aks

import (
	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
)

// subnetName returns the name of the object of a subnet: names of subnets are unique within their network only.
func subnetName(network, subnet string) string { return v1beta1.ASOObjectName(network + "-" + subnet) }

// managedClusterID returns the ARM ID of the AKS cluster, empty where the spec has no subscription to build it with.
func (c *aksCluster) managedClusterID() string {
	if c.spec.SubscriptionID == "" {
		return ""
	}
	return typed.ARMID(c.spec.SubscriptionID, c.spec.ResourceGroupName, "Microsoft.ContainerService", "managedClusters", c.name)
}
