package composertest

import (
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A World is what an API server holds besides the composite and its composed objects.
type World struct {
	Objects []*unstructured.Unstructured
	// Schemas has those that differ from the one of any object; nil stands for a kind that is not served.
	Schemas map[schema.GroupVersionKind]*structpb.Struct
}

// With returns the world with the objects in place of those of the same kind and name.
func (w World) With(objects ...*unstructured.Unstructured) World {
	return World{Objects: append(w.Without(objects...).Objects, objects...), Schemas: w.Schemas}
}

// Without returns the world without the objects of the kinds and names of these.
func (w World) Without(objects ...*unstructured.Unstructured) World {
	kept := slices.DeleteFunc(slices.Clone(w.Objects), func(o *unstructured.Unstructured) bool {
		return slices.ContainsFunc(objects, func(n *unstructured.Unstructured) bool { return ResourceName(n) == ResourceName(o) })
	})
	return World{Objects: kept, Schemas: w.Schemas}
}

// Serving returns the world with s as the only schema that differs from the one of any object.
func (w World) Serving(gvk schema.GroupVersionKind, s *structpb.Struct) World {
	return World{Objects: w.Objects, Schemas: map[schema.GroupVersionKind]*structpb.Struct{gvk: s}}
}

// resolve puts into req what is asked for, and nothing else.
func (w World) resolve(t testing.TB, req *fnv1.RunFunctionRequest, asked *fnv1.Requirements) {
	t.Helper()
	req.RequiredResources, req.RequiredSchemas = map[string]*fnv1.Resources{}, map[string]*fnv1.Schema{}
	for name, s := range asked.GetResources() {
		req.RequiredResources[name] = w.read(t, name, s)
	}
	for name, s := range asked.GetSchemas() {
		req.RequiredSchemas[name] = &fnv1.Schema{OpenapiV3: w.schema(schema.FromAPIVersionAndKind(s.GetApiVersion(), s.GetKind()))}
	}
}

func (w World) read(t testing.TB, requirement string, s *fnv1.ResourceSelector) *fnv1.Resources {
	t.Helper()
	kind := schema.FromAPIVersionAndKind(s.GetApiVersion(), s.GetKind())
	if kind.GroupKind() == (schema.GroupKind{Kind: "Secret"}) {
		t.Fatalf("requirement %q is for a Secret, but a function must never ask for one", requirement)
	}
	if served, differs := w.Schemas[kind]; differs && served == nil {
		t.Fatalf("Crossplane fails: requirement %q is for %s, which is not served", requirement, kind)
	}
	found := &fnv1.Resources{}
	for _, o := range w.Objects {
		if o.GroupVersionKind() == kind && selected(s, o) {
			found.Items = append(found.Items, &fnv1.Resource{Resource: Struct(t, o)})
		}
	}
	return found
}

func (w World) schema(kind schema.GroupVersionKind) *structpb.Struct {
	if s, differs := w.Schemas[kind]; differs {
		return s
	}
	return &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}}
}

// selected reports whether the object, which is of the right kind, is asked for. What is in no namespace never is.
func selected(s *fnv1.ResourceSelector, o *unstructured.Unstructured) bool {
	if s.GetNamespace() == "" || o.GetNamespace() != s.GetNamespace() {
		return false
	}
	for k, v := range s.GetMatchLabels().GetLabels() {
		if o.GetLabels()[k] != v {
			return false
		}
	}
	return s.GetMatchLabels() != nil || o.GetName() == s.GetMatchName()
}
