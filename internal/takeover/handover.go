package takeover

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
	o := c.PartialObjectMetadata.DeepCopy()
	handover.ToComposite(o, o.GroupVersionKind().GroupKind(), xr)
	return o
}

// childBack returns an ASO object as CAPZ's, which takes back what Crossplane has applied the next time that it applies the object itself.
func childBack(c child) *metav1.PartialObjectMetadata {
	o := c.PartialObjectMetadata.DeepCopy()
	o.ManagedFields = handover.Renamed(o.ManagedFields, handover.CAPZManager)
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
		if err := handover.ResourceRefs.Set(xr, refs); err != nil {
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
