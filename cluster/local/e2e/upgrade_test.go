package e2e

// newer is a version of Kubernetes that AKS can upgrade version to.
const newer = "v1.34.3"

var upgrade = &scenario{
	name: "upgrade",
	steps: []step{
		up("aks-aso-preview"),
		loseCluster(tagEntry, 2, 2),
		{
			name: "upgrade the control plane",
			act:  func(w *world) error { return w.set(controlPlaneKind, clusterName, "spec.version", newer) },
			expect: []expectation{
				inAzure("/managedClusters/my-cluster", "properties.currentKubernetesVersion", newer[1:]),
				field(controlPlaneKind, clusterName, "status.version", newer),
				kubelets(version), available,
			},
		},
		{
			name: "upgrade the pools",
			act: all(
				func(w *world) error { return w.set(poolKind, systemPool, "spec.template.spec.version", newer) },
				func(w *world) error { return w.set(poolKind, userPool, "spec.template.spec.version", newer) },
			),
			expect: []expectation{
				inAzure("/agentPools/pool0", "properties.currentOrchestratorVersion", newer[1:]),
				inAzure("/agentPools/pool1", "properties.currentOrchestratorVersion", newer[1:]),
				kubelets(newer), available, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2),
			},
		},
		down,
	},
}
