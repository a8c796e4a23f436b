package aks

import "github.com/crossplane-capz/crossplane-capz/functions/typed"

// managedClusterID returns the ARM ID of the AKS cluster, empty where the spec has no subscription to build it with.
func (c *aksCluster) managedClusterID() string {
	if c.spec.SubscriptionID == "" {
		return ""
	}
	return typed.ARMID(c.spec.SubscriptionID, c.spec.ResourceGroupName, "Microsoft.ContainerService", "managedClusters", c.name)
}
