package plan

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// retain keeps what exists and is not in the spec while it may not be deleted.
func (p *Plan) retain(out *Outcomes) error {
	for _, name := range slices.Sorted(maps.Keys(p.in.Observed)) {
		observed := p.in.Observed[name]
		if _, composed := out.Composed[name]; composed || p.in.ComposedEarlier(name) {
			continue
		}
		state, retained := p.retained(observed)
		if !retained {
			continue
		}
		object, err := AsApplied(observed)
		if err != nil {
			return &composer.FatalError{Err: err}
		}
		p.freeze(object, observed)
		if !p.Paused {
			p.letDelete(object, observed)
		}
		out.Composed[name] = composer.Composed{Object: object, Ready: state.Ready}
		out.Of = append(out.Of, Outcome{Object: observed, State: state, Ownership: observed.GetAnnotations()[v1beta1.AnnotationOwnership]})
	}
	return nil
}

// retained reports whether an object that the spec no longer has is kept for now, and how it is doing.
func (p *Plan) retained(observed *unstructured.Unstructured) (aso.State, bool) {
	if p.Retain != nil && p.Retain(observed) && !aso.Held(observed) {
		return aso.StateOf(observed), true
	}
	for _, r := range p.Resources {
		if r.Err != nil && r.Err.Reason == composer.ReasonInvalidResource {
			// The entry that cannot be identified may have been it.
			return aso.StateOf(observed), true
		}
	}
	switch {
	case p.Paused:
		return aso.State{Reason: composer.ReasonPaused, Message: "is no longer in the spec and is deleted when the pause ends"}, true
	case aso.SkippedByPause(observed), aso.Doubted(observed):
		// Deleted now, ASO would leave it in Azure.
		return aso.State{Reason: composer.ReasonDeleting, Message: "is no longer in the spec and is deleted as soon as it is resumed"}, true
	case p.undecided(observed):
		return aso.State{Reason: composer.ReasonDeleting, Message: "is no longer in the spec and is deleted as soon as it is known whose it is"}, true
	}
	return aso.State{}, false
}

// letDelete has ASO delete in Azure what is the Cluster's and is only looked for: with the policy skip ASO would leave it there.
func (p *Plan) letDelete(object, observed *unstructured.Unstructured) {
	annotations := object.GetAnnotations()
	switch {
	case aso.Doubted(object):
		delete(annotations, aso.AnnotationLost)
	case p.undecided(observed) && p.findingLeft(observed) == findingOwned:
		annotations[v1beta1.AnnotationOwnership] = v1beta1.OwnershipOwned
	default:
		return
	}
	delete(annotations, aso.AnnotationReconcilePolicy)
	object.SetAnnotations(annotations)
}

var specEndpointHost = field.At[string]("spec", "controlPlaneEndpoint", "host")

// undecided reports whether a resource that has not been noted as the Cluster's is so, or may be as Azure has not answered yet. Before a cluster
// has had an API server nothing was sent for what is undecided; afterwards it may have been, by another management cluster.
func (p *Plan) undecided(observed *unstructured.Unstructured) bool {
	if observed.GetAnnotations()[v1beta1.AnnotationOwnership] != v1beta1.OwnershipUndecided || aso.Held(observed) {
		return false
	}
	switch p.findingLeft(observed) {
	case findingOwned:
		return true
	case findingOpen:
		return specEndpointHost.Value(p.in.XR) != ""
	}
	return false
}

// findingLeft returns what the object of a resource shows that the spec no longer has.
func (p *Plan) findingLeft(observed *unstructured.Unstructured) finding {
	kind, known := aso.KindOf(observed.GroupVersionKind().GroupKind())
	if !known {
		return findingExternal
	}
	return p.findingOf(&Resource{Object: observed}, kind, observed)
}
