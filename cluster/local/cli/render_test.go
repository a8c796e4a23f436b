package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// functionName is what the generated Compositions call function-capz.
const functionName = "crossplane-capz-function-capz"

// TestRendersAlike shows that Crossplane itself composes what `make render` prints, byte for byte, in whatever order.
func TestRendersAlike(t *testing.T) {
	functions := functionsFile(t, map[string]string{functionName: serve(t, tools.function, "serve", quiet)})
	for _, folder := range examples(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			checkRendersAlike(t, functions, folder)
		})
	}
}

func checkRendersAlike(t *testing.T, functions, folder string) {
	t.Helper()
	previewed, inputs := preview(t, folder, "--crds", tools.aso)
	var composed []string
	for _, dir := range inputs {
		kind, _, _ := strings.Cut(filepath.Base(dir), "-")
		out := render(t, dir, filepath.Join("package", "configuration", plural(kind), "composition.yaml"), functions)
		composed = append(composed, out[1:]...)
	}
	slices.Sort(composed)
	slices.Sort(previewed)
	if diff := cmp.Diff(previewed, composed); diff != "" {
		t.Errorf("-make render, +crossplane composition render:\n%s", diff)
	}
}

// plural returns the plural of a kind in lower case, which names its folder.
func plural(kind string) string {
	if stem, found := strings.CutSuffix(kind, "y"); found {
		return stem + "ies"
	}
	return kind + "s"
}

// preview returns the documents that function-capz renders, and the folders with the input of each composite resource.
func preview(t *testing.T, folder string, args ...string) (documents, inputs []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "inputs")
	stdout, stderr, err := run(t, "", tools.function, append([]string{"render", folder, "--inputs", dir}, args...)...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", folder, err, stderr)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "composite.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if want := composites(t, folder); len(files) != want || want == 0 {
		t.Fatalf("%s has %d composite resources, but there are inputs of %v", folder, want, files)
	}
	for _, f := range files {
		inputs = append(inputs, filepath.Dir(f))
	}
	return split(stdout), inputs
}

// composites counts the composite resources in a file with manifests, or in those of a folder, with one machine of each of Cluster API's
// objects that make some.
func composites(t *testing.T, name string) int {
	t.Helper()
	manifests, count := "\n"+readAll(t, name), 0
	for _, line := range []string{"apiVersion: infrastructure.cluster.x-k8s.io/", "kind: KubeadmControlPlane\n", "kind: MachineDeployment\n"} {
		count += strings.Count(manifests, "\n"+line)
	}
	return count
}

// render runs `crossplane composition render` on the input of one composite resource. The first document that it returns
// is the composite resource, the others are what is composed.
func render(t *testing.T, input, composition, functions string) []string {
	t.Helper()
	stdout, stderr, err := tryRender(t, input, composition, functions)
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(input), err, stderr)
	}
	documents := split(stdout)
	if len(documents) == 0 {
		t.Fatalf("%s: nothing is rendered", filepath.Base(input))
	}
	return documents
}

func tryRender(t *testing.T, input, composition, functions string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return run(t, "", tools.crossplane, append([]string{
		"composition", "render", filepath.Join(input, "composite.yaml"), composition, functions,
		"--observed-resources=" + filepath.Join(input, "observed.yaml"), "--required-resources=" + filepath.Join(input, "required.yaml"),
		"--required-schemas=" + filepath.Join(input, "..", "schemas"), "--crossplane-binary=" + tools.core,
	}, args...)...)
}

// split returns the documents of a YAML stream.
func split(stream string) []string {
	var documents []string
	for document := range strings.SplitSeq("\n"+stream, "\n---\n") {
		if strings.TrimSpace(document) != "" {
			documents = append(documents, strings.TrimSpace(document))
		}
	}
	return documents
}
