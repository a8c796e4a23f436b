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

// inForeground is another way of the step that deletes the Cluster: garbage collection deletes everything at the same time, as Argo CD has it
// do. Azure refuses to delete what is still in use then, and that must cost no hour.
func inForeground(s step) step {
	act := s.act
	s.name, s.expect = "delete in the foreground", []expectation{nothingLeft, azureEmpty}
	s.act = func(w *world) error { return all(deleteInForeground, act)(w) }
	s.lasts = 15 * time.Second
	return s
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
