package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/endure"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

type endureCommand struct {
	Seed     uint64        `help:"The number that everything follows from; one is chosen when it is 0."`
	Moments  int           `help:"How many times something is done to a component, before the run may end."`
	Faults   int           `help:"How many requests to Azure meet a fault, before the run may end."`
	Time     time.Duration `help:"After that no life is begun any more." placeholder:"2h"`
	Only     []string      `help:"Lives to live, by number, each once, or by family; all when not given." placeholder:"LIFE"`
	Between  int           `help:"How many stages a life has at most between its creation and its deletion; all when 0."`
	Parallel int           `default:"4" help:"How many lives are lived at a time."`
	Patience time.Duration `default:"6m" help:"How long a cluster may take to be as it should be, after the last that was broken."`
	State    string        `help:"The folder for everything that is written; .local/endure when not given." type:"path"`
	Moves    bool          `help:"Bring a second management cluster up, which clusters are moved to by clusterctl."`
	Keep     bool          `help:"Keep the result, in docs/endurance."`
	Table    bool          `help:"Live nothing; write the table of the results that are kept."`
}

// The files that the results are kept in.
const (
	endureResults = "docs/endurance/results.jsonl"
	endureTable   = "docs/endurance/table.md"
)

func (c *endureCommand) Run(ctx context.Context, root checkout) error {
	if c.Table {
		return writeEndurance(string(root))
	}
	if err := endure.Wanted(c.Only); err != nil {
		return err
	}
	if c.Parallel < 1 || c.Patience <= 0 {
		return fmt.Errorf("--parallel is %d, --patience %s: want more than 0", c.Parallel, c.Patience)
	}
	if c.Seed == 0 {
		c.Seed = 1 + rand.Uint64N(1_000_000) //nolint:gosec // Nothing depends on what cannot be foreseen.
	}
	// The packages are built of it; by the end of the run there may be another.
	built, err := commit(ctx, string(root))
	if err != nil {
		return err
	}
	s, err := bringUp(ctx, string(root), cmp.Or(c.State, filepath.Join(string(root), ".local", "endure")))
	if err != nil {
		return err
	}
	defer func() { _ = s.Down() }()
	runner := c.runner(s, string(root))
	if c.Moves {
		if runner.Second, err = bringUpSecond(ctx, s, string(root)); err != nil {
			return err
		}
		defer func() { _ = runner.Second.Down() }()
	}
	result, err := runner.Run(ctx)
	if err != nil {
		return err
	}
	result.Machine, result.Commit = fmt.Sprintf("%d CPUs", runtime.NumCPU()), built
	return errors.Join(c.say(result), c.keep(string(root), result))
}

// bringUpSecond starts another management cluster beside one, whose simulated Azure it uses.
func bringUpSecond(ctx context.Context, first *stack.Stack, root string) (*stack.Stack, error) {
	state := first.Dir() + "-second"
	if _, err := stack.Down(root, state); err != nil {
		return nil, err
	}
	return stack.Up(ctx, stack.Options{Root: root, StateDir: state, Log: os.Stdout, Azure: first.Dir(), CAPISyncPeriod: stack.PatientCAPISync, SelfManaged: true})
}

func (c *endureCommand) runner(s *stack.Stack, root string) *endure.Runner {
	log := clocked(os.Stdout)
	log("seed %d", c.Seed)
	return &endure.Runner{
		Root: root, Stack: s, Azure: &admin.Client{URL: s.AdminURL(), HTTP: &http.Client{Timeout: 30 * time.Second}}, Seed: c.Seed, Between: c.Between, Only: c.Only,
		Moments: c.Moments, Faults: c.Faults, Time: c.Time, Parallel: c.Parallel, Patience: c.Patience, Log: log,
	}
}

// say prints what came of the run; what was wrong is the error.
func (c *endureCommand) say(r endure.Result) error {
	fmt.Printf("lives %v, %d stages, %d unfinished\nmoments %v\nfaults %v, %d connections cut\nended by themselves %v\n",
		r.Lives, r.Stages, r.Unfinished, r.Moments, r.Faults, r.Cut, r.Restarts)
	fmt.Printf("converged within %.0f s (p50), %.0f s (p99); %.0f writes an hour of each of %d clusters at rest; %d secrets looked for in %d objects\n",
		r.ConvergedP50, r.ConvergedP99, r.IdleWrites, r.IdleClusters, r.Secrets, r.Texts)
	var errs []error
	for life, wrong := range r.Wrong {
		errs = append(errs, fmt.Errorf("%s: %s\n  again: %s", life, strings.Join(wrong, "\n  "), r.Again(life)))
	}
	return errors.Join(errs...)
}

// keep adds the result to those that are kept.
func (c *endureCommand) keep(root string, r endure.Result) error {
	if !c.Keep {
		return nil
	}
	if err := endure.Append(filepath.Join(root, endureResults), r); err != nil {
		return err
	}
	return writeEndurance(root)
}

func writeEndurance(root string) error {
	results, err := endure.Read(filepath.Join(root, endureResults))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, endureTable), []byte(endure.Table(results)), 0o644)
}

// commit names the source that is run.
func commit(ctx context.Context, root string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "-C", root, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*").Output()
	if err != nil {
		return "", fmt.Errorf("git describe: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
