// Package removal has nothing left in Azure of ASO objects whose resources others write: virtual machines, network interfaces, and load balancers
// of which the cloud controller of a cluster has a part. ASO (Azure Service Operator) may only read these, so that it leaves them in Azure when it
// lets an object go. Whoever deletes the object, aso.RemovalFinalizer keeps it until Azure does not have the resource.
package removal

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

const (
	// goingInterval is how often Azure is asked whether a resource that it deletes is gone.
	goingInterval = 3 * time.Second
	// waitingInterval is how often it is looked whether what stands in the way of a deletion still does.
	waitingInterval = 10 * time.Second
)

// A Reconciler removes from Azure the resources of objects of one kind that are being deleted.
type Reconciler struct {
	access.API

	// Azure removes them.
	Azure *compute.Azure
	// Kind is that of the objects.
	Kind aso.Kind
	// Watched reports whether a composite resource is one to act for.
	Watched func(metav1.Object) bool
}

// Reconcile takes the next step of the removal of the resource of an object, and takes the finalizer away when nothing is left to do.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.reconcile(ctx, req)
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	}
	return result, err
}

func (r *Reconciler) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	obj, err := r.Live.Object(ctx, req.Namespace, access.Ref{GroupVersionKind: r.Kind.GroupVersionKind(), Name: req.Name})
	if err != nil || obj == nil || !Due(obj) {
		return ctrl.Result{}, err
	}
	xr, err := r.composite(ctx, obj)
	if err != nil || xr != nil && !r.Watched(xr) {
		return ctrl.Result{}, err
	}
	paused, err := r.paused(ctx, obj, xr)
	switch {
	case err != nil:
		return ctrl.Result{}, err
	case !removable(obj) || wanted(obj, xr) || paused && xr == nil:
		return ctrl.Result{}, r.release(ctx, obj)
	case paused:
		return ctrl.Result{RequeueAfter: waitingInterval}, nil
	}
	return r.remove(ctx, obj, xr)
}

// Due reports whether an object is being deleted that awaits the removal of its resource, and ASO has let go of.
func Due(obj metav1.Object) bool {
	return obj.GetDeletionTimestamp() != nil && aso.AwaitsRemoval(obj) && !aso.TakenUp(obj)
}

// removable reports whether an object stands for a resource of the Cluster's that is to leave Azure with it. Who takes the lifecycle away, as is
// done with what goes with its resource group, or sets another policy than skip, has it leave Kubernetes only.
func removable(obj metav1.Object) bool {
	has := obj.GetAnnotations()
	owned := has[v1beta1.AnnotationOwnership] == "" || has[v1beta1.AnnotationOwnership] == v1beta1.OwnershipOwned
	return owned && aso.LifecycleOf(obj) != aso.Managed && has[aso.AnnotationReconcilePolicy] != aso.PolicyDetachOnDelete
}

// clusters reports whether the resource of an object is known to be the Cluster's: ASO was given it to read, which it is not before it is there.
func clusters(obj metav1.Object) bool {
	has := obj.GetAnnotations()
	operator := has[aso.AnnotationOperator]
	return has[v1beta1.AnnotationOwnership] == v1beta1.OwnershipOwned && operator != "" && operator != aso.OperatorNone && !aso.Held(obj)
}

// wanted reports whether somebody has deleted an object that its composite resource still asks for: it is composed again.
func wanted(obj metav1.Object, xr *unstructured.Unstructured) bool {
	_, composed := obj.GetAnnotations()[aso.AnnotationComposedStill]
	return composed && xr != nil && xr.GetDeletionTimestamp() == nil
}

// composite returns the composite resource that an object belongs to; nil when that is gone.
func (r *Reconciler) composite(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	owner := metav1.GetControllerOf(obj)
	if owner == nil || !access.ControlledByComposite(obj) {
		return nil, nil
	}
	ref := access.Ref{GroupVersionKind: schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind), Name: owner.Name}
	xr, err := r.Live.Object(ctx, obj.GetNamespace(), ref)
	if err != nil || xr == nil || xr.GetUID() != owner.UID {
		return nil, err
	}
	return xr, nil
}

// paused reports whether nothing may be done in Azure now. An object whose composite resource is gone tells itself: clusterctl move removes what
// it has moved, and another management cluster has the resource then.
func (r *Reconciler) paused(ctx context.Context, obj, xr *unstructured.Unstructured) (bool, error) {
	if xr != nil {
		cluster, err := access.ClusterOf(ctx, r.Client, xr)
		if err != nil {
			return false, fmt.Errorf("cannot read the Cluster: %w", err)
		}
		return (&access.Scope{XR: xr, Cluster: cluster}).Paused() || access.PausedOrMoving(xr), nil
	}
	if aso.SkippedByPause(obj) {
		return true, nil
	}
	cluster := &clusterv1.Cluster{}
	err := r.Get(ctx, client.ObjectKey{Namespace: obj.GetNamespace(), Name: obj.GetLabels()[clusterv1.ClusterNameLabel]}, cluster)
	if err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return annotations.IsPaused(cluster, obj), nil
}

// remove has Azure delete the resource of an object, and releases the object when it is gone.
func (r *Reconciler) remove(ctx context.Context, obj, xr *unstructured.Unstructured) (ctrl.Result, error) {
	about := xr
	if about == nil {
		about = obj
	}
	known := xr != nil && xr.GetDeletionTimestamp() != nil && clusters(obj)
	gone, err := r.Azure.Remove(ctx, r.API, r.Kind, obj, known)
	if refused, ok := machines.Refused(err); ok {
		r.Events.Warn(about, "DeletionRefused", "DeleteComposite", fmt.Sprintf("Azure refuses to delete %s %s, and is asked again: %v", obj.GetKind(), obj.GetName(), refused))
		return ctrl.Result{RequeueAfter: max(waitingInterval, refused.RetryAfter)}, nil
	}
	switch {
	case err != nil:
		r.Events.Warn(about, "LeftUnchecked", "DeleteComposite", fmt.Sprintf(
			"%s %s stays until it is known that Azure does not have it any more; to leave it there, set its annotation %s to %s: %v",
			obj.GetKind(), obj.GetName(), aso.AnnotationReconcilePolicy, aso.PolicyDetachOnDelete, err))
		return ctrl.Result{}, err
	case !gone:
		return ctrl.Result{RequeueAfter: goingInterval}, nil
	}
	return ctrl.Result{}, r.release(ctx, obj)
}

// release takes the finalizer away.
func (r *Reconciler) release(ctx context.Context, obj *unstructured.Unstructured) error {
	released := obj.DeepCopy()
	controllerutil.RemoveFinalizer(released, aso.RemovalFinalizer)
	if err := r.MergePatch(ctx, released, obj); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot release %v: %w", access.RefTo(obj), err)
	}
	r.Events.Forget(obj)
	return nil
}
