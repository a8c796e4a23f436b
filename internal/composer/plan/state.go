package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// progressing reports whether a reason stands for ordinary progress.
func progressing(reason string) bool {
	return aso.Progressing(reason) || reason == composer.ReasonPaused || reason == composer.ReasonDeleting
}

// outdated are ASO's reasons that a released object may have from the time when it was held.
var outdated = map[string]bool{aso.ReasonWaitingForOwner: true, aso.ReasonReferenceNotFound: true}

// stateAfter returns the state of a resource about which has been decided.
func (p *Plan) stateAfter(r *Resource, d decision, observed *unstructured.Unstructured) aso.State {
	state := p.stateOfDecided(r, d, observed)
	if !state.Ready {
		return state
	}
	if with := p.goneWith(r); with != "" {
		return goneState(with)
	}
	return state
}

// ownState is stateAfter without a look at what the resource lies in.
func (p *Plan) ownState(r *Resource) aso.State {
	return p.stateOfDecided(r, p.decisionOf(r), p.in.Observed[r.Name()])
}

func (p *Plan) stateOfDecided(r *Resource, d decision, observed *unstructured.Unstructured) aso.State {
	switch d.action {
	case Use:
		return existingState(r)
	case Keep, Refuse:
		return aso.State{Reason: d.err.Reason, Message: d.err.Message, Failed: true}
	case Wait, Hold:
		switch {
		case p.Paused:
			return pausedState()
		case len(d.waits) > 0:
			return waitingState(d.waits)
		}
		return creatingState()
	}
	if observed == nil || aso.Held(observed) {
		return creatingState()
	}
	state := p.progress(r, observed, p.reported(r, d, observed))
	if state.Ready && r.Outstanding != "" {
		return aso.State{Reason: composer.ReasonWaitingForResource, Message: r.Outstanding}
	}
	return state
}

// stateOf returns what ASO says of an object within the plan. While the policy skip is on an object, ASO calls ready what it finds in
// Azure; when the policy goes, that is its word no more, for it sends the object first.
func (p *Plan) stateOf(in *composer.Request, observed *unstructured.Unstructured) aso.State {
	state := aso.StateOf(observed)
	annotations := observed.GetAnnotations()
	if state.Ready && annotations[aso.AnnotationReconcilePolicy] == "" && annotations[aso.AnnotationResourceID] != "" &&
		annotations[aso.AnnotationSent] == "" && p.sends(in) {
		return aso.Unseen()
	}
	return state
}

// stateOfLive is stateOf for the object that stands for a resource.
func (p *Plan) stateOfLive(in *composer.Request, r *Resource, live *unstructured.Unstructured) aso.State {
	if r.Known != nil && r.existing == nil && aso.SkippedByLifecycle(live) {
		return *r.Known
	}
	return p.stateOf(in, live)
}

// sends reports whether ASO sends what has no policy of its own: it does not where the namespace or the operator has one.
func (p *Plan) sends(in *composer.Request) bool {
	return slices.ContainsFunc(p.Resources, func(r *Resource) bool {
		created := Created(in, r.Name())
		return created != nil && created.GetAnnotations()[aso.AnnotationSent] != ""
	})
}

// reported returns the state of an object from what ASO says of it and whose the resource is.
func (p *Plan) reported(r *Resource, d decision, observed *unstructured.Unstructured) aso.State {
	if d.readOnly && r.Known != nil {
		return *r.Known
	}
	state := p.stateOf(p.in, observed)
	if d.seen || answersToSkip(state, observed) {
		return creatingState()
	}
	if lost, ok := lossState(r, d, observed, state); ok {
		return lost
	}
	notFound := state.Reason == aso.ReasonResourceNotFound
	if (notFound || d.operator == aso.OperatorNone) && d.readOnly && r.Lifecycle == aso.ProviderCreated {
		return creatingState() // provider-capz creates it.
	}
	switch d.ownership {
	case v1beta1.OwnershipOwned:
		if notFound && !skippedByUser(observed) {
			return creatingState() // That was the answer to the look; ASO creates it now.
		}
	case v1beta1.OwnershipExternal:
		return externalState(r, state)
	case v1beta1.OwnershipUndecided:
		return undecidedState(d, state)
	default:
		if notFound && observed.GetAnnotations()[aso.AnnotationReconcilePolicy] == "" && aso.StatusID.Value(observed) == "" {
			return creatingState() // That was the answer to the look; ASO has sent it since, and not said so yet.
		}
	}
	return state
}

// progress has all that ASO says on the way to Ready be one state: with each change of a condition Crossplane writes the
// composite resource twice and looks at it again.
func (p *Plan) progress(r *Resource, observed *unstructured.Unstructured, state aso.State) aso.State {
	annotations := observed.GetAnnotations()
	switch {
	case state.Ready || state.Failed || annotations[aso.AnnotationOperator] == "":
		return state
	case p.in.Operator() != "" && len(observed.GetFinalizers()) == 0:
		return state // ASO, which puts a finalizer on it, has not been there.
	case outdated[state.Reason] && annotations[aso.AnnotationSent] == "" && p.referencesKnown(r):
		return creatingState()
	case state.Reason != aso.ReasonReconciling:
		return state
	case annotations[aso.AnnotationSent] == "":
		return creatingState()
	}
	return aso.State{Reason: aso.ReasonReconciling, Message: "Azure is at work on it"}
}

// answersToSkip reports whether ASO's last word is what it found while the object was held, before it has sent anything.
func answersToSkip(state aso.State, observed *unstructured.Unstructured) bool {
	annotations := observed.GetAnnotations()
	return state.Reason == aso.ReasonResourceNotFound && annotations[aso.AnnotationReconcilePolicy] == "" && annotations[aso.AnnotationSent] == ""
}

// skippedByUser reports whether the policy skip on an owned object is somebody's wish, and not that of a look or a pause.
func skippedByUser(observed *unstructured.Unstructured) bool {
	annotations := observed.GetAnnotations()
	return annotations[aso.AnnotationReconcilePolicy] == aso.PolicySkip &&
		annotations[v1beta1.AnnotationOwnership] == v1beta1.OwnershipOwned && !aso.SkippedByPause(observed) && !aso.Doubted(observed)
}

func waitingState(waits []string) aso.State {
	return aso.State{Reason: composer.ReasonWaitingForResource, Message: "waits until " + listed(waits)}
}

func listed(waits []string) string { return strings.Join(waits, ", ") }

func pausedState() aso.State {
	return aso.State{Reason: composer.ReasonPaused, Message: "is not created while the Cluster is paused"}
}

func creatingState() aso.State {
	return aso.State{Reason: aso.ReasonCreating, Message: "is being created"}
}

// existingState returns the state of an object that is somebody else's.
func existingState(r *Resource) aso.State {
	state := aso.StateOf(r.existing)
	switch {
	case state.Ready && r.shared != nil:
		state.Message = fmt.Sprintf("is not composed here: %s %s has it, and it is only read", r.shared.Kind, r.shared.Name)
	case state.Ready:
		state.Message = "is not composed here: it was applied by somebody else, and is only read"
	}
	return state
}

func externalState(r *Resource, state aso.State) aso.State {
	switch {
	case state.Ready:
		state.Message = "was in Azure before: it is used, and neither changed nor deleted"
	case state.Reason == aso.ReasonResourceNotFound:
		state.Failed = true
		state.Message = fmt.Sprintf("was in Azure before and is gone from there; it is not made here again. Make it again, or annotate %s %s with %s=%s to have it made and managed from now on",
			r.Object.GetKind(), r.Object.GetName(), v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned)
	}
	return state
}

func undecidedState(d decision, state aso.State) aso.State {
	found := state.Ready || state.Reason == aso.ReasonResourceNotFound
	switch {
	case found && len(d.waits) > 0:
		return waitingState(d.waits)
	case state.Reason == aso.ReasonResourceNotFound:
		return pausedState()
	case state.Ready:
		return aso.State{Reason: aso.ReasonLooking, Message: "is in Azure; what it lies in must say whose it is"}
	case progressing(state.Reason):
		return aso.State{Reason: aso.ReasonLooking, Message: "Azure is asked whether it is there already"}
	}
	return state
}

// leavingState returns the state of an object that the spec no longer has.
func leavingState(obj *unstructured.Unstructured) aso.State {
	state := aso.StateOf(obj)
	message := "is no longer in the spec and is being deleted"
	if !state.Ready && !progressing(state.Reason) {
		return aso.State{Reason: state.Reason, Message: message + ": " + state.Message}
	}
	return aso.State{Reason: composer.ReasonDeleting, Message: message}
}
