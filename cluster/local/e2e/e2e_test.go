package e2e

import (
	"flag"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// everyScenario returns all scenarios. Those that take long come first, so that the end is not spent waiting for one; those of machines, which take most of
// the processors, do not all begin at once. selfManaged restarts ASO, which then writes a person's ManagedCluster anew, with the number of
// machines that it was made with: typedOwn is far from it.
func everyScenario() []*scenario {
	return slices.Concat([]*scenario{defaultFlavor}, machineTopologies, machinesInTurn, topologies(), []*scenario{
		mistakes, isolated, selfManaged, typedFeatures, typedPools, scale, autoscale, automatic, typed, typedPrivate, entra, everyKinds(),
		companyComposition, machinePool,
	}, tenantScenarios(), teams(), []*scenario{
		asoByRole, typedByRole, upgrade, plannedScenario, adoptedScenario, adoptedByAnnotation, migratedScenario, migratedBack, resources, networks, pause, afterPause, conflict, refusal, oneOfMany, dependency, byHand, v1alpha1, external, companyRefuses,
		companyTopology, appEnvironment, settings, health, typedOwn, typedNetwork, typedIdentities, asoIdentity, asoIdentityLater, secretsMistaken, identityUse, namespaceDeleted,
		neverCreated, create,
	}, templates(), examples(), []*scenario{hostile})
}

// machineTopologies are those of clusters of machines.
var machineTopologies = []*scenario{machineTopology, capzMachineTopology}

// machinesInTurn are clusters of machines, beside those that each run has.
var machinesInTurn = []*scenario{
	machineFailures, machineUpgrade, twinClusters, privateCluster, networkFeatures, ownNetwork, windows, dualStack, spotPool, machinesByRole,
}

// A turn is what a run has some of, for the sake of time: the seed says which. What they have in common with none but each other, such as
// the kind of a template, which takes rights, so is in each run.
type turn struct {
	name string
	// of are the names of scenarios, of relocations, or of tests.
	of    []string
	count int
}

func turns() []turn {
	typed := func(s *scenario) bool { return s.family == typedFamily }
	return []turn{
		{name: "machines", of: namesOf(slices.Concat([]*scenario{defaultFlavor}, machinesInTurn, machineTopologies)), count: 1},
		{name: "topologies", of: namesOf(slices.DeleteFunc(topologies(), typed)), count: 1},
		{name: "typed topologies", of: namesOf(slices.DeleteFunc(topologies(), func(s *scenario) bool { return !typed(s) })), count: 1},
		{name: "tenants", of: namesOf(tenantScenarios()), count: 1},
		{name: "typed features", of: namesOf([]*scenario{typedFeatures, typedPools, typedPrivate, typedNetwork}), count: 1},
		{name: "numbers of nodes", of: namesOf([]*scenario{scale, autoscale}), count: 1},
		{name: "kubectl capz", of: namesOf([]*scenario{plannedScenario, migratedBack, asoByRole, typedByRole}), count: 1},
		{name: "what was there before", of: namesOf([]*scenario{adoptedScenario, migratedScenario}), count: 1},
		{name: "AKS clusters", of: namesOf([]*scenario{create, upgrade, networks, resources, byHand, v1alpha1, entra}), count: 2},
		{name: "refusals", of: namesOf([]*scenario{mistakes, refusal, oneOfMany, conflict, dependency, secretsMistaken, neverCreated}), count: 2},
		{name: "pauses", of: namesOf([]*scenario{pause, afterPause}), count: 1},
		{name: "neighbors", of: namesOf([]*scenario{isolated, namespaceDeleted, hostile}), count: 1},
		// teams begins with the life of an AKSCluster and the policy of its claim, which are in each run.
		{name: "details", of: namesOf(append(teams()[2:], companyComposition, companyRefuses, companyTopology, settings, health, typedOwn, typedIdentities, asoIdentityLater, identityUse, automatic, external, adoptedByAnnotation, appEnvironment)), count: 3},
		{name: "templates", of: namesOf(templates()), count: 1},
		{name: "tests that run alone", of: []string{"TestHostFailure", "TestMove", "TestPackageUpgrade", "TestTemplates"}, count: 2},
		{name: "moves of AKS clusters", of: []string{"move-topology", "move-typed"}, count: 1},
		{name: "moves of machines", of: []string{"move-machines", "move-machine-pool"}, count: 1},
	}
}

func namesOf(scenarios []*scenario) []string {
	var names []string
	for _, s := range scenarios {
		names = append(names, s.name)
	}
	return names
}

// whole reports whether a run leaves nothing out: where it names its scenarios, or with E2E_ALL_ROUNDS.
func whole() bool {
	return os.Getenv(allRoundsVariable) != "" || flag.Lookup("test.run").Value.String() != ""
}

// waiting are the names of what is not in this run, as it is not its turn.
var waiting = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	if whole() {
		return names
	}
	for _, t := range turns() {
		order := choices(t.name).Perm(len(t.of))
		for _, i := range order[t.count:] {
			names[t.of[i]] = true
		}
	}
	return names
})

// takeTurn skips a test whose turn it is not.
func takeTurn(t *testing.T) {
	t.Helper()
	if waiting()[t.Name()] {
		t.Skipf("it is not its turn; -run %s or %s=1 has it", t.Name(), allRoundsVariable)
	}
}

// scenarios are those of this run: those whose turn it is, and those that take no turns.
func scenarios() []*scenario {
	return slices.DeleteFunc(everyScenario(), func(s *scenario) bool { return !s.takesPart() })
}

// takesPart reports whether a scenario is in this run.
func (s *scenario) takesPart() bool { return !waiting()[s.name] }

// calm reports whether a scenario is run while all components stay up. For the sake of time the seed chooses between that and the kills, where
// there are kills.
func (s *scenario) calm() bool { return s.calmOnly || whole() || choices(s.name+"/calm").IntN(2) == 0 }

// killed reports whether components are killed in a scenario.
func (s *scenario) killed() bool { return !s.calmOnly && (whole() || !s.calm()) }

// TestCalm runs scenarios while all components stay up.
func TestCalm(t *testing.T) {
	t.Cleanup(repeatFailures)
	for _, s := range slices.Backward(scenarios()) { // Of tests that run in parallel Go begins with the last.
		if !s.calm() {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			runScenario(t, s)
		})
	}
}

// TestKilled runs scenarios each in one of the rounds, whose components are killed in the middle of it. Whoever runs at the same time is hit by
// the same kills, besides its own.
func TestKilled(t *testing.T) {
	for round, killed := range rounds {
		t.Run(strings.Join(killed, ","), func(t *testing.T) {
			t.Cleanup(repeatFailures)
			for _, s := range slices.Backward(scenarios()) {
				if !s.killed() || !runsIn(s, round) {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					runScenario(t, s, killedIn(s, round)...)
				})
			}
		})
	}
}
