package composer

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	xv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Request is what a composer decides from: the composite resource, what exists of it, and the objects that the
// composer asks for.
type Request struct {
	// XR is the composite resource.
	XR *unstructured.Unstructured
	// Observed are its existing composed objects by composition resource name.
	Observed map[string]*unstructured.Unstructured

	req   *fnv1.RunFunctionRequest
	asked *fnv1.Requirements
	// knows is what ClusterFacts say.
	knows knowledge
}

// NewRequest reads req. The error says which part of it cannot be understood.
func NewRequest(req *fnv1.RunFunctionRequest) (*Request, error) {
	xr, err := request.GetObservedCompositeResource(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the composite resource")
	}
	observed, err := request.GetObservedComposedResources(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the composed resources")
	}
	in := &Request{
		XR:       &xr.Resource.Unstructured,
		Observed: make(map[string]*unstructured.Unstructured, len(observed)),
		req:      req,
		asked:    &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{}, Schemas: map[string]*fnv1.SchemaSelector{}},
	}
	for name, o := range observed {
		in.Observed[string(name)] = &o.Resource.Unstructured
	}
	return in, nil
}

// responsive is false while Crossplane's circuit breaker drops events of the composite resource or of what it depends on.
func (r *Request) responsive() bool {
	return !slices.ContainsFunc(field.Maps(shownConditions.Value(r.XR)), func(c map[string]any) bool {
		return c["type"] == string(xv1.TypeResponsive) && c["status"] == string(metav1.ConditionFalse)
	})
}

// Get returns the object of the given kind and name in the composite's namespace, nil if there is none.
// The error is ErrPending when it has to be read first.
func (r *Request) Get(requirement string, gvk schema.GroupVersionKind, name string) (*unstructured.Unstructured, error) {
	return r.GetIn(requirement, gvk, r.XR.GetNamespace(), name)
}

// GetIn is Get in a namespace that need not be the composite's.
func (r *Request) GetIn(requirement string, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	objects, ok, err := r.inFacts(gvk, namespace)
	switch at := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetName() == name }); {
	case err != nil:
		return nil, err
	case ok && at < 0:
		return nil, nil
	case ok:
		return objects[at], nil
	}
	found, err := r.require(requirement, &fnv1.ResourceSelector{Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}, gvk, namespace)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// List returns the objects of the given kind with the given label in the composite's namespace, sorted by name.
// The error is ErrPending when they have to be read first.
func (r *Request) List(requirement string, gvk schema.GroupVersionKind, label, value string) ([]*unstructured.Unstructured, error) {
	return r.ListIn(requirement, gvk, r.XR.GetNamespace(), label, value)
}

// ListIn is List in a namespace that need not be the composite's.
func (r *Request) ListIn(requirement string, gvk schema.GroupVersionKind, namespace, label, value string) ([]*unstructured.Unstructured, error) {
	if objects, ok, err := r.inFacts(gvk, namespace); ok || err != nil {
		return slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetLabels()[label] != value }), err
	}
	labels := &fnv1.MatchLabels{Labels: map[string]string{label: value}}
	return r.require(requirement, &fnv1.ResourceSelector{Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: labels}}, gvk, namespace)
}

// Input returns the input of the Composition's step; nil when it has none.
func (r *Request) Input() map[string]any {
	if r.req.GetInput() == nil {
		return nil
	}
	return r.req.GetInput().AsMap()
}

func (r *Request) require(name string, selector *fnv1.ResourceSelector, gvk schema.GroupVersionKind, namespace string) ([]*unstructured.Unstructured, error) {
	selector.ApiVersion, selector.Kind, selector.Namespace = gvk.GroupVersion().String(), gvk.Kind, &namespace
	r.asked.Resources[name] = selector
	found, resolved, err := request.GetRequiredResource(r.req, name)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read the required %s", gvk.Kind)
	}
	if !resolved {
		return nil, ErrPending
	}
	out := make([]*unstructured.Unstructured, 0, len(found))
	for _, f := range found {
		// The same requirement may have been read for another name before the composite was changed.
		if match := selector.GetMatchName(); match == "" || f.Resource.GetName() == match {
			out = append(out, f.Resource)
		}
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return out, nil
}

// Schema returns the OpenAPI schema of a kind as the API server serves it, nil if it does not serve that kind.
// The error is ErrPending when it has to be read first. A Crossplane that cannot read schemas yields known=false.
func (r *Request) Schema(gvk schema.GroupVersionKind) (schema *structpb.Struct, known bool, err error) {
	// Each Crossplane that reads schemas says so. To wait for one that does not would never end, and what is not
	// returned meanwhile would be deleted.
	if !request.HasCapability(r.req, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS) {
		return nil, false, nil
	}
	name := schemaRequirement(gvk)
	r.asked.Schemas[name] = &fnv1.SchemaSelector{ApiVersion: gvk.GroupVersion().String(), Kind: gvk.Kind}
	s, resolved := r.req.GetRequiredSchemas()[name]
	if !resolved {
		return nil, true, ErrPending
	}
	return s.GetOpenapiV3(), true, nil
}

// SchemaRead returns the OpenAPI schema of a kind where it has been read already, nil elsewhere: all of a group is read for one kind. What
// was read for something else stays asked for, so that what follows from it does.
func (r *Request) SchemaRead(gvk schema.GroupVersionKind) *structpb.Struct {
	if r.req.GetRequiredSchemas()[schemaRequirement(gvk)].GetOpenapiV3() == nil {
		return nil
	}
	s, _, _ := r.Schema(gvk) // It is there.
	return s
}

func schemaRequirement(gvk schema.GroupVersionKind) string {
	return "schema/" + gvk.Kind + "." + gvk.GroupVersion().String()
}

// ComposedEarlier reports whether an earlier function of the pipeline composes the object of that name.
func (r *Request) ComposedEarlier(name string) bool {
	return r.req.GetDesired().GetResources()[name] != nil
}

var managedFields = field.At[[]any]("metadata", "managedFields")

// Now returns the newest time that is written anywhere in the request: what a function that has no clock knows of time.
func (r *Request) Now() metav1.Time {
	newest := r.XR.GetCreationTimestamp()
	for _, o := range append(slices.Collect(maps.Values(r.Observed)), r.XR) {
		created := o.GetCreationTimestamp()
		times := []metav1.Time{created}
		for _, m := range field.Maps(managedFields.Value(o)) { // GetManagedFields would read all of the fields, too.
			if written, err := time.Parse(time.RFC3339, field.Text(m["time"])); err == nil {
				times = append(times, metav1.NewTime(written))
			}
		}
		for _, t := range times {
			if newest.Before(&t) {
				newest = t
			}
		}
	}
	return newest
}
