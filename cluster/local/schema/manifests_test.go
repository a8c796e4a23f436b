package schema

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drone/envsubst/v2"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// variables are what CAPZ's templates ask for.
var variables = map[string]string{
	"CLUSTER_NAME":               "from-template",
	"CLUSTER_CLASS_NAME":         "from-template",
	"KUBERNETES_VERSION":         "v1.33.6",
	"AZURE_LOCATION":             "westeurope",
	"AZURE_NODE_MACHINE_TYPE":    "Standard_D2s_v5",
	"ASO_CREDENTIAL_SECRET_NAME": "aso-credential",
}

// TestCAPZTemplates creates the objects of CAPZ's own templates, at both versions, and reads them back unchanged.
func TestCAPZTemplates(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(capzDir(t), "templates", "cluster-template-aks-aso*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 4 {
		t.Fatalf("found %d templates, want at least 4", len(files))
	}
	kinds := map[string]bool{}
	for _, file := range files {
		for _, object := range readObjects(t, file, variables) {
			if object.GroupVersionKind().Group != group {
				continue
			}
			kinds[object.GetKind()] = true
			for _, version := range []string{"v1beta1", "v1alpha1"} {
				t.Run(filepath.Base(file)+"/"+object.GetKind()+"/"+object.GetName()+"/"+version, func(t *testing.T) {
					checkRoundTrip(t, object, version)
				})
			}
		}
	}
	if len(kinds) != 6 {
		t.Errorf("the templates have %d kinds, want 6: %v", len(kinds), kinds)
	}
}

// checkRoundTrip writes an object at a version and expects its spec unchanged at both. CAPZ's templates leave the spec of
// some templates' template empty, which is kept as well.
func checkRoundTrip(t *testing.T, object *unstructured.Unstructured, version string) {
	t.Helper()
	written := object.DeepCopy()
	written.SetAPIVersion(group + "/" + version)
	create(t, written)
	for _, v := range []string{"v1beta1", "v1alpha1"} {
		read := &unstructured.Unstructured{}
		read.SetAPIVersion(group + "/" + v)
		read.SetKind(object.GetKind())
		if err := server.client.Get(context.Background(), client.ObjectKeyFromObject(object), read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(object.Object["spec"], read.Object["spec"]); diff != "" {
			t.Errorf("spec written at %s and read at %s (-written +read):\n%s", version, v, diff)
		}
	}
}

// create creates an object and deletes it when the test ends.
func create(t *testing.T, object client.Object) {
	t.Helper()
	if object.GetNamespace() == "" {
		object.SetNamespace("default")
	}
	if err := server.client.Create(context.Background(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.client.Delete(context.Background(), object); err != nil {
			t.Error(err)
		}
	})
}

// testedElsewhere are folders and files of examples whose objects this API server cannot check, with where they are tested.
var testedElsewhere = map[string]string{
	"flavors":                            "templates for clusterctl: the end-to-end tests apply them",
	"platform":                           "objects of several namespaces, partly Crossplane's: the end-to-end tests apply them, TestPlatformExamples has those of the application teams",
	"platform-full":                      "objects of several namespaces, partly Crossplane's: TestAppEnvironments and cluster/local/cli have them",
	"image-verification":                 "of Crossplane's package manager: package/signing verifies packages with it",
	"portal":                             "a form, which no API server knows: cluster/local/portal fills it in",
	"monitoring/kube-state-metrics.yaml": "a configuration, which is no object: package/generate",
	"monitoring/podmonitors.yaml":        "of the Prometheus operator: cluster/monitoring",
	"monitoring/prometheusrules.yaml":    "of the Prometheus operator: cluster/monitoring",
}

// TestExamples has the API server check every object of every example strictly: no unknown field, no wrong type. That goes
// for the ASO objects in spec.resources as well, each against the schema of its own kind and version.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(checkout, "examples", "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		folder := filepath.Base(filepath.Dir(file))
		return testedElsewhere[folder] != "" || testedElsewhere[folder+"/"+filepath.Base(file)] != ""
	})
	if len(files) < 10 {
		t.Fatalf("found %d files, want at least 10", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			for _, object := range readObjects(t, file, nil) {
				dryRun(t, object)
				resources, _, err := unstructured.NestedSlice(object.Object, "spec", "resources")
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range resources {
					resource := &unstructured.Unstructured{Object: r.(map[string]any)}
					resource.SetNamespace(object.GetNamespace())
					dryRun(t, resource)
				}
			}
		})
	}
}

// dryRun has the API server check an object without storing it.
func dryRun(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	if err := server.client.Create(context.Background(), object.DeepCopy(), client.DryRunAll); err != nil {
		t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

// readObjects reads the YAML documents of a file. With values, variables are filled in as clusterctl does; one that has
// neither value nor default is an error.
func readObjects(t *testing.T, file string, values map[string]string) []*unstructured.Unstructured {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	if values != nil {
		if text, err = fill(text, values); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	out, err := kubeyaml.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return out
}

func fill(text string, values map[string]string) (string, error) {
	template, err := envsubst.Parse(text)
	if err != nil {
		return "", err
	}
	var missing []string
	out, err := template.Execute(func(name string) string {
		value, ok := values[name]
		if !ok {
			missing = append(missing, name)
		}
		return value
	})
	if err != nil {
		return "", err
	}
	for _, name := range missing {
		if !strings.Contains(text, "${"+name+":=") && !strings.Contains(text, "${"+name+":-") {
			return "", fmt.Errorf("no value for ${%s}", name)
		}
	}
	return out, nil
}
