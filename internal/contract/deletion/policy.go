package deletion

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// deletedInAzure reports whether ASO deletes the resource in Azure when obj is deleted: obj has no reconcile policy but manage, or one
// that resume removes. A namespace has the policy of all that is in it.
func deletedInAzure(obj metav1.Object) bool {
	policy := obj.GetAnnotations()[aso.AnnotationReconcilePolicy]
	return policy == "" || policy == aso.PolicyManage || resumes(obj)
}

// resumes reports whether the policy of obj comes from a pause, from its lifecycle or from doubts whether Azure still has it, and not from
// a user. Of a resource that is not the
// Cluster's, or may not be, or that has not been sent to Azure, the policy stays whatever else is noted on obj.
func resumes(obj metav1.Object) bool {
	switch obj.GetAnnotations()[v1beta1.AnnotationOwnership] {
	case v1beta1.OwnershipExternal, v1beta1.OwnershipUser, v1beta1.OwnershipUndecided:
		return false
	}
	return !aso.Held(obj) && aso.SkippedByProject(obj)
}

// resume takes off obj what a pause, or a doubt whether Azure still has the resource, has put on it: the function, which would, is not called for a
// composite resource that is being deleted, and the resource would stay in Azure for ever.
//
// What its lifecycle has ASO only read keeps the policy skip, and provider-capz removes it from Azure when ASO has let go of the object. Without the
// policy ASO would send the object before it deletes the resource, and a virtual machine without its bootstrap data.
func (d *Deleter) resume(ctx context.Context, obj *unstructured.Unstructured) error {
	if !resumes(obj) {
		return nil
	}
	before, annotations := obj.DeepCopy(), obj.GetAnnotations()
	patch := client.MergeFrom(before)
	if aso.SkippedByLifecycle(obj) {
		controllerutil.AddFinalizer(obj, aso.RemovalFinalizer)
		patch = client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}) // ASO has a finalizer in the same list.
	} else {
		delete(annotations, aso.AnnotationReconcilePolicy)
	}
	delete(annotations, aso.AnnotationSkippedByPause)
	delete(annotations, aso.AnnotationLost)
	obj.SetAnnotations(annotations)
	if equality.Semantic.DeepEqual(before, obj) {
		return nil
	}
	if err := d.Patch(ctx, obj, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot resume %v: %w", access.RefTo(obj), err)
	}
	return nil
}

// detach makes ASO leave the resource in Azure as its object is deleted, unless its policy already does.
//
// An object that is being deleted has met Azure's refusal, and ASO may try again only after its sync period. It looks at once when
// the policy becomes skip, and then only lets the object go (ASO documentation, "Annotations").
func (d *Deleter) detach(ctx context.Context, obj *unstructured.Unstructured) error {
	if !deletedInAzure(obj) {
		return nil
	}
	policy := aso.PolicyDetachOnDelete
	if obj.GetDeletionTimestamp() != nil || obj.GetAnnotations()[aso.AnnotationReconcilePolicy] == aso.PolicySkip {
		policy = aso.PolicySkip // With any other ASO would send the object first.
	}
	detached := obj.DeepCopy()
	annotations := detached.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[aso.AnnotationReconcilePolicy] = policy
	// Neither the pause's nor the lifecycle's any longer.
	delete(annotations, aso.AnnotationSkippedByPause)
	delete(annotations, aso.AnnotationLifecycle)
	detached.SetAnnotations(annotations)
	// ASO writes to the object all the time, so a lock would only lose against it.
	if err := d.Patch(ctx, detached, client.MergeFrom(obj)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot detach %v: %w", access.RefTo(obj), err)
	}
	obj.SetAnnotations(annotations)
	return nil
}
