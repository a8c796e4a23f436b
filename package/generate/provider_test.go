package main

import (
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestProviderCRDs checks the kinds of which the provider's package has the definition itself.
func TestProviderCRDs(t *testing.T) {
	crds, err := loadCRDs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, loaded := range crds {
		if loaded.Spec.Group != providerGroup {
			continue
		}
		found++
		crd := providerCRD(loaded)
		// Crossplane would make a ManagedResourceDefinition of any other kind.
		if crd.Spec.Names.Kind != "ProviderConfig" || crd.Spec.Scope != extv1.ClusterScoped {
			t.Errorf("%s is %s", crd.Spec.Names.Kind, crd.Spec.Scope)
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
	if found != 1 {
		t.Errorf("found %d kinds in group %s, want 1", found, providerGroup)
	}
}
