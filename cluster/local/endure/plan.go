package endure

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// A Stage is something that a person does with a cluster.
type Stage string

// The stages of lives. Each begins with Create and ends with Delete.
const (
	Create  Stage = "create"
	Change  Stage = "change"
	Scale   Stage = "scale"
	Upgrade Stage = "upgrade"
	Pause   Stage = "pause"
	Move    Stage = "move"
	Delete  Stage = "delete"
)

// An Act is what is done to a component.
type Act string

// The acts.
const (
	// Kill ends a component with SIGKILL.
	Kill Act = "kill"
	// Freeze stops a component with SIGSTOP, so that whoever waits for it waits.
	Freeze Act = "freeze"
)

// A Moment is when something is done to a component.
type Moment struct {
	// Stage is the index of the stage, and After the time since it has begun.
	Stage     int
	After     time.Duration
	Component string
	Act       Act
	// For is how long the component is stopped, or is dead before it is started again.
	For time.Duration
	// There says that it is one of the management cluster that the Cluster is moved to.
	There bool
}

// An Injection is when Azure begins to answer wrongly.
type Injection struct {
	Stage int
	After time.Duration
	// Kind is the name of one of AzureFaults.
	Kind string
	// Times is how many requests are answered so at most, Every which of those that match.
	Times, Every int
	// Choice is a number that the kind makes its choices by.
	Choice uint64
}

// A Contention is when somebody else writes to the life's objects again and again, so that who reads one and then writes it finds that it
// has changed meanwhile.
type Contention struct {
	Stage int
	After time.Duration
	For   time.Duration
}

// A Crowd is when the API server has more requests of an account than it takes.
type Crowd struct {
	Stage   int
	After   time.Duration
	For     time.Duration
	Account string
}

// A Cut is when the connections of a component are cut.
type Cut struct {
	Stage     int
	After     time.Duration
	Component string
}

// A Life is what a cluster goes through.
type Life struct {
	Number     int
	Family     string
	Stages     []Stage
	Moments    []Moment
	Injections []Injection
	// Contentions, Crowds and Cuts are in some stages.
	Contentions []Contention
	Crowds      []Crowd
	Cuts        []Cut
}

// Name is what the life's namespace is called.
func (l Life) Name() string { return fmt.Sprintf("life-%d", l.Number) }

// The plan's measures.
const (
	// window is how long after the beginning of a stage things break.
	window = 15 * time.Second
	// longestDown is how long a component is stopped or dead at most.
	longestDown = 12 * time.Second
	// momentsOfTen is how many of ten stages have a further moment, again and again.
	momentsOfTen = 8
	// fewestInjections and moreInjections are how many kinds of fault there are in a stage, and how many more there may be.
	fewestInjections, moreInjections = 8, 8
	// mostTimes is how many requests a fault answers at most, mostEvery how rare it is at most.
	mostTimes, mostEvery = 60, 2
	// contentionsOfTen is in how many of ten stages somebody else writes to the objects.
	contentionsOfTen = 4
	// crowdsOfTen is in how many the API server has too many requests.
	crowdsOfTen = 1
	// cutsOfTen is in how many of ten the connections of a component are cut, and after that those of another, and so on.
	cutsOfTen = 6
	// rareOutages is how many times rarer an outage is, in which no life goes on, than other faults.
	rareOutages = 4
)

// A Plan is what all lives of a run follow from.
type Plan struct {
	Seed uint64 `json:"seed"`
	// Moves says that clusters are moved to another management cluster.
	Moves bool `json:"moves,omitempty"`
	// Between is how many stages lie between the beginning of a life and its end at most; all that its family has when 0.
	Between int `json:"between,omitempty"`
}

// Life returns the life of a number.
func (p Plan) Life(number int) Life {
	f := familyOf(p.Seed, number)
	choice := rand.New(rand.NewPCG(p.Seed, uint64(number))) //nolint:gosec // A choice that is to be repeated.
	life := Life{Number: number, Family: f.name, Stages: p.stagesOf(f, choice)}
	components := f.components()
	for stage := range life.Stages {
		for choice.IntN(10) < momentsOfTen {
			m := momentOf(choice, stage, components)
			m.There = life.Stages[stage] == Move && choice.IntN(2) == 0
			life.Moments = append(life.Moments, m)
		}
		for range fewestInjections + choice.IntN(moreInjections+1) {
			life.Injections = append(life.Injections, injectionOf(choice, stage))
		}
		if choice.IntN(10) < contentionsOfTen {
			life.Contentions = append(life.Contentions, Contention{stage, upTo(choice, window), time.Second + upTo(choice, longestDown)})
		}
		if choice.IntN(10) < crowdsOfTen {
			life.Crowds = append(life.Crowds, Crowd{stage, upTo(choice, window), time.Second + upTo(choice, longestDown), crowders[choice.IntN(len(crowders))]})
		}
		for choice.IntN(10) < cutsOfTen {
			life.Cuts = append(life.Cuts, Cut{stage, upTo(choice, window), cuttable[choice.IntN(len(cuttable))]})
		}
	}
	return life
}

// familyOf returns the family of a life: of as many lives as there are families, each has another.
func familyOf(seed uint64, number int) *family {
	round := rand.New(rand.NewPCG(seed, ^uint64(number/len(families)))) //nolint:gosec // A choice that is to be repeated.
	return families[round.Perm(len(families))[number%len(families)]]
}

// stagesOf returns the stages of a life of the family: what lies between its beginning and its end is in any order.
func (p Plan) stagesOf(f *family, choice *rand.Rand) []Stage {
	var between []Stage
	for _, stage := range allStages {
		if _, has := f.stages[stage]; has && stage != Create && stage != Delete && (stage != Move || p.Moves) {
			between = append(between, stage)
		}
	}
	choice.Shuffle(len(between), func(i, j int) { between[i], between[j] = between[j], between[i] })
	if p.Between > 0 {
		between = between[:min(p.Between, len(between))]
	}
	return slices.Concat([]Stage{Create}, between, []Stage{Delete})
}

var allStages = []Stage{Create, Change, Scale, Upgrade, Pause, Move, Delete}

// Components are those that things are done to, each as often as its weight says: what takes long to come back keeps all lives from going on.
var weights = []struct {
	component string
	weight    int
}{
	{stack.Function, 4}, {stack.Provider, 4}, {stack.AzureSim, 3}, {stack.Crossplane, 3}, {stack.CAPI, 2}, {stack.ASO, 2}, {stack.APIServer, 1}, {stack.Etcd, 1},
}

// machineWeights are of components that only lives of virtual machines meet.
var machineWeights = map[string]int{stack.KubeadmControl: 2, stack.KubeadmBootstrap: 2, stack.CloudController: 1}

// components returns the names of the components that things are done to in lives of the family, each as often as its weight.
func (f *family) components() []string {
	var all []string
	for _, w := range weights {
		all = append(all, slices.Repeat([]string{w.component}, w.weight)...)
	}
	if f.machines {
		for _, component := range []string{stack.KubeadmControl, stack.KubeadmBootstrap, stack.CloudController} {
			all = append(all, slices.Repeat([]string{component}, machineWeights[component])...)
		}
	}
	return all
}

func momentOf(choice *rand.Rand, stage int, components []string) Moment {
	m := Moment{Stage: stage, After: upTo(choice, window), Component: components[choice.IntN(len(components))], Act: Kill}
	switch choice.IntN(4) {
	case 0: // It stays dead for a while.
		m.For = upTo(choice, longestDown)
	case 1:
		m.Act, m.For = Freeze, time.Second+upTo(choice, longestDown)
	}
	return m
}

func injectionOf(choice *rand.Rand, stage int) Injection {
	kind := AzureFaults[choice.IntN(len(AzureFaults))].Name
	if kind == Outage && choice.IntN(rareOutages) != 0 {
		kind = "unavailable"
	}
	return Injection{
		Stage: stage, After: upTo(choice, window), Kind: kind,
		Times: 1 + choice.IntN(mostTimes), Every: 1 + choice.IntN(mostEvery), Choice: choice.Uint64(),
	}
}

// upTo chooses a duration in tenths of a second.
func upTo(choice *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(choice.Int64N(int64(most))).Round(100 * time.Millisecond)
}

// Matches reports whether a life is one of those that are asked for, by number or by family; all are for none.
func (l Life) Matches(only []string) bool {
	return len(only) == 0 || slices.Contains(only, l.Family) || slices.Contains(only, fmt.Sprint(l.Number))
}

// Wanted returns an error for what is neither a number nor a family.
func Wanted(only []string) error {
	for _, o := range only {
		var number int
		if _, err := fmt.Sscanf(o, "%d", &number); err == nil && number >= 0 && fmt.Sprint(number) == o {
			continue
		}
		if !slices.Contains(Families(), o) {
			return fmt.Errorf("--only is %q: want the number of a life, or a family of %v", o, Families())
		}
	}
	return nil
}
