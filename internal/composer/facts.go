package composer

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/internal/facts"
)

// factsRequirement is the name of the requirement for ClusterFacts.
const factsRequirement = "facts"

// Know has Get and List take the Cluster and its members from the ClusterFacts of the Cluster, where there are such that tell
// of the object with the UID. Crossplane composes anew each time that anything changes of what it reads for a function, and
// the facts change least. While it is not known whether there are such, the objects themselves are asked for together with them.
//
// Without a UID they tell only which kinds are served and by whom, see Served and Operator.
func (r *Request) Know(cluster string, about types.UID) error {
	found, err := r.findFacts(cluster)
	switch {
	case errors.Is(err, ErrPending):
		r.unsure = true
	case err != nil:
		return err
	case found != nil:
		r.facts = found
		if about != "" {
			r.known = facts.Read(found, about)
		}
	}
	return nil
}

// Served reports whether the API server serves a kind; not known when Crossplane cannot tell. The error is ErrPending when that has to
// be read first. Crossplane reads all of a group to tell of one kind, so it is asked last.
func (r *Request) Served(gvk schema.GroupVersionKind) (served, known bool, err error) {
	if r.facts != nil && facts.Serves(r.facts, gvk) {
		return true, true, nil
	}
	if r.unsure {
		return false, true, ErrPending
	}
	schema, known, err := r.Schema(gvk)
	return schema != nil, known, err
}

// Operator returns where the ASO runs that serves the composite's namespace; empty when that is not known.
func (r *Request) Operator() string {
	if r.facts == nil {
		return ""
	}
	return facts.Operator(r.facts)
}

func (r *Request) findFacts(cluster string) (*unstructured.Unstructured, error) {
	if len(r.req.GetRequiredResources()[factsRequirement].GetItems()) == 0 {
		// To require a kind that is not served fails the whole pipeline.
		served, known, err := r.Schema(facts.Kind)
		if err != nil || !known || served == nil {
			return nil, err
		}
	}
	return r.Get(factsRequirement, facts.Kind, cluster)
}

// told returns the objects that the facts have of a kind, sorted by name; not ok when they do not tell of the kind.
func (r *Request) told(gvk schema.GroupVersionKind, namespace string) (objects []*unstructured.Unstructured, ok bool) {
	if r.known == nil || namespace != r.XR.GetNamespace() || !facts.Covers(gvk.GroupKind()) {
		return nil, false
	}
	for _, o := range r.known {
		if o.GroupVersionKind() == gvk {
			objects = append(objects, o)
		}
	}
	slices.SortFunc(objects, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return objects, true
}
