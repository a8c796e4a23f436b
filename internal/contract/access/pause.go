package access

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// Unmanaged reports whether provider-capz must not act on the composite resource: it is externally managed, paused by a person
// through Crossplane's own annotation, or about to be removed by clusterctl move.
//
// One that was handed to another system after it had got the finalizer is still released when it is deleted: nobody else would
// remove the finalizer, and garbage collection would delete the same objects without an order.
func Unmanaged(xr *unstructured.Unstructured) bool {
	held := xr.GetDeletionTimestamp() != nil && controllerutil.ContainsFinalizer(xr, names.Finalizer)
	if annotations.IsExternallyManaged(xr) && !held {
		return true
	}
	return PausedOrMoving(xr)
}

// PausedOrMoving reports whether a person has paused the composite resource through Crossplane's own annotation, or clusterctl move
// is about to remove it.
func PausedOrMoving(xr *unstructured.Unstructured) bool {
	has := xr.GetAnnotations()
	if _, moving := has[clusterctlv1.DeleteForMoveAnnotation]; moving {
		return true
	}
	return has[names.CrossplanePausedAnnotation] == "true" && has[names.PausedByAnnotation] != names.FieldOwner
}

// ClonedWithoutMachine reports whether Cluster API has cloned an object from a template, and no Machine owns it yet.
func ClonedWithoutMachine(obj metav1.Object) bool {
	_, cloned := obj.GetAnnotations()[clusterv1.TemplateClonedFromNameAnnotation]
	return cloned && !slices.ContainsFunc(obj.GetOwnerReferences(), func(owner metav1.OwnerReference) bool {
		return owner.Kind == "Machine" && strings.HasPrefix(owner.APIVersion, clusterv1.GroupVersion.Group+"/")
	})
}

// AwaitsMachine reports whether Crossplane is kept from a composite resource since it was cloned, and its Machine has not come. Who writes to
// it now may have Cluster API take it for one that could not be made.
func AwaitsMachine(xr *unstructured.Unstructured) bool {
	return xr.GetDeletionTimestamp() == nil && xr.GetAnnotations()[names.PausedByAnnotation] == names.FieldOwner && ClonedWithoutMachine(xr)
}
