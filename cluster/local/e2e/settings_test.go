package e2e

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var providerConfigKind = schema.GroupVersionKind{Group: "capz.crossplane.io", Version: "v1alpha1", Kind: "ProviderConfig"}

// configure creates or changes the ProviderConfig. It is for all scenarios: none of its changes may disturb another.
func configure(spec map[string]any) func(*world) error {
	return func(w *world) error {
		u := object(providerConfigKind, "", "default")
		u.Object["spec"] = spec
		return w.client.Apply(w.ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner), client.ForceOwnership)
	}
}

// leaveToCommandLine deletes the ProviderConfig.
func leaveToCommandLine(w *world) error {
	return client.IgnoreNotFound(w.client.Delete(w.ctx, object(providerConfigKind, "", "default")))
}

// applied expects that provider-capz works by the ProviderConfig as it is now.
func applied(w *world) []string {
	u := object(providerConfigKind, "", "default")
	if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(u), u); err != nil {
		return []string{err.Error()}
	}
	for _, condition := range mapsAt(u, "status", "conditions") {
		if condition["type"] == "Applied" && condition["status"] == "True" && condition["observedGeneration"] == u.GetGeneration() {
			return nil
		}
	}
	return []string{fmt.Sprintf("ProviderConfig default of generation %d is not applied: %v", u.GetGeneration(), mapsAt(u, "status", "conditions"))}
}

// refusedSettings tries what the API server must refuse, each with the words that a person gets to see.
func refusedSettings(w *world) error {
	for words, spec := range map[string]map[string]any{
		"must be at least 1m because":         {"syncPeriod": "5s"},
		"should be greater than or equal":     {"concurrency": int64(0)},
		`supported values: "Info", "Debug"`:   {"logLevel": "Trace"},
		"spec.namespace in body should match": {"namespace": "Not_A_Namespace"},
	} {
		if err := configure(spec)(w); err == nil || !strings.Contains(err.Error(), words) {
			return fmt.Errorf("settings %v: answer is %v, want %q", spec, err, words) //nolint:errorlint // It may be nil.
		}
	}
	other := object(providerConfigKind, "", "other")
	other.Object["spec"] = map[string]any{}
	const words = "metadata.name must be default because"
	if err := w.client.Create(w.ctx, other); err == nil || !strings.Contains(err.Error(), words) {
		return fmt.Errorf("a second ProviderConfig: answer is %v, want %q", err, words) //nolint:errorlint // It may be nil.
	}
	return nil
}

// settings changes provider-capz's settings while its clusters, and those of the scenarios beside it, live on.
var settings = &scenario{
	name: "settings", calmOnly: true, configures: true, rights: []string{"provider-capz: patch providerconfigs/status.capz.crossplane.io default"},
	steps: []step{
		up("aks-aso-maintenance", onePool),
		{name: "set something", act: configure(map[string]any{"concurrency": int64(20)}), expect: []expectation{applied, available}},
		{name: "set something else", act: configure(map[string]any{"concurrency": int64(20), "syncPeriod": "30m"}), expect: []expectation{applied, available}},
		{name: "set what is wrong", act: refusedSettings, expect: []expectation{applied}},
		{
			name:   "scale by the new settings",
			act:    func(w *world) error { return w.set(poolKind, systemPool, "spec.replicas", int64(3)) },
			expect: []expectation{replicas(systemPool, 3), available, kubeconfigWorks},
		},
		{
			name: "leave it to the command line again", act: leaveToCommandLine, expect: []expectation{available, contractKept},
		},
		down,
	},
}
