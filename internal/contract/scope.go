package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A scope is a composite resource and the Cluster that it belongs to.
type scope struct {
	xr *unstructured.Unstructured
	// cluster is nil while the composite resource belongs to none that exists.
	cluster *clusterv1.Cluster
}

func (s *scope) clusterKey() client.ObjectKey { return client.ObjectKeyFromObject(s.cluster) }

// clusterDeleted reports whether the whole Cluster goes, not only this part of it.
func (s *scope) clusterDeleted() bool {
	return s.cluster != nil && !s.cluster.DeletionTimestamp.IsZero()
}

// capiPaused reports whether the Cluster or the annotation cluster.x-k8s.io/paused pauses the composite resource.
func (s *scope) capiPaused() bool {
	if s.cluster == nil {
		return annotations.HasPaused(s.xr)
	}
	return annotations.IsPaused(s.cluster, s.xr)
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
	for _, ref := range []clusterv1.ContractVersionedObjectReference{cluster.Spec.InfrastructureRef, cluster.Spec.ControlPlaneRef} {
		if means(ref, obj) {
			return cluster, nil
		}
	}
	return nil, nil
}

// refersTo reports whether ref means a composite resource of the kind.
func refersTo(ref clusterv1.ContractVersionedObjectReference, kind schema.GroupVersionKind) bool {
	return ref.APIGroup == kind.Group && ref.Kind == kind.Kind && ref.Name != ""
}

// means reports whether ref means the composite resource, given the namespace.
func means(ref clusterv1.ContractVersionedObjectReference, xr client.Object) bool {
	return refersTo(ref, xr.GetObjectKind().GroupVersionKind()) && ref.Name == xr.GetName()
}

// controlPlaneOf returns the control plane of the Cluster; nil when that is of no family's kind or does not exist.
func controlPlaneOf(ctx context.Context, c client.Reader, cluster *clusterv1.Cluster) (*unstructured.Unstructured, error) {
	return referenced(ctx, c, cluster.Namespace, cluster.Spec.ControlPlaneRef, func(f family) schema.GroupVersionKind { return f.controlPlane })
}

// infrastructureOf returns the infrastructure of the Cluster; nil when that is of no family's kind or does not exist.
func infrastructureOf(ctx context.Context, c client.Reader, cluster *clusterv1.Cluster) (*unstructured.Unstructured, error) {
	return referenced(ctx, c, cluster.Namespace, cluster.Spec.InfrastructureRef, func(f family) schema.GroupVersionKind { return f.infrastructure })
}

func referenced(ctx context.Context, c client.Reader, namespace string, ref clusterv1.ContractVersionedObjectReference, part func(family) schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	i := slices.IndexFunc(families, func(f family) bool { return refersTo(ref, part(f)) })
	if i < 0 {
		return nil, nil
	}
	obj := newXR(part(families[i]))
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, obj)
	switch {
	case err == nil:
		return obj, nil
	case apierrors.IsNotFound(err):
		return nil, nil
	}
	return nil, fmt.Errorf("cannot read %s %s: %w", ref.Kind, ref.Name, err)
}
