package endure

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// TestLife has the same life come of the same seed, and another of another.
func TestLife(t *testing.T) {
	if diff := cmp.Diff(Plan{Seed: 7}.Life(3), Plan{Seed: 7}.Life(3)); diff != "" {
		t.Errorf("the same seed and number: -first +second\n%s", diff)
	}
	for _, other := range []Life{Plan{Seed: 8}.Life(3), Plan{Seed: 7}.Life(3 + len(families))} {
		if other.Number = 3; cmp.Equal(Plan{Seed: 7}.Life(3), other) {
			t.Error("another life is the same")
		}
	}
}

// TestEachFamily has as many lives as there are families be of all of them.
func TestEachFamily(t *testing.T) {
	for seed := range uint64(5) {
		var got []string
		for number := range families {
			got = append(got, Plan{Seed: seed}.Life(10*len(families)+number).Family)
		}
		slices.Sort(got)
		want := Families()
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: -want +got\n%s", seed, diff)
		}
	}
}

// TestBetween has a life end sooner, and begin as it does without.
func TestBetween(t *testing.T) {
	whole := Plan{Seed: 7}.Life(3).Stages
	if diff := cmp.Diff(append(slices.Clone(whole[:3]), Delete), Plan{Seed: 7, Between: 2}.Life(3).Stages); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(whole, Plan{Seed: 7, Between: 20}.Life(3).Stages); diff != "" {
		t.Error(diff)
	}
}

// TestPlanOfLives looks at what holds for every life, and what many lives have together.
func TestPlanOfLives(t *testing.T) {
	contentions, crowds, cuts := 0, 0, 0
	kinds, components, stages, acts := map[string]bool{}, map[string]bool{}, map[Stage]bool{}, map[Act]bool{}
	for number := range 400 {
		moves := number%2 == 0
		life := Plan{Seed: 1, Moves: moves}.Life(number)
		f, err := familyNamed(life.Family)
		if err != nil {
			t.Fatal(err)
		}
		if life.Stages[0] != Create || life.Stages[len(life.Stages)-1] != Delete || slices.Contains(life.Stages, Move) != (moves && f.name != "platform") {
			t.Fatalf("life %d has the stages %v", number, life.Stages)
		}
		for _, m := range life.Moments {
			if m.Stage >= len(life.Stages) || m.After > window || m.For > time.Second+longestDown || m.Act == Freeze && m.For == 0 {
				t.Errorf("life %d: moment %+v", number, m)
			}
			if _, of := machineWeights[m.Component]; of && !f.machines {
				t.Errorf("life %d of %s: %s", number, life.Family, m.Component)
			}
			if m.There && life.Stages[m.Stage] != Move {
				t.Errorf("life %d: %s of the other management cluster in stage %s", number, m.Component, life.Stages[m.Stage])
			}
			components[m.Component], stages[life.Stages[m.Stage]], acts[m.Act] = true, true, true
		}
		for _, c := range life.Contentions {
			if contentions++; c.Stage >= len(life.Stages) || c.After > window || c.For < time.Second {
				t.Errorf("life %d: contention %+v", number, c)
			}
		}
		for _, c := range life.Crowds {
			if crowds++; c.Stage >= len(life.Stages) || c.After > window || c.For < time.Second || c.Account == "" {
				t.Errorf("life %d: crowd %+v", number, c)
			}
		}
		for _, c := range life.Cuts {
			if cuts++; c.Stage >= len(life.Stages) || c.After > window || !slices.Contains(cuttable, c.Component) {
				t.Errorf("life %d: cut %+v", number, c)
			}
		}
		for _, i := range life.Injections {
			if i.Stage >= len(life.Stages) || i.Times < 1 || i.Every < 1 || i.After > window || azureFault(i.Kind) == nil {
				t.Errorf("life %d: injection %+v", number, i)
			}
			kinds[i.Kind] = true
		}
	}
	for _, f := range AzureFaults {
		if !kinds[f.Name] {
			t.Errorf("no life has the fault %q", f.Name)
		}
	}
	for _, component := range []string{stack.Etcd, stack.APIServer, stack.Crossplane, stack.Function, stack.Provider, stack.ASO, stack.CAPI, stack.KubeadmBootstrap, stack.KubeadmControl, stack.AzureSim} {
		if !components[component] {
			t.Errorf("nothing is ever done to %s", component)
		}
	}
	if contentions < 400 || crowds < 100 || cuts < 400 {
		t.Errorf("%d contentions, %d crowds and %d cuts in 400 lives", contentions, crowds, cuts)
	}
	if len(stages) < 7 || len(acts) != 2 {
		t.Errorf("stages with moments %v, acts %v", stages, acts)
	}
}

// TestFaultsOfALife has each fault be its life's only, but for those of which the request does not say whose it is.
func TestFaultsOfALife(t *testing.T) {
	for _, kind := range AzureFaults {
		i := Injection{Kind: kind.Name, Times: 3, Every: 2, Choice: 5}
		first, second := i.Fault("sub"), i.Fault("sub")
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%s is another the second time:\n%s", kind.Name, diff)
		}
		if ofLife := len(first.Path) > 0 && first.Path[0] == '^'; ofLife == kind.ofAll {
			t.Errorf("%s has the path %q, ofAll is %v", kind.Name, first.Path, kind.ofAll)
		}
		if counted := first.Times == 3 && first.Every == 2; counted == (kind.Name == Outage) || (first.Lasts > 0) != (kind.Name == Outage) {
			t.Errorf("%s: times %d, every %d, lasts %s", kind.Name, first.Times, first.Every, first.Lasts)
		}
	}
}

func TestWanted(t *testing.T) {
	for _, good := range [][]string{nil, {"3"}, {"aks", "12"}, Families()} {
		if err := Wanted(good); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	for _, bad := range []string{"", "-1", "03", "3x", "kubernetes"} {
		if err := Wanted([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	life := Plan{Seed: 1}.Life(4)
	if !life.Matches(nil) || !life.Matches([]string{"4"}) || !life.Matches([]string{life.Family}) || life.Matches([]string{"5"}) {
		t.Errorf("life %d of %s matches wrongly", life.Number, life.Family)
	}
}

// TestResults appends results and reads them back, and has the table add them up.
func TestResults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "endurance", "results.jsonl")
	all := []Result{
		{Time: "2026-01-01 00:00", Plan: Plan{Seed: 1}, Commit: "abc", Lives: map[string]int{"aks": 2}, Stages: 9, Moments: map[string]int{"kill aso": 3}, Faults: map[string]int{"slow": 4}},
		{Time: "2026-01-02 00:00", Plan: Plan{Seed: 2}, Commit: "def", Lives: map[string]int{"aks-aso": 1}, Stages: 1, Moments: map[string]int{"kill aso": 1, "freeze etcd": 1},
			Cut: 6, IdleClusters: 2, IdleWrites: 7, ConvergedP50: 3, ConvergedP99: 40, Wrong: map[string][]string{"life-3": {"lost: a"}}},
	}
	if got, err := Read(file); err != nil || got != nil {
		t.Errorf("without a file: %v, %v", got, err)
	}
	for _, r := range all {
		if err := Append(file, r); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("-written +read\n%s", diff)
	}
	want := `<!-- Written by ` + "`make generate`" + ` from results.jsonl. -->

# What clusters have endured

2 runs, 3 lives with 10 stages, 5 moments, 4 requests that met a fault, 6 connections cut, 1 lives with something wrong.

| run | seed | commit | lives | stages | moments | faults | cuts | converged p50, p99 | writes when idle, an hour and cluster | wrong |
|---|---|---|---|---|---|---|---|---|---|---|
| 2026-01-01 00:00 | 1 | abc | 2 | 9 | 3 | 4 | 0 | 0 s, 0 s | not looked at | 0 |
| 2026-01-02 00:00 | 2 | def | 1 | 1 | 2 | 0 | 6 | 3 s, 40 s | 7 | 1 |

## Moments

| what | times |
|---|---|
| freeze etcd | 1 |
| kill aso | 4 |

## Faults

| what | requests |
|---|---|
| slow | 4 |
`
	if diff := cmp.Diff(want, Table(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPanicIn(t *testing.T) {
	log := "I1 starting\npanic: runtime error: index out of range\n\ngoroutine 1 [running]:\n"
	if got := panicIn(log); got != "panic: runtime error: index out of range" {
		t.Errorf("panicIn = %q", got)
	}
	if got := panicIn("E1 don't panic: leader election lost\n=== pid 3 ended\n"); got != "" {
		t.Errorf("panicIn of a log without one = %q", got)
	}
	if got := lastLine("first\nleader election lost\n=== pid 3 ended at 1: exit 1\n"); got != "leader election lost" {
		t.Errorf("lastLine = %q", got)
	}
}
