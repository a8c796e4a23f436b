package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// renderCommand previews manifests offline.
type renderCommand struct {
	Files []string `arg:"" name:"file" help:"Manifests with the Cluster, its MachinePools and the CAPZ kinds; - for standard input."`
}

// Run prints the resources as YAML in the order of their creation. What is missing goes to standard error.
func (c *renderCommand) Run() error {
	var objects []*unstructured.Unstructured
	for _, file := range c.Files {
		more, err := read(file)
		if err != nil {
			return err
		}
		objects = append(objects, more...)
	}
	resources, problems, err := preview.Make(context.Background(), &Function{log: logging.NewNopLogger()}, objects)
	if err != nil {
		return err
	}
	for _, r := range resources {
		out, err := sigsyaml.Marshal(r.Object)
		if err != nil {
			return err
		}
		fmt.Printf("---\n%s", out)
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d of the objects would not become ready", len(problems))
	}
	return nil
}

func read(file string) ([]*unstructured.Unstructured, error) {
	in := os.Stdin
	if file != "-" {
		f, err := os.Open(file) //nolint:gosec // It is the user's own choice.
		if err != nil {
			return nil, err
		}
		defer f.Close() //nolint:errcheck // It was only read.
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
		if err := sigsyaml.Unmarshal(document, &o.Object); err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}
