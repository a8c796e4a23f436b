package capi

import "github.com/crossplane-capz/crossplane-capz/internal/field"

// Fields of Cluster API's objects.
var (
	clusterPaused        = field.At[bool]("spec", "paused")
	clusterMachinePools  = field.At[[]any]("spec", "topology", "workers", "machinePools")
	machinePoolCluster   = field.At[string]("spec", "clusterName")
	machinePoolInfraRef  = field.At[map[string]string]("spec", "template", "spec", "infrastructureRef")
	MachinePoolReplicas  = field.At[int64]("spec", "replicas")
	MachinePoolVersion   = field.At[string]("spec", "template", "spec", "version")
	ClusterServiceRanges = field.At[[]string]("spec", "clusterNetwork", "services", "cidrBlocks")
	ClusterPodRanges     = field.At[[]string]("spec", "clusterNetwork", "pods", "cidrBlocks")
)

// Fields that Cluster API reads or writes of composite resources.
var (
	specVersion       = field.At[string]("spec", "version")
	endpointHost      = field.At[string]("spec", "controlPlaneEndpoint", "host")
	statusReady       = field.At[bool]("status", "ready")
	statusInitialized = field.At[bool]("status", "initialized")
	statusReplicas    = field.At[int64]("status", "replicas")
	// ProviderIDs are those of the nodes of a machine pool.
	ProviderIDs = field.At[[]string]("spec", "providerIDList")
)
