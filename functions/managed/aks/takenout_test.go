package aks

import (
	"encoding/json"
	"strings"
	"testing"

	clusters "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801"
	preview "github.com/Azure/azure-service-operator/v2/api/containerservice/v20251002preview"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// TestResetReachesAzure shows that ASO sends the values which undo what was taken out: it writes some of what is empty as null, or not at all.
func TestResetReachesAzure(t *testing.T) {
	for _, p := range ClusterProperties {
		if p.Removal != Reset {
			continue
		}
		path := p.Path
		if p.At != "" {
			path = p.At
		}
		for version, empty := range map[string]genruntime.ToARMConverter{"stable": &clusters.ManagedCluster_Spec{}, "preview": &preview.ManagedCluster_Spec{}} {
			object := map[string]any{}
			if err := unstructured.SetNestedField(object, runtime.DeepCopyJSONValue(p.Value), strings.Split(strings.TrimPrefix(path, "spec."), ".")...); err != nil {
				t.Fatal(err)
			}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object, empty, true); err != nil {
				t.Fatalf("%s, %s: %v", version, path, err)
			}
			sent := sentBy(t, empty)
			if len(sent) == 0 {
				t.Errorf("%s, %s: nothing is sent", version, path)
			}
			want := leaves(p.Value)
			if got := leaves(sent); got != want {
				t.Errorf("%s, %s: %d values are sent, want %d: %v", version, path, got, want, sent)
			}
		}
	}
}

// TestEmptyRangesAreNotSent shows why the value for authorizedIPRanges is no empty list. When it fails, an empty list is the better one.
func TestEmptyRangesAreNotSent(t *testing.T) {
	spec := &clusters.ManagedCluster_Spec{ApiServerAccessProfile: &clusters.ManagedClusterAPIServerAccessProfile{AuthorizedIPRanges: []string{}}}
	access, _ := sentBy(t, spec)["apiServerAccessProfile"].(map[string]any)
	if ranges, set := access["authorizedIPRanges"]; !set || ranges != nil {
		t.Errorf("ASO sends %v", access)
	}
}

// sentBy returns the properties that ASO sends, without what it always sends as null or empty.
func sentBy(t *testing.T, spec genruntime.ToARMConverter) map[string]any {
	t.Helper()
	converted, err := spec.ConvertToARM(genruntime.ConvertToARMResolvedDetails{Name: "n"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(converted)
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]any{}
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatal(err)
	}
	properties, _ := body["properties"].(map[string]any)
	return properties
}

// leaves counts the values in a value, without nulls.
func leaves(value any) int {
	n := 0
	switch v := value.(type) {
	case nil:
	case map[string]any:
		for _, inner := range v {
			n += leaves(inner)
		}
	case []any:
		for _, inner := range v {
			n += leaves(inner)
		}
	default:
		n = 1
	}
	return n
}

// TestResetTakenOutLeavesOthers shows that an object with a mistake, and one of another kind, stay as they are.
func TestResetTakenOutLeavesOthers(t *testing.T) {
	observed := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"autoScalerProfile": map[string]any{}}}}
	observed.SetManagedFields([]metav1.ManagedFieldsEntry{{
		Manager: "apiextensions.crossplane.io/composed/0", Operation: metav1.ManagedFieldsOperationApply,
		FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:autoScalerProfile":{}}}`),
	}})
	for name, c := range map[string]struct {
		kind  string
		err   *composer.Blocked
		reset bool
	}{
		"all is well":  {kind: "ManagedCluster", reset: true},
		"a mistake":    {kind: "ManagedCluster", err: typed.Invalid("x")},
		"another kind": {kind: "Extension"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &plan.Resource{Err: c.err, Object: &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "containerservice.azure.com/v1api20250801", "kind": c.kind, "spec": map[string]any{},
			}}}
			ResetTakenOut(r, observed)
			if got := has(r.Object, "spec.autoScalerProfile"); got != c.reset {
				t.Errorf("reset is %v, want %v", got, c.reset)
			}
		})
	}
}
