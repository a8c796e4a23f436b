package takeover

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/handover"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// stateAnnotation on a composite resource says that it is about to change hands, and in which direction. Crossplane leaves it alone meanwhile.
const (
	stateAnnotation = "infrastructure.cluster.x-k8s.io/takeover"
	stateTo         = "to-crossplane-capz"
	stateBack       = "to-capz"
)

// crossplaneFinalizer is Crossplane's own on composite resources.
const crossplaneFinalizer = "composite.apiextensions.crossplane.io"

// childFor returns an ASO object as the composite resource's: Crossplane finds it by its name among what is composed, and may take back what CAPZ has
// applied. The original is not changed.
func childFor(c child, xr *unstructured.Unstructured) *metav1.PartialObjectMetadata {
	o := c.DeepCopy()
	if !inline(xr) {
		written(o, updated, applied)
		recordOwnership(o)
	}
	handover.ToComposite(o, o.GroupVersionKind().GroupKind(), xr)
	return o
}

// inline reports whether a user has written the ASO objects of a composite resource, and CAPZ only applied them.
func inline(xr *unstructured.Unstructured) bool {
	kind, _ := composite.Lookup(xr.GroupVersionKind().GroupKind())
	return kind.Inline
}

// A writer is a field manager, and how it writes.
type writer struct {
	manager   string
	operation metav1.ManagedFieldsOperationType
}

// The ways in which CAPZ writes ASO objects: those that a user has written, and those that it makes itself.
var (
	applied = writer{handover.CAPZManager, metav1.ManagedFieldsOperationApply}
	updated = writer{capzUpdater, metav1.ManagedFieldsOperationUpdate}
)

// written has what one writer has written of an object be another's. Of several versions the first is.
func written(o *metav1.PartialObjectMetadata, from, to writer) {
	o.ManagedFields = slices.Clone(o.ManagedFields)
	for i := range o.ManagedFields {
		if m := &o.ManagedFields[i]; m.Manager == from.manager && m.Operation == from.operation && m.Subresource == "" {
			m.Manager, m.Operation = to.manager, to.operation
			return
		}
	}
}

// recordOwnership notes on an ASO object which CAPZ has found, or made, to be the Cluster's that it is. What CAPZ has ASO only read is looked at anew.
func recordOwnership(o *metav1.PartialObjectMetadata) {
	policy, paused := o.Annotations[policyBeforePause]
	if !paused {
		policy = o.Annotations[aso.AnnotationReconcilePolicy]
	}
	if o.Annotations[v1beta1.AnnotationOwnership] == "" && policy == aso.PolicyManage {
		metav1.SetMetaDataAnnotation(&o.ObjectMeta, v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned)
	}
}

// childBack returns an ASO object as CAPZ's, which takes back what Crossplane has applied the next time that it applies the object itself.
func childBack(c child, xr *unstructured.Unstructured) *metav1.PartialObjectMetadata {
	o := c.DeepCopy()
	o.ManagedFields = handover.Renamed(o.ManagedFields, handover.CAPZManager)
	if !inline(xr) {
		written(o, applied, updated)
	}
	return o
}

// compositeFor returns a composite resource that is this project's: it refers to what it is composed of, has this project's finalizer in the place of
// CAPZ's, and Crossplane acts on it. All of that comes at once, so that no moment has a part of it. The original is not changed.
func compositeFor(h held) (*unstructured.Unstructured, error) {
	xr := h.composite.DeepCopy()
	var refs []any
	for _, c := range h.children {
		refs = append(refs, map[string]any{"apiVersion": c.version, "kind": c.Kind, "name": c.Name})
	}
	if len(refs) > 0 {
		if err := access.SpecResourceRefs.Set(xr, refs); err != nil {
			return nil, err
		}
	}
	without(xr, capzFinalizers[xr.GetKind()])
	with(xr, names.Finalizer)
	walk.Annotate(xr, func(a map[string]string) {
		delete(a, stateAnnotation)
		delete(a, names.CrossplanePausedAnnotation)
	})
	return xr, nil
}

// compositeBack returns a composite resource as CAPZ has it. The original is not changed.
func compositeBack(xr *unstructured.Unstructured) *unstructured.Unstructured {
	xr = xr.DeepCopy()
	unstructured.RemoveNestedField(xr.Object, "spec", "crossplane")
	without(xr, names.Finalizer, crossplaneFinalizer)
	with(xr, capzFinalizers[xr.GetKind()])
	walk.Annotate(xr, func(a map[string]string) {
		delete(a, stateAnnotation)
		delete(a, names.CrossplanePausedAnnotation)
		delete(a, names.PausedByAnnotation)
	})
	return xr
}

// paused returns a composite resource that Crossplane leaves alone, marked with the way that it is on.
func paused(xr *unstructured.Unstructured, state string) *unstructured.Unstructured {
	xr = xr.DeepCopy()
	walk.Annotate(xr, func(a map[string]string) {
		a[stateAnnotation] = state
		a[names.CrossplanePausedAnnotation] = "true"
	})
	return xr
}

func without(o *unstructured.Unstructured, finalizers ...string) {
	o.SetFinalizers(slices.DeleteFunc(o.GetFinalizers(), func(f string) bool { return slices.Contains(finalizers, f) }))
}

func with(o *unstructured.Unstructured, finalizer string) {
	if finalizer != "" && !slices.Contains(o.GetFinalizers(), finalizer) {
		o.SetFinalizers(append(o.GetFinalizers(), finalizer))
	}
}
