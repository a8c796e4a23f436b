package plan

import (
	"fmt"
	"strings"

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

// parentLacking are the answers of Azure's that what a resource lies in is not there (ASO, package errorclassification).
var parentLacking = map[string]bool{"ResourceGroupNotFound": true, "ParentResourceNotFound": true}

// doubts returns, for each resource that Azure may no longer have, the answer of Azure's by which it is in doubt: one about itself, or about
// one that refers to it. ASO, which knows nothing of either, would look at it only when its hour is over. That what refers to it is gone or
// finds nothing there is no proof, but to look and to send what is there already changes nothing.
func (p *Plan) doubts() map[*Resource]string {
	found := map[*Resource]string{}
	var next []*Resource
	answers := map[*Resource]string{}
	for _, r := range p.Resources {
		if r.Doubt != "" {
			found[r] = r.Doubt
		}
		if observed := p.in.Observed[r.Name()]; r.existing == nil && observed != nil && !aso.Held(observed) {
			if answers[r] = doubtsOthers(r, observed); answers[r] != "" {
				next = append(next, r)
			}
		}
	}
	for ; len(next) > 0; next = next[1:] {
		for _, ref := range p.resolver.Resolve(next[0].Object) {
			if r := p.meant(next[0], ref); r != nil && found[r] == "" {
				found[r] = answers[next[0]]
				answers[r] = found[r]
				next = append(next, r)
			}
		}
	}
	return found
}

// doubtsOthers returns the answer of Azure's about a resource that makes doubtful what it refers to; empty if there is none. One that has never
// been there may only have come too early.
func doubtsOthers(r *Resource, observed *unstructured.Unstructured) string {
	answer := ""
	switch {
	case aso.Doubted(observed) && derived(observed.GetAnnotations()[aso.AnnotationLost]):
		return observed.GetAnnotations()[aso.AnnotationLost]
	case aso.Doubted(observed):
		answer = observed.GetAnnotations()[aso.AnnotationLost]
	case r.Doubt != "":
		answer = r.Doubt
	case parentLacking[aso.StateOf(observed).Reason] && aso.StatusID.Value(observed) != "":
		answer = aso.Answer(observed)
	default:
		return ""
	}
	return r.Object.GetKind() + " " + r.Object.GetName() + ": " + answer
}

// derived reports whether an answer is about another resource than the one that is doubted.
func derived(answer string) bool { return strings.Contains(answer, ": ") }

// policyByUser reports whether it is a user who has put a policy on the object of a resource that ASO manages.
func policyByUser(observed *unstructured.Unstructured) bool {
	annotations := observed.GetAnnotations()
	owned := annotations[v1beta1.AnnotationOwnership] == "" || annotations[v1beta1.AnnotationOwnership] == v1beta1.OwnershipOwned
	return annotations[aso.AnnotationReconcilePolicy] != "" && owned && !aso.Held(observed) && !aso.SkippedByProject(observed)
}

// annotateLoss records what is known of the loss of a resource.
func (r *Resource) annotateLoss(d decision, observed *unstructured.Unstructured) {
	if d.loss != "" {
		r.Annotate(aso.AnnotationLost, d.loss)
	}
	switch {
	case d.loss != "" && d.action == Look:
		r.Annotate(aso.AnnotationReconcilePolicy, aso.PolicySkip)
		if derived(d.loss) {
			// What ASO said before is about another generation then, and is not taken for its answer. Nothing is sent now.
			unstructured.RemoveNestedField(r.Object.Object, "spec", "tags")
			unstructured.RemoveNestedField(r.Object.Object, "spec", "addressPrefixes")
		}
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
	case d.action == Look && d.loss != "" && derived(d.loss) && state.Reason != aso.ReasonResourceNotFound:
		return aso.State{Reason: aso.ReasonLooking, Message: "Azure is asked whether it is still there"}, true
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
	if state.Ready || progressing(state.Reason) || state.Reason == aso.ReasonResourceNotFound {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", state.Reason, state.Message)
}

// goneWith says, in words, in what the resource has been that Azure no longer has; empty when all of that is there as far as is known.
// What lies in a resource is gone with it, whatever ASO has last said of it.
func (p *Plan) goneWith(r *Resource) string { return p.goneWithin(r, map[*Resource]bool{}) }

func (p *Plan) goneWithin(r *Resource, seen map[*Resource]bool) string {
	if r.GoneWith != "" || seen[r] || r.existing != nil {
		return r.GoneWith // The user's own object may lie anywhere.
	}
	seen[r] = true
	for _, ref := range p.resolver.Resolve(r.Object) {
		if ref.Path != aso.PathOwner && ref.Path != aso.PathOwner+".armId" {
			continue
		}
		if parent := p.meant(r, ref); parent != nil {
			if gone := p.goneWithin(parent, seen); gone != "" {
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
