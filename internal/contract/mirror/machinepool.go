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
	nodes, known := m.Nodes(s.ClusterKey())
	var pool *unstructured.Unstructured
	if known || !s.Kind.Inline {
		// Until there are Nodes, all that matters of an agent pool in spec is there.
		var err error
		if pool, err = BackingObject(ctx, m.Live, s.XR, agentPoolKind); err != nil {
			return ctrl.Result{}, err
		}
	}
	owner, err := m.machinePoolOf(ctx, s.XR)
	if err != nil {
		return ctrl.Result{}, err
	}
	if owner != nil {
		if err := m.mirrorScaling(ctx, s, owner, pool); err != nil {
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
	if !known {
		return ctrl.Result{}, nil // Once they are known, that leads here.
	}
	return ctrl.Result{}, m.mirrorNodes(ctx, s, owner, pool, nodes)
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
	ctx context.Context, s *access.Scope, owner *clusterv1.MachinePool, pool *unstructured.Unstructured, nodes []*corev1.Node,
) error {
	selector, err := m.nodeSelector(ctx, s, pool)
	if err != nil || selector == nil {
		return err
	}
	ids, complete := providerIDs(nodes, selector)
	if !complete {
		return nil // A Node that gets its provider ID leads here.
	}
	current := specProviderIDList.Value(s.XR)
	wanted := asList(withReturning(ids, s.XR, owner))
	if len(wanted) == 0 && len(current) == 0 || equality.Semantic.DeepEqual(wanted, current) {
		return nil
	}
	return access.SetField(ctx, m.Client, s.XR, specProviderIDList, wanted)
}

// withReturning returns the sorted provider IDs of the pool's Nodes and, while Azure has more machines than there are Nodes, those listed
// before: machines of a pool that is created anew are called as they were, and Cluster API deletes the Node of each machine it knew that
// is not listed (CAPI contract "InfraMachinePool", "InfraMachinePool: providerIDList").
func withReturning(ids []string, xr *unstructured.Unstructured, owner *clusterv1.MachinePool) []string {
	if machines, known, _ := access.StatusReplicas.Get(xr); !known || int64(len(ids)) < machines {
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
