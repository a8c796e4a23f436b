package schema

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestAgentPoolFieldsAreProfileFields proves what the composer of the control plane relies on: in every API version of
// ASO, an agent pool's spec has the fields of an entry of agentPoolProfiles, with the same types, but for those that say
// where the object belongs.
func TestAgentPoolFieldsAreProfileFields(t *testing.T) {
	crds := map[string]*extv1.CustomResourceDefinition{}
	for _, plural := range []string{"managedclusters", "managedclustersagentpools"} {
		crd := &extv1.CustomResourceDefinition{}
		file := filepath.Join("..", "..", "..", ".local", "aso", "crd", "containerservice.azure.com_"+plural+".yaml")
		if err := readYAML(file, crd); err != nil {
			t.Fatal(err)
		}
		crds[plural] = crd
	}
	if len(crds["managedclustersagentpools"].Spec.Versions) < 3 {
		t.Fatalf("found %d versions of agent pools", len(crds["managedclustersagentpools"].Spec.Versions))
	}
	for _, version := range crds["managedclustersagentpools"].Spec.Versions {
		t.Run(version.Name, func(t *testing.T) {
			pool := specOf(t, crds["managedclustersagentpools"], version.Name)
			profile := specOf(t, crds["managedclusters"], version.Name)["agentPoolProfiles"].Items.Schema.Properties
			for _, field := range []string{"azureName", "operatorSpec", "originalVersion", "owner"} {
				delete(pool, field)
			}
			delete(profile, "name")
			for _, field := range slices.Sorted(maps.Keys(pool)) {
				if diff := cmp.Diff(profile[field], pool[field]); diff != "" {
					t.Errorf("%s: -profile +pool:\n%s", field, diff)
				}
			}
		})
	}
}

func specOf(t *testing.T, crd *extv1.CustomResourceDefinition, version string) map[string]extv1.JSONSchemaProps {
	t.Helper()
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			return v.Schema.OpenAPIV3Schema.Properties["spec"].Properties
		}
	}
	t.Fatalf("%s has no version %s", crd.Name, version)
	return nil
}
