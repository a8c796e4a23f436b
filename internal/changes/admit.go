package changes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1" //nolint:staticcheck // CAPZ's templates are written in it.
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/json"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

// Admit returns the mistakes for which an API server would refuse the manifests, as far as that is known without one: by the schemas and
// rules of the composite kinds, which are in definitions, and by the fields that the kinds of Cluster API have.
func Admit(ctx context.Context, definitions fs.FS, manifests []*unstructured.Unstructured) ([]Mistake, error) {
	var all []Mistake
	for _, o := range manifests {
		wrong, err := admit(ctx, definitions, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", referenceTo(o), err)
		}
		for _, w := range wrong {
			all = append(all, Mistake{Of: referenceTo(o), Message: w.Error()})
		}
	}
	return all, nil
}

func admit(ctx context.Context, definitions fs.FS, o *unstructured.Unstructured) ([]error, error) {
	gvk := o.GroupVersionKind()
	switch {
	case composite.IsGroup(gvk.Group):
		kind, ok := composite.Lookup(gvk.GroupKind())
		if !ok {
			kind, ok = composite.Claimed(gvk.GroupKind())
		}
		if !ok {
			return []error{fmt.Errorf("kind is %q, but %s has no such kind here", gvk.Kind, gvk.Group)}, nil
		}
		s, err := parsed(definitions, kind, gvk.Version)
		if err != nil {
			return []error{fmt.Errorf("apiVersion is %q, but %s: %w", o.GetAPIVersion(), gvk.Kind, err)}, nil
		}
		return bySchema(ctx, s, o), nil
	case scheme.Recognizes(gvk):
		typed, err := scheme.New(gvk)
		if err != nil {
			return nil, err
		}
		raw, err := o.MarshalJSON()
		if err != nil {
			return nil, err
		}
		unknown, err := json.UnmarshalStrict(raw, typed)
		if err != nil {
			unknown = append(unknown, err)
		}
		return unknown, nil
	}
	return nil, nil
}

// schemas has those that were parsed: there are many objects of few kinds.
var schemas sync.Map

func parsed(definitions fs.FS, kind composite.Kind, version string) (*schema.Schema, error) {
	key := kind.GroupKind().WithVersion(version)
	if s, ok := schemas.Load(key); ok {
		return s.(*schema.Schema), nil
	}
	content, err := fs.ReadFile(definitions, kind.Plural()+"/definition.yaml")
	if err != nil {
		return nil, err
	}
	s, err := schema.Parse(content, version)
	if err == nil {
		schemas.Store(key, s)
	}
	return s, err
}

// scheme has the kinds of Cluster API.
var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	_ = clusterv1.AddToScheme(s) // They never fail.
	_ = clusterv1beta1.AddToScheme(s)
	return s
}

// ofClaims are the fields of spec that Crossplane adds to the schemas of claims (Crossplane documentation, "Claims").
var ofClaims = []string{
	"compositionRef", "compositionSelector", "compositionRevisionRef", "compositionRevisionSelector", "compositionUpdatePolicy", "compositeDeletePolicy",
	"resourceRef", "writeConnectionSecretToRef",
}

// bySchema returns what is wrong by the schema of a kind, whose unknown fields kubectl does not let pass, either.
func bySchema(ctx context.Context, s *schema.Schema, o *unstructured.Unstructured) []error {
	o = o.DeepCopy()
	unstructured.RemoveNestedField(o.Object, "spec", "crossplane") // It is Crossplane's, not the schema's.
	unstructured.RemoveNestedField(o.Object, "status")
	if _, claim := composite.Claimed(o.GroupVersionKind().GroupKind()); claim {
		for _, name := range ofClaims {
			unstructured.RemoveNestedField(o.Object, "spec", name)
		}
	}
	s.Default(o.Object)
	var wrong []error
	for _, path := range s.Prune(o.Object) {
		wrong = append(wrong, fmt.Errorf("%s: unknown field", path))
	}
	err := s.Validate(ctx, o.Object, nil)
	aggregate := utilerrors.Aggregate(nil)
	switch {
	case errors.As(err, &aggregate):
		return append(wrong, aggregate.Errors()...)
	case err != nil:
		return append(wrong, err)
	}
	return wrong
}
