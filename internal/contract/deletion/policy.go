package deletion

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
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

// operatorNone is the operator of an object that none is to look at until its deletion has begun.
const operatorNone = "none-until-its-deletion-has-begun"

// keepFromOperator has no ASO look at an object of which it may only read the resource, and reports whether that is so: ASO would send the
// object as soon as the policy goes, and a virtual machine without its bootstrap data. An object that no ASO has taken up was never read, so
// that it need not be kept.
//
// An ASO leaves alone what is another one's by its annotation (ASO module, GenericReconciler.takeOwnership).
func (d *Deleter) keepFromOperator(ctx context.Context, obj *unstructured.Unstructured) (bool, error) {
	annotations := obj.GetAnnotations()
	if annotations[names.OperatorAnnotation] != "" {
		return true, nil
	}
	operator := annotations[aso.AnnotationOperator]
	if operator == "" || operator == aso.OperatorNone || !resumes(obj) || !aso.SkippedByLifecycle(obj) {
		return false, nil
	}
	before := obj.DeepCopy()
	annotations[names.OperatorAnnotation], annotations[aso.AnnotationOperator] = operator, operatorNone
	obj.SetAnnotations(annotations)
	if err := d.Patch(ctx, obj, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("cannot keep %v from Azure Service Operator: %w", access.RefTo(obj), err)
	}
	return true, nil
}

// handBack gives an object whose deletion has begun back to its ASO, without the policy: it looks at once, and deletes the resource.
func (d *Deleter) handBack(ctx context.Context, obj *unstructured.Unstructured) error {
	annotations := obj.GetAnnotations()
	operator := annotations[names.OperatorAnnotation]
	if operator == "" {
		return nil
	}
	before := obj.DeepCopy()
	annotations[aso.AnnotationOperator] = operator
	for _, name := range []string{names.OperatorAnnotation, aso.AnnotationReconcilePolicy, aso.AnnotationSkippedByPause, aso.AnnotationLost} {
		delete(annotations, name)
	}
	obj.SetAnnotations(annotations)
	if err := d.Patch(ctx, obj, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot hand %v back to Azure Service Operator: %w", access.RefTo(obj), err)
	}
	return nil
}

// resume removes the policy that a pause or the lifecycle has put on obj: the function, which would, is not called for a composite
// resource that is being deleted, and ASO would leave the resource in Azure for ever.
func (d *Deleter) resume(ctx context.Context, obj *unstructured.Unstructured) error {
	if !resumes(obj) {
		return nil
	}
	before := obj.DeepCopy()
	annotations := obj.GetAnnotations()
	delete(annotations, aso.AnnotationReconcilePolicy)
	delete(annotations, aso.AnnotationSkippedByPause)
	delete(annotations, aso.AnnotationLost)
	obj.SetAnnotations(annotations)
	if err := d.Patch(ctx, obj, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
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
