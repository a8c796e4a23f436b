package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// writeInputs writes a folder for each composite resource, named for its kind and name, with composite.yaml,
// observed.yaml and required.yaml, and a folder schemas beside them.
func writeInputs(dir string, made *preview.Preview) error {
	schemas, err := made.Schemas()
	if err != nil {
		return err
	}
	for name, document := range schemas {
		if err := writeFile(filepath.Join(dir, "schemas", name), document); err != nil {
			return err
		}
	}
	for _, in := range made.Inputs() {
		folder := filepath.Join(dir, strings.ToLower(in.Composite.GetKind())+"-"+in.Composite.GetName())
		for name, objects := range map[string][]*unstructured.Unstructured{
			"composite.yaml": {in.Composite}, "observed.yaml": in.Observed, "required.yaml": in.Required,
		} {
			out, err := marshal(objects)
			if err != nil {
				return err
			}
			if err := writeFile(filepath.Join(folder, name), out); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o644)
}

func readCRDs(names []string) ([]extv1.CustomResourceDefinition, error) {
	files, err := manifests(names)
	if err != nil {
		return nil, err
	}
	var crds []extv1.CustomResourceDefinition
	for _, file := range files {
		objects, err := read(file)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			crd := extv1.CustomResourceDefinition{}
			if o.GetKind() != "CustomResourceDefinition" {
				return nil, fmt.Errorf("%s: %s %s is no CustomResourceDefinition", file, o.GetKind(), o.GetName())
			}
			if err := shape.Convert(o.Object, &crd); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			crds = append(crds, crd)
		}
	}
	return crds, nil
}
