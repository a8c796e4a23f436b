package takeover

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/handover"
)

var specResources = field.At[[]any]("spec", "resources")

// composites returns the objects of the kinds that compose something: those that change hands.
func (w *Walk) composites(ctx context.Context) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, kind := range composite.Select(composite.InContract) {
		if kind.Group != composite.InfrastructureGroup {
			continue
		}
		found, err := w.List(ctx, kind.GroupVersionKind)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// A held is a composite resource with the ASO objects that are its own.
type held struct {
	composite *unstructured.Unstructured
	children  []child
}

// A child is an ASO object of a composite resource, as far as its metadata goes.
type child struct {
	*metav1.PartialObjectMetadata

	// version is the API version that it is composed in.
	version string
}

// hold finds the ASO objects of composite resources: those that they control, and those of their spec that nobody controls, as CAPZ lets go of
// the objects of paused Clusters. Each kind is listed once.
func (w *Walk) hold(ctx context.Context, composites []*unstructured.Unstructured) ([]held, error) {
	listed := map[schema.GroupKind][]metav1.PartialObjectMetadata{}
	var all []held
	for _, xr := range composites {
		h := held{composite: xr}
		for _, kind := range childKinds(xr) {
			if _, done := listed[kind.GroupKind()]; !done {
				objects, err := w.Metadata(ctx, kind)
				if err != nil {
					return nil, err
				}
				listed[kind.GroupKind()] = objects
			}
			for i := range listed[kind.GroupKind()] {
				if object := &listed[kind.GroupKind()][i]; belongs(object, xr) {
					h.children = append(h.children, child{object, versionOf(object, kind)})
				}
			}
		}
		all = append(all, h)
	}
	return all, nil
}

// versionOf returns the API version in which an ASO object is written by whoever composes it.
func versionOf(object *metav1.PartialObjectMetadata, kind schema.GroupVersionKind) string {
	for _, m := range object.ManagedFields {
		if m.Manager == updated.manager && m.Operation == updated.operation && m.Subresource == "" {
			return m.APIVersion
		}
	}
	return handover.VersionOf(object, kind)
}

// childKinds returns the kinds of ASO that a composite resource has, each once: those of its spec, and those that CAPZ has noted.
func childKinds(xr *unstructured.Unstructured) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	add := func(kind schema.GroupVersionKind) {
		known := slices.ContainsFunc(kinds, func(k schema.GroupVersionKind) bool { return k.GroupKind() == kind.GroupKind() })
		if aso.IsASO(kind.Group) && kind.Kind != "" && !known {
			kinds = append(kinds, kind)
		}
	}
	if !inline(xr) {
		for _, kind := range aso.Catalogue() {
			if kind.Version != "" {
				add(kind.GroupVersionKind())
			}
		}
		return kinds
	}
	for _, r := range field.Maps(specResources.Value(xr)) {
		add(schema.FromAPIVersionAndKind(field.Text(r["apiVersion"]), field.Text(r["kind"])))
	}
	for _, noted := range strings.Split(xr.GetAnnotations()[capzOwnedKinds], ";") {
		if kind, _ := schema.ParseKindArg(noted); kind != nil {
			add(*kind)
		}
	}
	return kinds
}

// belongs reports whether an ASO object is a composite resource's.
func belongs(object *metav1.PartialObjectMetadata, xr *unstructured.Unstructured) bool {
	if object.Namespace != xr.GetNamespace() {
		return false
	}
	if controller := metav1.GetControllerOf(object); controller != nil {
		return controller.UID == xr.GetUID()
	}
	kind := object.GroupVersionKind().GroupKind()
	return slices.ContainsFunc(field.Maps(specResources.Value(xr)), func(r map[string]any) bool {
		metadata, _ := r["metadata"].(map[string]any)
		named := schema.FromAPIVersionAndKind(field.Text(r["apiVersion"]), field.Text(r["kind"])).GroupKind()
		return named == kind && field.Text(metadata["name"]) == object.Name
	})
}
