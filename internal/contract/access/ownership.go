package access

import (
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// BelongsTo reports whether xr has composed obj and is still its controller. Once xr is being deleted, that is also so of an orphan: if
// that is being deleted as well, if xr is deleted in the foreground, or if xr has noted it.
//
// Kubernetes documentation, "Garbage Collection": what is deleted in the foreground has what it owns deleted first. An object with one
// more owner, which stays, only loses the owner reference, and ASO makes resource groups the owners of ManagedClusters.
func BelongsTo(xr, obj *unstructured.Unstructured) bool {
	of := OrphanOf(obj)
	if of == "" || xr.GetDeletionTimestamp() == nil {
		return metav1.IsControlledBy(obj, xr)
	}
	noted := slices.Contains(Awaited(xr), RefTo(obj).String())
	return noted || of == xr.GetName() && (obj.GetDeletionTimestamp() != nil || InForeground(xr))
}

// OrphanOf returns the name of the composite resource for which Crossplane has composed obj, if obj has no controller any more; else
// nothing.
func OrphanOf(obj metav1.Object) string {
	if metav1.GetControllerOf(obj) != nil {
		return ""
	}
	return obj.GetLabels()[xcrd.LabelKeyNamePrefixForComposed]
}

// InForeground reports whether garbage collection deletes what xr owns before xr.
func InForeground(xr *unstructured.Unstructured) bool {
	return controllerutil.ContainsFinalizer(xr, metav1.FinalizerDeleteDependents)
}

// ControlledByComposite reports whether the controller of obj is a composite resource of this project.
func ControlledByComposite(obj metav1.Object) bool {
	owner := metav1.GetControllerOf(obj)
	if owner == nil {
		return false
	}
	gv, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && gv.Group == composite.InfrastructureGroup
}

// OwningManagedClusters returns the names of the ManagedClusters that own obj, as ASO notes on the Secrets that it writes.
func OwningManagedClusters(obj metav1.Object) []string {
	kind := aso.ManagedCluster.GroupKind()
	var owners []string
	for _, owner := range obj.GetOwnerReferences() {
		gv, err := schema.ParseGroupVersion(owner.APIVersion)
		if err == nil && gv.Group == kind.Group && owner.Kind == kind.Kind {
			owners = append(owners, owner.Name)
		}
	}
	return owners
}
