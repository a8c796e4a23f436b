package access

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Ref names an object in the namespace of the composite resource that refers to it.
type Ref struct {
	schema.GroupVersionKind

	Name string
}

// String returns the reference as Kind.version.group/name, as in names.AwaitsDeletionAnnotation.
func (r Ref) String() string {
	return r.Kind + "." + r.Version + "." + r.Group + "/" + r.Name
}

// RefTo returns the reference to obj.
func RefTo(obj *unstructured.Unstructured) Ref {
	return Ref{GroupVersionKind: obj.GroupVersionKind(), Name: obj.GetName()}
}

// ParseRef is the reverse of Ref.String.
func ParseRef(text string) (Ref, error) {
	kind, name, found := strings.Cut(text, "/")
	gvk, _ := schema.ParseKindArg(kind)
	if !found || gvk == nil || name == "" {
		return Ref{}, fmt.Errorf("%q is not of the form Kind.version.group/name", text)
	}
	return Ref{GroupVersionKind: *gvk, Name: name}, nil
}

// ComposedRefs returns what Crossplane has noted as composed by xr. It notes an object before it creates it.
func ComposedRefs(xr *unstructured.Unstructured) ([]Ref, error) {
	items, _, err := SpecResourceRefs.Get(xr)
	if err != nil {
		return nil, err
	}
	refs := make([]Ref, 0, len(items))
	for i, item := range items {
		ref, _ := item.(map[string]any)
		name := field.Text(ref["name"])
		if name == "" { // Crossplane notes the kind of an object that has no name yet.
			continue
		}
		kind := field.Text(ref["kind"])
		gv, err := schema.ParseGroupVersion(field.Text(ref["apiVersion"]))
		if err != nil || kind == "" {
			return nil, fmt.Errorf("%s is not a reference to an object", field.Item(SpecResourceRefs.String(), i))
		}
		refs = append(refs, Ref{GroupVersionKind: gv.WithKind(kind), Name: name})
	}
	return refs, nil
}

// Composes reports whether xr has composed an object of the kind.
func Composes(xr *unstructured.Unstructured, kind schema.GroupKind) bool {
	refs, _ := ComposedRefs(xr)
	return slices.ContainsFunc(refs, func(ref Ref) bool { return ref.GroupKind() == kind })
}

// FirstResource returns the first object of the kind in spec.resources; nil when there is none.
func FirstResource(xr *unstructured.Unstructured, kind schema.GroupKind) *unstructured.Unstructured {
	for _, content := range field.Maps(SpecResources.Value(xr)) {
		obj := &unstructured.Unstructured{Object: content}
		if obj.GroupVersionKind().GroupKind() == kind && obj.GetName() != "" {
			return obj
		}
	}
	return nil
}

const awaitedSeparator = ","

// Awaited returns the objects that xr has noted to delete, as written by JoinAwaited.
func Awaited(xr *unstructured.Unstructured) []string {
	annotation := xr.GetAnnotations()[names.AwaitsDeletionAnnotation]
	if annotation == "" {
		return nil
	}
	return strings.Split(annotation, awaitedSeparator)
}

// JoinAwaited returns the value of names.AwaitsDeletionAnnotation for the references.
func JoinAwaited(refs []string) string {
	return strings.Join(slices.Sorted(slices.Values(refs)), awaitedSeparator)
}
