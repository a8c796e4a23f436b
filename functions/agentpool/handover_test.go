package agentpool

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// TestSeparate has a ManagedCluster that was sent with one pool.
func TestSeparate(t *testing.T) {
	profile := func(fields ...any) map[string]any {
		p := map[string]any{"name": "p0", "count": int64(2)}
		for i := 0; i < len(fields); i += 2 {
			p[fields[i].(string)] = fields[i+1]
		}
		return p
	}
	scaled := profile("enableAutoScaling", true)
	cluster := func(edits ...composertest.Edit) *unstructured.Unstructured {
		return edited(&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "containerservice.azure.com/v1api20250801", "kind": "ManagedCluster", "metadata": map[string]any{"name": "mc"},
			"spec": map[string]any{"location": "westeurope", "dnsPrefix": "mc"},
		}}, edits...)
	}
	// sent is the cluster as it was composed with a profile. What ASO and the API server set beside is not from here.
	sent := func(profile map[string]any) *unstructured.Unstructured {
		return cluster(
			set([]any{profile}, "spec", "agentPoolProfiles"), set("by ASO", "spec", "azureName"),
			set([]any{map[string]any{
				"manager": "apiextensions.crossplane.io/composed/x", "operation": "Apply", "apiVersion": "containerservice.azure.com/v1api20250801",
				"fieldsV1": map[string]any{"f:spec": map[string]any{"f:location": map[string]any{}, "f:dnsPrefix": map[string]any{}, "f:agentPoolProfiles": map[string]any{}}},
			}}, "metadata", "managedFields"))
	}
	there := set([]any{profile()}, "status", "agentPoolProfiles")
	tests := map[string]struct {
		observed        *unstructured.Unstructured
		desired         *unstructured.Unstructured
		wanted          map[string]any
		unknown, comeUp bool
		separate        bool
	}{
		"not there":                               {wanted: profile(), comeUp: true},
		"not in Azure":                            {observed: sent(profile()), wanted: profile(), comeUp: true},
		"not in Azure, changed":                   {observed: sent(profile()), wanted: profile("count", int64(7)), comeUp: true},
		"pools come up":                           {observed: edited(sent(profile()), there), wanted: profile(), comeUp: true},
		"pools are there":                         {observed: edited(sent(profile()), there), wanted: profile(), separate: true},
		"a pool is to be another":                 {observed: edited(sent(profile()), there), wanted: profile("count", int64(7)), comeUp: true, separate: true},
		"a pool is not known":                     {observed: edited(sent(profile()), there), wanted: profile(), unknown: true, comeUp: true, separate: true},
		"the cluster is to be another":            {observed: edited(sent(profile()), there), desired: cluster(set("x", "spec", "dnsPrefix")), wanted: profile(), comeUp: true},
		"made without pools":                      {observed: cluster(set("/subscriptions/s", "status", "id")), wanted: profile(), comeUp: true, separate: true},
		"about to be made without pools":          {observed: cluster(), wanted: profile(), comeUp: true},
		"AKS scales":                              {observed: edited(sent(scaled), there), wanted: scaled, comeUp: true},
		"AKS scales, the cluster is to be larger": {observed: edited(sent(scaled), there), desired: cluster(set("x", "spec", "tags", "a")), wanted: scaled, comeUp: true, separate: true},
		"AKS scales, not in Azure":                {observed: sent(scaled), desired: cluster(set("x", "spec", "tags", "a")), wanted: scaled, comeUp: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			desired := tc.desired
			if desired == nil {
				desired = cluster()
			}
			set([]any{tc.wanted}, "spec", "agentPoolProfiles")(desired)
			if got := HandoverOf(tc.observed).Separate(desired, []any{tc.wanted}, !tc.unknown, tc.comeUp); got != tc.separate {
				t.Errorf("separate: %v, want %v", got, tc.separate)
			}
		})
	}
}

// TestUncounted has AKS refuse numbers of nodes, as the cluster is there already.
func TestUncounted(t *testing.T) {
	profiles := func(count any, scaled bool) []any {
		p := map[string]any{"name": "p0", "enableAutoScaling": scaled}
		if count != nil {
			p["count"] = count
		}
		return []any{p, map[string]any{"name": "p1", "count": int64(3)}}
	}
	observed := func(sent []any, message string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"agentPoolProfiles": sent}, "status": map[string]any{
			"conditions": []any{map[string]any{"type": "Ready", "status": "False", "message": message}},
		}}}
	}
	const refused = "Cannot manually scale AgentPool 'p0' of an AKS cluster with cluster autoscaler enabled."
	tests := map[string]struct {
		observed     *unstructured.Unstructured
		wanted, want []any
	}{
		"not sent":            {wanted: profiles(int64(2), true), want: profiles(int64(2), true)},
		"sent":                {observed: observed(profiles(int64(2), true), "in progress"), wanted: profiles(int64(2), true), want: profiles(int64(2), true)},
		"refused":             {observed: observed(profiles(int64(2), true), refused), wanted: profiles(int64(2), true), want: profiles(nil, true)},
		"sent without":        {observed: observed(profiles(nil, true), "in progress"), wanted: profiles(int64(2), true), want: profiles(nil, true)},
		"turned off":          {observed: observed(profiles(nil, true), "in progress"), wanted: profiles(int64(2), false), want: profiles(int64(2), false)},
		"refused, not scaled": {observed: observed(profiles(int64(2), false), refused), wanted: profiles(int64(2), false), want: profiles(int64(2), false)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, HandoverOf(tc.observed).Uncounted(tc.wanted)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
