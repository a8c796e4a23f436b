package typed

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// A Cluster is what all objects that are made for a Cluster have in common.
type Cluster struct {
	Namespace, Name string
	// Subscription is the one that all resources are in; empty while it is not known.
	Subscription string
}

// Resource returns the resource of one typed ASO object: what all of them have is set here. Path is the field of the spec that it stands
// for, name the name of its object, and problem what is wrong with it; nil if nothing is.
func (c Cluster) Resource(path, name string, object runtime.Object, problem *composer.Blocked) *plan.Resource {
	obj, err := Untyped(object)
	if err != nil {
		return &plan.Resource{Source: path, Object: obj, Err: Invalid("%s cannot be written as JSON: %v", path, err)}
	}
	c.Identify(obj, name)
	if name == "" && problem == nil {
		problem = Invalid("%s gives the name %q, but it must have a letter or a digit, as the object in Kubernetes is named after it", path, name)
	}
	return &plan.Resource{Source: path, Object: obj, Err: problem, Subscription: c.Subscription}
}

// Identify gives an object its name and what ties it to the Cluster. A patch may have added labels and annotations.
func (c Cluster) Identify(obj *unstructured.Unstructured, name string) {
	labels, annotations := obj.GetLabels(), obj.GetAnnotations()
	obj.Object["metadata"] = map[string]any{"name": name, "namespace": c.Namespace}
	obj.SetLabels(With(labels, clusterv1.ClusterNameLabel, c.Name))
	obj.SetAnnotations(With(annotations, aso.AnnotationCredentialFrom, v1beta1.CredentialSecret(c.Name)))
}

// WithoutCollisions marks resources of one kind whose names in Kubernetes are the same, though those in Azure differ.
func WithoutCollisions(resources []*plan.Resource) []*plan.Resource {
	first := map[string]string{}
	for _, r := range resources {
		at, taken := first[r.Name()]
		switch {
		case !taken:
			first[r.Name()] = r.Source
		case r.Err == nil:
			r.Err = composer.Blockedf(composer.ReasonDuplicateResource,
				"%s: %s %q is defined by %s already; their names must differ in more than upper case and punctuation, which names in Kubernetes do not have",
				r.Source, r.Object.GetKind(), r.Object.GetName(), at)
		}
	}
	return resources
}

// Invalid returns the error about a resource that the spec does not describe rightly.
func Invalid(format string, args ...any) *composer.Blocked {
	return composer.Blockedf(composer.ReasonInvalidResource, format, args...)
}

// FirstProblem returns the first of the problems that is one; nil if none is.
func FirstProblem(problems ...*composer.Blocked) *composer.Blocked {
	for _, p := range problems {
		if p != nil {
			return p
		}
	}
	return nil
}

// Untyped writes a typed object as it is applied: without status, empty fields and what only the API server sets.
func Untyped(object runtime.Object) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	gvk, err := apiutil.GVKForObject(object, Scheme)
	if err != nil {
		return obj, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err == nil {
		obj.Object = content
	}
	obj.SetGroupVersionKind(gvk)
	delete(obj.Object, "status")
	unstructured.RemoveNestedField(obj.Object, "metadata", "creationTimestamp")
	dropNulls(obj.Object)
	return obj, err
}

// dropNulls removes fields that are null: in an applied object they would be claimed for nothing.
func dropNulls(value any) {
	switch v := value.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, inner any) bool { return inner == nil })
		for _, inner := range v {
			dropNulls(inner)
		}
	case []any:
		for _, inner := range v {
			dropNulls(inner)
		}
	}
}
