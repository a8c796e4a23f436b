package contract

import (
	"context"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// untouchable reports whether the composite resource is someone else's to act on: externally managed, paused by a person
// through Crossplane's own annotation, or about to be removed by clusterctl move.
//
// One that was handed to another system after it was claimed here is still let go of when it is deleted: nobody else
// would remove the finalizer, and garbage collection would delete the same objects without an order.
func untouchable(xr *unstructured.Unstructured) bool {
	held := xr.GetDeletionTimestamp() != nil && controllerutil.ContainsFinalizer(xr, Finalizer)
	if annotations.IsExternallyManaged(xr) && !held {
		return true
	}
	return LeftAlone(xr)
}

// LeftAlone reports whether a person has paused the composite resource through Crossplane's own annotation, or clusterctl move is
// about to remove it.
func LeftAlone(xr *unstructured.Unstructured) bool {
	has := xr.GetAnnotations()
	if _, moving := has[clusterctlv1.DeleteForMoveAnnotation]; moving {
		return true
	}
	return has[CrossplanePausedAnnotation] == "true" && has[PausedByAnnotation] != FieldOwner
}

// translatePause keeps Crossplane's pause in step with Cluster API's, and returns whether the composite resource is
// paused or just ceases to be, in which case nothing else is done now.
//
// The function answers a pause by composing every ASO object with the policy skip. Only when the objects have it may
// Crossplane stop, and clusterctl move begin.
func (r *Reconciler) translatePause(ctx context.Context, s *scope) (bool, error) {
	marked := s.xr.GetAnnotations()[PausedByAnnotation] == FieldOwner
	switch {
	case !s.capiPaused() && !marked:
		return false, nil
	case !s.capiPaused():
		return true, r.annotate(ctx, s.xr, func(a map[string]string) {
			delete(a, CrossplanePausedAnnotation)
			delete(a, PausedByAnnotation)
			if s.xr.GetDeletionTimestamp() == nil {
				a[BlockMoveAnnotation] = "true"
			}
		})
	case s.xr.GetDeletionTimestamp() != nil:
		// Crossplane composes nothing any more, so no policy would change.
		return true, nil
	}
	if !marked {
		still, err := r.standsStill(ctx, s.xr)
		if err != nil || !still {
			return true, err
		}
	}
	return true, r.annotate(ctx, s.xr, func(a map[string]string) {
		a[CrossplanePausedAnnotation] = "true"
		a[PausedByAnnotation] = FieldOwner
		delete(a, BlockMoveAnnotation)
	})
}

// standsStill reports whether ASO leaves everything that xr has composed as it is, and the status tells of the pause: once Crossplane
// stops, nobody would write that any more.
func (r *Reconciler) standsStill(ctx context.Context, xr *unstructured.Unstructured) (bool, error) {
	current, err := r.live.object(ctx, xr.GetNamespace(), refTo(xr))
	if err != nil || current == nil || saysNotPaused(current) {
		return false, err
	}
	composed, err := r.live.composed(ctx, current)
	if err != nil || len(composed.absent) > 0 {
		return false, err
	}
	for _, obj := range composed.objects {
		if obj.GetAnnotations()[reconcilePolicyAnnotation] != policySkip {
			return false, nil
		}
	}
	return true, nil
}

// saysNotPaused reports whether condition Paused is False. A composite resource with a mistake has none.
func saysNotPaused(xr *unstructured.Unstructured) bool {
	return slices.ContainsFunc(statusConditions.value(xr), func(item any) bool {
		condition, _ := item.(map[string]any)
		return condition["type"] == clusterv1.PausedCondition && condition["status"] == string(metav1.ConditionFalse)
	})
}

// claim puts the finalizer and the annotation block-move on xr where the admission webhook could not.
func (r *Reconciler) claim(ctx context.Context, xr *unstructured.Unstructured) error {
	claimed := xr.DeepCopy()
	changed := controllerutil.AddFinalizer(claimed, Finalizer)
	if _, has := xr.GetAnnotations()[BlockMoveAnnotation]; !has {
		controllerAnnotations := maps.Clone(xr.GetAnnotations())
		if controllerAnnotations == nil {
			controllerAnnotations = map[string]string{}
		}
		controllerAnnotations[BlockMoveAnnotation] = "true"
		claimed.SetAnnotations(controllerAnnotations)
		changed = true
	}
	if !changed {
		return nil
	}
	return r.patch(ctx, claimed, xr)
}
