package e2e

import "testing"

// scenarios are all scenarios. Each is run without a kill first.
func scenarios() []*scenario {
	return []*scenario{
		create,
	}
}

// TestCalm runs every scenario while all components stay up.
func TestCalm(t *testing.T) {
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			runScenario(t, s, "")
		})
	}
}

// TestKilled runs every scenario once for each component, which is killed in the middle of it. Whoever runs at the same
// time is hit by the same kill, besides its own.
func TestKilled(t *testing.T) {
	for _, component := range victims {
		t.Run(component, func(t *testing.T) {
			for _, s := range scenarios() {
				if s.calmOnly {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					runScenario(t, s, component)
				})
			}
		})
	}
}
