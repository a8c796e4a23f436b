package contract

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// behindIndex indexes composite resources by the name of the ASO object behind them, which the mirror of their kind reads.
	behindIndex = "behind"
	// clusterIndex indexes the members of Clusters by the name that their label has. Without it all of a namespace are looked through for
	// the members of one.
	clusterIndex = "cluster"
)

// indexCluster returns what clusterIndex has of an object.
func indexCluster(obj client.Object) []string {
	if name := obj.GetLabels()[clusterv1.ClusterNameLabel]; name != "" {
		return []string{name}
	}
	return nil
}

// The functions below say which composite resources an event of another object concerns. One that cannot be looked up
// is left out: its own events come later.
type mapper struct {
	client client.Client
	kind   schema.GroupVersionKind
	// mirrored is the kind of the ASO object that behindIndex is about; empty when there is no such index.
	mirrored schema.GroupKind
}

func (m mapper) family() family { return familyOf(m.kind) }

func request(namespace, name string) []ctrl.Request {
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}}}
}

// fromCluster returns the composite resources of the kind that a Cluster has.
func (m mapper) fromCluster(ctx context.Context, obj client.Object) []ctrl.Request {
	cluster, ok := obj.(*clusterv1.Cluster)
	if !ok {
		return nil
	}
	if m.kind == m.family().machinePool {
		return m.poolsOf(ctx, client.ObjectKeyFromObject(cluster), "")
	}
	for _, ref := range []clusterv1.ContractVersionedObjectReference{cluster.Spec.InfrastructureRef, cluster.Spec.ControlPlaneRef} {
		if refersTo(ref, m.kind) {
			return request(cluster.Namespace, ref.Name)
		}
	}
	return nil
}

// fromMember returns the composite resources of the kind in the Cluster that obj belongs to.
func (m mapper) fromMember(ctx context.Context, obj client.Object) []ctrl.Request {
	cluster, err := ClusterOf(ctx, m.client, obj)
	if err != nil || cluster == nil {
		return nil
	}
	return m.fromCluster(ctx, cluster)
}

// fromMachinePool returns the pool that a MachinePool refers to.
func (m mapper) fromMachinePool(_ context.Context, obj client.Object) []ctrl.Request {
	pool, ok := obj.(*clusterv1.MachinePool)
	if !ok {
		return nil
	}
	ref := pool.Spec.Template.Spec.InfrastructureRef
	if !refersTo(ref, m.kind) {
		return nil
	}
	return request(pool.Namespace, ref.Name)
}

// fromObject returns the composite resource that controls obj, or may have before it lost its controller, and those whose user has
// written obj.
func (m mapper) fromObject(ctx context.Context, obj client.Object) []ctrl.Request {
	requests := m.fromComposed(ctx, obj)
	if name := lostFrom(obj); name != "" {
		requests = request(obj.GetNamespace(), name)
	}
	if m.family().typed && obj.GetObjectKind().GroupVersionKind().GroupKind() == m.mirrored && !composedByAny(obj) {
		requests = append(requests, m.withBehind(ctx, obj.GetNamespace(), obj.GetName())...)
	}
	return requests
}

// fromComposed returns the composite resource that controls obj.
func (m mapper) fromComposed(_ context.Context, obj client.Object) []ctrl.Request {
	owner := metav1.GetControllerOf(obj)
	if owner == nil || owner.Kind != m.kind.Kind {
		return nil
	}
	gv, err := schema.ParseGroupVersion(owner.APIVersion)
	if err != nil || gv.Group != m.kind.Group {
		return nil
	}
	return request(obj.GetNamespace(), owner.Name)
}

// fromSecret returns the control planes that a Secret concerns: as its controller, or because their ManagedCluster
// makes ASO write it.
func (m mapper) fromSecret(ctx context.Context, obj client.Object) []ctrl.Request {
	requests := m.fromComposed(ctx, obj)
	for _, name := range managedClusterOwners(obj) {
		requests = append(requests, m.withBehind(ctx, obj.GetNamespace(), name)...)
	}
	return requests
}

// withBehind returns the composite resources behind which the ASO object of the name stands.
func (m mapper) withBehind(ctx context.Context, namespace, name string) []ctrl.Request {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(m.kind)
	err := m.client.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{behindIndex: name})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot find whom an object stands behind", "kind", m.mirrored.Kind, "name", name)
		return nil
	}
	var requests []ctrl.Request
	for i := range list.Items {
		requests = append(requests, request(namespace, list.Items[i].GetName())...)
	}
	return requests
}

// fromNode returns the pool that a Node of the Cluster is of; without a Node, all pools of the Cluster.
func (m mapper) fromNode(ctx context.Context, cluster client.ObjectKey, node *corev1.Node) []ctrl.Request {
	if node == nil {
		return m.poolsOf(ctx, cluster, "")
	}
	if node.Labels[nodePoolLabel] == "" {
		return nil
	}
	return m.poolsOf(ctx, cluster, node.Labels[nodePoolLabel])
}

// poolsOf returns the pools of the Cluster, or those of them whose Nodes have the label.
func (m mapper) poolsOf(ctx context.Context, cluster client.ObjectKey, label string) []ctrl.Request {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(m.family().machinePool)
	err := m.client.List(ctx, list, client.InNamespace(cluster.Namespace), client.MatchingFields{clusterIndex: cluster.Name})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot list the pools of a Cluster", "cluster", cluster)
		return nil
	}
	var requests []ctrl.Request
	for i := range list.Items {
		if label == "" || hasNodes(&list.Items[i], label) {
			requests = append(requests, request(list.Items[i].GetNamespace(), list.Items[i].GetName())...)
		}
	}
	return requests
}

// managedClusterOwners returns the names of the ManagedClusters that own obj, as ASO notes on the Secrets it writes.
func managedClusterOwners(obj client.Object) []string {
	var names []string
	for _, owner := range obj.GetOwnerReferences() {
		gv, err := schema.ParseGroupVersion(owner.APIVersion)
		if err == nil && gv.Group == managedClusterKind.Group && owner.Kind == managedClusterKind.Kind {
			names = append(names, owner.Name)
		}
	}
	return names
}

// hasNodes reports whether the Nodes of the pool have the label, as far as its spec tells: that of an agent pool which the
// user of a typed pool has written says nothing of its name in Azure.
func hasNodes(pool *unstructured.Unstructured, label string) bool {
	if inSpec := firstResource(pool, agentPoolKind); inSpec != nil {
		return labelValue(azureNameOf(inSpec)) == label
	}
	if !typed(pool) {
		return false
	}
	name := specName.value(pool)
	if name == "" {
		name = pool.GetName()
	}
	return name == label || !composes(pool, agentPoolKind)
}

// indexBehind returns the function of behindIndex for an ASO kind.
func indexBehind(kind schema.GroupKind) client.IndexerFunc {
	return func(obj client.Object) []string {
		xr, ok := obj.(*unstructured.Unstructured)
		if !ok {
			return nil
		}
		if ref, ok := behind(xr, kind); ok {
			return []string{ref.name}
		}
		return nil
	}
}
