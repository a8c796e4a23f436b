package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1" //nolint:staticcheck // CAPZ's types have its conditions.
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/randfill"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

// kinds are CAPZ's types, and this project's of the same names.
var kinds = map[string]struct{ capz, ours func() any }{
	"azuremanagedclusters":              {func() any { return &infrav1.AzureManagedCluster{} }, func() any { return &v1beta1.AzureManagedCluster{} }},
	"azuremanagedclustertemplates":      {func() any { return &infrav1.AzureManagedClusterTemplate{} }, func() any { return &v1beta1.AzureManagedClusterTemplate{} }},
	"azuremanagedcontrolplanes":         {func() any { return &infrav1.AzureManagedControlPlane{} }, func() any { return &v1beta1.AzureManagedControlPlane{} }},
	"azuremanagedcontrolplanetemplates": {func() any { return &infrav1.AzureManagedControlPlaneTemplate{} }, func() any { return &v1beta1.AzureManagedControlPlaneTemplate{} }},
	"azuremanagedmachinepools":          {func() any { return &infrav1.AzureManagedMachinePool{} }, func() any { return &v1beta1.AzureManagedMachinePool{} }},
	"azuremanagedmachinepooltemplates":  {func() any { return &infrav1.AzureManagedMachinePoolTemplate{} }, func() any { return &v1beta1.AzureManagedMachinePoolTemplate{} }},
	"azureclusters":                     {func() any { return &infrav1.AzureCluster{} }, func() any { return &v1beta1.AzureCluster{} }},
	"azureclustertemplates":             {func() any { return &infrav1.AzureClusterTemplate{} }, func() any { return &v1beta1.AzureClusterTemplate{} }},
	"azuremachines":                     {func() any { return &infrav1.AzureMachine{} }, func() any { return &v1beta1.AzureMachine{} }},
	"azuremachinepools":                 {func() any { return &infrav1exp.AzureMachinePool{} }, func() any { return &v1beta1.AzureMachinePool{} }},
	"azuremachinepoolmachines":          {func() any { return &infrav1exp.AzureMachinePoolMachine{} }, func() any { return &v1beta1.AzureMachinePoolMachine{} }},
	"azuremachinetemplates":             {func() any { return &infrav1.AzureMachineTemplate{} }, func() any { return &v1beta1.AzureMachineTemplate{} }},
	"azureclusteridentities":            {func() any { return &infrav1.AzureClusterIdentity{} }, func() any { return &v1beta1.AzureClusterIdentity{} }},
}

// TestEveryFieldSurvives fills every field of CAPZ's types, and looks for it in this project's types and definitions.
func TestEveryFieldSurvives(t *testing.T) {
	for plural, kind := range kinds {
		t.Run(plural, func(t *testing.T) {
			definition, err := schema.Read(definitionOf(plural), "v1beta1")
			must(t, err)
			for seed := range int64(20) {
				full := kind.capz()
				filler(seed).Fill(full)
				written, err := json.Marshal(withoutFailureDomains(full))
				must(t, err)
				want := decoded(t, written)

				typed := kind.ours()
				mistakes, err := kjson.UnmarshalStrict(written, typed)
				must(t, err)
				if len(mistakes) > 0 {
					t.Fatalf("fields that the Go type does not have: %v", mistakes)
				}
				again, err := json.Marshal(typed)
				must(t, err)
				if diff := cmp.Diff(want, decoded(t, again)); diff != "" {
					t.Fatalf("lost in the Go type (-CAPZ +ours):\n%s", diff)
				}
				// Crossplane adds status.conditions to every definition.
				if lost := slices.DeleteFunc(definition.Prune(decoded(t, written)), isConditions); len(lost) > 0 {
					t.Fatalf("fields that the definition does not have: %v", lost)
				}
			}
		})
	}
}

// definitionOf returns the file with the definition of a kind. Instances of scale sets are no composite resources.
func definitionOf(plural string) string {
	if plural == "azuremachinepoolmachines" {
		return root + "/package/install/" + plural + ".yaml"
	}
	return fmt.Sprintf("%s/package/configuration/%s/definition.yaml", root, plural)
}

// withoutFailureDomains takes from the status of an AzureCluster what Cluster API reads as a list in the contract version that this project
// serves, and CAPZ writes as a map.
func withoutFailureDomains(object any) any {
	if cluster, ok := object.(*infrav1.AzureCluster); ok {
		cluster.Status.FailureDomains = nil
	}
	return object
}

// filler fills everything, with values that survive being written as JSON.
func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0).NumElements(1, 2).Funcs(
		func(s *string, c randfill.Continue) { *s = fmt.Sprintf("text-%d", c.Int31()) },
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			m.Name = "name"
			c.Fill(&m.Labels)
			c.Fill(&m.Annotations)
		},
		// CAPZ writes some fields that are false, this project leaves them out.
		func(b *bool, _ randfill.Continue) { *b = true },
		func(_ *metav1.TypeMeta, _ randfill.Continue) {},
		func(when *metav1.Time, c randfill.Continue) { when.Time = time.Unix(int64(c.Int31()), 0).UTC() },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewQuantity(int64(c.Int31()), resource.DecimalSI)
		},
		// Crossplane keeps status.conditions itself, without severities, which Cluster API's newer conditions lack as well.
		func(s *clusterv1beta1.ConditionSeverity, _ randfill.Continue) { *s = "" },
	)
}

func decoded(t *testing.T, written []byte) map[string]any {
	t.Helper()
	object := map[string]any{}
	must(t, kjson.UnmarshalCaseSensitivePreserveInts(written, &object))
	dropEmpty(object)
	return object
}

// dropEmpty removes objects and texts that say nothing: whether they are written is a matter of the Go types.
func dropEmpty(value any) {
	switch v := value.(type) {
	case map[string]any:
		for field, value := range v {
			dropEmpty(value)
			if inner, isObject := value.(map[string]any); isObject && len(inner) == 0 || value == "" {
				delete(v, field)
			}
		}
	case []any:
		for _, item := range v {
			dropEmpty(item)
		}
	}
}

func isConditions(path string) bool { return path == "status.conditions" }
