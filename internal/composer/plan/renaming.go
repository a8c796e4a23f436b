package plan

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// RefuseRenaming refuses to make another resource of kinds that a cluster stands on when there is one that the spec no longer has: the
// field that named it has been changed. See Plan.Retain, which keeps that one. It returns what it has refused first; nil if nothing.
func RefuseRenaming(in *composer.Request, resources []*Resource, retained []schema.GroupKind) *composer.Blocked {
	var first *composer.Blocked
	for _, r := range resources {
		kind := r.groupKind()
		if r.Err != nil || r.existing != nil || Created(in, r.Name()) != nil || !slices.Contains(retained, kind) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(in.Observed)) {
			o := in.Observed[name]
			wanted := slices.ContainsFunc(resources, func(other *Resource) bool { return other.Name() == name })
			if o.GroupVersionKind().GroupKind() == kind && !wanted && !aso.Held(o) {
				r.Err = composer.Blockedf(composer.ReasonImmutableField,
					"%s gives %s %q, but must stay with %q, which the cluster stands on", r.Source, kind.Kind, r.Object.GetName(), o.GetName())
				first = cmp.Or(first, r.Err)
				break
			}
		}
	}
	return first
}

// OfKinds returns a Plan.Retain for whatever is of one of the kinds.
func OfKinds(kinds ...schema.GroupKind) func(*unstructured.Unstructured) bool {
	return func(observed *unstructured.Unstructured) bool {
		return slices.Contains(kinds, observed.GroupVersionKind().GroupKind())
	}
}
