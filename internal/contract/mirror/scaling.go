package mirror

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// replicasManagedByOther is the reason of Events about two who would scale one pool.
const replicasManagedByOther = "ReplicasManagedByOther"

// mirrorScaling marks the MachinePool as scaled in Azure, or no longer so, and takes over the number of replicas that
// whoever scales the pool has chosen. The mark stays until the function has Cluster API decide about the number again, which it does when
// the number is the same on both sides.
func (m *MachinePool) mirrorScaling(ctx context.Context, s *access.Scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured, joined *joinedNodes) error {
	scaled := owner.DeepCopy()
	by, marked := owner.Annotations[clusterv1.ReplicasManagedByAnnotation]
	inAzure, otherwise := scaledInAzure(s, pool)
	switch {
	case inAzure && marked && !byAKS(s, by):
		m.Events.Warn(s.XR, replicasManagedByOther, "", fmt.Sprintf(
			"AKS cannot scale the pool: annotation %s of MachinePool %s is %q; remove it, or %s",
			clusterv1.ReplicasManagedByAnnotation, owner.Name, by, otherwise))
		return nil
	case !marked && (inAzure || handedOver(s.XR, owner, pool)):
		annotations.AddAnnotations(scaled, map[string]string{clusterv1.ReplicasManagedByAnnotation: v1beta1.ReplicasManagedByAKS})
	case marked && byAKS(s, by) && !inAzure && pool != nil && !handedOver(s.XR, owner, pool):
		delete(scaled.Annotations, clusterv1.ReplicasManagedByAnnotation)
	}
	replicas, known := replicasOf(s, scaled, pool, joined)
	switch {
	case !known || !annotations.ReplicasManagedByExternalAutoscaler(scaled):
		m.Events.Clear(s.XR, replicasManagedByOther)
	case declaresReplicas(s.Cluster, owner):
		m.warnOfTopology(s, owner, replicas)
	default:
		m.Events.Clear(s.XR, replicasManagedByOther)
		scaled.Spec.Replicas = &replicas
	}
	return m.patchMachinePool(ctx, scaled, owner)
}

// warnOfTopology tells the user that the topology says how many nodes a pool has which somebody else scales.
func (m *MachinePool) warnOfTopology(s *access.Scope, owner *clusterv1.MachinePool, replicas int32) {
	if equalReplicas(owner.Spec.Replicas, &replicas) {
		m.Events.Clear(s.XR, replicasManagedByOther)
		return
	}
	m.Events.Warn(s.XR, replicasManagedByOther, "", fmt.Sprintf(
		"spec.topology of Cluster %s gives MachinePool %s %d replicas, but the pool is scaled in Azure; leave replicas out of spec.topology.workers.machinePools[%s], or they hold as soon as it is not",
		s.Cluster.Name, owner.Name, ptr.Deref(owner.Spec.Replicas, 0), owner.Labels[clusterv1.ClusterTopologyMachinePoolNameLabel]))
}

// declaresReplicas reports whether the topology of the Cluster says how many replicas a MachinePool has. Cluster API writes them then.
func declaresReplicas(cluster *clusterv1.Cluster, owner *clusterv1.MachinePool) bool {
	name := owner.Labels[clusterv1.ClusterTopologyMachinePoolNameLabel]
	return name != "" && cluster != nil && slices.ContainsFunc(cluster.Spec.Topology.Workers.MachinePools, func(t clusterv1.MachinePoolTopology) bool {
		return t.Name == name && t.Replicas != nil
	})
}

// replicasOf returns how many nodes a pool has that something else scales; not known before ASO has read the pool. ASO looks at it once an
// hour, but Nodes are seen as they come and go: they are as many as they are when there are more than ASO knows, or when one has gone.
func replicasOf(s *access.Scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured, joined *joinedNodes) (replicas int32, known bool) {
	machines, known, _ := access.StatusReplicas.Get(s.XR)
	if !known {
		return 0, false
	}
	nodes := joined.count()
	count, settled := aso.SettledCount(pool)
	switch {
	case settled && byAKS(s, owner.Annotations[clusterv1.ReplicasManagedByAnnotation]):
		machines = count // Nobody scales the pool any more, and Cluster API goes on with it.
	case nodes > 0 && (nodes > machines || joined.gone(specProviderIDList.Value(s.XR))):
		machines = nodes
	}
	return int32(machines), true //nolint:gosec // AKS has no pool of more than 1000 nodes.
}

// byAKS reports whether the annotation's value is the contract's own: that of pools with typed fields may be CAPZ's, too.
func byAKS(s *access.Scope, value string) bool {
	return value == v1beta1.ReplicasManagedByAKS || value == v1beta1.ReplicasManagedByCAPZ && !s.Kind.Inline
}

// scaledInAzure reports whether the number of nodes is not Cluster API's to decide, because AKS scales the pool, or the user has
// written the agent pool and keeps it so. It also returns what the user can do to change that.
func scaledInAzure(s *access.Scope, pool *unstructured.Unstructured) (inAzure bool, otherwise string) {
	if inSpec := access.FirstResource(s.XR, agentPoolKind); inSpec != nil {
		return aso.SpecEnableAutoScaling.Value(inSpec), "set spec.enableAutoScaling to false"
	}
	switch {
	case pool == nil:
		return specScaling.Has(s.XR), "remove spec.scaling"
	case metav1.IsControlledBy(pool, s.XR):
		return aso.SpecEnableAutoScaling.Value(pool), "remove spec.scaling"
	case aso.SpecEnableAutoScaling.Value(pool):
		return true, fmt.Sprintf("set spec.enableAutoScaling of %s %s to false", pool.GetKind(), pool.GetName())
	}
	return !manages(s.XR, v1beta1.ManagesReplicas), fmt.Sprintf("set annotation %s: %s", v1beta1.AnnotationManages, v1beta1.ManagesReplicas)
}

// handedOver reports whether AKS has scaled a pool and the MachinePool is still to take over how many nodes there are. An agent pool that
// is composed has no number until it has.
func handedOver(xr *unstructured.Unstructured, owner *clusterv1.MachinePool, pool *unstructured.Unstructured) bool {
	switch {
	case pool == nil:
		return false
	case metav1.IsControlledBy(pool, xr):
		return !aso.SpecCount.Has(pool) || aso.SpecEnableAutoScaling.Value(pool)
	}
	return manages(xr, v1beta1.ManagesReplicas) && !decidesCount(owner, pool)
}

// patchMachinePool makes base what changed is, in the API server too.
func (m *MachinePool) patchMachinePool(ctx context.Context, changed, base *clusterv1.MachinePool) error {
	patch := client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})
	same := equalReplicas(changed.Spec.Replicas, base.Spec.Replicas) &&
		changed.Annotations[clusterv1.ReplicasManagedByAnnotation] == base.Annotations[clusterv1.ReplicasManagedByAnnotation]
	if same {
		return nil
	}
	if err := m.Patch(ctx, changed, patch); err != nil {
		return err
	}
	changed.DeepCopyInto(base)
	return nil
}

func equalReplicas(a, b *int32) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
