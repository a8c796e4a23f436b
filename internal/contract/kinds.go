package contract

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// infrastructure is the group and version of the composite kinds that Crossplane composes.
var infrastructure = schema.GroupVersion{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1"}

// The composite kinds whose users write Azure Service Operator (ASO) objects.
var (
	asoClusterKind      = infrastructure.WithKind("AzureASOManagedCluster")
	asoControlPlaneKind = infrastructure.WithKind("AzureASOManagedControlPlane")
	asoMachinePoolKind  = infrastructure.WithKind("AzureASOManagedMachinePool")
)

// The composite kinds with typed fields, which the function expands to ASO objects.
var (
	typedClusterKind      = infrastructure.WithKind("AzureManagedCluster")
	typedControlPlaneKind = infrastructure.WithKind("AzureManagedControlPlane")
	typedMachinePoolKind  = infrastructure.WithKind("AzureManagedMachinePool")
)

// The ASO kinds that the contract is about, at any version.
var (
	managedClusterKind = schema.GroupKind{Group: "containerservice.azure.com", Kind: "ManagedCluster"}
	agentPoolKind      = schema.GroupKind{Group: "containerservice.azure.com", Kind: "ManagedClustersAgentPool"}
)

// machinePoolKind is Cluster API's, at the version that is read.
var machinePoolKind = clusterv1.GroupVersion.WithKind("MachinePool")

// A family is the composite kinds that make an AKS cluster together, by the part that they play for Cluster API.
type family struct {
	infrastructure, controlPlane, machinePool schema.GroupVersionKind
	// typed is true when spec has no ASO objects but fields of its own.
	typed bool
}

var (
	asoFamily   = family{infrastructure: asoClusterKind, controlPlane: asoControlPlaneKind, machinePool: asoMachinePoolKind}
	typedFamily = family{infrastructure: typedClusterKind, controlPlane: typedControlPlaneKind, machinePool: typedMachinePoolKind, typed: true}
	families    = []family{asoFamily, typedFamily}
)

func (f family) kinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{f.infrastructure, f.controlPlane, f.machinePool}
}

// Kinds returns the composite kinds that the reconcilers watch from the start.
func Kinds() []schema.GroupVersionKind { return asoFamily.kinds() }

// TypedKinds returns the composite kinds that the reconcilers watch as soon as they are served.
func TypedKinds() []schema.GroupVersionKind { return typedFamily.kinds() }

// familyOf returns the family that a kind belongs to.
func familyOf(kind schema.GroupVersionKind) family {
	has := func(f family) bool {
		return slices.ContainsFunc(f.kinds(), func(k schema.GroupVersionKind) bool { return k.GroupKind() == kind.GroupKind() })
	}
	if i := slices.IndexFunc(families, has); i >= 0 {
		return families[i]
	}
	return family{}
}

// typed reports whether the composite resource has fields of its own and no ASO objects in spec.
func typed(xr *unstructured.Unstructured) bool { return familyOf(xr.GroupVersionKind()).typed }

// ours reports whether the Cluster has a control plane of one of the families.
func ours(cluster *clusterv1.Cluster) bool {
	return slices.ContainsFunc(families, func(f family) bool { return refersTo(cluster.Spec.ControlPlaneRef, f.controlPlane) })
}
