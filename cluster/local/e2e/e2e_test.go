package e2e

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

// scenarios are all scenarios. Each is run without a kill first. Those that take long begin first, so that the end is not spent
// waiting for one; those of machines, which take most of the processors, do not all begin at once. selfManaged restarts ASO, which then
// writes a person's ManagedCluster anew, with the number of machines that it was made with: typedOwn is far from it.
func scenarios() []*scenario {
	return slices.Concat([]*scenario{defaultFlavor}, inTurn(), topologies(), []*scenario{
		mistakes, isolated, selfManaged, typedFeatures, typedPools, scale, autoscale, automatic, typed, typedPrivate, entra, everyKinds(),
		companyComposition, machineTopology, machinePool,
	}, tenantScenarios(), teams(), []*scenario{
		upgrade, plannedScenario, resources, networks, pause, afterPause, conflict, refusal, oneOfMany, dependency, byHand, v1alpha1, external, companyRefuses,
		companyTopology, settings, typedOwn, typedNetwork, typedIdentities, asoIdentity, asoIdentityLater, secretsMistaken, identityUse, namespaceDeleted,
		neverCreated, create,
	}, templates(), examples(), []*scenario{hostile})
}

// turns is how many of the scenarios that take turns are in a run.
const turns = 3

// inTurn are scenarios of machines, of which a run has some, for the sake of time: the seed says which. All are in a run that names
// its scenarios, and with E2E_ALL_ROUNDS.
func inTurn() []*scenario {
	all := []*scenario{
		capzMachineTopology, machineFailures, machineUpgrade, twinClusters, privateCluster, networkFeatures, ownNetwork, windows, dualStack,
	}
	if os.Getenv(allRoundsVariable) != "" || flag.Lookup("test.run").Value.String() != "" {
		return all
	}
	choices("turns").Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:turns]
}

// TestCalm runs every scenario while all components stay up.
func TestCalm(t *testing.T) {
	t.Cleanup(repeatFailures)
	for _, s := range slices.Backward(scenarios()) { // Of tests that run in parallel Go begins with the last.
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			runScenario(t, s)
		})
	}
}

// TestKilled runs every scenario in one of the rounds, whose components are killed in the middle of it. Whoever runs at the same
// time is hit by the same kills, besides its own.
func TestKilled(t *testing.T) {
	for round, killed := range rounds {
		t.Run(strings.Join(killed, ","), func(t *testing.T) {
			t.Cleanup(repeatFailures)
			for _, s := range slices.Backward(scenarios()) {
				if s.calmOnly || !runsIn(s, round) {
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
