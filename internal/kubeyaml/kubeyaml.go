// Package kubeyaml reads Kubernetes objects from YAML and writes them.
package kubeyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Parse returns the objects of a stream of YAML documents, without empty ones.
func Parse(raw []byte) ([]*unstructured.Unstructured, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	var objects []*unstructured.Unstructured
	for {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(u)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(u.Object) > 0 {
			objects = append(objects, u)
		}
	}
}

// Read returns the objects of a YAML file, or of every *.yaml file below a folder in the order of their paths; files with
// one of the names in except are left out.
func Read(path string, except ...string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".yaml" || slices.Contains(except, entry.Name()) {
			return err
		}
		raw, err := os.ReadFile(file) //nolint:gosec // Nobody else writes these folders.
		if err != nil {
			return err
		}
		more, err := Parse(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, more...)
		return nil
	})
	return objects, err
}
