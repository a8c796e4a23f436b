package composite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/yaml"
)

// TestCatalogueHasWhatIsDefined shows that every definition in the Configuration is one of the catalogue's kinds, and the reverse.
func TestCatalogueHasWhatIsDefined(t *testing.T) {
	files, err := filepath.Glob("../../package/configuration/*/definition.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	type definition struct {
		Spec struct {
			Group    string
			Names    extv1.CustomResourceDefinitionNames
			Scope    string
			Claim    *extv1.CustomResourceDefinitionNames `json:"claimNames"`
			Versions []struct{ Name string }
		}
	}
	defined := sets.New[string]()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := definition{}
		if err := yaml.Unmarshal(content, &d); err != nil {
			t.Fatal(err)
		}
		k, ok := Lookup(schema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind})
		if !ok {
			t.Errorf("%s %s is defined, but not in the catalogue", d.Spec.Group, d.Spec.Names.Kind)
			continue
		}
		defined.Insert(k.GroupKind().String())
		versions := sets.New[string]()
		for _, v := range d.Spec.Versions {
			versions.Insert(v.Name)
		}
		claim := extv1.CustomResourceDefinitionNames{}
		if d.Spec.Claim != nil {
			claim = *d.Spec.Claim
		}
		got := []any{d.Spec.Names.Plural, sets.List(versions), d.Spec.Scope != "Namespaced", claim.Kind, claim.Plural}
		want := []any{k.Plural(), sets.List(sets.New(k.Served()...)), k.ClusterScoped, k.Claim, k.ClaimPlural()}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -catalogue, +definition:\n%s", k.GroupVersionKind, diff)
		}
	}
	for _, k := range Catalogue() {
		if !defined.Has(k.GroupKind().String()) {
			t.Errorf("%s is in the catalogue, but not defined", k.GroupVersionKind)
		}
	}
}

func TestSibling(t *testing.T) {
	for family, roles := range map[Family][]Role{
		ASOManaged:  {InfrastructureCluster, ControlPlane, InfrastructureMachinePool},
		Managed:     {InfrastructureCluster, ControlPlane, InfrastructureMachinePool},
		SelfManaged: {InfrastructureCluster, InfrastructureMachine, InfrastructureMachinePool},
	} {
		for _, k := range Select(Of(family), Is(roles...)) {
			for _, role := range roles {
				sibling, ok := k.Sibling(role)
				if !ok || sibling.Family != family || sibling.Role != role {
					t.Errorf("%s, as %s: %v, %v", k.Kind, role, sibling, ok)
				}
			}
		}
	}
	if other, ok := AzureCluster.Sibling(ControlPlane); ok {
		t.Errorf("an AzureCluster, whose control plane is of another provider, has sibling %v", other)
	}
	if other, ok := AzureClusterIdentity.Sibling(ControlPlane); ok {
		t.Errorf("an identity has sibling %v", other)
	}
}
