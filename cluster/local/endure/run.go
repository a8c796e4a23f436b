package endure

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	// idleTime is how long it is looked who writes while nothing happens.
	idleTime = time.Minute
	// tokenLifetime is how long a token of Entra is good: clients then ask for one all the time, and meet the faults of Entra.
	tokenLifetime = 40 * time.Second
)

// A Runner lives lives on one management cluster.
type Runner struct {
	Root  string
	Stack *stack.Stack
	// Second is the management cluster that clusters are moved to; nil when none is.
	Second *stack.Stack
	Azure  *admin.Client
	Seed   uint64
	// Between is how many stages a life has at most between its beginning and its end; all when 0.
	Between int
	// Only are the lives that are lived, by number or family; all when empty. Those that are given by number are lived once.
	Only []string
	// Moments and Faults end the run when both are reached, Time when it is over. What is not given ends nothing.
	Moments, Faults int
	Time            time.Duration
	// Parallel is how many lives are lived at a time; one of virtual machines counts twice.
	Parallel int
	// Patience is how long it may take until a cluster is as it should be, after the last that was broken.
	Patience time.Duration
	Log      func(format string, args ...any)

	// management is the management cluster that lives begin on, second the one that they are moved to.
	management, second *management
	breaker            *breaker
	rest               *rest

	mu       sync.Mutex
	outcomes []Outcome
	// met are the requests that met a fault, by kind, of the lives that have ended.
	met map[string]int
}

// Run lives lives until a goal is reached or ctx is done, and returns what came of it. The error says why the run itself did not work.
func (r *Runner) Run(ctx context.Context) (Result, error) {
	begun := time.Now()
	var err error
	stacks := []*stack.Stack{r.Stack}
	if r.management, err = newManagement(r.Stack); err != nil {
		return Result{}, err
	}
	if r.Second != nil {
		stacks = append(stacks, r.Second)
		if r.second, err = newManagement(r.Second); err != nil {
			return Result{}, err
		}
	}
	var watchers watchers
	for _, s := range stacks {
		watcher, err := watch(s)
		if err != nil {
			return Result{}, err
		}
		watchers = append(watchers, watcher)
	}
	if err := r.Azure.SetTokenLifetime(ctx, tokenLifetime); err != nil {
		return Result{}, err
	}
	r.breaker, r.rest, r.met = newBreaker(stacks, r.Log), newRest(), map[string]int{}
	supervised, stop := context.WithCancel(ctx)
	defer stop()
	go r.breaker.supervise(supervised)

	perHour, clusters, general := r.liveAll(ctx, watchers, begun)
	r.breaker.close()
	result := r.sum(begun)
	found, secrets, texts, err := watchers.search()
	result.Secrets, result.Texts, result.IdleClusters = secrets, texts, clusters
	if clusters > 0 {
		result.IdleWrites = perHour / float64(clusters)
	}
	if general = append(append(general, found...), r.breaker.panics...); len(general) > 0 {
		result.Wrong[noLife] = general
	}
	return result, err
}

// liveAll lives lives, and lets the last of them rest together before they end.
func (r *Runner) liveAll(ctx context.Context, watchers watchers, begun time.Time) (perHour float64, clusters int, wrong []string) {
	var wait sync.WaitGroup
	free := make(chan struct{}, r.Parallel)
	for number := 0; r.goesOn(ctx, begun, number); number++ {
		life := r.plan().Life(number)
		if !life.Matches(r.Only) {
			continue
		}
		weight := r.weight(life)
		if !take(ctx, free, weight, r.untilEnd(begun)) {
			break
		}
		r.rest.enter(number)
		wait.Go(func() {
			defer give(free, weight)
			r.liveOne(ctx, life)
		})
	}
	r.Log("no more lives are begun")
	if clusters = r.rest.want(ctx, 2*r.Patience); clusters > 0 {
		r.Log("%d clusters rest", clusters)
		perHour, wrong = watchers.idle(ctx, idleTime)
	}
	r.rest.end()
	wait.Wait()
	return perHour, clusters, wrong
}

func (r *Runner) liveOne(ctx context.Context, life Life) {
	w, err := r.newWorld(life)
	outcome := Outcome{Life: life, Wrong: []string{fmt.Sprint(err)}}
	var requests []admin.Request
	if err == nil {
		w.logf("begins: %d stages, %d moments, %d faults", len(life.Stages), len(life.Moments), len(life.Injections))
		outcome = w.live(ctx)
		// By the time that a life has ended, the log of Azure still has what became of it.
		err = w.persist(context.WithoutCancel(ctx), func(ctx context.Context) (err error) {
			requests, err = r.Azure.Requests(ctx, admin.RequestFilter{})
			return err
		})
	}
	r.Log("%s", outcome)
	if len(outcome.Wrong) > 0 {
		r.Log("again: %s", r.plan().Again(life.Name()))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes = append(r.outcomes, outcome)
	if err == nil {
		prefix := faultPrefix + life.Name() + "/"
		add(r.met, Met(slices.DeleteFunc(requests, func(q admin.Request) bool { return !strings.HasPrefix(q.Fault, prefix) })))
	}
}

func (r *Runner) plan() Plan { return Plan{Seed: r.Seed, Moves: r.Second != nil, Between: r.Between} }

// weight is how many lives a life counts for.
func (r *Runner) weight(life Life) int {
	if f, err := familyNamed(life.Family); err == nil && f.machines {
		return min(2, r.Parallel)
	}
	return 1
}

// take waits until there is room for a life, unless until comes before.
func take(ctx context.Context, free chan struct{}, weight int, until <-chan time.Time) bool {
	for range weight {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return false
		case <-until:
			return false
		}
	}
	return true
}

func give(free chan struct{}, weight int) {
	for range weight {
		<-free
	}
}

// untilEnd comes when the time of the run is over; never when it has none.
func (r *Runner) untilEnd(begun time.Time) <-chan time.Time {
	if r.Time <= 0 {
		return nil
	}
	return time.After(time.Until(begun.Add(r.Time)))
}

// goesOn reports whether there is to be another life.
func (r *Runner) goesOn(ctx context.Context, begun time.Time, number int) bool {
	if ctx.Err() != nil || r.Time > 0 && time.Since(begun) > r.Time {
		return false
	}
	if last, all := r.lastAskedFor(); all {
		return number <= last
	}
	r.mu.Lock()
	faults := sum(r.met)
	r.mu.Unlock()
	r.breaker.mu.Lock()
	moments := sum(r.breaker.done)
	r.breaker.mu.Unlock()
	return moments < r.Moments || faults < r.Faults || r.Moments == 0 && r.Faults == 0
}

// lastAskedFor returns the greatest of the numbers of lives, and whether they are all that is asked for.
func (r *Runner) lastAskedFor() (last int, all bool) {
	for _, o := range r.Only {
		var number int
		if _, err := fmt.Sscanf(o, "%d", &number); err != nil {
			return 0, false
		}
		last = max(last, number)
	}
	return last, len(r.Only) > 0
}

// sum returns what the lives come to.
func (r *Runner) sum(begun time.Time) Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.breaker.mu.Lock()
	defer r.breaker.mu.Unlock()
	result := Result{
		Time: begun.UTC().Format("2006-01-02 15:04"), Plan: r.plan(), Seconds: int(time.Since(begun).Seconds()), Lives: map[string]int{},
		Moments: maps.Clone(r.breaker.done), Faults: maps.Clone(r.met), Restarts: maps.Clone(r.breaker.ended), Contended: r.breaker.writes, TooMany: r.breaker.tooMany, Cut: r.breaker.cut, Wrong: map[string][]string{},
	}
	var converged []time.Duration
	for _, o := range r.outcomes {
		if o.Stages < len(o.Life.Stages) && len(o.Wrong) == 0 {
			result.Unfinished++
			continue
		}
		result.Lives[o.Life.Family]++
		result.Stages += o.Stages
		converged = append(converged, o.Converged...)
		if len(o.Wrong) > 0 {
			result.Wrong[o.Life.Name()] = o.Wrong
		}
	}
	result.ConvergedP50, result.ConvergedP99 = Percentile(converged, 0.5).Round(100*time.Millisecond).Seconds(), Percentile(converged, 0.99).Round(100*time.Millisecond).Seconds()
	return result
}
