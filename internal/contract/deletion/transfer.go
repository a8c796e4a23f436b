package deletion

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// deletedWithManagedCluster reports whether Azure deletes the agent pools of s with their ManagedCluster: the Cluster or the control
// plane is being deleted, and ASO may delete the ManagedCluster. AKS refuses to delete the last System pool alone.
func (d *Deleter) deletedWithManagedCluster(ctx context.Context, s *access.Scope) (bool, error) {
	controlPlane, err := access.ControlPlaneOf(ctx, d.Client, s.Cluster)
	if err != nil || controlPlane == nil || !s.ClusterDeleted() && controlPlane.GetDeletionTimestamp() == nil {
		return false, err
	}
	managedCluster, err := mirror.ManagedCluster(ctx, d.Live, controlPlane)
	if err != nil || managedCluster == nil || !access.BelongsTo(controlPlane, managedCluster) {
		return false, err
	}
	namespace := &corev1.Namespace{}
	if err := d.Live.Get(ctx, client.ObjectKey{Name: s.XR.GetNamespace()}, namespace); err != nil {
		return false, fmt.Errorf("cannot read namespace %s: %w", s.XR.GetNamespace(), err)
	}
	return deletedInAzure(managedCluster) && deletedInAzure(namespace), nil
}

// detachPool takes the next step of the deletion of a pool whose ManagedCluster is about to be deleted. The agent pools leave
// Kubernetes only, as they leave Azure with the ManagedCluster. What else the pool has is in use until then, and ASO retries a deletion
// that Azure refused only much later; so its ownership is transferred to another composite resource, which deletes it in time. It
// returns how many objects the pool itself must still wait for: it does not wait for its agent pools, which ASO only has to release.
func (d *Deleter) detachPool(ctx context.Context, s *access.Scope, objects []*unstructured.Unstructured) (int, error) {
	var pools, others []*unstructured.Unstructured
	for _, obj := range objects {
		if obj.GroupVersionKind().GroupKind() == aso.ManagedClustersAgentPool.GroupKind() {
			pools = append(pools, obj)
		} else {
			others = append(others, obj)
		}
	}
	transferred, err := d.transfer(ctx, s, others)
	if err != nil {
		return 0, err
	}
	if transferred {
		others = nil
	}
	for _, pool := range pools {
		if err := d.detach(ctx, pool); err != nil {
			return 0, err
		}
	}
	for _, obj := range append(pools, wave(others)...) {
		if err := d.deleteObject(ctx, obj); err != nil {
			return 0, err
		}
	}
	return len(others), nil
}

// transfer makes another composite resource the controller of the objects, and returns false when there is none.
func (d *Deleter) transfer(ctx context.Context, s *access.Scope, objects []*unstructured.Unstructured) (bool, error) {
	if len(objects) == 0 {
		return true, nil
	}
	owner, err := d.newOwner(ctx, s.Cluster)
	if err != nil || owner == nil {
		return false, err
	}
	if err := d.await(ctx, owner, objects); err != nil {
		return false, err
	}
	for _, obj := range objects {
		transferred := obj.DeepCopy()
		owners := slices.DeleteFunc(transferred.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == s.XR.GetUID() })
		controller := metav1.NewControllerRef(owner, owner.GroupVersionKind())
		controller.BlockOwnerDeletion = nil // The finalizer does that.
		transferred.SetOwnerReferences(append(owners, *controller))
		if err := d.MergePatch(ctx, transferred, obj); client.IgnoreNotFound(err) != nil {
			return false, err
		}
	}
	return true, nil
}

// newOwner returns the composite resource to which pools transfer the ownership of objects: the infrastructure, which is deleted last,
// or the control plane when the infrastructure is unmanaged. Nil means that there is neither.
func (d *Deleter) newOwner(ctx context.Context, cluster *clusterv1.Cluster) (*unstructured.Unstructured, error) {
	for _, lookUp := range []func(context.Context, client.Reader, *clusterv1.Cluster) (*unstructured.Unstructured, error){
		access.InfrastructureOf, access.ControlPlaneOf,
	} {
		xr, err := lookUp(ctx, d.Client, cluster)
		if err != nil {
			return nil, err
		}
		if xr != nil && !access.Unmanaged(xr) && controllerutil.ContainsFinalizer(xr, names.Finalizer) {
			return xr, nil
		}
	}
	return nil, nil
}

// await notes the objects on xr, so that it deletes them and waits until they are gone.
func (d *Deleter) await(ctx context.Context, xr *unstructured.Unstructured, objects []*unstructured.Unstructured) error {
	return d.Annotate(ctx, xr, func(annotations map[string]string) {
		refs := access.Awaited(xr)
		for _, obj := range objects {
			if ref := access.RefTo(obj).String(); !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
		annotations[names.AwaitsDeletionAnnotation] = access.JoinAwaited(refs)
	})
}

// withAwaited returns the objects and those that xr has noted besides, such as those that pools have transferred to it.
func (d *Deleter) withAwaited(ctx context.Context, xr *unstructured.Unstructured, objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	for _, text := range access.Awaited(xr) {
		ref, err := access.ParseRef(text)
		if err != nil {
			return nil, fmt.Errorf("annotation %s: %w", names.AwaitsDeletionAnnotation, err)
		}
		if slices.ContainsFunc(objects, func(obj *unstructured.Unstructured) bool { return access.RefTo(obj) == ref }) {
			continue
		}
		if err := d.Watch(ctx, ref.GroupVersionKind); err != nil {
			return nil, err
		}
		obj, err := d.Live.Object(ctx, xr.GetNamespace(), ref)
		if err != nil {
			return nil, err
		}
		if obj != nil && access.BelongsTo(xr, obj) {
			objects = append(objects, obj)
		}
	}
	return objects, nil
}
