package e2e

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	// seedVariable repeats the choices of an earlier run.
	seedVariable = "E2E_SEED"
	// allRoundsVariable, if set, has every scenario in every round, and those that take turns in the run.
	allRoundsVariable = "E2E_ALL_ROUNDS"
)

// seed returns the number from which every choice of a run follows.
var seed = sync.OnceValue(func() uint64 {
	if given := os.Getenv(seedVariable); given != "" {
		n, err := strconv.ParseUint(given, 10, 64)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", seedVariable, err))
		}
		return n
	}
	return rand.Uint64N(1_000_000)
})

// rounds are the components that are killed. Those of a round are killed in the same run of each scenario, for the sake of time;
// what takes longest to come back has a round of its own.
var rounds = [][]string{{stack.Function, stack.AzureSim}, {stack.Provider, stack.Crossplane}, {stack.ASO}}

// roundsOfMachines are killed besides, in the same rounds, where a cluster consists of virtual machines. The fabric is not among them:
// see TestHostFailure.
var roundsOfMachines = [][]string{{stack.CloudController}, {stack.KubeadmControl}, {stack.KubeadmBootstrap, stack.CAPI}}

// killedIn returns the components that are killed in a round of a scenario.
func killedIn(s *scenario, round int) []string {
	if s.family == machineFamily {
		return slices.Concat(rounds[round], roundsOfMachines[round])
	}
	return rounds[round]
}

// A kill is the moment in a scenario at which a component ends.
type kill struct {
	component string
	// step is the index of the step, and after the time since the step has begun.
	step  int
	after time.Duration
}

// runsIn reports whether a scenario is run in a round. For the sake of time it is run in one of them, which the seed chooses.
func runsIn(s *scenario, round int) bool {
	return os.Getenv(allRoundsVariable) != "" || choices(s.name).IntN(len(rounds)) == round
}

// choices returns the choices of this run that are for something.
func choices(what string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what))
	return rand.New(rand.NewPCG(seed(), h.Sum64()))
}

// planKill chooses the moment for a scenario and a component.
func planKill(s *scenario, component string) *kill {
	choice := choices(s.name + "/" + component)
	k := &kill{component: component, step: choice.IntN(len(s.steps))}
	k.after = time.Duration(choice.Int64N(int64(s.steps[k.step].duration()))).Round(100 * time.Millisecond)
	return k
}

// start carries the kill out when its moment has come, or once all that the step expects has come true: the rest would be spent waiting. The
// returned channel says how it went, once the component is ready again.
func (k *kill) start(w *world, came <-chan struct{}) <-chan error {
	done := make(chan error, 1)
	go func() {
		select {
		case <-w.ctx.Done():
			done <- w.ctx.Err()
			return
		case <-time.After(k.after):
		case <-came:
		}
		w.logf("kill %s", k.component)
		err := w.restart(k.component)
		w.logf("%s is ready again", k.component)
		done <- err
	}()
	return done
}
