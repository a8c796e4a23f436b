package capi

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

func TestHealthConditions(t *testing.T) {
	const conditionType = "AzureResourceAvailable"
	is := func(status metav1.ConditionStatus, reason, message string) []composer.Condition {
		return []composer.Condition{{Type: conditionType, Status: status, Reason: reason, Message: message}}
	}
	health := func(state, reason, message string) map[string]any {
		return map[string]any{"format": int64(2), "clusterUID": "u", "resourceHealth": map[string]any{"state": state, "reason": reason, "message": message}}
	}
	nothing := map[string]any{"format": int64(2), "clusterUID": "u"}
	ofAnother := health("Unavailable", "", "")
	ofAnother["clusterUID"] = "other"
	shown := map[string]any{"type": conditionType, "status": "False", "reason": "Unplanned", "message": "Unavailable: m"}
	cases := map[string]struct {
		facts map[string]any
		shown any
		want  []composer.Condition
	}{
		"available":                       {facts: health("Available", "", ""), want: is("True", "Available", "")},
		"unavailable":                     {facts: health("Unavailable", "Unplanned", "m"), want: is("False", "Unplanned", "Unavailable: m")},
		"unavailable, in words":           {facts: health("Unavailable", " customer  Initiated", "m"), want: is("False", "CustomerInitiated", "Unavailable: m")},
		"unavailable for no reason":       {facts: health("Unavailable", "", ""), want: is("False", "AzureResourceUnavailable", "Unavailable")},
		"degraded":                        {facts: health("Degraded", "Planned", "m"), want: is("False", "Planned", "Degraded: m")},
		"degraded for no reason":          {facts: health("Degraded", "", "m"), want: is("False", "AzureResourceDegraded", "Degraded: m")},
		"unknown":                         {facts: health("Unknown", "", "m"), want: is("Unknown", "AzureResourceHealthUnknown", "Unknown: m")},
		"a state of the future":           {facts: health("Dormant", "", "m"), want: is("Unknown", "AzureResourceHealthUnknown", "Dormant: m")},
		"not told":                        {facts: health("", "AuthorizationFailed", "m"), want: is("Unknown", "AuthorizationFailed", "m")},
		"available again":                 {facts: health("Available", "", ""), shown: shown, want: is("True", "Available", "")},
		"never asked":                     {facts: nothing},
		"not asked any more":              {facts: nothing, shown: shown, want: is("Unknown", "NotAsked", "Azure Resource Health is not asked about the cluster")},
		"of another Cluster of the name":  {facts: ofAnother},
		"no facts":                        {},
		"no facts now, but there were":    {shown: shown, want: is("False", "Unplanned", "Unavailable: m")},
		"other conditions are nobody's":   {facts: nothing, shown: map[string]any{"type": "Synced", "status": "True"}},
		"a reason that is not fit for it": {facts: health("Unavailable", "Über-cool é", "m"), want: is("False", "Über-coolÉ", "Unavailable: m")}, // ValidReason does the rest.
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": composertest.Namespace}}}
			if c.shown != nil {
				composertest.Set([]any{c.shown}, "status", "conditions")(xr)
			}
			cluster := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "c1", "uid": "u"}}}
			req := composertest.Request(t, xr)
			facts := &fnv1.Resources{}
			if c.facts != nil {
				o := &unstructured.Unstructured{Object: map[string]any{"spec": c.facts}}
				o.SetGroupVersionKind(clusterfacts.Kind)
				o.SetName("c1")
				facts.Items = append(facts.Items, &fnv1.Resource{Resource: composertest.Struct(t, o)})
			}
			req.RequiredResources = map[string]*fnv1.Resources{"facts": facts}
			in, err := composer.NewRequest(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = in.Know("c1", "u") // Without facts their kind would have to be asked for.
			if diff := cmp.Diff(c.want, HealthConditions(in, cluster)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
