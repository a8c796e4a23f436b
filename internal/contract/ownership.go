package contract

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// ownerlessPatience is how long a composite resource that is being deleted stays for an object that has lost its controller, and
// may yet be deleted with its other owners.
const ownerlessPatience = 10 * time.Second

// belongsTo reports whether xr has composed obj and still controls it. Once xr is being deleted that is also so of what has lost its
// controller: if it is going as well, if xr is deleted in the foreground, or if xr has noted it.
//
// Kubernetes documentation, "Garbage Collection": what is deleted in the foreground has what it owns deleted first. An object with one
// more owner, which stays, only loses the owner reference, and ASO makes resource groups the owners of ManagedClusters.
func belongsTo(xr, obj *unstructured.Unstructured) bool {
	lost := lostFrom(obj)
	if lost == "" || xr.GetDeletionTimestamp() == nil {
		return metav1.IsControlledBy(obj, xr)
	}
	return notes(xr, obj) || lost == xr.GetName() && (obj.GetDeletionTimestamp() != nil || inForeground(xr))
}

// ownerless reports whether xr, which is being deleted, may have composed obj, which nobody controls.
func ownerless(xr, obj *unstructured.Unstructured) bool {
	return xr.GetDeletionTimestamp() != nil && lostFrom(obj) == xr.GetName()
}

// lostFrom returns the name of the composite resource for which Crossplane has composed obj, if nobody controls that any more; else
// nothing.
func lostFrom(obj metav1.Object) string {
	if metav1.GetControllerOf(obj) != nil {
		return ""
	}
	return obj.GetLabels()[xcrd.LabelKeyNamePrefixForComposed]
}

// notes reports whether xr has noted that it deletes obj.
func notes(xr, obj *unstructured.Unstructured) bool {
	return slices.Contains(splitAwaited(xr.GetAnnotations()[AwaitsDeletionAnnotation]), refTo(obj).String())
}

// inForeground reports whether garbage collection deletes what xr owns before xr.
func inForeground(xr *unstructured.Unstructured) bool {
	return controllerutil.ContainsFinalizer(xr, metav1.FinalizerDeleteDependents)
}

// noteForeground notes on xr, when that is deleted in the foreground, which objects are its: nothing else may say so soon.
func (r *Reconciler) noteForeground(ctx context.Context, xr *unstructured.Unstructured, objects []*unstructured.Unstructured) error {
	if !inForeground(xr) || len(objects) == 0 {
		return nil
	}
	return r.await(ctx, xr, objects)
}

// lookAgain returns when xr has to look again at objects whose events do not all lead to it, as those of what nobody controls may not.
func lookAgain(objects []*unstructured.Unstructured) ctrl.Result {
	if slices.ContainsFunc(objects, func(obj *unstructured.Unstructured) bool { return lostFrom(obj) != "" }) {
		return ctrl.Result{RequeueAfter: usedInterval}
	}
	return ctrl.Result{}
}

// leaveAlone returns how much longer xr, which has deleted all that belongs to it, stays for objects that have lost their controller.
// Then they are left alone: whoever deletes with --cascade=orphan wants that.
func (r *Reconciler) leaveAlone(xr *unstructured.Unstructured, objects []*unstructured.Unstructured) time.Duration {
	if len(objects) == 0 {
		return 0
	}
	if left := time.Until(xr.GetDeletionTimestamp().Add(ownerlessPatience)); left > 0 {
		return left
	}
	for _, obj := range objects {
		r.events.warn(obj, "LeftAlone", "DeleteComposite", fmt.Sprintf(
			"%s %s is deleted and leaves this, which it has composed, as it is: it is no longer its owner, as after --cascade=orphan", xr.GetKind(), xr.GetName()))
	}
	return 0
}
