package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

func TestStateOf(t *testing.T) {
	unseen := aso.State{Reason: "Reconciling", Message: "Azure Service Operator has not yet seen the latest change"}
	silent := aso.State{Reason: "Reconciling", Message: "Azure Service Operator has not yet reported on it"}
	cases := map[string]struct {
		object string
		want   aso.State
	}{
		"ready":                     {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'True', reason: Succeeded, observedGeneration: 2}]}}", aso.State{Ready: true, Reason: "Succeeded"}},
		"ready, seen later":         {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'True', observedGeneration: 3}]}}", aso.State{Ready: true}},
		"ready of an older one":     {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'True', observedGeneration: 1}]}}", unseen},
		"ready of no generation":    {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'True'}]}}", unseen},
		"failed of an older one":    {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'False', severity: Error, reason: X, observedGeneration: 1}]}}", unseen},
		"progress":                  {"{status: {conditions: [{type: Ready, status: 'False', severity: Info, reason: Reconciling, message: m}]}}", aso.State{Reason: "Reconciling", Message: "m"}},
		"retried":                   {"{status: {conditions: [{type: Ready, status: 'False', severity: Warning, reason: Throttled, message: m}]}}", aso.State{Reason: "Throttled", Message: "m"}},
		"fatal":                     {"{status: {conditions: [{type: Ready, status: 'False', severity: Error, reason: Bad, message: m}]}}", aso.State{Reason: "Bad", Message: "m", Failed: true}},
		"unknown":                   {"{status: {conditions: [{type: Ready, status: Unknown, reason: R}]}}", aso.State{Reason: "R"}},
		"ready, an operation runs":  {"{metadata: {annotations: {serviceoperator.azure.com/poller-resume-token: t}}, status: {conditions: [{type: Ready, status: 'True'}]}}", unseen},
		"progress of an operation":  {"{metadata: {annotations: {serviceoperator.azure.com/poller-resume-token: t}}, status: {conditions: [{type: Ready, status: 'False', reason: Reconciling, message: m}]}}", aso.State{Reason: "Reconciling", Message: "m"}},
		"another condition":         {"{status: {conditions: [{type: Other, status: 'True'}]}}", silent},
		"ready after another":       {"{status: {conditions: [{type: Other, status: 'False'}, {type: Ready, status: 'True'}]}}", aso.State{Ready: true}},
		"none":                      {"{}", silent},
		"no list":                   {"{status: {conditions: x}}", silent},
		"a list of something":       {"{status: {conditions: [x, 1, null]}}", silent},
		"a status of another shape": {"{status: x}", silent},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, aso.StateOf(object(t, c.object))); diff != "" {
				t.Errorf("StateOf: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestReadyWhileSkipped reports whether another object waits for one that ASO has called ready without having sent it.
func TestReadyWhileSkipped(t *testing.T) {
	id, sent := annotated(aso.AnnotationResourceID, "/some/id"), annotated(aso.AnnotationSent, "1")
	found := asoSays("True", "", "Succeeded")
	skipped := annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip)
	cases := map[string]struct {
		subnet *unstructured.Unstructured
		other  *unstructured.Unstructured
		ready  bool
	}{
		"released, not sent yet":                        {subnet(id, found, applied), named("o", id, sent, found), false},
		"released and sent":                             {subnet(id, sent, found, applied), named("o", id, sent, found), true},
		"nothing is sent, by a policy of the namespace": {subnet(id, found, applied), named("o", id, found), true},
		"what else is sent is held":                     {subnet(id, found, applied), named("o", id, sent, found, annotated(aso.AnnotationHeld, "true")), true},
		"it is alone":                                   {subnet(id, found, applied), nil, true},
		"a policy of its own":                           {subnet(id, found, skipped, applied), named("o", id, sent, found), true},
		"of a kind that has no ID":                      {subnet(found, applied), named("o", id, sent, found), true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			first := &Resource{Source: "p", Object: subnet(), Declared: true}
			if policy := c.subnet.GetAnnotations()[aso.AnnotationReconcilePolicy]; policy != "" {
				first.Annotate(aso.AnnotationReconcilePolicy, policy)
			}
			after := &Resource{Source: "q", Object: named("after"), Declared: true}
			plan := Plan{Order: func(i *Resource) []aso.Reference {
				if i != after {
					return nil
				}
				return []aso.Reference{{GroupKind: subnetGK, Name: "s", Path: "q"}}
			}}
			held := named("after", annotated(aso.AnnotationHeld, "true", aso.AnnotationReconcilePolicy, aso.PolicySkip))
			out := makeWith(t, plan, false, []*Resource{first, after, {Source: "o", Object: named("o"), Declared: true}}, c.subnet, c.other, held)
			if got := out.Composed[first.Name()].Ready; got != c.ready {
				t.Errorf("ready: want %v, got %v (%s)", c.ready, got, out.Of[0].State.Message)
			}
			if got := !aso.Held(out.Composed[after.Name()].Object); got != c.ready {
				t.Errorf("what comes after it is made: want %v, got %v", c.ready, got)
			}
		})
	}
}

// TestProgress shows what is told of an object that ASO is at work on.
func TestProgress(t *testing.T) {
	taken, sent := annotated(aso.AnnotationOperator, "aso"), annotated(aso.AnnotationSent, "1")
	working := asoSays("False", "Info", aso.ReasonReconciling)
	const creating = "Creating: is being created"
	cases := map[string]struct {
		observed *unstructured.Unstructured
		plan     Plan
		want     string
	}{
		"not taken up":                    {observed: subnet(applied), want: "Reconciling: Azure Service Operator has not yet reported on it"},
		"taken up":                        {observed: subnet(taken, applied), want: creating},
		"sent":                            {observed: subnet(taken, sent, working, applied), want: "Reconciling: Azure is at work on it"},
		"its owner was not there":         {observed: subnet(taken, asoSays("False", "Warning", "WaitingForOwner"), applied), plan: Plan{ReferencesReady: true}, want: creating},
		"its owner may not be there":      {observed: subnet(taken, asoSays("False", "Warning", "WaitingForOwner"), applied), want: "WaitingForOwner: said"},
		"its owner is not there, and was": {observed: subnet(taken, sent, asoSays("False", "Warning", "WaitingForOwner"), applied), plan: Plan{ReferencesReady: true}, want: "WaitingForOwner: said"},
		"refused":                         {observed: subnet(taken, sent, asoSays("False", "Error", "BadRequest"), applied), want: "BadRequest: said"},
		"refused for now":                 {observed: subnet(taken, sent, asoSays("False", "Warning", "Throttled"), applied), want: "Throttled: said"},
		"ready":                           {observed: subnet(taken, sent, asoSays("True", "", "Succeeded"), applied), want: "Succeeded: said"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out := makeWith(t, c.plan, false, []*Resource{{Source: "p", Object: subnet(), Declared: true}}, c.observed)
			if state := out.Of[0].State; state.Reason+": "+state.Message != c.want {
				t.Errorf("want %q, got %+v", c.want, state)
			}
		})
	}
}

// named returns another subnet.
func named(name string, edits ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	o := subnet(append(edits, applied)...)
	o.SetName(name)
	return o
}

func TestInteger(t *testing.T) {
	for _, c := range []struct {
		value any
		want  int64
	}{{3, 3}, {int32(3), 3}, {int64(3), 3}, {3.0, 3}, {"3", 0}, {nil, 0}} {
		if got := field.Integer(c.value); got != c.want {
			t.Errorf("field.Integer(%T %v): want %d, got %d", c.value, c.value, c.want, got)
		}
	}
}
