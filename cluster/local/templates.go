package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/templates"
)

type templatesCommand struct {
	Only     []string      `help:"Templates to bring up, by name or path, with * for anything; all when not given." placeholder:"NAME"`
	Parallel int           `default:"5" help:"How many are up at a time."`
	Patience time.Duration `default:"6m" help:"How long a template may take to come up, and to go."`
	State    string        `help:"The folder for everything that is written; .local/templates when not given." type:"path"`
	Table    bool          `help:"Bring nothing up; write the table of the results that are kept."`
	Keep     bool          `help:"Leave the management cluster up, and use the one that is."`
}

// The files that the results are kept in.
const (
	templateResults  = "docs/templates.json"
	templateDocument = "docs/templates.md"
)

func (c *templatesCommand) Run(ctx context.Context, root checkout) error {
	module, err := (&parts.Builder{Root: string(root), Log: os.Stdout}).CAPZDir(ctx)
	if err != nil {
		return err
	}
	all, err := templates.Load(module, string(root))
	if err != nil {
		return err
	}
	chosen, err := templates.Matching(all, c.Only)
	if err != nil {
		return err
	}
	if c.Table {
		return writeTemplates(string(root), all, nil)
	}
	s, err := c.open(ctx, string(root))
	if err != nil {
		return err
	}
	if !c.Keep {
		defer func() { _ = s.Down() }()
	}
	runner, err := templatesRunner(s, os.Stdout, c.Patience)
	if err != nil {
		return err
	}
	err = c.runAll(ctx, runner, chosen, func(r templates.Result) error {
		return writeTemplates(string(root), all, []templates.Result{r})
	})
	return errors.Join(err, s.Check())
}

// open returns the management cluster that the templates are brought up on.
func (c *templatesCommand) open(ctx context.Context, root string) (*stack.Stack, error) {
	state := cmp.Or(c.State, filepath.Join(root, ".local", "templates"))
	if s, err := stack.Open(root, state); err == nil && c.Keep {
		return s, nil
	}
	return bringUp(ctx, root, state)
}

// templatesRunner returns what brings templates up on a management cluster.
func templatesRunner(s *stack.Stack, out io.Writer, patience time.Duration) (*templates.Runner, error) {
	config, err := s.RESTConfig()
	if err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return nil, err
	}
	return &templates.Runner{
		Stack: s, Client: c, Azure: &admin.Client{URL: s.AdminURL(), HTTP: http.DefaultClient}, Password: "simulated", Patience: patience, Log: clocked(out),
	}, nil
}

// runAll brings templates up, several at a time, and keeps each result. The error has all failures: none keeps another from its turn.
func (c *templatesCommand) runAll(ctx context.Context, runner *templates.Runner, chosen []templates.Template, keep func(templates.Result) error) error {
	var mu sync.Mutex
	var failures []error
	var g errgroup.Group
	g.SetLimit(max(1, c.Parallel))
	for _, t := range chosen {
		g.Go(func() error {
			result := runner.Run(ctx, t)
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() != nil {
				return ctx.Err() // What was interrupted has not failed.
			}
			if result.Failure != "" {
				failures = append(failures, fmt.Errorf("%s: %s", t.Path, result.Failure))
			}
			return keep(result)
		})
	}
	err := g.Wait()
	return errors.Join(append(failures, err)...)
}

// writeTemplates keeps results, and writes the document's table anew.
func writeTemplates(root string, all []templates.Template, results []templates.Result) error {
	kept := filepath.Join(root, templateResults)
	if err := templates.Write(kept, results); err != nil {
		return err
	}
	everything, err := templates.Read(kept)
	if err != nil {
		return err
	}
	file := filepath.Join(root, templateDocument)
	document, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return err
	}
	text, err := templates.Document(string(document), all, everything)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
