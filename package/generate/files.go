package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/yaml"
)

// configurationDir is where definitions and Compositions go, below the root of the checkout.
const configurationDir = "package/configuration"

// providerDir is where the CustomResourceDefinitions of the provider's own kinds go, below the root of the checkout.
const providerDir = "package/provider/crds"

// installDir is where that goes which no package carries, below the root of the checkout.
const installDir = "package/install"

const yamlHeader = "# Generated from the Go types under apis by `go run ./package/generate`. Do not edit.\n---\n"

// fileSet has the content of each generated file by its path below the root of the checkout.
type fileSet map[string][]byte

// addYAML adds one Kubernetes object as a file. The status of the object, which is for the API server to write, is left out.
func (f fileSet) addYAML(name string, object runtime.Object) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	delete(content, "status")
	out, err := yaml.Marshal(content)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f[name] = append([]byte(yamlHeader), out...)
	return nil
}

// write puts every file under root, leaving files that already have their content as they are.
func (f fileSet) write(root string) error {
	for name, content := range f {
		path := filepath.Join(root, name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// packageOutput is a genall.OutputRule that keeps the code generated for a Go package in a fileSet.
type packageOutput struct {
	root  string
	files fileSet
}

// Open returns a writer for the file of the given name in a package; its content is kept when the writer is closed.
func (o packageOutput) Open(pkg *loader.Package, name string) (io.WriteCloser, error) {
	if pkg == nil || len(pkg.CompiledGoFiles) == 0 {
		return nil, fmt.Errorf("%s belongs to no Go package", name)
	}
	rel, err := filepath.Rel(o.root, filepath.Join(filepath.Dir(pkg.CompiledGoFiles[0]), name))
	if err != nil {
		return nil, err
	}
	return &bufferedFile{name: rel, files: o.files}, nil
}

type bufferedFile struct {
	bytes.Buffer

	name  string
	files fileSet
}

// Close keeps what was written.
func (b *bufferedFile) Close() error {
	b.files[b.name] = b.Bytes()
	return nil
}
