package managed

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/managed/expansion"
	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// poolsOf returns the pools of a Cluster with what their MachinePools say of them, and in words what is missing of them.
func poolsOf(in *composer.Request, cluster, autoUpgradeVersion string) (pools []expansion.Pool, waits []string, err error) {
	machinePools, machinePoolsErr := member.MachinePools(in, cluster)
	found, err := in.List("pools", poolKind, composer.LabelClusterName, cluster)
	if err := errors.Join(machinePoolsErr, err); err != nil {
		return nil, nil, err
	}
	byName := map[string]*unstructured.Unstructured{}
	for _, xr := range found {
		byName[xr.GetName()] = xr
	}
	for _, machinePool := range machinePools {
		name, typed := poolName(machinePool)
		if !typed || machinePool.GetDeletionTimestamp() != nil {
			continue
		}
		xr := byName[name]
		delete(byName, name)
		if xr == nil {
			waits = append(waits, fmt.Sprintf("AzureManagedMachinePool %s exists and has label %s, which MachinePool %s refers to", name, composer.LabelClusterName, machinePool.GetName()))
			continue
		}
		pool, problem := poolOf(xr, machinePool, autoUpgradeVersion)
		if problem != nil {
			waits = append(waits, problem.Message)
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

// poolName returns the name of the AzureManagedMachinePool that a MachinePool refers to.
func poolName(machinePool *unstructured.Unstructured) (string, bool) {
	ref, _, _ := unstructured.NestedStringMap(machinePool.Object, "spec", "template", "spec", "infrastructureRef")
	return ref["name"], ref["kind"] == poolKind.Kind && ref["apiGroup"] == poolKind.Group && ref["name"] != ""
}

// poolOf returns a pool with what its MachinePool says of it.
func poolOf(xr, machinePool *unstructured.Unstructured, autoUpgradeVersion string) (expansion.Pool, *composer.Problem) {
	pool := expansion.Pool{XR: &v1beta1.AzureManagedMachinePool{}, AutoUpgradeVersion: autoUpgradeVersion}
	if problem := read(xr, pool.XR); problem != nil {
		return expansion.Pool{}, problem
	}
	pool.Version, _, _ = unstructured.NestedString(machinePool.Object, "spec", "template", "spec", "version")
	if replicas, found, _ := unstructured.NestedFieldNoCopy(machinePool.Object, "spec", "replicas"); found {
		pool.Replicas = ptr.To(int32(composer.Integer(replicas))) //nolint:gosec // The API server has checked the range.
	}
	return pool, nil
}

// clusterOf returns what the expansion needs of the Cluster.
func clusterOf(cluster *unstructured.Unstructured) expansion.Cluster {
	services, _, _ := unstructured.NestedStringSlice(cluster.Object, "spec", "clusterNetwork", "services", "cidrBlocks")
	pods, _, _ := unstructured.NestedStringSlice(cluster.Object, "spec", "clusterNetwork", "pods", "cidrBlocks")
	return expansion.Cluster{Namespace: cluster.GetNamespace(), Name: cluster.GetName(), ServiceCIDRs: services, PodCIDRs: pods}
}
