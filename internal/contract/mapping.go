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

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
)

// A mapper returns which composite resources of a kind an event of another object concerns. One that cannot be looked up
// is left out: its own events come later.
type mapper struct {
	client client.Client
	kind   composite.Kind
}

// inClusters reports whether a Cluster may have many composite resources of the kind, and does not refer to them.
func inClusters(kind composite.Kind) bool {
	return composite.Is(composite.InfrastructureMachine, composite.InfrastructureMachinePool)(kind)
}

// fromCluster returns the composite resources of the kind that a Cluster has.
func (m mapper) fromCluster(ctx context.Context, obj client.Object) []ctrl.Request {
	cluster, ok := obj.(*clusterv1.Cluster)
	if !ok {
		return nil
	}
	if inClusters(m.kind) {
		return m.inCluster(ctx, client.ObjectKeyFromObject(cluster), "")
	}
	for _, ref := range access.Refs(cluster) {
		if access.RefersTo(ref, m.kind.GroupKind()) {
			return access.Request(cluster.Namespace, ref.Name)
		}
	}
	return nil
}

// fromSibling returns the composite resources of the kind in the Cluster that another composite resource belongs to.
func (m mapper) fromSibling(ctx context.Context, obj client.Object) []ctrl.Request {
	cluster, err := access.ClusterOf(ctx, m.client, obj)
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
	if !access.RefersTo(ref, m.kind.GroupKind()) {
		return nil
	}
	return access.Request(pool.Namespace, ref.Name)
}

// fromMachine returns the composite resource that a Machine refers to.
func (m mapper) fromMachine(_ context.Context, obj client.Object) []ctrl.Request {
	machine, ok := obj.(*clusterv1.Machine)
	if !ok || !access.RefersTo(machine.Spec.InfrastructureRef, m.kind.GroupKind()) {
		return nil
	}
	return access.Request(machine.Namespace, machine.Spec.InfrastructureRef.Name)
}

// fromObject returns the composite resource that controls obj, or may have before it lost its controller, and those whose user has
// written obj.
func (m mapper) fromObject(ctx context.Context, obj client.Object) []ctrl.Request {
	requests := m.fromComposed(ctx, obj)
	if name := access.OrphanOf(obj); name != "" {
		requests = access.Request(obj.GetNamespace(), name)
	}
	mirrored := obj.GetObjectKind().GroupVersionKind().GroupKind() == mirror.Mirrored(m.kind)
	if mirrored && !m.kind.Inline && !access.ControlledByComposite(obj) {
		requests = append(requests, m.backedBy(ctx, obj.GetNamespace(), obj.GetName())...)
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
	return access.Request(obj.GetNamespace(), owner.Name)
}

// fromSecret returns the control planes that a Secret concerns: as its controller, or because their ManagedCluster
// makes ASO write it.
func (m mapper) fromSecret(ctx context.Context, obj client.Object) []ctrl.Request {
	requests := m.fromComposed(ctx, obj)
	for _, name := range access.OwningManagedClusters(obj) {
		requests = append(requests, m.backedBy(ctx, obj.GetNamespace(), name)...)
	}
	return requests
}

// backedBy returns the composite resources that the ASO object of the name backs.
func (m mapper) backedBy(ctx context.Context, namespace, name string) []ctrl.Request {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(m.kind.GroupVersionKind)
	err := m.client.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{mirror.BackingIndex: name})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot find the composite resources that an object backs", "kind", mirror.Mirrored(m.kind).Kind, "name", name)
		return nil
	}
	var requests []ctrl.Request
	for i := range list.Items {
		requests = append(requests, access.Request(namespace, list.Items[i].GetName())...)
	}
	return requests
}

// fromNode returns the pool that a Node of the Cluster is of; without a Node, all pools of the Cluster.
func (m mapper) fromNode(ctx context.Context, cluster client.ObjectKey, node *corev1.Node) []ctrl.Request {
	if node == nil {
		return m.inCluster(ctx, cluster, "")
	}
	if node.Labels[mirror.NodePoolLabel] == "" {
		return nil
	}
	return m.inCluster(ctx, cluster, node.Labels[mirror.NodePoolLabel])
}

// inCluster returns the composite resources of the kind in the Cluster, or those of them whose Nodes have the label.
func (m mapper) inCluster(ctx context.Context, cluster client.ObjectKey, label string) []ctrl.Request {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(m.kind.GroupVersionKind)
	err := m.client.List(ctx, list, client.InNamespace(cluster.Namespace), client.MatchingFields{access.ClusterIndex: cluster.Name})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot list the composite resources of a Cluster", "kind", m.kind.Kind, "cluster", cluster)
		return nil
	}
	var requests []ctrl.Request
	for i := range list.Items {
		if label == "" || mirror.HasNodes(&list.Items[i], label) {
			requests = append(requests, access.Request(list.Items[i].GetNamespace(), list.Items[i].GetName())...)
		}
	}
	return requests
}
