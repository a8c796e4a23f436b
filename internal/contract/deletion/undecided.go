package deletion

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Undecided reports whether it is not known yet if a resource was in Azure before its object.
func Undecided(obj metav1.Object) bool {
	return obj.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipUndecided
}

// settle decides about the ownership of an undecided resource before its object is deleted: the function, which would, is not called for
// a composite resource that is being deleted. It returns true while ASO has still to look.
//
// That matters after a move, when every object is new and resources of the Cluster would be left in Azure. A cluster that has never had an
// API server need not wait: nothing has ever been sent to Azure for what is undecided, and Azure may refuse to tell more, as it refuses the
// credential or the name.
func (d *Deleter) settle(ctx context.Context, xr, obj *unstructured.Unstructured) (waits bool, err error) {
	if !Undecided(obj) || obj.GetDeletionTimestamp() != nil {
		return false, nil
	}
	state := aso.StateOf(obj)
	switch {
	case state.Ready && (d.Kind.Inline || tagged(obj, xr)): // What the user has written is the user's to delete.
		return false, d.own(ctx, obj)
	case state.Ready || state.Reason == aso.ReasonResourceNotFound:
		return false, nil
	case access.SpecControlPlaneEndpoint.Has(xr):
		return true, nil
	}
	answer := "and it has not told the answer yet" // Or tells no more of it, as it asks once more.
	if refusal, refused := aso.RefusalOf(obj); refused {
		answer = fmt.Sprintf("and the answer was %s: %s", refusal.Reason, refusal.Message)
	}
	d.Events.Warn(xr, "NeverCreated", "DeleteComposite", fmt.Sprintf(
		"%s %s leaves Kubernetes only, as nothing was sent to Azure for it: Azure Service Operator asks first if the resource is there, %s",
		obj.GetKind(), obj.GetName(), answer))
	return false, nil
}

// tagged reports whether the resource was made for the Cluster of xr.
func tagged(obj, xr *unstructured.Unstructured) bool {
	tag := v1beta1.OwnedTag(xr.GetLabels()[clusterv1.ClusterNameLabel])
	return field.Text(statusTags.Value(obj)[tag]) == "owned"
}

// own notes that the resource is the Cluster's, and lets ASO delete it.
func (d *Deleter) own(ctx context.Context, obj *unstructured.Unstructured) error {
	before := obj.DeepCopy()
	annotations := obj.GetAnnotations()
	annotations[v1beta1.AnnotationOwnership] = v1beta1.OwnershipOwned
	delete(annotations, aso.AnnotationReconcilePolicy)
	obj.SetAnnotations(annotations)
	if err := d.Patch(ctx, obj, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot have %v managed: %w", access.RefTo(obj), err)
	}
	return nil
}
