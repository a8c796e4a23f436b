package e2e

import "time"

// up is the step that brings an example up.
func up(example string, changes ...change) step {
	return step{
		name:   "create " + example,
		act:    applyExample(example, changes...),
		expect: []expectation{available},
		lasts:  15 * time.Second,
	}
}

// down is the last step of all scenarios: it deletes the Cluster, and nothing may be left, in Kubernetes or in Azure.
var down = step{
	name:    "delete",
	act:     func(w *world) error { return w.remove(clusterKind, clusterName) },
	expect:  []expectation{nothingLeft, azureEmpty, acceptedDeletes},
	never:   []expectation{compositesOutlive},
	deletes: true,
	lasts:   10 * time.Second,
}

// inForeground is a step that deletes the Cluster with everything at the same time, as garbage collection does where it is deleted in the
// foreground: Argo CD has it so. Azure refuses to delete what is still in use then, and that must cost no hour.
func inForeground(besides ...func(*world) error) step {
	return step{
		name: "delete in the foreground", act: all(append([]func(*world) error{deleteInForeground}, besides...)...),
		expect: []expectation{nothingLeft, azureEmpty}, never: down.never, deletes: true, lasts: 15 * time.Second,
	}
}

var create = &scenario{
	name: "create",
	steps: []step{
		{
			name:   "create",
			act:    applyExample("aks-aso"),
			expect: []expectation{available, contractKept, labelled, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2), factsWritten(systemPool, userPool)},
			lasts:  15 * time.Second,
		},
		down,
	},
}
