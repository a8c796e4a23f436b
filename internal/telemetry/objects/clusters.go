package objects

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// collectClusters sends how many Clusters and MachinePools there are of each family and phase.
func (v view) collectClusters(ctx context.Context, to chan<- prometheus.Metric) {
	clusters, counted := &clusterv1.ClusterList{}, telemetry.Clusters.Values()
	if !v.clusters || !v.list(ctx, clusters) {
		return
	}
	for i := range clusters.Items {
		cluster := &clusters.Items[i]
		if family, ok := familyOf(cluster); ok && v.watched(cluster) {
			counted.Add(1, string(family), string(cluster.Status.GetTypedPhase()))
		}
	}
	counted.Collect(to)
	pools, counted := &clusterv1.MachinePoolList{}, telemetry.MachinePools.Values()
	if !v.list(ctx, pools) {
		return
	}
	for i := range pools.Items {
		pool := &pools.Items[i]
		kind, ok := composite.Referred(pool.Spec.Template.Spec.InfrastructureRef, composite.InfrastructureMachinePool)
		if ok && v.watched(pool) {
			counted.Add(1, string(kind.Family), string(pool.Status.GetTypedPhase()))
		}
	}
	counted.Collect(to)
}

// familyOf returns the family of kinds by which a Cluster is described; not ok for one that is not this project's.
func familyOf(cluster *clusterv1.Cluster) (family composite.Family, ok bool) {
	for _, ref := range []clusterv1.ContractVersionedObjectReference{cluster.Spec.InfrastructureRef, cluster.Spec.ControlPlaneRef} {
		if kind, ok := composite.Referred(ref, composite.InfrastructureCluster, composite.ControlPlane); ok {
			return kind.Family, true
		}
	}
	return "", false
}
