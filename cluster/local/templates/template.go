package templates

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Template is one file.
type Template struct {
	// Path is the file below CAPZ's folder "templates", or below Others.
	Path string
	// Kinds has how many objects of each kind there are.
	Kinds map[string]int
	// file is the path of the file, text what is in it.
	file, text string
}

// folders of CAPZ's templates: what it publishes, what its tests use, and what its developers do.
var folders = []string{".", "test/ci", "test/dev"}

// Load returns CAPZ's templates, given the folder of its module, and then those of Others, given the checkout.
func Load(module, root string) ([]Template, error) {
	var all []Template
	for _, folder := range folders {
		found, err := load(filepath.Join(module, "templates", folder, "cluster-template*.yaml"), folder)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no templates", module)
	}
	others, err := load(filepath.Join(root, "cluster", "local", "templates", Others, "*.yaml"), Others)
	return append(all, others...), err
}

// Others is the folder with manifests in the shape of those that others have written for CAPZ's kinds.
const Others = "others"

// load returns the templates that match a pattern, with paths in a folder.
func load(pattern, folder string) ([]Template, error) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	var all []Template
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			return nil, err
		}
		all = append(all, newTemplate(filepath.Join(folder, filepath.Base(file)), file, string(raw)))
	}
	return all, nil
}

// kindLine is the line of an object that says its kind: a template is no YAML before its variables are filled in.
var kindLine = regexp.MustCompile(`(?m)^kind: (\w+)$`)

func newTemplate(path, file, text string) Template {
	t := Template{Path: path, Kinds: map[string]int{}, file: file, text: text}
	for _, match := range kindLine.FindAllStringSubmatch(text, -1) {
		t.Kinds[match[1]]++
	}
	return t
}

// Name is what people call the template: that of the file without what all have.
func (t Template) Name() string {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(t.Path), "cluster-template"), ".yaml")
	return cmp.Or(strings.TrimPrefix(name, "-"), "default")
}

// has reports whether the template has an object of a kind.
func (t Template) has(kind string) bool { return t.Kinds[kind] > 0 }

// HasProtectedSettings reports whether the template writes protected settings of an extension into an object, where everybody who may read that
// sees them.
func (t Template) HasProtectedSettings() bool { return strings.Contains(t.text, "protectedSettings") }

// KindsInWords lists the kinds, with how many of each there are if more than one.
func (t Template) KindsInWords() string {
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(t.Kinds)) {
		if n := t.Kinds[kind]; n > 1 {
			kind = fmt.Sprintf("%s ×%d", kind, n)
		}
		words = append(words, kind)
	}
	return strings.Join(words, ", ")
}

// classes are the templates with the ClusterClass of each topology.
var classes = map[string]string{
	"cluster-template-topology.yaml":                   "cluster-template-clusterclass.yaml",
	"cluster-template-aks-topology.yaml":               "cluster-template-aks-clusterclass.yaml",
	"cluster-template-aks-aso-topology.yaml":           "cluster-template-aks-aso-clusterclass.yaml",
	"test/ci/cluster-template-prow-topology.yaml":      "test/ci/cluster-template-prow-clusterclass-ci-default.yaml",
	"test/ci/cluster-template-prow-aks-topology.yaml":  "test/ci/cluster-template-prow-aks-clusterclass.yaml",
	"test/ci/cluster-template-prow-topology-rke2.yaml": "test/ci/cluster-template-prow-clusterclass-ci-rke2.yaml",
}

// files returns the files that are applied for the template: that of its ClusterClass first.
func (t Template) files() []string {
	if class, ok := classes[t.Path]; ok {
		return []string{filepath.Join(strings.TrimSuffix(t.file, t.Path), class), t.file}
	}
	return []string{t.file}
}

// outside is what a template takes from outside of Azure and Kubernetes, which nobody can give it here; empty for most.
func (t Template) outside() string {
	if filepath.Dir(t.Path) == "test/dev" {
		return "needs its user's own builds of Kubernetes from a storage account"
	}
	return ""
}
