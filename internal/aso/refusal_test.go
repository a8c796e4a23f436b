package aso

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// refused returns an object of generation 2 with a condition Ready.
func refused(condition map[string]any, changes ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	ready := map[string]any{"type": "Ready", "status": "False", "severity": "Warning", "reason": "InUse", "message": "m", "observedGeneration": int64(2)}
	for name, value := range condition {
		ready[name] = value
	}
	obj := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{ready}}}}
	obj.SetGeneration(2)
	for _, change := range changes {
		change(obj)
	}
	return obj
}

func TestRefusalOf(t *testing.T) {
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := map[string]struct {
		obj  *unstructured.Unstructured
		want *Refusal
	}{
		"refused":             {obj: refused(nil), want: &Refusal{Reason: "InUse", Message: "m"}},
		"since":               {obj: refused(map[string]any{"lastTransitionTime": "2026-01-02T03:04:05Z"}), want: &Refusal{Reason: "InUse", Message: "m", Since: since}},
		"since no time":       {obj: refused(map[string]any{"lastTransitionTime": "yesterday"}), want: &Refusal{Reason: "InUse", Message: "m"}},
		"refused for good":    {obj: refused(map[string]any{"severity": "Error"}), want: &Refusal{Reason: "InUse", Message: "m"}},
		"in progress":         {obj: refused(map[string]any{"severity": "Info"})},
		"ready":               {obj: refused(map[string]any{"status": "True"})},
		"an older failure":    {obj: refused(map[string]any{"observedGeneration": int64(1)})},
		"of another type":     {obj: refused(map[string]any{"type": "Other"})},
		"nothing is reported": {obj: &unstructured.Unstructured{Object: map[string]any{}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := RefusalOf(tc.obj)
			if ok != (tc.want != nil) {
				t.Fatalf("refused: %v, want %v", ok, tc.want != nil)
			}
			if tc.want == nil {
				return
			}
			if diff := cmp.Diff(*tc.want, got, cmpopts.IgnoreUnexported(Refusal{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRefusalPasses(t *testing.T) {
	deleting := func(o *unstructured.Unstructured) { o.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)}) }
	annotated := func(name, value string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) { Annotate(o, name, value) }
	}
	final, mismatch := map[string]any{"severity": "Error"}, map[string]any{"severity": "Error", "reason": "SubscriptionMismatch"}
	tests := map[string]struct {
		obj  *unstructured.Unstructured
		want bool
	}{
		"of a creation":                           {refused(nil), true},
		"of a deletion":                           {refused(nil, deleting), true},
		"of a creation, for good":                 {refused(final), false},
		"of a deletion, for good":                 {refused(final, deleting), true},
		"by a credential for other subscriptions": {refused(mismatch), true},
		"Azure is at work again":                  {refused(nil, annotated(AnnotationPolls, "token")), false},
		"held":                                    {refused(nil, annotated(AnnotationHeld, "true")), false},
		"the owner is awaited":                    {refused(map[string]any{"reason": "WaitingForOwner"}), false},
		"a Secret is awaited":                     {refused(map[string]any{"reason": "SecretNotFound"}, deleting), false},
		"Azure does not have it":                  {refused(map[string]any{"reason": "AzureResourceNotFound"}), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			refusal, _ := RefusalOf(tc.obj)
			if got := refusal.Passes(tc.obj); got != tc.want {
				t.Errorf("passes: %v, want %v", got, tc.want)
			}
		})
	}
}
