package e2e

import (
	"slices"
	"strings"
	"testing"
)

// scenarios are all scenarios. Each is run without a kill first.
func scenarios() []*scenario {
	return slices.Concat([]*scenario{
		create, scale, autoscale, upgrade, resources, networks, pause, afterPause, conflict, mistakes, refusal,
		oneOfMany, dependency, byHand, entra, v1alpha1, external, companyComposition, companyRefuses, companyTopology,
		everyKinds(), settings,
		typed, typedPools, typedNetwork, typedFeatures, typedPrivate, typedOwn, typedIdentities,
	}, teams(), topologies(), templates(), examples())
}

// TestCalm runs every scenario while all components stay up.
func TestCalm(t *testing.T) {
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			runScenario(t, s)
		})
	}
}

// TestKilled runs every scenario once for each round, whose components are killed in the middle of it. Whoever runs at the same
// time is hit by the same kills, besides its own.
func TestKilled(t *testing.T) {
	for _, killed := range rounds {
		t.Run(strings.Join(killed, ","), func(t *testing.T) {
			for _, s := range scenarios() {
				if s.calmOnly {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					runScenario(t, s, killed...)
				})
			}
		})
	}
}
