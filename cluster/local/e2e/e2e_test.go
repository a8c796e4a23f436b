package e2e

import (
	"slices"
	"strings"
	"testing"
)

// scenarios are all scenarios. Each is run without a kill first. Those that take long begin first, so that the end is not spent
// waiting for one; those of machines, which take most of the processors, do not all begin at once.
func scenarios() []*scenario {
	return slices.Concat([]*scenario{defaultFlavor, capzMachineTopology, machineFailures, machineUpgrade}, topologies(), []*scenario{
		mistakes, twinClusters, isolated, selfManaged, typedOwn, typedFeatures, typedPools, scale, autoscale, automatic, typed, typedPrivate, entra, everyKinds(),
		companyComposition, machineTopology, privateCluster, networkFeatures,
	}, tenantScenarios(), teams(), []*scenario{
		ownNetwork, windows, dualStack, upgrade, resources, networks, pause, afterPause, conflict, refusal, oneOfMany, dependency, byHand, v1alpha1, external, companyRefuses,
		companyTopology, settings, typedNetwork, typedIdentities, asoIdentity, asoIdentityLater, secretsMistaken, identityUse, namespaceDeleted,
		neverCreated, create,
	}, templates(), examples(), []*scenario{hostile})
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
