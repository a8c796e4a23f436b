package e2e

const addedPool = "my-cluster-pool2"

var pools = &scenario{
	name: "pools",
	steps: []step{
		up("aks-aso", onePool),
		{
			name: "add a pool",
			act: func(w *world) error {
				added, err := pool(addedPool, 3)
				if err != nil {
					return err
				}
				return w.apply(added...)
			},
			expect: []expectation{replicas(addedPool, 3), replicas(systemPool, 2), available, kubeconfigWorks},
		},
		{
			name: "remove it",
			act:  func(w *world) error { return w.remove(poolKind, addedPool) },
			goes: []removal{{"ManagedClustersAgentPool/" + addedPool, "/agentPools/pool2"}},
			expect: []expectation{
				gone(poolKind, addedPool), gone(asoPoolKind, addedPool), gone(agentPoolKind, addedPool),
				notInAzure("/agentPools/pool2"), replicas(systemPool, 2), available, kubeconfigWorks,
			},
		},
		down,
	},
}

// lastSystemPool is deleted in vain: AKS has no cluster without one.
var lastSystemPool = &scenario{
	name: "system-pool", calmOnly: true,
	steps: []step{
		up("aks-aso"),
		{
			name: "delete the only system pool",
			act:  func(w *world) error { return w.remove(poolKind, systemPool) },
			goes: []removal{{"ManagedClustersAgentPool/" + systemPool, "/agentPools/pool0"}},
			expect: []expectation{
				warned(asoPoolKind, systemPool, "at least one system"),
				inAzure("/agentPools/pool0", "properties.count", 2), exists(asoPoolKind, systemPool), replicas(userPool, 2),
			},
		},
		{
			name:    "delete",
			act:     down.act,
			expect:  []expectation{nothingLeft, azureEmpty},
			never:   down.never,
			deletes: true,
			lasts:   down.lasts,
		},
	},
}
