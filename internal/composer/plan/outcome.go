package plan

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/drift"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

const (
	// allMessages is how long the messages of status.resources may be together. The whole object must fit into etcd.
	allMessages = 256 << 10
	// shortestMessage is kept of each message, however many there are.
	shortestMessage = 512
)

// An Outcome is what has become of one resource of the spec.
type Outcome struct {
	Object *unstructured.Unstructured
	State  aso.State
	// Blocked is true when the state is due to a mistake in the spec.
	Blocked bool
	// Ownership is whose the resource is, where that is asked.
	Ownership string
	// Differences are the fields that Azure reports otherwise than the object asks for, while that can be known.
	Differences []drift.Difference
}

// Outcomes is the result of a plan.
type Outcomes struct {
	// Composed are the desired objects.
	Composed map[string]composer.Composed
	// Of has an outcome for each resource of the spec, in order, then for those that are being deleted.
	Of []Outcome
	// Incomplete is true when a resource of the spec is not composed, or not as the spec says.
	Incomplete bool
	// Unwatched is true when something is awaited that Crossplane does not watch.
	Unwatched bool
}

// Ready reports whether Azure has everything that the spec asks for, and nothing that it no longer asks for.
func (o *Outcomes) Ready() bool {
	for _, outcome := range o.Of {
		if !outcome.State.Ready {
			return false
		}
	}
	return !o.Incomplete
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

// Waits reports whether a resource waits for something else, or there is none that could.
func (o *Outcomes) Waits() bool {
	return len(o.Of) == 0 || slices.ContainsFunc(o.Of, func(outcome Outcome) bool {
		return !outcome.State.Ready && outcome.State.Reason == composer.ReasonWaitingForResource
	})
}

// Gone reports whether Azure does not have a resource of the kind, where ASO has looked.
func (o *Outcomes) Gone(kind aso.Kind) bool {
	return slices.ContainsFunc(o.Of, func(outcome Outcome) bool {
		return !outcome.State.Ready && outcome.State.Reason == aso.ReasonResourceNotFound && outcome.Object.GroupVersionKind().GroupKind() == kind.GroupKind()
	})
}

// Condition returns the condition ResourcesReady: the worst of what keeps the resources from being ready comes first.
func (o *Outcomes) Condition() composer.Condition {
	return conditionOf(composer.ConditionResourcesReady, o.Of)
}

// KindConditions returns the conditions of the kinds that the spec has resources of, and takes back those of kinds that it no longer has.
func (o *Outcomes) KindConditions(in *composer.Request) []composer.Condition {
	shown := composer.Shown(in.XR)
	var conditions []composer.Condition
	for _, conditionType := range kindConditions() {
		var of []Outcome
		for _, outcome := range o.Of {
			if kind, known := aso.KindOf(outcome.Object.GroupVersionKind().GroupKind()); known && kind.Condition == conditionType {
				of = append(of, outcome)
			}
		}
		switch {
		case len(of) > 0:
			conditions = append(conditions, conditionOf(conditionType, of))
		case slices.Contains(shown, conditionType):
			conditions = append(conditions, composer.True(conditionType, "NotInSpec", "the spec asks for none"))
		}
	}
	return conditions
}

// kindConditions returns the types of the conditions about kinds in the order of the catalogue. Kinds that belong together share one.
func kindConditions() []string {
	var types []string
	for _, kind := range aso.Catalogue() {
		if kind.Condition != "" && !slices.Contains(types, kind.Condition) {
			types = append(types, kind.Condition)
		}
	}
	return types
}

func conditionOf(conditionType string, outcomes []Outcome) composer.Condition {
	worst, reason := -1, ""
	var lines, notOurs []string
	for rank := range 3 {
		for i, outcome := range outcomes {
			if outcome.State.Ready || outcome.rank() != rank || outcome.waitsLike(outcomes[:i]) {
				continue
			}
			if worst < 0 {
				worst, reason = rank, outcome.State.Reason
			}
			lines = append(lines, outcome.line(outcomes[i+1:]...))
		}
	}
	if worst >= 0 {
		return composer.False(conditionType, reason, strings.Join(lines, "; "))
	}
	for _, outcome := range outcomes {
		if outcome.Ownership == v1beta1.OwnershipExternal || outcome.Ownership == v1beta1.OwnershipUser {
			notOurs = append(notOurs, outcome.line())
		}
	}
	return composer.True(conditionType, "AllReady", strings.Join(notOurs, "; "))
}

// rank orders outcomes: what a person must fix, what Azure refuses, what just takes its time.
func (o Outcome) rank() int {
	switch {
	case o.Blocked:
		return 0
	case o.State.Failed || !progressing(o.State.Reason):
		return 1
	}
	return 2
}

// line returns what is said of an outcome, and of those of the others that wait for the same.
func (o Outcome) line(others ...Outcome) string {
	message := o.State.Message
	if message == "" {
		message = o.State.Reason
	}
	if o.Blocked {
		return message
	}
	names := []string{o.Object.GetKind() + " " + o.Object.GetName()}
	for _, other := range others {
		if other.waitsLike([]Outcome{o}) {
			names = append(names, other.Object.GetKind()+" "+other.Object.GetName())
		}
	}
	return strings.Join(names, ", ") + ": " + message
}

// waitsLike reports whether a resource waits for the same as one of the others.
func (o Outcome) waitsLike(others []Outcome) bool {
	return o.State.Reason == composer.ReasonWaitingForResource && !o.State.Ready &&
		slices.ContainsFunc(others, func(other Outcome) bool { return other.State == o.State && other.Blocked == o.Blocked })
}

// Resources returns status.resources.
func (o *Outcomes) Resources() []any {
	out := make([]any, 0, len(o.Of))
	most := min(composer.LongestMessage, max(shortestMessage, allMessages/max(1, len(o.Of))))
	for _, outcome := range o.Of {
		gvk := outcome.Object.GroupVersionKind()
		item := map[string]any{
			"resource": map[string]any{
				"group": field.Cut(gvk.Group, longestName), "version": field.Cut(gvk.Version, longestName),
				"kind": field.Cut(gvk.Kind, longestName), "name": field.Cut(outcome.Object.GetName(), longestName),
			},
			"ready": outcome.State.Ready, "reason": composer.ValidReason(outcome.State.Reason), "message": field.Cut(outcome.State.Message, most),
		}
		if outcome.Ownership != "" {
			item["ownership"] = outcome.Ownership
		}
		out = append(out, item)
	}
	return out
}

// resourceStatus is an item of status.resources.
type resourceStatus struct {
	// object has group, version, kind, namespace and name.
	object    *unstructured.Unstructured
	ready     bool
	reason    string
	message   string
	ownership string
}

var statusResources = field.At[[]any]("status", "resources")

// statusesOf reads status.resources of a composite resource, which users may write, too.
func statusesOf(xr *unstructured.Unstructured) []resourceStatus {
	var statuses []resourceStatus
	for _, item := range field.Maps(statusResources.Value(xr)) {
		r, _ := item["resource"].(map[string]any)
		obj := &unstructured.Unstructured{Object: map[string]any{}}
		obj.SetGroupVersionKind(schema.GroupVersionKind{Group: field.Text(r["group"]), Version: field.Text(r["version"]), Kind: field.Text(r["kind"])})
		obj.SetName(field.Text(r["name"]))
		obj.SetNamespace(xr.GetNamespace())
		statuses = append(statuses, resourceStatus{object: obj, ready: item["ready"] == true, reason: field.Text(item["reason"]), message: field.Text(item["message"]), ownership: field.Text(item["ownership"])})
	}
	return statuses
}

// mistake goes after what says that somebody waits for the resource: why it will not be ready before somebody corrects that.
func (s resourceStatus) mistake() string { return Mistake(s.reason, s.message) }

// Mistake returns what goes after words that say that another composite's resource is waited for, where its status has a mistake of the
// user's; empty elsewhere.
func Mistake(reason, message string) string {
	if !v1beta1.IsMistake(reason) {
		return ""
	}
	return ": " + message
}

// ReportsReady reports whether the status of a composite resource says of a resource of the kind that it is ready.
func ReportsReady(xr *unstructured.Unstructured, kind aso.Kind) bool {
	return slices.ContainsFunc(statusesOf(xr), func(s resourceStatus) bool {
		return s.ready && s.object.GroupVersionKind().GroupKind() == kind.GroupKind()
	})
}

// Result returns the composer's result for the outcomes, with the given status and conditions.
func (o *Outcomes) Result(in *composer.Request, status map[string]any, conditions ...composer.Condition) *composer.Result {
	status["resources"] = o.Resources()
	conditions = append(conditions, o.driftConditions(in)...)
	composer.SetConditions(in, status, conditions)
	return &composer.Result{
		Composed: o.Composed, Ready: o.Ready(), Incomplete: o.Incomplete, Unwatched: o.Unwatched,
		Status: status, Conditions: conditions,
	}
}
