package managed

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/managed/aks"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// poolsOf returns the pools of a Cluster with what their MachinePools say of them, and in words what is missing of them.
func poolsOf(in *composer.Request, cluster, autoUpgradeVersion string) (pools []aks.Pool, waits []string, err error) {
	machinePools, machinePoolsErr := capi.MachinePools(in, cluster)
	found, err := in.List("pools", composite.AzureManagedMachinePool.GroupVersionKind, clusterv1.ClusterNameLabel, cluster)
	if err := errors.Join(machinePoolsErr, err); err != nil {
		return nil, nil, err
	}
	byName := map[string]*unstructured.Unstructured{}
	for _, xr := range found {
		byName[xr.GetName()] = xr
	}
	for _, machinePool := range machinePools {
		name, typed := capi.InfrastructureOf(machinePool, composite.AzureManagedMachinePool)
		if !typed || machinePool.GetDeletionTimestamp() != nil {
			continue
		}
		xr := byName[name]
		delete(byName, name)
		if xr == nil {
			waits = append(waits, fmt.Sprintf("AzureManagedMachinePool %s exists and has label %s, which MachinePool %s refers to", name, clusterv1.ClusterNameLabel, machinePool.GetName()))
			continue
		}
		pool, err := poolOf(xr, machinePool, autoUpgradeVersion)
		if err != nil {
			waits = append(waits, err.Error())
			continue
		}
		pools = append(pools, pool)
	}
	for _, xr := range found {
		if byName[xr.GetName()] != nil && xr.GetDeletionTimestamp() == nil {
			waits = append(waits, fmt.Sprintf("a MachinePool refers to AzureManagedMachinePool %s", xr.GetName()))
		}
	}
	return pools, waits, nil
}

// poolOf returns a pool with what its MachinePool says of it.
func poolOf(xr, machinePool *unstructured.Unstructured, autoUpgradeVersion string) (aks.Pool, error) {
	pool := aks.Pool{XR: &v1beta1.AzureManagedMachinePool{}, AutoUpgradeVersion: autoUpgradeVersion, Version: capi.MachinePoolVersion.Value(machinePool)}
	if err := capi.Read(xr, pool.XR); err != nil {
		return aks.Pool{}, err
	}
	if capi.MachinePoolReplicas.Has(machinePool) {
		pool.Replicas = ptr.To(int32(capi.MachinePoolReplicas.Value(machinePool))) //nolint:gosec // The API server has checked the range.
	}
	return pool, nil
}

// clusterOf returns what of the Cluster decides about its resources.
func clusterOf(cluster *unstructured.Unstructured) aks.Cluster {
	return aks.Cluster{
		Namespace: cluster.GetNamespace(), Name: cluster.GetName(),
		ServiceCIDRs: capi.ClusterServiceRanges.Value(cluster), PodCIDRs: capi.ClusterPodRanges.Value(cluster),
	}
}
