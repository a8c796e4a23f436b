package access

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// A Scope is a composite resource and the Cluster that it belongs to.
type Scope struct {
	XR   *unstructured.Unstructured
	Kind composite.Kind
	// Cluster is nil while the composite resource belongs to none that exists.
	Cluster *clusterv1.Cluster
}

// ClusterKey returns the key of the Cluster, which must not be nil.
func (s *Scope) ClusterKey() client.ObjectKey { return client.ObjectKeyFromObject(s.Cluster) }

// ClusterDeleted reports whether the whole Cluster is being deleted, not only this part of it.
func (s *Scope) ClusterDeleted() bool {
	return s.Cluster != nil && !s.Cluster.DeletionTimestamp.IsZero()
}

// Paused reports whether the Cluster or the annotation cluster.x-k8s.io/paused pauses the composite resource.
func (s *Scope) Paused() bool {
	if s.Cluster == nil {
		return annotations.HasPaused(s.XR)
	}
	return annotations.IsPaused(s.Cluster, s.XR)
}

// ClusterOf returns the Cluster of a composite resource, by owner reference, else by label, else the one of the same name if
// that refers to it: Cluster API core takes seconds to become the owner. It is nil when there is none.
func ClusterOf(ctx context.Context, c client.Client, obj client.Object) (*clusterv1.Cluster, error) {
	meta := metav1.ObjectMeta{
		Namespace: obj.GetNamespace(), Labels: obj.GetLabels(), OwnerReferences: obj.GetOwnerReferences(),
	}
	cluster, err := util.GetOwnerCluster(ctx, c, meta)
	if cluster == nil && err == nil {
		cluster, err = util.GetClusterFromMetadata(ctx, c, meta)
	}
	switch {
	case err == nil:
		return cluster, nil
	case errors.Is(err, util.ErrNoCluster):
		return referringCluster(ctx, c, obj)
	}
	return nil, client.IgnoreNotFound(err)
}

func referringCluster(ctx context.Context, c client.Client, obj client.Object) (*clusterv1.Cluster, error) {
	cluster := &clusterv1.Cluster{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), cluster); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	for _, ref := range Refs(cluster) {
		if Means(ref, obj) {
			return cluster, nil
		}
	}
	return nil, nil
}

// Refs returns the references of a Cluster to its infrastructure and its control plane.
func Refs(cluster *clusterv1.Cluster) []clusterv1.ContractVersionedObjectReference {
	return []clusterv1.ContractVersionedObjectReference{cluster.Spec.InfrastructureRef, cluster.Spec.ControlPlaneRef}
}

// RefersTo reports whether ref means a composite resource of the kind.
func RefersTo(ref clusterv1.ContractVersionedObjectReference, kind schema.GroupKind) bool {
	return ref.APIGroup == kind.Group && ref.Kind == kind.Kind && ref.Name != ""
}

// Means reports whether ref means the composite resource, given that both are in the same namespace.
func Means(ref clusterv1.ContractVersionedObjectReference, xr client.Object) bool {
	return RefersTo(ref, xr.GetObjectKind().GroupVersionKind().GroupKind()) && ref.Name == xr.GetName()
}

// ControlPlaneOf returns the control plane of the Cluster; nil when it is of no composite kind or does not exist.
func ControlPlaneOf(ctx context.Context, c client.Reader, cluster *clusterv1.Cluster) (*unstructured.Unstructured, error) {
	return referred(ctx, c, cluster.Namespace, cluster.Spec.ControlPlaneRef, composite.ControlPlane)
}

// InfrastructureOf returns the infrastructure of the Cluster; nil when it is of no composite kind or does not exist.
func InfrastructureOf(ctx context.Context, c client.Reader, cluster *clusterv1.Cluster) (*unstructured.Unstructured, error) {
	return referred(ctx, c, cluster.Namespace, cluster.Spec.InfrastructureRef, composite.InfrastructureCluster)
}

func referred(ctx context.Context, c client.Reader, namespace string, ref clusterv1.ContractVersionedObjectReference, role composite.Role) (*unstructured.Unstructured, error) {
	kind, ok := composite.Referred(ref, role)
	if !ok {
		return nil, nil
	}
	return Referred(ctx, c, namespace, ref, kind)
}

// Referred returns the composite resource that ref means; nil when that is of another kind or does not exist.
func Referred(ctx context.Context, c client.Reader, namespace string, ref clusterv1.ContractVersionedObjectReference, kind composite.Kind) (*unstructured.Unstructured, error) {
	if !RefersTo(ref, kind.GroupKind()) {
		return nil, nil
	}
	obj := NewObject(kind.GroupVersionKind)
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, obj)
	switch {
	case err == nil:
		return obj, nil
	case apierrors.IsNotFound(err):
		return nil, nil
	}
	return nil, fmt.Errorf("cannot read %s %s: %w", ref.Kind, ref.Name, err)
}

// KindOf returns the kind of a composite resource.
func KindOf(xr *unstructured.Unstructured) composite.Kind {
	kind, _ := composite.Lookup(xr.GroupVersionKind().GroupKind())
	return kind
}

// ClusterIndex indexes objects of Clusters by the name of the Cluster that their label has. Without it all of a namespace would be
// searched for those of one Cluster.
const ClusterIndex = "cluster"

// IndexCluster is the function of ClusterIndex.
func IndexCluster(obj client.Object) []string {
	if name := obj.GetLabels()[clusterv1.ClusterNameLabel]; name != "" {
		return []string{name}
	}
	return nil
}
