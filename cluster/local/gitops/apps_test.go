package gitops

import (
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

// order is in which the parts come up.
var order = []string{"packages", "identity", "cluster"}

// built returns what kustomize makes of a folder of the example.
func built(t *testing.T, folder string) []*unstructured.Unstructured {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(examples, folder))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := made.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := kubeyaml.Parse(raw)
	if err != nil || len(objects) == 0 {
		t.Fatalf("%s: %d objects, %v", folder, len(objects), err)
	}
	return objects
}

// TestArgoCDOrder has the Applications come up wave after wave, and none of them delete anything by itself.
func TestArgoCDOrder(t *testing.T) {
	objects, err := kubeyaml.Read(filepath.Join(examples, "argocd", "apps"))
	if err != nil {
		t.Fatal(err)
	}
	waves := map[string]string{}
	for _, u := range objects {
		waves[u.GetName()] = u.GetAnnotations()["argocd.argoproj.io/sync-wave"]
		if len(u.GetFinalizers()) > 0 || u.GetAnnotations()["argocd.argoproj.io/sync-options"] != "Prune=false,Delete=false" {
			t.Errorf("%s: who deletes the Application deletes what it has applied", u.GetName())
		}
	}
	if len(waves) != len(order) || !slices.IsSortedFunc(order, func(a, b string) int { return int(waves[a][0]) - int(waves[b][0]) }) {
		t.Errorf("waves are %v", waves)
	}
	if health := argoCD(t).overrides["argoproj.io/Application"].HealthLua; health == "" {
		t.Error("no wave would wait for its Application")
	}
}

// TestFluxOrder has each Kustomization wait for the one before it, by health checks that it has.
func TestFluxOrder(t *testing.T) {
	found := map[string]*unstructured.Unstructured{}
	for _, u := range built(t, "flux") {
		if u.GetKind() == "Kustomization" {
			found[u.GetName()] = u
		}
	}
	if len(found) != len(order)+1 {
		t.Errorf("%d Kustomizations", len(found))
	}
	before := "beside"
	for _, name := range order {
		u := found[name]
		if u == nil {
			t.Fatalf("there is no Kustomization %s", name)
		}
		depends, _, err := unstructured.NestedSlice(u.Object, "spec", "dependsOn")
		if err != nil || len(depends) != 1 || depends[0].(map[string]any)["name"] != before {
			t.Errorf("%s depends on %v, want %s", name, depends, before)
		}
		checks, _, err := unstructured.NestedSlice(u.Object, "spec", "healthCheckExprs")
		if wait, _, _ := unstructured.NestedBool(u.Object, "spec", "wait"); err != nil || !wait || len(checks) < 20 {
			t.Errorf("%s does not wait for health: %d checks, %v", name, len(checks), err)
		}
		if policy, _, _ := unstructured.NestedString(u.Object, "spec", "deletionPolicy"); policy != "Orphan" {
			t.Errorf("%s: who deletes the Kustomization deletes what it has applied", name)
		}
		before = name
	}
}

// TestNothingIsPruned looks at all that is applied: to take a file away deletes no cluster.
func TestNothingIsPruned(t *testing.T) {
	for _, folder := range order {
		for _, u := range built(t, folder) {
			annotations := u.GetAnnotations()
			if annotations["argocd.argoproj.io/sync-options"] != "Prune=confirm,Delete=confirm" || annotations["kustomize.toolkit.fluxcd.io/prune"] != "disabled" {
				t.Errorf("%s %s may be pruned: %v", u.GetKind(), u.GetName(), annotations)
			}
		}
	}
}

// TestValid holds the composite resources of the example against their schemas.
func TestValid(t *testing.T) {
	checked := 0
	for _, folder := range order {
		for _, u := range built(t, folder) {
			kind, known := composite.Lookup(u.GroupVersionKind().GroupKind())
			if !known {
				continue
			}
			definition, err := schema.Read(filepath.Join("../../../package/configuration", kind.Plural(), "definition.yaml"), kind.Version)
			if err != nil {
				t.Fatal(err)
			}
			if err := definition.Validate(t.Context(), u.Object, nil); err != nil {
				t.Errorf("%s %s: %v", kind.Kind, u.GetName(), err)
			}
			checked++
		}
	}
	if checked != 4 {
		t.Errorf("%d composite resources, want 4", checked)
	}
}
