package takeover

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// On the way back CAPZ has no use for the ASO objects of what it writes in Azure itself, as virtual machines: it would not know them, and ASO would
// write beside it. They go, and what they stand for stays in Azure.

// letGoOf reports whether an ASO object is one of those.
func letGoOf(c child, h held) bool {
	kind := c.GroupVersionKind().GroupKind()
	return !inline(h.composite) && !slices.ContainsFunc(madeByASO, func(k aso.Kind) bool { return k.GroupKind() == kind })
}

// eachToLetGo calls do with each of them.
func (w *Walk) eachToLetGo(ctx context.Context, do func(child)) error {
	all, err := w.heldForBack(ctx)
	for _, h := range all {
		for _, c := range h.children {
			if letGoOf(c, h) {
				do(c)
			}
		}
	}
	return err
}

// detach has ASO and provider-capz leave their resources in Azure whatever becomes of the objects. It is done for all before the first one is deleted:
// garbage collection deletes the others with what they lie in.
func (w *Walk) detach(ctx context.Context) ([]walk.Change, error) {
	var changes []walk.Change
	err := w.eachToLetGo(ctx, func(c child) {
		detached := c.DeepCopy()
		metav1.SetMetaDataAnnotation(&detached.ObjectMeta, aso.AnnotationReconcilePolicy, aso.PolicySkip)
		detached.Finalizers = slices.DeleteFunc(detached.Finalizers, func(f string) bool { return f == aso.RemovalFinalizer })
		if c.Annotations[aso.AnnotationReconcilePolicy] == aso.PolicySkip && len(detached.Finalizers) == len(c.Finalizers) {
			return
		}
		changes = append(changes, walk.ChangeOf(c, "gets the policy skip, so that its resource stays in Azure", func(ctx context.Context) error {
			return client.IgnoreNotFound(w.Patch(ctx, c.PartialObjectMetadata, detached))
		}))
	})
	return changes, err
}

// letGo deletes the objects.
func (w *Walk) letGo(ctx context.Context) ([]walk.Change, error) {
	var changes []walk.Change
	err := w.eachToLetGo(ctx, func(c child) {
		if c.DeletionTimestamp != nil {
			return
		}
		changes = append(changes, walk.ChangeOf(c, "is deleted in Kubernetes; CAPZ writes its resource in Azure without Azure Service Operator", func(ctx context.Context) error {
			// Garbage collection may have been sooner.
			return client.IgnoreNotFound(w.Client.Delete(ctx, c.PartialObjectMetadata, client.Preconditions{UID: ptr.To(c.UID)}))
		}))
	})
	return changes, err
}

// gone says which of the objects are still there.
func (w *Walk) gone(ctx context.Context) ([]string, error) {
	count := 0
	err := w.eachToLetGo(ctx, func(child) { count++ })
	if count == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("%d objects of Azure Service Operator to be gone from Kubernetes", count)}, err
}
