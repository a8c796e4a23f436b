package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// decideLoss has ASO look whether Azure still has what was made, where there is reason to doubt it, and make it again when Azure has
// confirmed that it does not. One answer is not enough, as it may be out of date: what is sent to make a resource may change one that is there.
func (s situation) decideLoss(d *decision) {
	o := s.observed
	if d.action != Write || o == nil || o.held {
		return
	}
	switch {
	case s.paused:
		if o.loss == aso.LossConfirmed && !o.ready {
			d.loss = o.loss
		}
	case o.doubted && o.absent:
		d.loss = aso.LossConfirmed
		if d.waits = s.preconditions.beforeCreation(); len(d.waits) > 0 {
			d.action, d.loss = Look, o.loss
		}
	case o.doubted && !o.ready:
		d.action, d.loss = Look, o.loss
	case s.doubt != "" && s.doubt == o.loss:
		d.loss = o.loss // Azure has been asked, and has it.
	case s.doubt != "" && !s.userPolicy && !o.userPolicy:
		d.action, d.loss = Look, s.doubt
	case o.loss == aso.LossConfirmed && !o.ready:
		d.loss = o.loss
	}
}

// policyByUser reports whether it is a user who has put a policy on the object of a resource that ASO manages.
func policyByUser(observed *unstructured.Unstructured) bool {
	annotations := observed.GetAnnotations()
	owned := annotations[v1beta1.AnnotationOwnership] == "" || annotations[v1beta1.AnnotationOwnership] == v1beta1.OwnershipOwned
	ours := aso.Held(observed) || aso.Doubted(observed) || aso.SkippedByPause(observed) || aso.SkippedByLifecycle(observed)
	return annotations[aso.AnnotationReconcilePolicy] != "" && owned && !ours
}

// annotateLoss records what is known of the loss of a resource.
func (r *Resource) annotateLoss(d decision, observed *unstructured.Unstructured) {
	if d.loss != "" {
		r.Annotate(aso.AnnotationLost, d.loss)
	}
	switch {
	case d.loss != "" && d.action == Look:
		r.Annotate(aso.AnnotationReconcilePolicy, aso.PolicySkip)
	case observed != nil && aso.Doubted(observed):
		r.Release(observed, "metadata", "annotations", aso.AnnotationReconcilePolicy)
	}
	if d.loss == "" {
		r.Release(observed, "metadata", "annotations", aso.AnnotationLost)
	}
}

// lossState returns the state of a resource that Azure may no longer have; not ok when there is no doubt. The reason is the same from
// the first doubt until the resource is there again, as what lies in it follows.
func lossState(r *Resource, d decision, observed *unstructured.Unstructured, state aso.State) (lost aso.State, ok bool) {
	lost = aso.State{Reason: aso.ReasonResourceNotFound}
	switch {
	case d.action == Look && d.loss != "" && len(d.waits) > 0:
		lost.Message = "is gone from Azure, and is made again when " + listed(d.waits)
	case d.action == Look && d.loss != "":
		lost.Message = "Azure seems to have it no more, and is asked again" + obstacle(state)
	case state.Ready:
		return state, false
	case d.loss == aso.LossConfirmed:
		lost.Message, lost.Failed = "is gone from Azure, and is made again"+obstacle(state), state.Failed
	case r.Doubt != "" && d.loss == "" && policyByUser(observed):
		lost.Failed = true
		lost.Message = fmt.Sprintf("is gone from Azure; it is not made again while %s %s has annotation %s: take that away to have it made again",
			r.Object.GetKind(), r.Object.GetName(), aso.AnnotationReconcilePolicy)
	default:
		return state, false
	}
	return lost, true
}

// obstacle returns what ASO says is in the way, to go on with; empty if nothing is.
func obstacle(state aso.State) string {
	if state.Ready || progressing[state.Reason] || state.Reason == aso.ReasonResourceNotFound {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", state.Reason, state.Message)
}

// goneWith says, in words, in what the resource has been that Azure no longer has; empty when all of that is there as far as is known.
// What lies in a resource is gone with it, whatever ASO has last said of it.
func (p *Plan) goneWith(r *Resource) string { return p.goneWithin(r, len(p.Resources)) }

func (p *Plan) goneWithin(r *Resource, depth int) string {
	if r.GoneWith != "" || depth == 0 || r.existing != nil {
		return r.GoneWith // The user's own object may lie anywhere.
	}
	for _, ref := range p.resolver.Resolve(r.Object) {
		if ref.Path != aso.PathOwner && ref.Path != aso.PathOwner+".armId" {
			continue
		}
		if parent := p.meant(r, ref); parent != nil {
			if gone := p.goneWithin(parent, depth-1); gone != "" {
				return gone
			}
			if p.ownState(parent).Reason == aso.ReasonResourceNotFound {
				return ref.String()
			}
			continue
		}
		for _, peer := range p.Peers {
			if s, ok := peer.statusOf(ref); ok && s.reason == aso.ReasonResourceNotFound {
				return ref.String()
			}
		}
	}
	return ""
}

// goneState returns the state of a resource that is gone from Azure with what it was in.
func goneState(with string) aso.State {
	return aso.State{Reason: aso.ReasonResourceNotFound, Message: "is gone from Azure with " + with + ", which it was in"}
}
