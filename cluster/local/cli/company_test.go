package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const companyExample = "examples/company-composition"

// company serves both functions of the example's pipeline and returns the file for composition render.
func company(t *testing.T) (functions string) {
	t.Helper()
	return functionsFile(t, companyFunctions(t))
}

// companyFunctions serves both and returns their addresses by the names that Compositions have for them.
func companyFunctions(t *testing.T) map[string]string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "function-company-policy")
	build := exec.Command("go", "build", "-o", binary, "./"+companyExample+"/function")
	build.Dir = tools.root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return map[string]string{functionName: serve(t, tools.function, "serve", quiet), "function-company-policy": serve(t, binary, quiet)}
}

// companyComposition returns the Composition of the example for the composite resource of an input folder.
func companyComposition(input string) string {
	kind, _, _ := strings.Cut(filepath.Base(input), "-")
	return filepath.Join(companyExample, "compositions", strings.TrimPrefix(kind, "azureasomanaged")+"s.yaml")
}

// TestCompanyComposition shows that a step after function-capz sees all that it composes, and decides on it.
func TestCompanyComposition(t *testing.T) {
	functions := company(t)
	folder := filepath.Join(companyExample, "cluster")
	checkValid(t, folder)
	_, inputs := preview(t, folder, "--crds", tools.aso)
	got := map[string]map[string]string{}
	for _, dir := range inputs {
		for _, document := range render(t, dir, companyComposition(dir), functions)[1:] {
			o := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
				t.Fatal(err)
			}
			tags, _, err := unstructured.NestedStringMap(o.Object, "spec", "tags")
			if err != nil {
				t.Fatal(err)
			}
			got[o.GetKind()+" "+o.GetName()] = tags
		}
	}
	tags := map[string]string{"cost-center": "4711", "managed-by": "platform-team"}
	want := map[string]map[string]string{
		"ResourceGroup my-cluster":                  tags,
		"ManagedCluster my-cluster":                 {"cost-center": "4711", "managed-by": "platform-team", "team": "shop"},
		"ManagedClustersAgentPool my-cluster-pool0": tags,
		"ManagedClustersAgentPool my-cluster-pool1": tags,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tags: -want, +got:\n%s", diff)
	}
}

// TestCompanyRefuses shows that a size that the company denies ends the rendering with a message to act on.
func TestCompanyRefuses(t *testing.T) {
	functions := company(t)
	manifests := changed(t, filepath.Join(tools.root, companyExample, "cluster"), "mode: User\n      type: VirtualMachineScaleSets\n      vmSize: Standard_D2s_v5",
		"mode: User\n      type: VirtualMachineScaleSets\n      vmSize: Standard_M128s")
	file := writeFile(t, "manifests.yaml", manifests)
	_, inputs := preview(t, file, "--crds", tools.aso)
	want := map[string]string{
		"azureasomanagedcluster-my-cluster":           "",
		"azureasomanagedcontrolplane-my-cluster":      `ManagedCluster my-cluster: spec.agentPoolProfiles[1].vmSize is "Standard_M128s", but the company allows Standard_D2s_v5, Standard_D4s_v5`,
		"azureasomanagedmachinepool-my-cluster-pool0": "",
		"azureasomanagedmachinepool-my-cluster-pool1": `ManagedClustersAgentPool my-cluster-pool1: spec.vmSize is "Standard_M128s", but the company allows Standard_D2s_v5, Standard_D4s_v5`,
	}
	for _, dir := range inputs {
		_, stderr, err := tryRender(t, dir, companyComposition(dir), functions)
		message, known := want[filepath.Base(dir)]
		switch {
		case !known:
			t.Errorf("unexpected input %s", dir)
		case message == "" && err != nil:
			t.Errorf("%s: %v\n%s", filepath.Base(dir), err, stderr)
		case message != "":
			checkRefused(t, stderr, err, message)
		}
	}
}
