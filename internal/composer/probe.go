package composer

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// A Probe has an object look whether Azure has what it stands for already, before it may touch that: with the policy
// skip ASO changes nothing and reports what it finds. What was there before is external: used, never changed and never
// deleted. The answer is kept in an annotation of the object, so that nothing external becomes managed by itself.
type Probe struct {
	// Tag is the key of the tag that resources of the Cluster carry in Azure: what has it was made for the Cluster.
	Tag string
	// Within is the object that decides where the kind has no tags, as the network does for its subnet.
	Within *Inline
	// Belongs reports whether what was found belongs to Within; nil if it cannot but do so.
	Belongs func(observed *unstructured.Unstructured) bool
	// Unless is an object that spares looking when its resource was made for the Cluster: then nothing on it was there before.
	Unless *Inline
}

// needed reports whether there is anything to look for.
func (p *Probe) needed(observed *unstructured.Unstructured) bool {
	if p == nil {
		return false
	}
	recorded := observed != nil && observed.GetAnnotations()[v1beta1.AnnotationOwnership] != ""
	return p.Unless == nil || recorded || p.Unless.finding() == findingExternal
}

// A finding is what is known of whose a resource in Azure is.
type finding string

const (
	findingOpen     finding = "open"     // Azure has not answered yet.
	findingAbsent   finding = "absent"   // Azure does not have it.
	findingOwned    finding = "owned"    // It is the Cluster's.
	findingExternal finding = "external" // It was there before.
)

// ReasonAzureResourceNotFound is ASO's reason when an object with the policy skip finds nothing in Azure.
const ReasonAzureResourceNotFound = "AzureResourceNotFound"

// find returns what the observed object tells. What is recorded on it is final; without a record, which somebody may
// have removed, Azure is asked again.
func (p *Probe) find(observed *unstructured.Unstructured) finding {
	if observed == nil {
		return findingOpen
	}
	switch observed.GetAnnotations()[v1beta1.AnnotationOwnership] {
	case v1beta1.OwnershipOwned:
		return findingOwned
	case v1beta1.OwnershipExternal:
		return findingExternal
	}
	state := StateOf(observed)
	switch {
	case state.Reason == ReasonAzureResourceNotFound:
		return findingAbsent
	case !state.Ready:
		return findingOpen
	case p.Belongs != nil && !p.Belongs(observed):
		return findingExternal
	case p.Within != nil:
		return p.Within.finding()
	}
	if tag, _, _ := unstructured.NestedString(observed.Object, "status", "tags", p.Tag); tag == "owned" {
		return findingOwned
	}
	return findingExternal
}

// finding returns what a resource that lies within that of i inherits.
func (i *Inline) finding() finding {
	switch i.ownership {
	case v1beta1.OwnershipOwned:
		return findingOwned
	case v1beta1.OwnershipExternal, v1beta1.OwnershipUser:
		return findingExternal
	}
	return findingOpen
}

// look finds out whose the resource of i is, and tells ASO what it may do with it.
func (p *Plan) look(in *Request, i *Inline, observed *unstructured.Unstructured) {
	found := i.Probe.find(observed)
	if found == findingAbsent {
		// To be managed is to be created, so now everything must be there that it needs.
		if i.managedWhen = p.waits(in, i); len(i.managedWhen) == 0 && !p.Paused {
			found, i.isNew = findingOwned, true
		}
	}
	switch found {
	case findingOwned:
		i.ownership = v1beta1.OwnershipOwned
	case findingExternal:
		i.ownership = v1beta1.OwnershipExternal
		i.Annotate(AnnotationReconcilePolicy, ReconcilePolicySkip)
	default:
		i.ownership = v1beta1.OwnershipUndecided
		i.Annotate(AnnotationReconcilePolicy, ReconcilePolicySkip)
	}
	i.Annotate(v1beta1.AnnotationOwnership, i.ownership)
	if observed == nil && i.ownership == v1beta1.OwnershipUndecided {
		// ASO notes that the object is its own and looks at it after a second, but at once when its spec changes. Nothing is sent now.
		unstructured.RemoveNestedField(i.Object.Object, "spec", "tags")
	}
	if i.isNew {
		i.Annotate(v1beta1.AnnotationNew, "true")
	} else if observed != nil {
		i.keepNew(observed)
	}
	if found == findingOwned {
		// Without a policy the resource is managed, or what the namespace's own policy says.
		i.Release(observed, "metadata", "annotations", AnnotationReconcilePolicy)
	}
}

// looksFor returns the state of an object that may have been there before, from what ASO says of it.
func (p *Plan) looksFor(in *Request, i *Inline, observed *unstructured.Unstructured) AzureState {
	state := p.stateOf(in, observed)
	if answersToSkip(state, observed) {
		return creatingState()
	}
	switch i.ownership {
	case v1beta1.OwnershipOwned:
		if state.Reason == ReasonAzureResourceNotFound && !skippedByUser(observed) {
			// That was the answer to the probe; ASO creates it now.
			return creatingState()
		}
	case v1beta1.OwnershipExternal:
		return external(i, state)
	case v1beta1.OwnershipUndecided:
		return undecided(i, state)
	}
	return state
}

func external(i *Inline, state AzureState) AzureState {
	switch {
	case state.Ready:
		state.Message = "was in Azure before: it is used, and neither changed nor deleted"
	case state.Reason == ReasonAzureResourceNotFound:
		state.Failed = true
		state.Message = fmt.Sprintf("was in Azure before and is gone from there; it is not made here again. Make it again, or annotate %s %s with %s=%s to have it made and managed from now on",
			i.Object.GetKind(), i.Object.GetName(), v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned)
	}
	return state
}

func undecided(i *Inline, state AzureState) AzureState {
	switch {
	case state.Reason == ReasonAzureResourceNotFound && len(i.managedWhen) > 0:
		return waitingState(i.managedWhen)
	case state.Reason == ReasonAzureResourceNotFound:
		return pausedState()
	case state.Ready:
		return AzureState{Reason: reasonLooking, Message: "is in Azure; what it lies in must say whose it is"}
	case progressing[state.Reason]:
		return AzureState{Reason: reasonLooking, Message: "Azure is asked whether it is there already"}
	}
	return state
}

// skippedByUser reports whether the policy skip on an owned object is somebody's wish, and not that of the probe or a pause.
func skippedByUser(observed *unstructured.Unstructured) bool {
	annotations := observed.GetAnnotations()
	return annotations[AnnotationReconcilePolicy] == ReconcilePolicySkip &&
		annotations[v1beta1.AnnotationOwnership] == v1beta1.OwnershipOwned && !SkippedByPause(observed)
}
