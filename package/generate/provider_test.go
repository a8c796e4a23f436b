package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestPlainCRDs checks the kinds of which the project has the definition itself, and Crossplane makes none.
func TestPlainCRDs(t *testing.T) {
	crds, err := loadCRDs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[string]extv1.ResourceScope{"ProviderConfig": extv1.ClusterScoped, "ClusterFacts": extv1.NamespaceScoped, machinePoolMachineKind: extv1.NamespaceScoped}
	dirs := map[string]string{"ProviderConfig": providerDir, "ClusterFacts": installDir, machinePoolMachineKind: installDir}
	found := 0
	for _, loaded := range crds {
		if isComposite(loaded) {
			continue
		}
		found++
		crd := plainCRD(loaded)
		kind := crd.Spec.Names.Kind
		if diff := cmp.Diff(apiGroups[crd.Spec.Group].labels, crd.Labels); diff != "" {
			t.Errorf("%s lacks labels that others of its group have: %s", kind, diff)
		}
		if crd.Spec.Scope != scopes[kind] {
			t.Errorf("%s is %s", kind, crd.Spec.Scope)
		}
		// Crossplane would make a ManagedResourceDefinition of any kind in the package but ProviderConfig.
		if dir := dirOf(loaded); dir != dirs[kind] {
			t.Errorf("%s is in %s", kind, dir)
		}
		for _, v := range crd.Spec.Versions {
			for _, part := range []string{"spec", "status"} {
				checkDescriptions(t, part, v.Schema.OpenAPIV3Schema.Properties[part])
			}
			internal := &apiextensions.JSONSchemaProps{}
			if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, internal, nil); err != nil {
				t.Fatal(err)
			}
			structural, err := schema.NewStructural(internal)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range schema.ValidateStructural(field.NewPath(v.Name), structural) {
				t.Error(err)
			}
		}
	}
	if found != len(scopes) {
		t.Errorf("found %d kinds, want %d", found, len(scopes))
	}
}
