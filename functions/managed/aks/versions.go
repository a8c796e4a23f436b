package aks

import (
	clusters "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801"
	clustersstorage "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801/storage"
	preview "github.com/Azure/azure-service-operator/v2/api/containerservice/v20251002preview"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// managedClusterIn converts a ManagedCluster to the version of the API that the user chose.
func (c *aksCluster) managedClusterIn(hub *clustersstorage.ManagedCluster) (runtime.Object, error) {
	if c.preview() {
		return converted(&preview.ManagedCluster{}, hub)
	}
	return converted(&clusters.ManagedCluster{}, hub)
}

// agentPoolIn is the same for an agent pool.
func (c *aksCluster) agentPoolIn(hub *clustersstorage.ManagedClustersAgentPool) (runtime.Object, error) {
	if c.preview() {
		return converted(&preview.ManagedClustersAgentPool{}, hub)
	}
	return converted(&clusters.ManagedClustersAgentPool{}, hub)
}

// converted fills the object from the hub version with ASO's own conversion.
func converted(into conversion.Convertible, hub conversion.Hub) (runtime.Object, error) {
	return into, into.ConvertFrom(hub)
}
