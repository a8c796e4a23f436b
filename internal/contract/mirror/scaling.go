package mirror

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// Values of annotation cluster.x-k8s.io/replicas-managed-by while AKS scales a pool by itself.
const (
	replicasManagedByAKS = "aks"
	// replicasManagedByCAPZ is what CAPZ writes for pools with typed fields.
	replicasManagedByCAPZ = "true"
)

// mirrorScaling marks the MachinePool as scaled in Azure, or no longer so, and takes over the number of replicas that
// whoever scales the pool has chosen.
func (m *MachinePool) mirrorScaling(ctx context.Context, s *access.Scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured) error {
	scaled := owner.DeepCopy()
	by, marked := owner.Annotations[clusterv1.ReplicasManagedByAnnotation]
	inAzure, otherwise := scaledInAzure(s, pool)
	switch {
	case inAzure && !marked:
		annotations.AddAnnotations(scaled, map[string]string{clusterv1.ReplicasManagedByAnnotation: replicasManagedByAKS})
	case inAzure && !byAKS(s, by):
		m.Events.Warn(s.XR, "ReplicasManagedByOther", "", fmt.Sprintf(
			"AKS cannot scale the pool: annotation %s of MachinePool %s is %q; remove it, or %s",
			clusterv1.ReplicasManagedByAnnotation, owner.Name, by, otherwise))
		return nil
	case !inAzure && byAKS(s, by):
		delete(scaled.Annotations, clusterv1.ReplicasManagedByAnnotation)
	}
	m.Events.Clear(s.XR, "ReplicasManagedByOther")
	if replicas, known, _ := access.StatusReplicas.Get(s.XR); known && annotations.ReplicasManagedByExternalAutoscaler(scaled) {
		count := int32(replicas) //nolint:gosec // AKS has no pool of more than 1000 nodes.
		scaled.Spec.Replicas = &count
	}
	return m.patchMachinePool(ctx, scaled, owner)
}

// byAKS reports whether the annotation's value is the contract's own: that of pools with typed fields may be CAPZ's, too.
func byAKS(s *access.Scope, value string) bool {
	return value == replicasManagedByAKS || value == replicasManagedByCAPZ && !s.Kind.Inline
}

// scaledInAzure reports whether the number of nodes is not Cluster API's to decide, because AKS scales the pool, or the user has
// written the agent pool and keeps it so. It also returns what the user can do to change that.
func scaledInAzure(s *access.Scope, pool *unstructured.Unstructured) (inAzure bool, otherwise string) {
	if inSpec := access.FirstResource(s.XR, agentPoolKind); inSpec != nil {
		return enableAutoScaling.Value(inSpec), "set spec.enableAutoScaling to false"
	}
	switch {
	case pool == nil:
		return specScaling.Has(s.XR), "remove spec.scaling"
	case metav1.IsControlledBy(pool, s.XR):
		return enableAutoScaling.Value(pool), "remove spec.scaling"
	case enableAutoScaling.Value(pool):
		return true, fmt.Sprintf("set spec.enableAutoScaling of %s %s to false", pool.GetKind(), pool.GetName())
	}
	return !manages(s.XR, v1beta1.ManagesReplicas), fmt.Sprintf("set annotation %s: %s", v1beta1.AnnotationManages, v1beta1.ManagesReplicas)
}

func (m *MachinePool) patchMachinePool(ctx context.Context, changed, base *clusterv1.MachinePool) error {
	patch := client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})
	same := equalReplicas(changed.Spec.Replicas, base.Spec.Replicas) &&
		changed.Annotations[clusterv1.ReplicasManagedByAnnotation] == base.Annotations[clusterv1.ReplicasManagedByAnnotation]
	if same {
		return nil
	}
	return m.Patch(ctx, changed, patch)
}

func equalReplicas(a, b *int32) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
