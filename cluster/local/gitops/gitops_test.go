package gitops

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fluxcd/pkg/apis/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const examples = "../../../examples/gitops"

// phases are the folders of testdata, with what must be said of the objects in them.
var phases = []struct{ folder, argoCD, flux string }{
	{"waiting", Progressing, "InProgress"},
	{"ready", Healthy, "Current"},
	{"paused", Suspended, "InProgress"},
	{"failed", Degraded, "Failed"},
	{"deleting", Progressing, "InProgress"},
}

func argoCD(t *testing.T) *ArgoCD {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(examples, "argocd", "health.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewArgoCD(raw)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func flux(t *testing.T) *Flux {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(examples, "flux", "health.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var kustomization struct {
		Spec struct {
			HealthCheckExprs []kustomize.CustomHealthCheck `json:"healthCheckExprs"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(raw, &kustomization); err != nil {
		t.Fatal(err)
	}
	f, err := NewFlux(kustomization.Spec.HealthCheckExprs)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestHealth has both engines look at objects that were recorded in end-to-end runs (testdata/README.md).
func TestHealth(t *testing.T) {
	argoCD, flux := argoCD(t), flux(t)
	for _, p := range phases {
		files, err := filepath.Glob(filepath.Join("testdata", p.folder, "*.yaml"))
		if err != nil || len(files) < 2 {
			t.Errorf("%s: %d files, %v", p.folder, len(files), err)
		}
		for _, file := range files {
			t.Run(p.folder+"/"+filepath.Base(file), func(t *testing.T) {
				u := object(t, file)
				health, err := argoCD.Health(u)
				if err != nil || health.Status != p.argoCD {
					t.Errorf("Argo CD: %+v, %v; want %s", health, err, p.argoCD)
				}
				if health.Message == "" && p.argoCD != Healthy {
					t.Error("Argo CD: there is no message")
				}
				status, err := flux.Status(t.Context(), u)
				if err != nil || status != p.flux {
					t.Errorf("Flux: %s, %v; want %s", status, err, p.flux)
				}
			})
		}
	}
}

// TestNoStatus looks at the ready objects as they were made, before anything was said of them.
func TestNoStatus(t *testing.T) {
	argoCD, flux := argoCD(t), flux(t)
	files, err := filepath.Glob("testdata/ready/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		u := object(t, file)
		delete(u.Object, "status")
		if health, err := argoCD.Health(u); err != nil || health.Status != Progressing {
			t.Errorf("%s: Argo CD: %+v, %v", file, health, err)
		}
		// Without a status CEL has no value for it: Flux calls that Unknown, and waits.
		if status, err := flux.Status(t.Context(), u); err == nil && status != "InProgress" {
			t.Errorf("%s: Flux: %s", file, status)
		}
	}
}

// TestUnseenChange looks at the ready objects after a change that nobody has seen.
func TestUnseenChange(t *testing.T) {
	argoCD, flux := argoCD(t), flux(t)
	files, _ := filepath.Glob("testdata/ready/*.yaml")
	for _, file := range files {
		u := object(t, file)
		u.SetGeneration(u.GetGeneration() + 1)
		if health, err := argoCD.Health(u); err != nil || health.Status != Progressing {
			t.Errorf("%s: Argo CD: %+v, %v", file, health, err)
		}
		if status, err := flux.Status(t.Context(), u); err != nil || status != "InProgress" {
			t.Errorf("%s: Flux: %s, %v", file, status, err)
		}
	}
}

// TestEveryKind has one check, and one only, for each kind of the catalogues.
func TestEveryKind(t *testing.T) {
	argoCD, flux := argoCD(t), flux(t)
	var kinds []schema.GroupKind
	for _, k := range composite.Catalogue() {
		kinds = append(kinds, k.GroupKind())
		if k.Claim != "" {
			kinds = append(kinds, schema.GroupKind{Group: k.Group, Kind: k.Claim})
		}
	}
	for _, k := range aso.Catalogue() {
		kinds = append(kinds, k.GroupKind())
	}
	for _, kind := range []string{"Cluster", "MachinePool", "MachineDeployment"} {
		kinds = append(kinds, schema.GroupKind{Group: "cluster.x-k8s.io", Kind: kind})
	}
	for _, kind := range kinds {
		override, patterns := argoCD.Override(kind)
		if len(patterns) != 1 || override.HealthLua == "" {
			t.Errorf("%s: Argo CD has patterns %v", kind, patterns)
		}
		if _, ok := flux.evaluators[kind]; !ok {
			t.Errorf("%s: Flux has no check", kind)
		}
	}
}

// TestIgnored reads the fields that others write.
func TestIgnored(t *testing.T) {
	override, _ := argoCD(t).Override(composite.AzureMachine.GroupKind())
	ignored, err := override.Ignored()
	if err != nil || len(ignored.JSONPointers) != 3 {
		t.Errorf("%v, %v", ignored, err)
	}
}

func object(t *testing.T, file string) *unstructured.Unstructured {
	t.Helper()
	objects, err := kubeyaml.Read(file)
	if err != nil || len(objects) != 1 {
		t.Fatalf("%s: %d objects, %v", file, len(objects), err)
	}
	return objects[0]
}
