package e2e

import (
	"path/filepath"
	"slices"
)

// covered are the examples that a scenario of their own brings up.
var covered = []string{
	"aks-aso", "aks-aso-vnets", "aks-aso-local-accounts-disabled", "aks-aso-preview", "aks-aso-maintenance", "aks-aso-identity", "aks", "aks-byo-network", "self-managed", "self-managed-private", "self-managed-own-network",
	"self-managed-dual-stack",
}

// examples has a scenario for each other folder of examples/.
func examples() []*scenario {
	folders, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "*", "cluster.yaml"))
	if err != nil {
		panic(err) // The pattern is malformed.
	}
	var all []*scenario
	for _, f := range folders {
		name := filepath.Base(filepath.Dir(f))
		if slices.Contains(covered, name) {
			continue
		}
		s := &scenario{name: "example-" + name, calmOnly: true, steps: []step{up(name), down}}
		s.steps[0].expect = append(s.steps[0].expect, contractKept, kubeconfigWorks)
		all = append(all, s)
	}
	return all
}
