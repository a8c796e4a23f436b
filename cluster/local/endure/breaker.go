package endure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	// superviseInterval is how often it is looked whether a component has ended by itself.
	superviseInterval = time.Second
	// outageWait is how long clients meet an outage before Azure's clock is put forward to its end.
	outageWait = 15 * time.Second
	// lastLines is how much is looked at of what a component has said.
	lastLines = 40
)

// An instant is a time that several know of.
type instant struct {
	mu sync.Mutex
	at time.Time
}

func (i *instant) now() { i.set(time.Now()) }

// set takes the time, if it is later than the one there was.
func (i *instant) set(at time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if at.After(i.at) {
		i.at = at
	}
}

func (i *instant) get() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.at
}

// A breaker ends and stops the components of management clusters, and starts again what has ended, as a kubelet does.
type breaker struct {
	// stacks are the management clusters. The first one has the simulated Azure, which all of them use.
	stacks []*stack.Stack
	log    func(format string, args ...any)

	mu sync.Mutex
	// turn admits one at a time to a component of a management cluster.
	turn map[string]*sync.Mutex
	// done are the moments that came to pass, by act and component.
	done map[string]int
	// ended are the components that have ended by themselves, how often, and panics what they said of a panic.
	ended  map[string]int
	panics []string
	// writes are those of somebody else, tooMany the requests that the API server has refused as too many.
	writes, tooMany int
	// cut are the connections that were cut.
	cut int
	// offset is how far Azure's clock is ahead.
	offset time.Duration
	closed bool
	// last is when something was broken last, for any life.
	last instant
}

func newBreaker(stacks []*stack.Stack, log func(string, ...any)) *breaker {
	return &breaker{stacks: stacks, log: log, turn: map[string]*sync.Mutex{}, done: map[string]int{}, ended: map[string]int{}}
}

func (b *breaker) turnOf(at *stack.Stack, component string) *sync.Mutex {
	key := at.Dir() + " " + component
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn[key] == nil {
		b.turn[key] = &sync.Mutex{}
	}
	return b.turn[key]
}

// carryOut does on a management cluster what is to be done in a moment, and returns when the component is ready again, or has ended once more.
func (b *breaker) carryOut(ctx context.Context, at *stack.Stack, m Moment) error {
	if m.Component == stack.AzureSim {
		at = b.stacks[0]
	}
	turn := b.turnOf(at, m.Component)
	turn.Lock()
	defer turn.Unlock()
	if ctx.Err() != nil || b.isClosed() {
		return context.Cause(ctx)
	}
	defer b.last.now()
	b.mu.Lock()
	b.done[string(m.Act)+" "+m.Component]++
	b.mu.Unlock()
	if m.Act == Freeze {
		if err := at.Signal(m.Component, syscall.SIGSTOP); err != nil {
			return err
		}
		sleep(ctx, m.For)
		return at.Signal(m.Component, syscall.SIGCONT)
	}
	if err := at.Kill(m.Component); err != nil {
		return err
	}
	sleep(ctx, m.For)
	if err := at.Start(context.WithoutCancel(ctx), m.Component); err != nil {
		// As one does that finds no API server: supervise starts it again.
		b.log("%s has not come up: %s", m.Component, lastLine(process.Tail(at.LogFile(m.Component), lastLines)))
	}
	return nil
}

// contended counts what somebody else has written.
func (b *breaker) contended(writes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writes += writes
}

// refused counts requests that the API server has refused as too many.
func (b *breaker) refused(requests int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tooMany += requests
}

// outage waits while an outage is on, and then has set put Azure's clock forward to its end.
func (b *breaker) outage(ctx context.Context, set func(offset time.Duration) error) error {
	turn := b.turnOf(b.stacks[0], Outage)
	turn.Lock()
	defer turn.Unlock()
	defer b.last.now()
	sleep(ctx, outageWait)
	b.mu.Lock()
	b.offset += outageLasts
	offset := b.offset
	b.mu.Unlock()
	return set(offset)
}

// supervise starts again what has ended by itself, until ctx is done.
func (b *breaker) supervise(ctx context.Context) {
	for ; ctx.Err() == nil; sleep(ctx, superviseInterval) {
		for _, at := range b.stacks {
			for _, component := range at.Dead() {
				if err := b.revive(ctx, at, component); err != nil && ctx.Err() == nil {
					b.log("%v", err)
				}
			}
		}
	}
}

// revive starts a component that has ended by itself: it waits for its turn, as it may just have been killed.
func (b *breaker) revive(ctx context.Context, at *stack.Stack, component string) error {
	turn := b.turnOf(at, component)
	turn.Lock()
	defer turn.Unlock()
	if b.isClosed() || !slices.Contains(at.Dead(), component) {
		return nil
	}
	last := process.Tail(at.LogFile(component), lastLines)
	b.mu.Lock()
	b.ended[component]++
	if panicked := panicIn(last); panicked != "" {
		b.panics = append(b.panics, fmt.Sprintf("panic: %s ended with %q", component, panicked))
	}
	b.mu.Unlock()
	b.log("%s has ended by itself: %s", component, lastLine(last))
	if err := at.Start(ctx, component); err != nil {
		return fmt.Errorf("start %s again: %w", component, err)
	}
	return nil
}

// panicIn returns the line of a log that says that its process has panicked.
func panicIn(log string) string {
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// lastLine returns the last line of a log that a component has written itself.
func lastLine(log string) string {
	lines := slices.DeleteFunc(strings.Split(log, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "=== ") || strings.TrimSpace(line) == ""
	})
	if len(lines) == 0 {
		return "it has said nothing"
	}
	return cut(lines[len(lines)-1])
}

// close returns when no component is being started and none will be any more.
func (b *breaker) close() {
	b.mu.Lock()
	b.closed = true
	var turns []*sync.Mutex
	for _, turn := range b.turn {
		turns = append(turns, turn)
	}
	b.mu.Unlock()
	for _, turn := range turns {
		turn.Lock()
		turn.Unlock() //nolint:staticcheck // To have it once is to have waited.
	}
}

func (b *breaker) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// sleep waits, or less if ctx is done before.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// breakStage breaks all that is to break in a stage of a life, and returns when the last of it is over.
func (w *world) breakStage(ctx context.Context, stage int) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	do := func(after time.Duration, what func() error) {
		wait.Go(func() {
			if sleep(ctx, after); ctx.Err() != nil {
				return
			}
			err := what()
			w.broken.now()
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	for _, m := range w.life.Moments {
		if m.Stage == stage {
			do(m.After, func() error {
				w.logf("%s %s for %s", m.Act, m.Component, m.For)
				return w.breaker.carryOut(ctx, w.where(m), m)
			})
		}
	}
	for _, c := range w.life.Contentions {
		if c.Stage == stage {
			do(c.After, func() error {
				w.contend(ctx, c.For)
				return nil
			})
		}
	}
	for _, c := range w.life.Crowds {
		if c.Stage == stage {
			do(c.After, func() error { return w.crowd(ctx, c) })
		}
	}
	for _, c := range w.life.Cuts {
		if c.Stage == stage {
			do(c.After, func() error { return w.sever(c.Component) })
		}
	}
	var names []string
	for number, i := range w.life.Injections {
		if i.Stage == stage {
			name := faultName(w.life.Name(), number, i.Kind)
			names = append(names, name)
			do(i.After, func() error { return w.inject(ctx, name, i) })
		}
	}
	do(window+faultsLast, func() error { return nil })
	wait.Wait()
	for _, name := range names {
		errs = append(errs, w.persist(context.WithoutCancel(ctx), func(ctx context.Context) error { return w.Azure.ClearFault(ctx, name) }))
	}
	w.broken.now()
	return errors.Join(errs...)
}

// faultsLast is how long faults stay after the last of a stage was injected.
const faultsLast = 40 * time.Second

// inject has Azure answer wrongly.
func (w *world) inject(ctx context.Context, name string, i Injection) error {
	f := i.Fault(w.subscription)
	f.Name = name
	err := w.persist(ctx, func(ctx context.Context) error {
		_, err := w.Azure.Inject(ctx, f)
		return err
	})
	if err != nil || i.Kind != Outage {
		return err
	}
	w.logf("outage of Azure")
	return w.breaker.outage(ctx, func(offset time.Duration) error {
		return w.persist(context.WithoutCancel(ctx), func(ctx context.Context) error { return w.Azure.SetClockOffset(ctx, offset) })
	})
}
