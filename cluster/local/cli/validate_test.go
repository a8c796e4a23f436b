package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// validate runs `crossplane resource validate` offline; resources are a file, a folder, or - for stdin.
func validate(t *testing.T, extensions []string, resources, stdin string) (output string, err error) {
	t.Helper()
	manifests := stdin
	if resources != "-" {
		manifests = readAll(t, resources)
	}
	stdout, stderr, err := run(t, stdin, tools.crossplane, "resource", "validate", strings.Join(defining(t, extensions, manifests), ","), resources,
		"--crossplane-image=", "--error-on-missing-schemas", "--cache-dir="+t.TempDir())
	return stdout + stderr, err
}

var (
	// kindLine is where a manifest says a kind, of itself or of what is in it.
	kindLine = regexp.MustCompile(`(?m)^ *kind: "?(\w+)"?$`)
	// definedKind is where a definition names the kind that it defines.
	definedKind = regexp.MustCompile(`(?m)^    kind: (\w+)$`)
	// definedKinds are the kinds of each file that has been read.
	definedKinds sync.Map
)

// defining returns the files with the definitions of the kinds that manifests have, of the files and folders given, or these if there
// are none. The CLI takes seconds to read all of ASO's.
func defining(t *testing.T, extensions []string, manifests string) []string {
	t.Helper()
	wanted := kindsIn(kindLine, manifests)
	var files []string
	for _, path := range extensions {
		for _, file := range filesIn(t, path) {
			kinds, known := definedKinds.Load(file)
			if !known {
				kinds, _ = definedKinds.LoadOrStore(file, kindsIn(definedKind, read(t, file)))
			}
			if slices.ContainsFunc(kinds.([]string), func(kind string) bool { return slices.Contains(wanted, kind) }) {
				files = append(files, file)
			}
		}
	}
	if len(files) == 0 {
		return extensions
	}
	return files
}

// kindsIn returns what a pattern with one group finds.
func kindsIn(pattern *regexp.Regexp, text string) []string {
	var kinds []string
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		kinds = append(kinds, match[1])
	}
	return kinds
}

// filesIn returns the manifests in a folder, or the file itself.
func filesIn(t *testing.T, path string) []string {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(tools.root, path)
	}
	if strings.HasSuffix(path, ".yaml") {
		return []string{path}
	}
	files, err := filepath.Glob(filepath.Join(path, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("want manifests in %s, got %v, %v", path, files, err)
	}
	return files
}

// readAll returns a file, or all manifests of a folder as one text.
func readAll(t *testing.T, path string) string {
	t.Helper()
	var texts []string
	for _, file := range filesIn(t, path) {
		texts = append(texts, read(t, file))
	}
	return strings.Join(texts, "\n---\n")
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExamplesAreValid shows that each example has no mistake that can be found without a cluster: not in what is applied,
// and not in the ASO objects that it stands for.
func TestExamplesAreValid(t *testing.T) {
	for _, folder := range examples(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			checkValid(t, folder)
		})
	}
}

func checkValid(t *testing.T, folder string) {
	t.Helper()
	if out, err := validate(t, tools.kinds, folder, ""); err != nil || strings.Contains(out, "Total 0 resources") {
		t.Errorf("%s: %v\n%s", folder, err, out)
	}
	rendered, stderr, err := run(t, "", tools.function, "render", folder)
	if err != nil {
		t.Fatalf("%s: %v\n%s", folder, err, stderr)
	}
	if out, err := validate(t, []string{tools.aso}, "-", rendered); err != nil || strings.Contains(out, "Total 0 resources") {
		t.Errorf("what %s stands for: %v\n%s", folder, err, out)
	}
}

// wrong has the messages that a person must see about each file in testdata/wrong.
var wrong = map[string][]string{
	"misspelled-field.yaml":         {`spec.verion: Invalid value: "verion": unknown field: "verion"`},
	"replicas-of-pool.yaml":         {`spec.replicas: Invalid value: "replicas": unknown field: "replicas"`},
	"composition-ref-typo.yaml":     {`spec.crossplane.compositionReference: Invalid value: "compositionReference": unknown field`},
	"number-for-a-version.yaml":     {"spec.version in body must be of type string"},
	"resources-no-list.yaml":        {"spec.resources in body must be of type array"},
	"entry-no-object.yaml":          {"spec.resources[0] in body must be of type object"},
	"no-kubernetes-version.yaml":    {`spec.version: Invalid value: "latest": must be a Kubernetes version`},
	"entry-without-name.yaml":       {"spec.resources[0]: Invalid value: needs a metadata.name"},
	"entry-without-kind.yaml":       {"spec.resources[0]: Invalid value: needs an apiVersion and a kind"},
	"entry-without-apiversion.yaml": {"spec.resources[0]: Invalid value: needs an apiVersion and a kind"},
	"no-spec.yaml":                  {"spec: Required value"},
	"template-without-spec.yaml":    {"spec.template: Required value"},
	"template-like-an-object.yaml":  {"spec.template: Required value", `spec.resources: Invalid value: "resources": unknown field`},
	"pool-without-cluster.yaml":     {"spec.clusterName: Required value", "spec.template.spec.clusterName: Required value"},
	"old-reference.yaml":            {"spec.controlPlaneRef.apiGroup: Required value", `spec.controlPlaneRef.apiVersion: Invalid value: "apiVersion": unknown field`},
	"long-name.yaml":                {"metadata.name: Too long: may not be more than 63 bytes"},
	"unknown-apiversion.yaml":       {"could not find CRD/XRD for: infrastructure.cluster.x-k8s.io/v1beta2, Kind=AzureASOManagedControlPlane"},
	"unknown-kind.yaml":             {"could not find CRD/XRD for: infrastructure.cluster.x-k8s.io/v1beta1, Kind=AzureASOManagedControlplane"},
}

// TestWrongManifests shows that each mistake is found, and told so that a person knows what to change.
func TestWrongManifests(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "wrong", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	if known := slices.Sorted(maps.Keys(wrong)); !slices.Equal(known, names) {
		t.Fatalf("the cases are %v, the files in testdata/wrong are %v", known, names)
	}
	for name, messages := range wrong {
		t.Run(strings.TrimSuffix(name, ".yaml"), func(t *testing.T) {
			t.Parallel()
			file, err := filepath.Abs(filepath.Join("testdata", "wrong", name))
			if err != nil {
				t.Fatal(err)
			}
			out, err := validate(t, tools.kinds, file, "")
			checkRefused(t, out, err, messages...)
		})
	}
}

func checkRefused(t *testing.T, out string, err error, messages ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("accepted:\n%s", out)
	}
	for _, m := range messages {
		if !strings.Contains(out, m) {
			t.Errorf("does not say %q:\n%s", m, out)
		}
	}
}

// TestWrongResources shows that mistakes inside of spec.resources, where any ASO kind may stand, are found in what is rendered.
func TestWrongResources(t *testing.T) {
	cases := map[string]struct{ right, wrong, message string }{
		"misspelled field":   {"dnsPrefix: my-cluster", "dnsPrefx: my-cluster", `spec.dnsPrefx: Invalid value: "dnsPrefx": unknown field: "dnsPrefx"`},
		"wrong type":         {"addressPrefixes: [10.10.0.0/16]", "addressPrefixes: 10.10.0.0/16", "spec.addressSpace.addressPrefixes in body must be of type array"},
		"unknown value":      {"networkPluginMode: overlay", "networkPluginMode: underlay", `spec.networkProfile.networkPluginMode: Unsupported value: "underlay": supported values: "overlay"`},
		"missing field":      {"roleDefinitionReference:\n        wellKnownName: Network Contributor", "description: networks", "spec.roleDefinitionReference: Required value"},
		"unknown apiVersion": {"managedidentity.azure.com/v1api20230131", "managedidentity.azure.com/v1api20230132", "could not find CRD/XRD for: managedidentity.azure.com/v1api20230132, Kind=UserAssignedIdentity"},
		"unknown kind":       {"kind: RoleAssignment", "kind: RoleAssignments", "could not find CRD/XRD for: authorization.azure.com/v1api20220401, Kind=RoleAssignments"},
	}
	example := filepath.Join(tools.root, "examples", "aks-aso-vnets")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifests := changed(t, example, c.right, c.wrong)
			if out, err := validate(t, tools.kinds, "-", manifests); err != nil {
				t.Errorf("the manifests themselves are refused: %v\n%s", err, out)
			}
			rendered, stderr, err := run(t, manifests, tools.function, "render", "-")
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			out, err := validate(t, []string{tools.aso}, "-", rendered)
			checkRefused(t, out, err, c.message)
		})
	}
}

// changed returns the manifests of a folder as one text, with the first occurrence of right replaced.
func changed(t *testing.T, folder, right, wrong string) string {
	t.Helper()
	all := readAll(t, folder)
	if !strings.Contains(all, right) {
		t.Fatalf("%s has no %q to replace", folder, right)
	}
	return strings.Replace(all, right, wrong, 1)
}
