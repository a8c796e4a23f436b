package composer

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// AnnotationHeld marks an object that is in Kubernetes while what it waits for is not ready, with the policy skip. ASO, which
// does not watch what an object refers to, acts at once when that policy goes.
const AnnotationHeld = "infrastructure.cluster.x-k8s.io/held"

// toNobody is the operator of a held object that waits. ASO retries whatever it has taken up, with two writes each time, for as long
// as it takes; what is another operator's it leaves alone, and says once, in an event that names both.
const toNobody = "held-until-what-it-refers-to-is-ready"

// Held reports whether an object only waits in Kubernetes: nothing has been sent to Azure for it. What ASO reports of it is
// what somebody else has put there.
func Held(obj metav1.Object) bool {
	_, held := obj.GetAnnotations()[AnnotationHeld]
	return held
}

// Made returns the composed object of the name; nil while it is held, too, when all of it may still change.
func (r *Request) Made(name string) *unstructured.Unstructured {
	if observed := r.Observed[name]; observed != nil && !Held(observed) {
		return observed
	}
	return nil
}

// hold has an object wait in Kubernetes from its first apply until nothing is waited for any more, and never again. One that
// waits for nothing is held, too, unless it is known which ASO it is for: that first notes that the object is its own, and would
// look at it again after a second; to release it makes that at once.
func (p *Plan) hold(in *Request, i *Inline, observed *unstructured.Unstructured) {
	switch {
	case observed == nil:
		i.waitsFor = p.firstWaits(in, i)
		i.held = !p.Paused && p.mayHold(i) && (len(i.waitsFor) > 0 || in.operator() == "")
	case Held(observed):
		i.waitsFor = p.allWaits(in, i)
		i.held = len(i.waitsFor) > 0 || p.Paused
		if !i.held {
			i.Release(observed, "metadata", "annotations", AnnotationHeld)
			i.Release(observed, "metadata", "annotations", AnnotationReconcilePolicy)
		}
	}
	if i.held {
		i.Annotate(AnnotationHeld, "true")
		i.Annotate(AnnotationReconcilePolicy, ReconcilePolicySkip)
	}
	if operator := i.operator(in, observed); operator != "" {
		i.Annotate(annotationTaken, operator)
	} else {
		i.Release(observed, "metadata", "annotations", annotationTaken)
	}
}

// operator returns where the ASO runs that an object is for; empty when that is left to who comes by. An object stays whose it is.
func (i *Inline) operator(in *Request, observed *unstructured.Unstructured) string {
	taken := ""
	if observed != nil {
		taken = observed.GetAnnotations()[annotationTaken]
	}
	switch {
	case taken != "" && taken != toNobody:
		return taken
	case i.held && (taken == toNobody || observed == nil && in.operator() != ""):
		return toNobody
	}
	return in.operator()
}

// mayHold reports whether an object may be in Kubernetes before anything is sent to Azure for it.
func (p *Plan) mayHold(i *Inline) bool {
	switch {
	case p.Withhold != "" || len(i.Needs) > 0:
		return false // It cannot be written rightly yet.
	case i.Probe != nil || i.unsure:
		return false // Whose it is must be found out first, with a policy of its own.
	}
	return !i.usersPolicy
}

// heldState returns the state of an object that is held, or has just been released; ok is false for any other.
func (p *Plan) heldState(i *Inline, observed *unstructured.Unstructured) (state AzureState, ok bool) {
	switch {
	case i.held && p.Paused:
		return pausedState(), true
	case i.held && len(i.waitsFor) > 0:
		return waitingState(i.waitsFor), true
	case i.held:
		return creatingState(), true
	case observed != nil && Held(observed):
		return creatingState(), true
	}
	return AzureState{}, false
}

func waitingState(waits []string) AzureState {
	return AzureState{Reason: ReasonWaitingForResource, Message: "waits until " + strings.Join(waits, ", ")}
}

func pausedState() AzureState {
	return AzureState{Reason: ReasonPaused, Message: "is not created while the Cluster is paused"}
}

func creatingState() AzureState { return AzureState{Reason: "Creating", Message: "is being created"} }

// answersToSkip reports whether ASO's last word is what it found while the object was held, before it has sent anything.
func answersToSkip(state AzureState, observed *unstructured.Unstructured) bool {
	annotations := observed.GetAnnotations()
	return state.Reason == ReasonAzureResourceNotFound && annotations[AnnotationReconcilePolicy] == "" && annotations[annotationSent] == ""
}

// bear takes a resource for the Cluster's from the start, without a look into Azure: it lies in one that is made now.
func (i *Inline) bear() {
	i.Probe, i.isNew, i.ownership = nil, true, v1beta1.OwnershipOwned
	i.Annotate(v1beta1.AnnotationOwnership, i.ownership)
	i.Annotate(v1beta1.AnnotationNew, "true")
}

// forgetNew takes back that the resource is made now, as its object is not composed so.
func (i *Inline) forgetNew() {
	if i.isNew {
		i.isNew, i.ownership = false, ""
	}
}

// inNew reports whether what i stands for lies in a resource that is made now, so that Azure cannot have it.
func (p *Plan) inNew(i *Inline) bool {
	if i.Probe == nil || i.Probe.Unless != nil || i.usersPolicy {
		return false
	}
	for _, ref := range References(i.Object) {
		if ref.Path != pathOwner {
			continue
		}
		for _, other := range p.Inlines {
			if other != i && other.Used == nil && ref.Matches(other.Object) {
				return other.isNew
			}
		}
	}
	return false
}

// keepNew keeps the note that Azure did not have the resource until it is made: what comes into it later may have been put
// there by somebody else.
func (i *Inline) keepNew(observed *unstructured.Unstructured) {
	if observed.GetAnnotations()[v1beta1.AnnotationNew] == "" {
		return
	}
	if i.ownership == v1beta1.OwnershipOwned && !StateOf(observed).Ready {
		i.isNew = true
		i.Annotate(v1beta1.AnnotationNew, "true")
		return
	}
	i.Release(observed, "metadata", "annotations", v1beta1.AnnotationNew)
}

// Annotate sets an annotation of the object.
func (i *Inline) Annotate(name, value string) {
	annotations := i.Object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[name] = value
	i.Object.SetAnnotations(annotations)
}

// takenUp returns the problem of a field that ASO's webhook keeps once ASO knows the resource's address.
func takenUp(i *Inline, observed *unstructured.Unstructured, field, now, wanted string) *Problem {
	because := "the resource exists in Azure"
	if Held(observed) {
		because = "Azure Service Operator has taken it up so"
	}
	return &Problem{ReasonImmutableField, fmt.Sprintf("%s.%s is %q, but must stay %q because %s; give another resource another metadata.name",
		i.Path, field, wanted, now, because)}
}
