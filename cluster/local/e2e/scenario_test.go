package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// calmPatience is how long a step may take: several times what it takes when all else rests. The first steps of all
	// scenarios that begin at once take up to 240 s on slow processors, and twice as long while something else is compiled there.
	calmPatience = 600 * time.Second
	// killedPatience is the same while components are killed, by other scenarios as well: what they had begun is tried
	// again after waiting times that have grown.
	killedPatience = 600 * time.Second
	// timesLonger is how many times longer than alone a long step may take: eight scenarios share two cores.
	timesLonger = 6
	// checkInterval is how often it is looked whether an expectation holds.
	checkInterval = 700 * time.Millisecond
	// usualDuration is about how long most steps take; a kill comes within that time.
	usualDuration = 6 * time.Second
)

// slackVariable multiplies how long a step may take, for a machine that does other work as well.
const slackVariable = "E2E_SLACK"

var slack = sync.OnceValue(func() time.Duration {
	n, err := strconv.Atoi(os.Getenv(slackVariable))
	if err != nil || n < 1 {
		return 1
	}
	return time.Duration(n)
})

// A scenario is what a person does and what has to come of it.
type scenario struct {
	name  string
	steps []step
	// family is what the cluster is written by, asoFamily if nil.
	family *family
	// calmOnly is set where nothing is killed: what the scenario adds to others is how mistakes are answered, or a manifest.
	calmOnly bool
	// configures is set where the ProviderConfig is written, of which there is one for all: one such scenario runs at a time.
	configures bool
	// rights are those of package/install/rbac.yaml that no other scenario uses.
	rights []string
	// drifts is set where somebody changes in Azure what is asked for otherwise.
	drifts bool
}

// A step is one thing that a person does.
type step struct {
	name string
	// act does it. It is tried again when it fails, as a webhook may just be down.
	act func(w *world) error
	// expect must come true, all of it at once, after act.
	expect []expectation
	// never lists what must at no time be found while expect is awaited.
	never []expectation
	// stays must then be true for a while.
	stays    []expectation
	staysFor time.Duration
	// goes are the objects that this step takes away. All others have to stay.
	goes []removal
	// deletes is set for the step that takes everything away.
	deletes bool
	// lasts is about how long the step takes, if that is not usual.
	lasts time.Duration
}

func (s step) duration() time.Duration {
	if s.lasts > 0 {
		return s.lasts
	}
	return usualDuration
}

// An expectation returns what is still missing, in words; nothing when it is met.
type expectation func(w *world) []string

// hosts lets two scenarios of machines run at once: each machine is a Kubernetes of its own, and more of them at once take each other the time to boot in.
var hosts = make(chan struct{}, 2)

// configuring lets one scenario at a time write the ProviderConfig.
var configuring sync.Mutex

// runScenario runs a scenario in a namespace of its own, and kills components on the way, each at a moment of its own.
func runScenario(t *testing.T, s *scenario, killed ...string) {
	if s.family == machineFamily {
		hosts <- struct{}{}
		defer func() { <-hosts }()
	}
	if s.configures {
		configuring.Lock()
		defer configuring.Unlock()
	}
	w := newWorld(t, s.name, killed...)
	if s.family != nil {
		w.family = s.family
	}
	w.drifts = s.drifts
	kills := map[int][]*kill{}
	for _, component := range killed {
		k := planKill(s, component)
		kills[k.step] = append(kills[k.step], k)
		w.logf("plan: kill %s in step %q, %s after its act at the latest", component, s.steps[k.step].name, k.after)
	}
	defer w.tidy()
	defer scrapeAll(w.ctx, "after "+w.namespace)
	if err := w.enter(); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.recorder, err = w.record(w.namespace, s.name, w.begun); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.recorder.end(); err != nil {
			t.Error(err)
		}
	}()
	for i, step := range s.steps {
		begun := time.Now()
		w.recorder.begin(step.name)
		if err := w.run(step, kills[i]...); err != nil {
			w.fail(fmt.Errorf("step %q: %w", step.name, err))
		}
		w.recorder.settle()
		w.logf("%s: done (%s)", step.name, time.Since(begun).Round(100*time.Millisecond))
	}
}

// run takes one step, with the given kills in the middle.
func (w *world) run(s step, kills ...*kill) error {
	w.expects(s.goes)
	said := w.foresee(s)
	if s.act != nil {
		if err := w.persist(s.act, w.patience(s)); err != nil {
			return err
		}
	}
	var over []<-chan error
	came := make(chan struct{})
	for _, k := range kills {
		over = append(over, k.start(w, came))
	}
	if len(over) > 0 {
		if err := w.await(s); err != nil {
			return err
		}
		close(came)
	}
	for _, killed := range over {
		if err := <-killed; err != nil {
			return err
		}
	}
	if err := w.await(s); err != nil {
		return err
	}
	if err := w.stays(s.stays, s.staysFor); err != nil {
		return err
	}
	if err := w.cameTrue(s, said); err != nil {
		return err
	}
	if s.deletes {
		return nil
	}
	var dropped string
	err := w.persist(func(w *world) (err error) {
		dropped, err = w.dropped()
		return err
	}, time.Minute)
	if err == nil && dropped != "" {
		err = errors.New(dropped)
	}
	return errors.Join(err, w.falseAlarm())
}

// persist tries act until it works: a person whose command was refused because a webhook was down tries again, and one who has to wait for
// the product before the next command waits as long as for anything else.
func (w *world) persist(act func(*world) error, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	for {
		err := act(w)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("act: %w", err)
		case <-time.After(checkInterval):
		}
	}
}

// patience is how long a step may take.
func (w *world) patience(s step) time.Duration {
	patience := calmPatience
	if len(w.killed) > 0 {
		patience = killedPatience
	}
	return max(patience, timesLonger*s.lasts) * slack()
}

// await returns when all expectations of the step are met at once, and an error that says what is missing when time is
// over, or what was found that must never be.
func (w *world) await(s step) error {
	patience := w.patience(s)
	ctx, cancel := context.WithTimeoutCause(w.ctx, patience, fmt.Errorf("not within %s", patience))
	defer cancel()
	for {
		if found := w.missing(s.never); len(found) > 0 {
			return fmt.Errorf("must never be:\n  %s", strings.Join(found, "\n  "))
		}
		missing := w.missing(s.expect)
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, missing:\n  %s", context.Cause(ctx), strings.Join(missing, "\n  "))
		case <-time.After(checkInterval):
		}
	}
}

// stays returns an error as soon as one of the expectations is not met. Where components are killed it may not be known
// for a moment; what must not happen is still found to have happened later.
func (w *world) stays(expected []expectation, lasting time.Duration) error {
	if len(expected) == 0 {
		return nil
	}
	for end := time.Now().Add(lasting); time.Now().Before(end); time.Sleep(checkInterval) {
		missing := w.missing(expected)
		if len(missing) > 0 && len(w.killed) > 0 {
			return w.await(step{expect: expected})
		}
		if len(missing) > 0 {
			return fmt.Errorf("did not stay:\n  %s", strings.Join(missing, "\n  "))
		}
	}
	return nil
}

func (w *world) missing(expected []expectation) []string {
	var missing []string
	for _, e := range expected {
		missing = append(missing, e(w)...)
	}
	return missing
}
