package e2e

const addedPool = "my-cluster-pool2"

// lastSystemPool is deleted in vain: AKS has no cluster without one. It goes with the cluster.
var lastSystemPool = []step{
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
}
