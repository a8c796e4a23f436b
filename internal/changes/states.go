package changes

import (
	"fmt"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

var statusResources = field.At[[]any]("status", "resources")

// A state is what a composite resource says in the end of one of its resources.
type state struct {
	xr, object                 *unstructured.Unstructured
	ready                      bool
	reason, message, ownership string
	// composed is the object that there is of it in the end; nil for none.
	composed *unstructured.Unstructured
}

func statesOf(p *preview.Preview, xr *unstructured.Unstructured) []state {
	var states []state
	for _, m := range field.Maps(statusResources.Value(xr)) {
		r, _ := m["resource"].(map[string]any)
		o := &unstructured.Unstructured{Object: map[string]any{}}
		o.SetGroupVersionKind(schema.GroupVersionKind{Group: field.Text(r["group"]), Version: field.Text(r["version"]), Kind: field.Text(r["kind"])})
		o.SetNamespace(xr.GetNamespace())
		o.SetName(field.Text(r["name"]))
		s := state{xr: xr, object: o, ready: m["ready"] == true, reason: field.Text(m["reason"]), message: field.Text(m["message"]), ownership: field.Text(m["ownership"])}
		for _, composed := range p.Composed(xr) {
			if preview.SameObject(composed, o) {
				s.object, s.composed = composed, composed
			}
		}
		states = append(states, s)
	}
	return states
}

// inAzure reports whether Azure has been sent the resource, in the end.
func (s state) inAzure() bool {
	return s.composed != nil && !aso.Held(s.composed) && s.composed.GetAnnotations()[v1beta1.AnnotationOwnership] != v1beta1.OwnershipUndecided
}

func (s state) left() bool {
	return s.ownership == v1beta1.OwnershipExternal || s.ownership == v1beta1.OwnershipUser
}

// heldAndLeft returns the resources that are held or left alone in the end.
func heldAndLeft(p *preview.Preview) []Item {
	var items []Item
	for _, xr := range p.Composites() {
		states := statesOf(p, xr)
		for _, s := range states {
			item := Item{Resource: resourceOf(s.object), Of: referenceTo(xr), Reason: s.message, Count: p.Count(xr)}
			switch {
			case s.left():
				item.Action = Leave
			case s.ready || s.inAzure() || v1beta1.IsMistake(s.reason):
				continue
			default:
				item.Action = Hold
			}
			items = append(items, item)
		}
		if reason, message := notReady(p, xr); len(states) == 0 && message != "" && !v1beta1.IsMistake(reason) && reason != fatal {
			items = append(items, Item{Action: Hold, Resource: Resource{Reference: referenceTo(xr)}, Of: referenceTo(xr), Reason: message, Count: 1})
		}
	}
	return items
}

// fatal stands for the reason of a result that stops everything.
const fatal = "Fatal"

// notReady returns what a function says of the resources of a composite resource that are not ready; empty when all are.
func notReady(p *preview.Preview, xr *unstructured.Unstructured) (reason, message string) {
	_, rsp := p.Answer(xr)
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return fatal, r.GetMessage()
		}
	}
	for _, c := range rsp.GetConditions() {
		if c.GetType() == composer.ConditionResourcesReady && c.GetStatus() != fnv1.Status_STATUS_CONDITION_TRUE {
			return c.GetReason(), c.GetMessage()
		}
	}
	return "", ""
}

// mistakes returns what the user has to correct.
func mistakes(p *preview.Preview) []Mistake {
	var all []Mistake
	for _, xr := range p.Composites() {
		add := func(message string) {
			m := Mistake{Of: referenceTo(xr), Message: message}
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
		reason, message := notReady(p, xr)
		if reason == fatal {
			add(message)
			continue
		}
		before := len(all)
		for _, s := range statesOf(p, xr) {
			if !s.ready && v1beta1.IsMistake(s.reason) {
				add(s.message)
			}
		}
		if len(all) == before && v1beta1.IsMistake(reason) {
			add(message)
		}
	}
	return all
}

// troubles returns what is not well in Azure now, and will not be by the manifests.
func troubles(p *preview.Preview) []string {
	var notes []string
	for _, xr := range p.Composites() {
		for _, s := range statesOf(p, xr) {
			if !s.ready && s.inAzure() && !s.left() && !v1beta1.IsMistake(s.reason) && aso.StateOf(s.composed).Failed {
				notes = append(notes, fmt.Sprintf("%s is not ready now, and the plan does not change that: %s", referenceTo(s.object), s.message))
			}
		}
	}
	return notes
}
