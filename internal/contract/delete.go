package contract

import (
	"context"
	"fmt"
	"maps"
	"slices"
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

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// usedInterval is how often the infrastructure looks for what still uses it; events of that mostly come first.
const usedInterval = 10 * time.Second

// reconcileDelete deletes what the composite resource has composed, dependents first, and lets it go when all is gone.
// Crossplane leaves deleting to garbage collection, which knows no order and lets the composite resource go first.
func (r *Reconciler) reconcileDelete(ctx context.Context, s *scope) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(s.xr, Finalizer) {
		return ctrl.Result{}, nil
	}
	xr, err := r.live.object(ctx, s.xr.GetNamespace(), refTo(s.xr))
	if err != nil || xr == nil || xr.GetUID() != s.xr.GetUID() {
		return ctrl.Result{}, err
	}
	if controllerutil.ContainsFinalizer(xr, metav1.FinalizerOrphanDependents) {
		return ctrl.Result{}, nil // Garbage collection takes the owner references away first, which leads here.
	}
	objects, ownerless, err := r.toDelete(ctx, xr)
	if err != nil {
		return ctrl.Result{}, err
	}
	if r.kind == r.family().infrastructure && (len(objects) > 0 || r.family().typed) {
		used, err := r.inUse(ctx, xr)
		if err != nil {
			return ctrl.Result{}, err
		}
		if used {
			return ctrl.Result{RequeueAfter: usedInterval}, nil
		}
	}
	r.reportRefusals(xr, objects)
	left, err := r.deleteObjects(ctx, &scope{xr: xr, cluster: s.cluster}, objects)
	if err != nil {
		return ctrl.Result{}, err
	}
	if left > 0 {
		return lookAgain(objects), nil
	}
	if stays := r.leaveAlone(xr, ownerless); stays > 0 {
		return ctrl.Result{RequeueAfter: stays}, nil
	}
	if owed, err := r.credentialOwed(ctx, s, xr); err != nil || owed {
		return ctrl.Result{RequeueAfter: usedInterval}, err
	}
	if err := r.leaveCredential(ctx, s, xr); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.letGo(ctx, xr, r.mirrored); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.release(ctx, xr)
}

// toDelete returns the objects that have to be gone before xr, and those that it may have composed but that nobody controls.
func (r *Reconciler) toDelete(ctx context.Context, xr *unstructured.Unstructured) (objects, ownerless []*unstructured.Unstructured, err error) {
	if err := r.watchComposed(ctx, xr); err != nil {
		return nil, nil, err
	}
	composed, err := r.live.composed(ctx, xr)
	if err != nil {
		return nil, nil, err
	}
	if err := r.noteForeground(ctx, xr, composed.objects); err != nil {
		return nil, nil, err
	}
	objects, err = r.withAwaited(ctx, xr, composed.objects)
	return objects, composed.ownerless, err
}

// deleteObjects takes the next step towards having no objects, and returns how many must still be waited for.
func (r *Reconciler) deleteObjects(ctx context.Context, s *scope, objects []*unstructured.Unstructured) (int, error) {
	if r.kind == r.family().machinePool && s.cluster != nil {
		goes, err := r.goesWithManagedCluster(ctx, s)
		if err != nil {
			return 0, err
		}
		if goes {
			return r.handOver(ctx, s, objects)
		}
	}
	for _, obj := range wave(objects) {
		waits, err := r.settle(ctx, s.xr, obj)
		if err != nil {
			return 0, err
		}
		if waits {
			continue // What ASO finds leads here.
		}
		if err := r.deleteObject(ctx, obj); err != nil {
			return 0, err
		}
	}
	return len(objects), nil
}

// deleteObject asks for the deletion of obj once; another object that has taken its name since stays.
func (r *Reconciler) deleteObject(ctx context.Context, obj *unstructured.Unstructured) error {
	if obj.GetDeletionTimestamp() != nil {
		return nil
	}
	if err := r.resume(ctx, obj); err != nil {
		return err
	}
	uid := obj.GetUID()
	err := r.Delete(ctx, obj, client.Preconditions{UID: &uid})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("cannot delete %v: %w", refTo(obj), err)
	}
	return nil
}

// inUse reports whether the Cluster of an infrastructure has a control plane or pools yet. Cluster API deletes those first,
// but a person may delete everything at once, and Azure refuses to delete a network that machines are in.
func (r *Reconciler) inUse(ctx context.Context, xr *unstructured.Unstructured) (bool, error) {
	name := xr.GetLabels()[clusterv1.ClusterNameLabel]
	if name == "" {
		return false, nil
	}
	used := false
	for _, kind := range []schema.GroupVersionKind{r.family().controlPlane, r.family().machinePool} {
		users := &unstructured.UnstructuredList{}
		users.SetGroupVersionKind(kind)
		err := r.List(ctx, users, client.InNamespace(xr.GetNamespace()), client.MatchingLabels{clusterv1.ClusterNameLabel: name})
		if err != nil {
			return false, fmt.Errorf("cannot list what uses the infrastructure: %w", err)
		}
		for i := range users.Items {
			user := &users.Items[i]
			if annotations.IsExternallyManaged(user) {
				continue
			}
			used = true
			if user.GetDeletionTimestamp() == nil {
				r.events.warn(xr, "InUse", "WaitForDeletion", fmt.Sprintf("waits until %s %s is deleted, which uses it", kind.Kind, user.GetName()))
			}
		}
	}
	return used, nil
}

// resume takes away the policy that a pause has put on obj: the function, which would, is not asked about a composite
// resource that is being deleted, and ASO would leave the resource in Azure for ever.
func (r *Reconciler) resume(ctx context.Context, obj *unstructured.Unstructured) error {
	if !aso.SkippedByPause(obj) {
		return nil
	}
	paused := obj.DeepCopy()
	has := obj.GetAnnotations()
	delete(has, reconcilePolicyAnnotation)
	delete(has, aso.AnnotationSkippedByPause)
	obj.SetAnnotations(has)
	if err := r.Patch(ctx, obj, client.MergeFrom(paused)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot resume %v: %w", refTo(obj), err)
	}
	return nil
}

// release removes the finalizer once Crossplane has stopped composing: until it has removed its own, an answer of the
// function may be on its way that creates one more object.
func (r *Reconciler) release(ctx context.Context, xr *unstructured.Unstructured) error {
	if controllerutil.ContainsFinalizer(xr, crossplaneFinalizer) {
		return nil
	}
	err := r.removeFinalizer(ctx, xr)
	if apierrors.IsConflict(err) { // Crossplane tells in the status, after it has stopped, that the object is being deleted.
		current, readErr := r.live.object(ctx, xr.GetNamespace(), refTo(xr))
		if readErr != nil {
			return readErr
		}
		if current != nil && onlyStatusDiffers(xr, current) {
			err = r.removeFinalizer(ctx, current)
		}
	}
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	r.events.forget(xr)
	return nil
}

func (r *Reconciler) removeFinalizer(ctx context.Context, xr *unstructured.Unstructured) error {
	released := xr.DeepCopy()
	controllerutil.RemoveFinalizer(released, Finalizer)
	return r.patch(ctx, released, xr)
}

// onlyStatusDiffers reports whether all that decides of a deletion is the same in both versions of a composite resource.
func onlyStatusDiffers(a, b *unstructured.Unstructured) bool {
	return a.GetUID() == b.GetUID() && a.GetGeneration() == b.GetGeneration() && maps.Equal(a.GetAnnotations(), b.GetAnnotations()) &&
		slices.Equal(a.GetFinalizers(), b.GetFinalizers())
}

// reportRefusals shows on xr why Azure does not delete one of its objects.
func (r *Reconciler) reportRefusals(xr *unstructured.Unstructured, objects []*unstructured.Unstructured) {
	for _, obj := range objects {
		if reason, message := refusal(obj); message != "" {
			r.events.warn(xr, "DeletionRefused", reason, fmt.Sprintf("%s %s: %s: %s", obj.GetKind(), obj.GetName(), reason, message))
		}
	}
}

// refusal returns ASO's reason and message when an object that is being deleted meets more than waiting.
//
// ASO documentation, "Conditions": severity Info is progress, Warning is retried, Error is final.
func refusal(obj *unstructured.Unstructured) (reason, message string) {
	if obj.GetDeletionTimestamp() == nil {
		return "", ""
	}
	conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		severity := condition["severity"]
		if condition["type"] != "Ready" || condition["status"] != "False" || severity != "Warning" && severity != "Error" {
			continue
		}
		observed, _ := condition["observedGeneration"].(int64)
		if observed < obj.GetGeneration() { // A failure from before the deletion.
			continue
		}
		reason, _ = condition["reason"].(string)
		message, _ = condition["message"].(string)
		return reason, message
	}
	return "", ""
}
