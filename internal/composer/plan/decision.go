package plan

import (
	"slices"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// An Action is what is done with one resource now.
type Action string

// The actions.
const (
	// Use reads an object of the user's own, which stands in for the resource. Nothing is composed.
	Use Action = "Use"
	// Wait composes nothing yet.
	Wait Action = "Wait"
	// Hold composes the object and keeps it in Kubernetes: nothing is sent to Azure.
	Hold Action = "Hold"
	// Look composes the object with the policy skip, and ASO reports whether Azure has the resource already and whose it is.
	Look Action = "Look"
	// Read composes the object with the policy skip for good: the resource is somebody else's, or others write it.
	Read Action = "Read"
	// Write composes the object, and ASO may write to Azure.
	Write Action = "Write"
	// Keep leaves the object as it was applied last, because the spec has a mistake.
	Keep Action = "Keep"
	// Refuse composes nothing, because the spec has a mistake.
	Refuse Action = "Refuse"
	// Omit composes nothing, because the resource belongs to another one that is not the Cluster's.
	Omit Action = "Omit"
)

// A finding is what is known of whose a resource in Azure is.
type finding string

const (
	findingOpen     finding = "open"     // Azure has not answered yet.
	findingAbsent   finding = "absent"   // Azure does not have it.
	findingOwned    finding = "owned"    // It is the Cluster's.
	findingExternal finding = "external" // It was there before.
)

// A situation is all that is decided from about one resource.
type situation struct {
	err *composer.Blocked
	// existing is true when an object of the user's own stands in for the resource, gone when one did.
	existing, gone bool
	paused         bool
	// userPolicy is true when the user has chosen a reconcile policy.
	userPolicy bool
	// doubt is the answer of Azure's by which it may no longer have the resource; empty while there is no doubt.
	doubt     string
	lifecycle aso.Lifecycle
	// absent is true when provider-capz has looked, and Azure does not have it; created when provider-capz has created it.
	absent, created bool

	// with is what is known of whose the resource is that it is only made with, and withWhat that in words; empty where there is none such.
	with     finding
	withWhat string
	// onlyFound is true when it is not made in a parent that is somebody else's.
	onlyFound bool
	// rule says how it is found out whose the resource is.
	rule rule
	// parent is whose the resource is that it lies in, parentNew whether that is made now, and parentWhat that in words.
	parent     finding
	parentNew  bool
	parentWhat string
	// found is what its own object shows: the record on it, else what ASO reports.
	found finding

	observed *observedObject
	// otherVersion is true when the object is applied in another version than before, kindLacking when the API server does not serve
	// the kind.
	otherVersion, kindLacking bool
	preconditions             preconditions
	// operator is where the ASO runs that serves the namespace; empty when that is not known.
	operator string
}

// observedObject is what is there of a resource.
type observedObject struct {
	held bool
	// ownership is the record on the object; new is true while the resource is being made that Azure did not have.
	ownership string
	new       bool
	// operator is whose the object is by its annotation.
	operator string
	// ready is true when ASO has the resource in Azure as its spec asks, sent once ASO has sent it at all.
	ready, sent bool
	// lifecycle is the one that the object is marked with.
	lifecycle aso.Lifecycle
	// userPolicy is true when somebody has put a policy on the object.
	userPolicy bool
	// loss is what is recorded of the loss of the resource, doubted true while Azure is asked, absent when it has answered that it has
	// nothing.
	loss            string
	doubted, absent bool
}

// preconditions is what a resource waits for, in words.
type preconditions struct {
	// gate is what everything of the composite waits for.
	gate string
	// ofObject are needed before there is an object, all before the resource is created, owner before it is looked for.
	ofObject, all, owner []string
}

// A decision is what becomes of one resource.
type decision struct {
	action Action
	// ownership is what is known of whose the resource is, for its object and status.resources; empty where nobody asks.
	ownership string
	// new is true when Azure did not have the resource when asked, or cannot have it, and it is made now: nothing can lie in it.
	new bool
	// waits is what the resource waits for, in words.
	waits []string
	err   *composer.Blocked
	// operator is the ASO that the object is for; empty when that is left to who comes by.
	operator string
	// released is true when the object is held no more.
	released bool
	// looks is true while the rule of the kind asks Azure.
	looks bool
	// seen is true when ASO has read a resource of the user's, and may write it from now on.
	seen bool
	// readOnly is true when the lifecycle forbids ASO to write.
	readOnly bool
	// loss is what is recorded of the loss of the resource; empty while there is no doubt that Azure has it.
	loss string
}

// decide returns what becomes of a resource. It is pure.
func (s situation) decide() decision {
	if s.existing {
		return decision{action: Use, ownership: v1beta1.OwnershipUser}
	}
	if s.observed == nil && s.with == findingExternal {
		return decision{action: Omit}
	}
	d := decision{action: Write, err: s.err}
	if d.err == nil {
		s.decideOwnership(&d)
		s.decideHold(&d)
		s.decideLifecycle(&d)
		s.decideLoss(&d)
		s.admit(&d)
	}
	if d.err != nil {
		return s.refuse(d)
	}
	if d.action == Wait {
		return s.withdrawNew(d)
	}
	d.operator = s.operatorOf(d)
	return d
}

// decideOwnership finds out whose the resource is, and what ASO may do with it.
func (s situation) decideOwnership(d *decision) {
	if s.rule.first {
		s.decideFirstLook(d)
		return
	}
	d.looks = s.rule.asks(s)
	switch {
	case s.observed == nil && !s.paused && (s.rule.inNewParent(s) || s.absent && d.looks && !s.userPolicy && !s.onlyFound):
		// What lies in a resource that Azure does not have is not there, either; and what provider-capz has looked for need not be looked for again.
		d.looks, d.new, d.ownership = false, true, v1beta1.OwnershipOwned
		return
	case !d.looks:
		return
	}
	found := s.found
	if found == findingAbsent {
		// To be managed is to be created, so now everything must be there that it needs.
		if d.waits = s.beforeCreation(); len(d.waits) == 0 && !s.paused {
			found, d.new = findingOwned, true
		}
	}
	if found == findingOwned && s.writesWrongly() {
		d.action, d.ownership, d.waits = Look, v1beta1.OwnershipUndecided, s.preconditions.ofObject
		return
	}
	switch found {
	case findingOwned:
		d.ownership = v1beta1.OwnershipOwned
		d.new = d.new || s.observed != nil && s.observed.new && !s.observed.ready && !s.created
	case findingExternal:
		d.action, d.ownership = Read, v1beta1.OwnershipExternal
	default:
		d.action, d.ownership = Look, v1beta1.OwnershipUndecided
	}
}

// writesWrongly reports whether ASO would write a resource of the Cluster's that it has just found, of which not all is known yet: what Azure does not
// let change, it would refuse.
func (s situation) writesWrongly() bool {
	recorded := s.observed != nil && s.observed.ownership == v1beta1.OwnershipOwned
	return !recorded && len(s.preconditions.ofObject) > 0 && s.lifecycle != aso.ProviderCreated
}

// decideFirstLook has ASO read a resource of the user's once.
func (s situation) decideFirstLook(d *decision) {
	if s.found != findingOpen {
		d.waits = s.preconditions.beforeCreation()
		if d.seen = len(d.waits) == 0 && !s.paused; d.seen {
			return
		}
	}
	d.looks, d.action, d.ownership = true, Look, v1beta1.OwnershipUndecided
}

// decideHold has an object wait in Kubernetes from its first apply until nothing is waited for any more, and never again. One that
// waits for nothing is held, too, unless it is known which ASO it is for: that first notes that the object is its own, and would
// look at it again after a second; to release it makes that at once.
func (s situation) decideHold(d *decision) {
	switch {
	case s.observed == nil && s.with == findingOpen:
		d.action, d.waits = Wait, []string{"it is known whose " + s.withWhat + " is"}
		if s.preconditions.gate != "" {
			d.waits = []string{s.preconditions.gate}
		}
	case s.observed == nil:
		d.waits = s.preconditions.beforeCreation()
		if d.looks && s.preconditions.gate == "" {
			d.waits = s.preconditions.owner // ASO looks at an address that the owner has.
			if s.rule.first {
				d.waits = slices.Concat(d.waits, s.preconditions.ofObject) // With a credential that the object names.
			}
		}
		if !s.paused && s.mayBeHeld(d) && (len(d.waits) > 0 || s.operator == "") {
			d.action = Hold
		}
	case s.observed.held:
		d.waits = s.preconditions.beforeCreation()
		if len(d.waits) > 0 || s.paused {
			d.action = Hold
		} else {
			d.released = true
		}
	}
}

// mayBeHeld reports whether an object may be in Kubernetes before anything is sent to Azure for it.
func (s situation) mayBeHeld(d *decision) bool {
	switch {
	case s.preconditions.gate != "" || len(s.preconditions.ofObject) > 0:
		return false // It cannot be written rightly yet.
	case d.looks || s.rule.undetermined(s):
		return false // Whose it is must be found out first, with a policy of its own.
	case s.absent:
		return false // Somebody may make it meanwhile, which provider-capz sees.
	case s.lifecycle == aso.ProviderCreated:
		return false // To be composed is all that provider-capz waits for.
	}
	return !s.userPolicy
}

// beforeCreation returns what a resource waits for before it is created in Azure, when Azure has been asked for it.
func (s situation) beforeCreation() []string {
	if s.onlyFound && s.parent != findingOwned {
		return []string{"it is in Azure: " + s.parentWhat + ", which it lies in, is not the Cluster's, and nothing is made there"}
	}
	return s.preconditions.beforeCreation()
}

// decideLifecycle has ASO only read what others write. What Azure has already is not sent once more to be created.
func (s situation) decideLifecycle(d *decision) {
	adopted := d.looks && d.ownership == v1beta1.OwnershipOwned && !d.new && s.observed != nil && s.observed.ownership != v1beta1.OwnershipOwned
	switch {
	case d.action != Write:
	case s.lifecycle == aso.ProviderCreated, s.lifecycle == aso.CreateOnly && adopted,
		s.lifecycle == aso.CreateOnly && s.observed != nil && (s.observed.lifecycle == aso.CreateOnly || s.observed.sent && s.observed.ready):
		d.action, d.readOnly = Read, true
	}
}

// admit decides whether an object may go to the API server for the first time, or in another version.
func (s situation) admit(d *decision) {
	if s.observed != nil && !s.otherVersion {
		return
	}
	if s.observed == nil && (s.paused || len(d.waits) > 0 && d.action != Hold) {
		d.action = Wait
		return
	}
	if s.kindLacking {
		d.err = errKindLacking
	}
}

// errKindLacking stands for the error about a kind that is not served, whose message the plan writes.
var errKindLacking = &composer.Blocked{Reason: composer.ReasonKindNotInstalled}

// refuse leaves a resource with a mistake as it is: absent if there is no object, else as that was applied last.
func (s situation) refuse(d decision) decision {
	d.action = Refuse
	if s.observed != nil && d.err.Reason != composer.ReasonDuplicateResource {
		d.action = Keep
	}
	d = s.withdrawNew(d)
	switch {
	case s.gone:
		d.ownership = v1beta1.OwnershipUser
	case d.ownership == "" && s.observed != nil:
		d.ownership = s.observed.ownership
	}
	return d
}

// withdrawNew takes back that the resource is made now, as its object is not composed so.
func (s situation) withdrawNew(d decision) decision {
	if d.new {
		d.new, d.ownership = false, ""
	}
	return d
}

// operatorOf returns where the ASO runs that an object is for: none while the object is held, or another has yet to create what it stands for. An
// object stays whose it is.
func (s situation) operatorOf(d decision) string {
	held := d.action == Hold || d.readOnly && d.new && !s.created && s.lifecycle == aso.ProviderCreated
	current := ""
	if s.observed != nil {
		current = s.observed.operator
	}
	switch {
	case current != "" && current != aso.OperatorNone:
		return current
	case held && (current == aso.OperatorNone || s.observed == nil && s.operator != ""):
		return aso.OperatorNone
	}
	return s.operator
}

// beforeCreation returns what a resource waits for before it is created in Azure.
func (p preconditions) beforeCreation() []string {
	if p.gate != "" {
		return []string{p.gate}
	}
	return p.all
}
