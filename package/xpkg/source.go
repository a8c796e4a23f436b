package xpkg

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// metadataFile has the metadata object of a package, in the folder of its source.
const metadataFile = "crossplane.yaml"

// Go packages of the binaries, below the root of the checkout.
const (
	functionPackage = "./functions/function-capz"
	providerPackage = "./cluster/provider"
)

// Annotations that marketplaces show.
const (
	readmeAnnotation = "meta.crossplane.io/readme"
	iconAnnotation   = "meta.crossplane.io/iconURI"
)

// source is what a package is made from.
type source struct {
	name string
	// metadata is the folder with the metadata object and the readme.
	metadata string
	// objects is the folder with what the package manager installs, in *.yaml files at any depth.
	objects string
	// kinds are those that the package manager installs from such a package.
	kinds []schema.GroupKind
	// examples is a folder with manifests that marketplaces show; empty for none.
	examples string
	icon     string
	// dependencies is the version that everything in dependsOn must have at least.
	dependencies string
	// binary is the Go package of what runs in the pod, and arguments are those it gets there.
	binary    string
	arguments []string
}

func (b Builder) configuration() source {
	return source{
		name:     Configuration,
		metadata: filepath.Join(b.Root, "package", "configuration"),
		objects:  b.Configuration,
		kinds: []schema.GroupKind{
			{Group: "apiextensions.crossplane.io", Kind: "CompositeResourceDefinition"},
			{Group: "apiextensions.crossplane.io", Kind: "Composition"},
		},
		examples:     filepath.Join(b.Root, "examples", "aks-aso"),
		icon:         b.icon(),
		dependencies: b.Version,
	}
}

func (b Builder) function() source {
	dir := filepath.Join(b.Root, "package", "function")
	return source{name: Function, metadata: dir, objects: dir, icon: b.icon(), binary: functionPackage}
}

func (b Builder) provider() source {
	dir := filepath.Join(b.Root, "package", "provider")
	return source{
		name: Provider, metadata: dir, objects: dir, icon: b.icon(), binary: providerPackage,
		kinds: []schema.GroupKind{
			{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"},
			{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"},
			{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
		},
		// Several replicas may run, and two do for a moment when a Deployment is rolled over.
		arguments: []string{"--leader-elect"},
	}
}

func (b Builder) icon() string { return filepath.Join(b.Root, "package", "icon.svg") }

// build makes the package upon a base image.
func (s source) build(base v1.Image) (v1.Image, error) {
	metadata, err := s.metadataObject()
	if err != nil {
		return nil, err
	}
	objects, err := kubeyaml.Read(s.objects, metadataFile)
	if err != nil {
		return nil, err
	}
	for _, u := range objects {
		if gk := u.GroupVersionKind().GroupKind(); !slices.Contains(s.kinds, gk) {
			return nil, fmt.Errorf("%s: %s %s cannot be in a %s package", s.objects, gk, u.GetName(), metadata.GetKind())
		}
	}
	layers := []contents{{file: packageFile, annotation: packageAnnotation, objects: append([]*unstructured.Unstructured{metadata}, objects...)}}
	if s.examples != "" {
		examples, err := kubeyaml.Read(s.examples, metadataFile)
		if err != nil {
			return nil, err
		}
		layers = append(layers, contents{file: examplesFile, annotation: examplesAnnotation, objects: examples})
	}
	return appendContents(base, layers)
}

// metadataObject returns the metadata object with what is kept elsewhere: readme, icon, and versions of dependencies.
func (s source) metadataObject() (*unstructured.Unstructured, error) {
	path := filepath.Join(s.metadata, metadataFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, &u.Object); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	readme, err := os.ReadFile(filepath.Join(s.metadata, "README.md"))
	if err != nil {
		return nil, err
	}
	icon, err := os.ReadFile(s.icon)
	if err != nil {
		return nil, err
	}
	annotations := u.GetAnnotations()
	if annotations == nil {
		return nil, fmt.Errorf("%s: has no annotations", path)
	}
	annotations[readmeAnnotation] = strings.TrimSpace(string(readme))
	annotations[iconAnnotation] = "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(icon)
	u.SetAnnotations(annotations)
	if err := s.setDependencies(u); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return u, nil
}

// setDependencies makes a package need at least its own version of what it depends on.
func (s source) setDependencies(u *unstructured.Unstructured) error {
	if s.dependencies == "" {
		return nil
	}
	all, found, err := unstructured.NestedSlice(u.Object, "spec", "dependsOn")
	if err != nil || !found {
		return errors.Join(errors.New("spec.dependsOn must be a list"), err)
	}
	for _, entry := range all {
		dependency, ok := entry.(map[string]any)
		if !ok {
			return fmt.Errorf("spec.dependsOn has a %T, but only objects may be there", entry)
		}
		dependency["version"] = ">=" + s.dependencies
	}
	return unstructured.SetNestedSlice(u.Object, all, "spec", "dependsOn")
}
