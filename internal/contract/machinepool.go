package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/annotations"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// The labels that AKS puts on Nodes (AKS documentation, "Reserved system labels").
const (
	nodePoolLabel          = "kubernetes.azure.com/agentpool"
	nodeResourceGroupLabel = "kubernetes.azure.com/cluster"
)

// machinePoolMirror mirrors the Nodes of an agent pool into the pool, and AKS's own scaling into the MachinePool.
type machinePoolMirror struct {
	api

	// nodes returns the Nodes of a Cluster; not known until that has been reached.
	nodes func(cluster client.ObjectKey) (nodes []*corev1.Node, known bool)
}

// reconcile keeps spec.providerIDList current, and the MachinePool's replicas while something else scales the pool.
func (m *machinePoolMirror) reconcile(ctx context.Context, s *scope) (ctrl.Result, error) {
	if _, ok := behind(s.xr, agentPoolKind); !ok {
		return ctrl.Result{}, nil // The function says so on the pool.
	}
	nodes, known := m.nodes(s.clusterKey())
	var pool *unstructured.Unstructured
	if known || typed(s.xr) {
		// Until there are Nodes, all that matters of an agent pool in spec is there.
		var err error
		if pool, err = m.objectBehind(ctx, s.xr, agentPoolKind); err != nil {
			return ctrl.Result{}, err
		}
	}
	owner, err := m.machinePoolOf(ctx, s.xr)
	if err != nil {
		return ctrl.Result{}, err
	}
	if owner != nil {
		if err := m.mirrorScaling(ctx, s, owner, pool); err != nil {
			return ctrl.Result{}, err
		}
		if pool != nil {
			if err := m.managePool(ctx, s, owner, pool); err != nil {
				return ctrl.Result{}, err
			}
		}
	}
	if !known {
		return ctrl.Result{}, nil // That they are leads here.
	}
	return ctrl.Result{}, m.mirrorNodes(ctx, s, owner, pool, nodes)
}

// machinePoolOf returns the MachinePool that owns the pool; nil when it does not exist.
func (m *machinePoolMirror) machinePoolOf(ctx context.Context, xr *unstructured.Unstructured) (*clusterv1.MachinePool, error) {
	owner, err := util.GetOwnerMachinePool(ctx, m.Client, metav1.ObjectMeta{
		Namespace: xr.GetNamespace(), OwnerReferences: xr.GetOwnerReferences(),
	})
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return owner, nil
}

// mirrorScaling marks the MachinePool as scaled in Azure, or no longer so, and takes over the number of replicas that
// whoever scales the pool has chosen.
func (m *machinePoolMirror) mirrorScaling(ctx context.Context, s *scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured) error {
	scaled := owner.DeepCopy()
	by, marked := owner.Annotations[clusterv1.ReplicasManagedByAnnotation]
	inAzure, field := scaledInAzure(s.xr, pool)
	switch {
	case inAzure && !marked:
		annotations.AddAnnotations(scaled, map[string]string{clusterv1.ReplicasManagedByAnnotation: ReplicasManagedByAKS})
	case inAzure && !byAKS(s.xr, by):
		m.events.warn(s.xr, "ReplicasManagedByOther", "", fmt.Sprintf(
			"AKS cannot scale the pool: annotation %s of MachinePool %s is %q; remove it, or %s",
			clusterv1.ReplicasManagedByAnnotation, owner.Name, by, field))
		return nil
	case !inAzure && byAKS(s.xr, by):
		delete(scaled.Annotations, clusterv1.ReplicasManagedByAnnotation)
	}
	m.events.clear(s.xr, "ReplicasManagedByOther")
	if replicas, known, _ := statusReplicas.get(s.xr); known && annotations.ReplicasManagedByExternalAutoscaler(scaled) {
		count := int32(replicas) //nolint:gosec // AKS has no pool of more than 1000 nodes.
		scaled.Spec.Replicas = &count
	}
	return m.patchMachinePool(ctx, scaled, owner)
}

// byAKS reports whether the annotation's value is the contract's own: typed pools have CAPZ's, too.
func byAKS(xr *unstructured.Unstructured, value string) bool {
	return value == ReplicasManagedByAKS || value == replicasManagedByCAPZ && typed(xr)
}

// scaledInAzure reports whether the number of nodes is not Cluster API's to decide, as AKS scales the pool or the user has
// written the agent pool and keeps it so, and what the user does for it to be.
func scaledInAzure(xr, pool *unstructured.Unstructured) (inAzure bool, otherwise string) {
	if inSpec := firstResource(xr, agentPoolKind); inSpec != nil {
		return enableAutoScaling.value(inSpec), "set spec.enableAutoScaling to false"
	}
	switch {
	case pool == nil:
		_, scales, _ := specScaling.get(xr)
		return scales, "remove spec.scaling"
	case metav1.IsControlledBy(pool, xr):
		return enableAutoScaling.value(pool), "remove spec.scaling"
	case enableAutoScaling.value(pool):
		return true, fmt.Sprintf("set spec.enableAutoScaling of %s %s to false", pool.GetKind(), pool.GetName())
	}
	return !manages(xr, v1beta1.ManagesReplicas), fmt.Sprintf("set annotation %s: %s", v1beta1.AnnotationManages, v1beta1.ManagesReplicas)
}

func (m *machinePoolMirror) patchMachinePool(ctx context.Context, changed, base *clusterv1.MachinePool) error {
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

// mirrorNodes sets spec.providerIDList to the provider IDs of those of the Cluster's Nodes that are the pool's, and of machines whose Nodes
// may come back.
func (m *machinePoolMirror) mirrorNodes(
	ctx context.Context, s *scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured, nodes []*corev1.Node,
) error {
	selector, err := m.nodeSelector(ctx, s, pool)
	if err != nil || selector == nil {
		return err
	}
	ids, complete := providerIDs(nodes, selector)
	if !complete {
		return nil // A Node that gets its provider ID leads here.
	}
	current := specProviderIDList.value(s.xr)
	wanted := asList(withReturning(ids, s.xr, owner))
	if len(wanted) == 0 && len(current) == 0 || equality.Semantic.DeepEqual(wanted, current) {
		return nil
	}
	return writeSpec(ctx, m.Client, s.xr, specProviderIDList, wanted)
}

// withReturning returns the sorted provider IDs of the pool's Nodes and, while Azure has more machines than there are Nodes, those listed
// before: machines of a pool that is created anew are called as they were, and Cluster API deletes the Node of each machine it knew that
// is not listed (CAPI contract "InfraMachinePool", "InfraMachinePool: providerIDList").
func withReturning(ids []string, xr *unstructured.Unstructured, owner *clusterv1.MachinePool) []string {
	if machines, known, _ := statusReplicas.get(xr); !known || int64(len(ids)) < machines {
		for _, id := range specProviderIDList.value(xr) {
			if text, ok := id.(string); ok {
				ids = append(ids, text)
			}
		}
		if owner != nil {
			ids = append(ids, owner.Spec.ProviderIDList...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func asList(texts []string) []any {
	list := make([]any, len(texts))
	for i := range texts {
		list[i] = texts[i]
	}
	return list
}

// nodeSelector returns the labels of the pool's Nodes; nil while Azure has not said what they are.
func (m *machinePoolMirror) nodeSelector(ctx context.Context, s *scope, pool *unstructured.Unstructured) (labels.Selector, error) {
	if pool == nil {
		return nil, nil
	}
	controlPlane, err := controlPlaneOf(ctx, m.Client, s.cluster)
	if err != nil || controlPlane == nil {
		return nil, err
	}
	managedCluster, err := m.managedClusterOf(ctx, controlPlane)
	if err != nil || managedCluster == nil {
		return nil, err
	}
	group := nodeResourceGroup.value(managedCluster)
	if group == "" {
		return nil, nil
	}
	return labels.SelectorFromSet(labels.Set{
		nodePoolLabel: labelValue(azureNameOf(pool)), nodeResourceGroupLabel: labelValue(group),
	}), nil
}

// labelValue returns text as AKS makes a label of it: no longer than a label may be.
func labelValue(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), validation.LabelValueMaxLength)], "")
}

// providerIDs returns the provider IDs of the nodes with the labels, and whether every one of them has one.
func providerIDs(nodes []*corev1.Node, with labels.Selector) (ids []string, complete bool) {
	for _, node := range nodes {
		if !with.Matches(labels.Set(node.Labels)) {
			continue
		}
		if node.Spec.ProviderID == "" {
			return nil, false
		}
		ids = append(ids, node.Spec.ProviderID)
	}
	return ids, true
}
