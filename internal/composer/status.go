package composer

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// Ready reports whether Azure has everything that the spec asks for, and nothing that it no longer asks for.
func (o *Outcomes) Ready() bool {
	for _, outcome := range o.Of {
		if !outcome.State.Ready {
			return false
		}
	}
	return !o.Withheld
}

// Refused reports whether something stands that time alone does not fix: a mistake in the spec, or Azure's refusal.
func (o *Outcomes) Refused() bool {
	for _, outcome := range o.Of {
		if !outcome.State.Ready && outcome.rank() < 2 {
			return true
		}
	}
	return false
}

// Condition returns the condition ResourcesReady: the worst of what keeps the objects from being ready comes first.
func (o *Outcomes) Condition() Condition {
	return conditionOf(ConditionResourcesReady, o.Of)
}

// ConditionOf returns a condition about the objects of one kind alone; there is none if the spec has none of the kind.
func (o *Outcomes) ConditionOf(conditionType string, kind schema.GroupKind) (Condition, bool) {
	var of []Outcome
	for _, outcome := range o.Of {
		if outcome.Object.GroupVersionKind().GroupKind() == kind {
			of = append(of, outcome)
		}
	}
	return conditionOf(conditionType, of), len(of) > 0
}

func conditionOf(conditionType string, outcomes []Outcome) Condition {
	worst, reason := -1, ""
	var lines, notOurs []string
	for rank := range 3 {
		for _, outcome := range outcomes {
			if outcome.State.Ready || outcome.rank() != rank {
				continue
			}
			if worst < 0 {
				worst, reason = rank, outcome.State.Reason
			}
			lines = append(lines, outcome.line())
		}
	}
	if worst >= 0 {
		return False(conditionType, reason, strings.Join(lines, "; "))
	}
	for _, outcome := range outcomes {
		if outcome.Ownership == v1beta1.OwnershipExternal || outcome.Ownership == v1beta1.OwnershipUser {
			notOurs = append(notOurs, outcome.line())
		}
	}
	return True(conditionType, "AllReady", strings.Join(notOurs, "; "))
}

// rank orders outcomes: what a person must fix, what Azure refuses, what just takes its time.
func (o Outcome) rank() int {
	switch {
	case o.Problem:
		return 0
	case o.State.Failed || !progressing[o.State.Reason]:
		return 1
	}
	return 2
}

// progressing are the reasons that stand for ordinary progress.
var progressing = map[string]bool{
	"Creating": true, "Reconciling": true, "WaitingForOwner": true, "ReconciliationPostponed": true,
	ReasonWaitingForResource: true, ReasonPaused: true, ReasonDeleting: true, reasonLooking: true,
}

func (o Outcome) line() string {
	message := o.State.Message
	if message == "" {
		message = o.State.Reason
	}
	if o.Problem {
		return message
	}
	return fmt.Sprintf("%s %s: %s", o.Object.GetKind(), o.Object.GetName(), message)
}

// Resources returns status.resources.
func (o *Outcomes) Resources() []any {
	out := make([]any, 0, len(o.Of))
	most := min(longestMessage, max(shortestMessage, allMessages/max(1, len(o.Of))))
	for _, outcome := range o.Of {
		gvk := outcome.Object.GroupVersionKind()
		item := map[string]any{
			"resource": map[string]any{
				"group": cutTo(gvk.Group, longestName), "version": cutTo(gvk.Version, longestName),
				"kind": cutTo(gvk.Kind, longestName), "name": cutTo(outcome.Object.GetName(), longestName),
			},
			"ready": outcome.State.Ready, "reason": validReason(outcome.State.Reason), "message": cutTo(outcome.State.Message, most),
		}
		if outcome.Ownership != "" {
			item["ownership"] = outcome.Ownership
		}
		out = append(out, item)
	}
	return out
}

// removed returns the outcomes of objects that the spec no longer has and that are not gone yet. Crossplane forgets
// them at once; they are found by the status that was written while they were there.
func (p *Plan) removed(in *Request, out *Outcomes) ([]Outcome, error) {
	inSpec := map[string]bool{}
	for _, i := range p.Inlines {
		inSpec[i.Name()] = true
	}
	var gone []Outcome
	pending := false
	for _, item := range mapsIn(in.XR.Object, "status", "resources") {
		obj := statusObject(item, in.XR.GetNamespace())
		name := resourceName(obj)
		if _, kept := out.Composed[name]; kept || inSpec[name] || !composable(obj) || item["ownership"] == v1beta1.OwnershipUser {
			continue
		}
		left, err := stillThere(in, obj)
		switch {
		case errors.Is(err, ErrPending):
			pending = true
		case err != nil:
			return nil, err
		case left != nil:
			gone = append(gone, Outcome{Object: obj, State: deleting(left)})
		}
	}
	if pending {
		return nil, ErrPending
	}
	return gone, nil
}

// composable reports whether an object of the status is one that can have been composed. Users may write the status, too; what is
// read on its word are Azure Service Operator's objects only, and never a Secret.
func composable(obj *unstructured.Unstructured) bool {
	return IsASO(obj.GroupVersionKind().Group) && obj.GetKind() != "" && obj.GetName() != ""
}

func statusObject(item map[string]any, namespace string) *unstructured.Unstructured {
	r, _ := item["resource"].(map[string]any)
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	obj.SetGroupVersionKind(schema.GroupVersionKind{Group: text(r["group"]), Version: text(r["version"]), Kind: text(r["kind"])})
	obj.SetName(text(r["name"]))
	obj.SetNamespace(namespace)
	return obj
}

// stillThere returns the live object if it is this composite's, nil if it is gone or somebody else's.
func stillThere(in *Request, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	name := resourceName(obj)
	if observed := in.Observed[name]; observed != nil {
		return observed, nil
	}
	gvk := obj.GroupVersionKind()
	// To require a kind that is not served fails the whole pipeline.
	served, known, err := in.Served(gvk)
	if err != nil || known && !served {
		return nil, err
	}
	found, err := in.Get("removed/"+name, gvk, obj.GetName())
	if err != nil || found == nil {
		return nil, err
	}
	for _, o := range found.GetOwnerReferences() {
		if o.UID == in.XR.GetUID() {
			return found, nil
		}
	}
	return nil, nil
}

func deleting(obj *unstructured.Unstructured) AzureState {
	state := StateOf(obj)
	message := "is no longer in the spec and is being deleted"
	if !state.Ready && !progressing[state.Reason] {
		return AzureState{Reason: state.Reason, Message: message + ": " + state.Message}
	}
	return AzureState{Reason: ReasonDeleting, Message: message}
}

// SetConditions writes the conditions into a status, where Cluster API reads them.
func SetConditions(in *Request, status map[string]any, conditions []Condition) {
	status["v1beta2"] = map[string]any{"conditions": contractConditions(in, conditions)}
}

// Finish returns the result for outcomes, with the given status and conditions.
func Finish(in *Request, out *Outcomes, status map[string]any, conditions ...Condition) *Result {
	status["resources"] = out.Resources()
	SetConditions(in, status, conditions)
	return &Result{
		Composed: out.Composed, Ready: out.Ready(), Withheld: out.Withheld, Unwatched: out.Unwatched,
		Status: status, Conditions: conditions,
	}
}

// SaysReady reports whether a composite resource says of an object of the kind that it is ready.
func SaysReady(xr *unstructured.Unstructured, kind schema.GroupKind) bool {
	for _, item := range mapsIn(xr.Object, "status", "resources") {
		if item["ready"] == true && statusObject(item, "").GroupVersionKind().GroupKind() == kind {
			return true
		}
	}
	return false
}
