package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/crossplane-capz/crossplane-capz/cluster/bench/report"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
)

type commands struct {
	Root string `required:"" type:"existingdir" help:"The checkout."`
	Out  string `required:"" type:"path" help:"The folder for what is measured."`

	Run    runCommand    `cmd:"" help:"Measure, and report."`
	Report reportCommand `cmd:"" help:"Write the table and the plot of what was measured."`
}

type runCommand struct {
	Rounds int      `default:"5" help:"How often each side is measured, in alternation."`
	Only   []string `help:"Some of the benchmarks: ${benchmarks}."`
	Side   string   `help:"Only one side: ${sides}."`
}

type reportCommand struct{}

func main() {
	var c commands
	k := kong.Parse(&c, kong.Name("bench"), kong.UsageOnError(), kong.Vars{
		"benchmarks": strings.Join(names(), ", "), "sides": product + " or " + peer,
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.BindTo(ctx, (*context.Context)(nil))
	if err := k.Run(&c); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

func (r *runCommand) Run(ctx context.Context, c *commands) error {
	chosen, err := choose(r.Only)
	if err != nil {
		return err
	}
	builder := &parts.Builder{Root: c.Root, Log: os.Stdout}
	if err := errors.Join(builder.Build(ctx), builder.BuildPeers(ctx)); err != nil {
		return err
	}
	machine, err := machine()
	if err != nil {
		return err
	}
	m := &measurer{root: c.Root, out: c.Out, log: os.Stdout, commit: commit(ctx, c.Root), machine: machine, only: r.Side}
	if err := m.writeEnvironment(ctx); err != nil {
		return err
	}
	for round := range r.Rounds {
		for _, b := range chosen {
			if err := m.round(ctx, b, round); err != nil {
				return fmt.Errorf("%s, round %d: %w", b.name, round+1, err)
			}
		}
	}
	return (&reportCommand{}).Run(c)
}

func (*reportCommand) Run(c *commands) error {
	all, err := report.Read(filepath.Join(c.Out, measurementsFile))
	if err != nil {
		return err
	}
	environment, err := os.ReadFile(filepath.Join(c.Out, environmentFile))
	if err != nil {
		return err
	}
	r := report.Compare(all, goals, product, peer, string(environment))
	if err := r.Write(c.Out); err != nil {
		return err
	}
	fmt.Print(r.Table())
	return nil
}

// choose returns the benchmarks of some names, or all.
func choose(only []string) ([]benchmark, error) {
	if len(only) == 0 {
		return benchmarks(), nil
	}
	var chosen []benchmark
	for _, name := range only {
		at := slices.IndexFunc(benchmarks(), func(b benchmark) bool { return b.name == name })
		if at < 0 {
			return nil, fmt.Errorf("no benchmark is called %q; there are %s", name, strings.Join(names(), ", "))
		}
		chosen = append(chosen, benchmarks()[at])
	}
	return chosen, nil
}

func names() []string {
	var all []string
	for _, b := range benchmarks() {
		all = append(all, b.name)
	}
	return all
}
