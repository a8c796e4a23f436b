package contract

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// translatePause keeps Crossplane's pause in step with Cluster API's, and returns whether the composite resource is
// paused or just ceases to be, in which case nothing else is done now.
//
// The function answers a pause by composing every ASO object with the policy skip. Only when the objects have it may
// Crossplane stop, and clusterctl move begin.
func (r *Reconciler) translatePause(ctx context.Context, s *access.Scope) (bool, error) {
	marked := s.XR.GetAnnotations()[names.PausedByAnnotation] == names.FieldOwner
	switch {
	case !s.Paused() && !marked:
		return false, nil
	case !s.Paused():
		return true, r.Annotate(ctx, s.XR, func(a map[string]string) {
			delete(a, names.CrossplanePausedAnnotation)
			delete(a, names.PausedByAnnotation)
			if s.XR.GetDeletionTimestamp() == nil {
				a[names.BlockMoveAnnotation] = "true"
			}
		})
	case s.XR.GetDeletionTimestamp() != nil:
		// Crossplane composes nothing any more, so no policy would change.
		if access.Terminating(r.Metadata, s.XR.GetNamespace()) {
			r.Events.Warn(s.XR, "StaysInAzure", "", "the namespace is deleted while the Cluster is paused: the ASO objects go, and what they stand for stays in Azure, to be deleted there")
		}
		return true, nil
	}
	if !marked {
		paused, err := r.paused(ctx, s.XR)
		if err != nil || !paused {
			return true, err
		}
	}
	return true, r.Annotate(ctx, s.XR, func(a map[string]string) {
		a[names.CrossplanePausedAnnotation] = "true"
		a[names.PausedByAnnotation] = names.FieldOwner
		delete(a, names.BlockMoveAnnotation)
	})
}

// paused reports whether ASO leaves everything that xr has composed as it is, and the status reports the pause: once Crossplane
// stops, nobody would write that any more.
func (r *Reconciler) paused(ctx context.Context, xr *unstructured.Unstructured) (bool, error) {
	current, err := r.Live.Object(ctx, xr.GetNamespace(), access.RefTo(xr))
	if err != nil || current == nil || reportsNotPaused(current) || !seen(current) {
		return false, err
	}
	composed, err := r.Live.Composed(ctx, current)
	if err != nil || len(composed.Absent) > 0 {
		return false, err
	}
	for _, obj := range composed.Objects {
		if obj.GetAnnotations()[aso.AnnotationReconcilePolicy] != aso.PolicySkip || aso.AwaitsRemoval(obj) && !aso.SkippedByPause(obj) {
			return false, nil
		}
	}
	return true, nil
}

// reportsNotPaused reports whether condition Paused is False. A composite resource with a mistake has none.
func reportsNotPaused(xr *unstructured.Unstructured) bool {
	return field.ContractCondition(xr, clusterv1.PausedCondition)["status"] == string(metav1.ConditionFalse)
}

// seen reports whether Crossplane has looked at a composite resource since it was last let. One that came while its Cluster is paused is
// composed once, so that its status says what there is.
func seen(xr *unstructured.Unstructured) bool {
	synced := field.Condition(xr, "Synced")
	return len(synced) > 0 && synced["reason"] != "ReconcilePaused"
}

// claim puts the finalizer and the annotation block-move on xr where the admission webhook could not.
func (r *Reconciler) claim(ctx context.Context, xr *unstructured.Unstructured) error {
	claimed := xr.DeepCopy()
	changed := controllerutil.AddFinalizer(claimed, names.Finalizer)
	if _, has := xr.GetAnnotations()[names.BlockMoveAnnotation]; !has {
		aso.Annotate(claimed, names.BlockMoveAnnotation, "true")
		changed = true
	}
	if !changed {
		return nil
	}
	return r.MergePatch(ctx, claimed, xr)
}
