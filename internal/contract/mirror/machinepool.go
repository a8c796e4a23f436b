package mirror

import (
	"context"
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
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// The labels that AKS puts on Nodes (AKS documentation, "Reserved system labels").
const (
	NodePoolLabel          = "kubernetes.azure.com/agentpool"
	NodeResourceGroupLabel = "kubernetes.azure.com/cluster"
)

// A MachinePool mirrors the Nodes of an agent pool into the pool, and AKS's own scaling into the MachinePool.
type MachinePool struct {
	access.API

	// Nodes returns the Nodes of a Cluster; not known until its API server has been reached.
	Nodes func(cluster client.ObjectKey) (nodes []*corev1.Node, known bool)
}

// Reconcile keeps spec.providerIDList current, and the MachinePool's replicas while something else scales the pool.
func (m *MachinePool) Reconcile(ctx context.Context, s *access.Scope) (ctrl.Result, error) {
	if _, ok := BackingRef(s.XR, agentPoolKind); !ok {
		return ctrl.Result{}, nil // The function reports it on the pool.
	}
	owner, err := m.machinePoolOf(ctx, s.XR)
	if err != nil {
		return ctrl.Result{}, err
	}
	nodes, known := m.Nodes(s.ClusterKey())
	var pool *unstructured.Unstructured
	if known || !s.Kind.Inline || access.StatusReplicas.Has(s.XR) {
		// Until Azure has the pool, all that matters of an agent pool in spec is there.
		if pool, err = BackingObject(ctx, m.Live, s.XR, agentPoolKind); err != nil {
			return ctrl.Result{}, err
		}
	}
	var joined *joinedNodes
	if known { // Once they are, that leads here.
		if joined, err = m.joinedNodes(ctx, s, pool, nodes); err != nil {
			return ctrl.Result{}, err
		}
	}
	if owner != nil {
		if err := m.mirrorScaling(ctx, s, owner, pool, joined); err != nil {
			return ctrl.Result{}, err
		}
		if pool != nil {
			if err := m.decidePool(ctx, s, owner, pool); err != nil {
				return ctrl.Result{}, err
			}
		}
	}
	if err := m.topology(ctx, s, owner, pool, nodes); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, m.mirrorNodes(ctx, s, owner, pool, joined)
}

// machinePoolOf returns the MachinePool that owns the pool; nil when it does not exist.
func (m *MachinePool) machinePoolOf(ctx context.Context, xr *unstructured.Unstructured) (*clusterv1.MachinePool, error) {
	owner, err := util.GetOwnerMachinePool(ctx, m.Client, metav1.ObjectMeta{
		Namespace: xr.GetNamespace(), OwnerReferences: xr.GetOwnerReferences(),
	})
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return owner, nil
}

// mirrorNodes sets spec.providerIDList to the provider IDs of those of the Cluster's Nodes that are the pool's, and of machines whose Nodes
// may come back.
func (m *MachinePool) mirrorNodes(
	ctx context.Context, s *access.Scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured, joined *joinedNodes,
) error {
	if joined == nil {
		return nil
	}
	current := specProviderIDList.Value(s.XR)
	wanted := asList(withReturning(joined.ids, s.XR, owner, pool))
	if len(wanted) == 0 && len(current) == 0 || equality.Semantic.DeepEqual(wanted, current) {
		return nil
	}
	return access.SetField(ctx, m.Client, s.XR, specProviderIDList, wanted)
}

// withReturning returns the sorted provider IDs of the pool's Nodes and, while Azure has more machines than there are Nodes, those listed
// before: machines of a pool that is created anew are called as they were, and Cluster API deletes the Node of each machine it knew that
// is not listed (CAPI contract "InfraMachinePool", "InfraMachinePool: providerIDList").
func withReturning(joined []string, xr *unstructured.Unstructured, owner *clusterv1.MachinePool, pool *unstructured.Unstructured) []string {
	ids := slices.Clone(joined)
	if !aso.StatusCount.Has(pool) || int64(len(ids)) < aso.StatusCount.Value(pool) {
		for _, id := range specProviderIDList.Value(xr) {
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

// nodeSelector returns the labels of the pool's Nodes; nil while they are not known from Azure.
func (m *MachinePool) nodeSelector(ctx context.Context, s *access.Scope, pool *unstructured.Unstructured) (labels.Selector, error) {
	if pool == nil {
		return nil, nil
	}
	controlPlane, err := access.ControlPlaneOf(ctx, m.Client, s.Cluster)
	if err != nil || controlPlane == nil {
		return nil, err
	}
	managedCluster, err := ManagedCluster(ctx, m.Live, controlPlane)
	if err != nil || managedCluster == nil {
		return nil, err
	}
	group := nodeResourceGroup.Value(managedCluster)
	if group == "" {
		return nil, nil
	}
	return labels.SelectorFromSet(labels.Set{
		NodePoolLabel: labelValue(aso.AzureName(pool)), NodeResourceGroupLabel: labelValue(group),
	}), nil
}

// labelValue returns text as AKS makes a label of it: no longer than a label may be.
func labelValue(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), validation.LabelValueMaxLength)], "")
}

// joinedNodes are the Nodes of a pool; nil while they are not known, or one of them has no provider ID yet: when it gets one, that leads
// here.
type joinedNodes struct{ ids []string }

// joinedNodes returns those of the Nodes that are the pool's.
func (m *MachinePool) joinedNodes(ctx context.Context, s *access.Scope, pool *unstructured.Unstructured, nodes []*corev1.Node) (*joinedNodes, error) {
	selector, err := m.nodeSelector(ctx, s, pool)
	if err != nil || selector == nil {
		return nil, err
	}
	joined := &joinedNodes{}
	for _, node := range nodes {
		if !selector.Matches(labels.Set(node.Labels)) {
			continue
		}
		if node.Spec.ProviderID == "" {
			return nil, nil
		}
		joined.ids = append(joined.ids, node.Spec.ProviderID)
	}
	return joined, nil
}

// count returns how many there are.
func (n *joinedNodes) count() int64 {
	if n == nil {
		return 0
	}
	return int64(len(n.ids))
}

// gone reports whether one of the provider IDs that were listed is none of theirs any more.
func (n *joinedNodes) gone(listed []any) bool {
	return n != nil && slices.ContainsFunc(listed, func(id any) bool {
		text, ok := id.(string)
		return ok && !slices.Contains(n.ids, text)
	})
}

// HasNodes reports whether the Nodes of the pool have NodePoolLabel with the value, as far as can be known from its spec: that does not
// have the name in Azure of an agent pool which the user has written.
func HasNodes(pool *unstructured.Unstructured, label string) bool {
	if inSpec := access.FirstResource(pool, agentPoolKind); inSpec != nil {
		return labelValue(aso.AzureName(inSpec)) == label
	}
	if access.KindOf(pool).Inline {
		return false
	}
	name := specName.Value(pool)
	if name == "" {
		name = pool.GetName()
	}
	return name == label || !access.Composes(pool, agentPoolKind)
}
