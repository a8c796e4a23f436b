package composer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStateOf(t *testing.T) {
	unseen := AzureState{Reason: "Reconciling", Message: "Azure Service Operator has not yet seen the latest change"}
	silent := AzureState{Reason: "Reconciling", Message: "Azure Service Operator has not yet reported on it"}
	cases := map[string]struct {
		object string
		want   AzureState
	}{
		"ready":                     {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'True', reason: Succeeded, observedGeneration: 2}]}}", AzureState{Ready: true, Reason: "Succeeded"}},
		"ready, seen later":         {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'True', observedGeneration: 3}]}}", AzureState{Ready: true}},
		"ready of an older one":     {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'True', observedGeneration: 1}]}}", unseen},
		"ready of no generation":    {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'True'}]}}", unseen},
		"failed of an older one":    {"{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: 'False', severity: Error, reason: X, observedGeneration: 1}]}}", unseen},
		"progress":                  {"{status: {conditions: [{type: Ready, status: 'False', severity: Info, reason: Reconciling, message: m}]}}", AzureState{Reason: "Reconciling", Message: "m"}},
		"retried":                   {"{status: {conditions: [{type: Ready, status: 'False', severity: Warning, reason: Throttled, message: m}]}}", AzureState{Reason: "Throttled", Message: "m"}},
		"fatal":                     {"{status: {conditions: [{type: Ready, status: 'False', severity: Error, reason: Bad, message: m}]}}", AzureState{Reason: "Bad", Message: "m", Failed: true}},
		"unknown":                   {"{status: {conditions: [{type: Ready, status: Unknown, reason: R}]}}", AzureState{Reason: "R"}},
		"another condition":         {"{status: {conditions: [{type: Other, status: 'True'}]}}", silent},
		"ready after another":       {"{status: {conditions: [{type: Other, status: 'False'}, {type: Ready, status: 'True'}]}}", AzureState{Ready: true}},
		"none":                      {"{}", silent},
		"no list":                   {"{status: {conditions: x}}", silent},
		"a list of something":       {"{status: {conditions: [x, 1, null]}}", silent},
		"a status of another shape": {"{status: x}", silent},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, StateOf(object(t, c.object))); diff != "" {
				t.Errorf("StateOf: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestInteger(t *testing.T) {
	for _, c := range []struct {
		value any
		want  int64
	}{{3, 3}, {int32(3), 3}, {int64(3), 3}, {3.0, 3}, {"3", 0}, {nil, 0}} {
		if got := Integer(c.value); got != c.want {
			t.Errorf("Integer(%T %v): want %d, got %d", c.value, c.value, c.want, got)
		}
	}
}
