package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// renderCommand previews manifests offline.
type renderCommand struct {
	Files  []string `arg:"" name:"file" help:"Manifests with the Cluster, its MachinePools and the CAPZ kinds; a folder of them, or - for standard input."`
	Inputs string   `placeholder:"FOLDER" help:"Also write to this folder what crossplane composition render takes for each of the CAPZ kinds."`
	CRDs   []string `name:"crds" placeholder:"FILE" help:"CustomResourceDefinitions of Azure Service Operator, files or folders: objects are checked against their schemas, as the API server that has them does."`
}

// Run prints the resources as YAML in the order of their creation. What is missing goes to standard error.
func (c *renderCommand) Run() error { return c.render(os.Stdout, os.Stderr) }

func (c *renderCommand) render(stdout, stderr io.Writer) error {
	var objects []*unstructured.Unstructured
	files, err := manifests(c.Files)
	if err != nil {
		return err
	}
	for _, file := range files {
		more, err := read(file)
		if err != nil {
			return err
		}
		objects = append(objects, more...)
	}
	crds, err := readCRDs(c.CRDs)
	if err != nil {
		return err
	}
	made, err := preview.Make(context.Background(), &Function{log: logging.NewNopLogger()}, objects, crds...)
	if err != nil {
		return err
	}
	out, err := marshal(made.Resources)
	if err != nil {
		return err
	}
	if _, err := stdout.Write(out); err != nil {
		return err
	}
	if c.Inputs != "" {
		if err := writeInputs(c.Inputs, made); err != nil {
			return err
		}
	}
	return report(made.Problems, stderr)
}

// report prints the problems; the error counts them.
func report(problems []preview.Problem, stderr io.Writer) error {
	for _, p := range problems {
		if _, err := fmt.Fprintln(stderr, p); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d of the objects would not become ready", len(problems))
	}
	return nil
}

// marshal returns the objects as one stream of YAML documents.
func marshal(objects []*unstructured.Unstructured) ([]byte, error) {
	var out bytes.Buffer
	for _, o := range objects {
		document, err := kubeyaml.Marshal(o.Object)
		if err != nil {
			return nil, err
		}
		out.WriteString("---\n")
		out.Write(document)
	}
	return out.Bytes(), nil
}

// manifests returns the files that are named, and those in the folders that are named.
func manifests(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err == nil && !info.IsDir() {
			files = append(files, name)
			continue
		}
		if err != nil {
			return nil, err
		}
		found, err := filepath.Glob(filepath.Join(name, "*.yaml"))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no *.yaml files in this folder", name)
		}
		files = append(files, found...)
	}
	return files, nil
}

func read(file string) ([]*unstructured.Unstructured, error) {
	in := os.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	var objects []*unstructured.Unstructured
	documents := yaml.NewYAMLReader(bufio.NewReader(in))
	for n := 1; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		o := &unstructured.Unstructured{}
		// As `kubectl apply` does: a key that is there twice is a mistake.
		if err := sigsyaml.UnmarshalStrict(document, &o.Object); err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}
