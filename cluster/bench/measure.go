package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/bench/report"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const measurementsFile = "measurements.jsonl"

// settleBefore is how long a management cluster is left alone before something is measured on it.
const settleBefore = 10 * time.Second

// A benchmark measures something on a management cluster that nothing else has been done on.
type benchmark struct {
	name string
	// latency is the simulated Azure's, as its command line takes it; without any, clients look again after a second at the latest.
	latency string
	// crossplane are Crossplane's flags; those of all stacks when nil.
	crossplane []string
	run        func(context.Context, *arena) error
	// alone says that it takes no management cluster, and measures all sides.
	alone bool
	// own says that only the product has what is measured.
	own bool
	// machines says that it takes virtual machines; those of unbootedSize boot nothing.
	machines bool
}

// A measurer brings management clusters up, one at a time, and writes what is measured on them.
type measurer struct {
	root, out string
	// commit is the state of the product, machine what it is measured on.
	commit, machine string
	log             io.Writer
	// only is the side that is measured; all if it is empty.
	only string
}

// An arena is where one side is measured.
type arena struct {
	side      side
	benchmark string
	round     int
	root      string
	taken     []report.Measurement
	log       io.Writer
	stack     *stack.Stack
	client    client.Client
	// host is where the API server listens.
	host     string
	azure    *admin.Client
	timeline *timeline
	// before is what there is in Azure before a Cluster, by identifier in lower case.
	before map[string]bool
}

// round measures both sides once.
func (m *measurer) round(ctx context.Context, b benchmark, round int) error {
	if b.alone {
		return m.measureAlone(ctx, b, round+1)
	}
	for _, s := range alternate(round) {
		if m.only != "" && m.only != s.name || b.own && s.name != product {
			continue
		}
		if err := m.measure(ctx, b, s, round+1); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// measureAlone measures what takes no management cluster.
func (m *measurer) measureAlone(ctx context.Context, b benchmark, round int) error {
	fmt.Fprintf(m.log, "%s: round %d\n", b.name, round)
	a := &arena{benchmark: b.name, round: round, root: m.root, log: m.log}
	if err := b.run(ctx, a); err != nil {
		return err
	}
	return m.write(a.taken)
}

// measure brings a side up, measures, and ends it.
func (m *measurer) measure(ctx context.Context, b benchmark, s side, round int) (err error) {
	fmt.Fprintf(m.log, "%s: round %d, %s\n", b.name, round, s.name)
	options := stack.Options{
		Root: m.root, StateDir: filepath.Join(m.out, "stack"), Peer: s.name == peer, Unaudited: true, AzureLatency: b.latency, CrossplaneFlags: b.crossplane,
		APIServerMemory: "off", // 200 clusters take more than the limit of other stacks, on one side more than on the other.
	}
	if b.machines {
		options.SelfManaged, options.AzureUnbootedSize = true, unbootedSize
	}
	if b.latency == noLatency {
		options.AzureMaxRetryAfter = time.Second
	}
	up, err := stack.Up(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, up.Down()) }()
	a := &arena{
		side: s, benchmark: b.name, round: round, root: m.root, log: m.log, stack: up, azure: &admin.Client{URL: up.AdminURL()},
	}
	if err := a.enter(ctx); err != nil {
		return err
	}
	defer a.timeline.end()
	if err := sleep(ctx, settleBefore); err != nil {
		return err
	}
	if err := b.run(ctx, a); err != nil {
		return err
	}
	return m.write(a.taken)
}

func (a *arena) enter(ctx context.Context) error {
	config, err := a.stack.RESTConfig()
	if err != nil {
		return err
	}
	a.host = strings.TrimPrefix(config.Host, "https://")
	config.QPS = -1 // The API server alone decides how fast it goes.
	if a.client, err = client.New(config, client.Options{Scheme: scheme.Scheme}); err != nil {
		return err
	}
	a.timeline, err = follow(ctx, config)
	return err
}

// take notes a measured value. Its name is that of the benchmark and of what is measured in it.
func (a *arena) take(name string, value float64, unit string) {
	a.takeFor(a.side.name, name, value, unit)
}

func (a *arena) takeFor(side, name string, value float64, unit string) {
	m := report.Measurement{
		Name: a.benchmark + "/" + name, Side: side, Round: a.round, Value: value, Unit: unit, Time: time.Now().UTC(),
	}
	a.taken = append(a.taken, m)
	fmt.Fprintf(a.log, "  %-16s %-40s %10.3f %s\n", side, m.Name, value, unit)
}

func (a *arena) takeSeconds(name string, d time.Duration) { a.take(name, d.Seconds(), "s") }

func (m *measurer) write(taken []report.Measurement) error {
	for i := range taken {
		taken[i].Commit, taken[i].Machine = m.commit, m.machine
	}
	return report.Append(filepath.Join(m.out, measurementsFile), taken)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
