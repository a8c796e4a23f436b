package e2e

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

const (
	// newer is a version of Kubernetes that AKS can upgrade version to, between is one on the way there.
	newer   = "v1.34.3"
	between = "v1.34.1"
	// skipping is one that AKS refuses to go to from version, as there is a minor version between; unknown is one that it does not have.
	skipping = "v1.35.1"
	unknown  = "v1.34.99"
)

// inFirst changes the ASO object that a composite resource has first in its spec.resources.
func inFirst(w *world, u *unstructured.Unstructured, field string, value any) error {
	return w.edit(u.GroupVersionKind(), u.GetName(), inEntry(field, value))
}

// asoCluster and asoUserPool are the composite resources of the example.
var asoCluster, asoUserPool = object(controlPlaneKind, "", clusterName), object(asoPoolKind, "", userPool)

// withChannel has AKS upgrade the cluster by itself.
func withChannel(w *world) error {
	return inFirst(w, asoCluster, "spec.autoUpgradeProfile", map[string]any{"upgradeChannel": "stable"})
}

var upgrade = &scenario{
	name: "upgrade",
	steps: []step{
		up("aks-aso-preview"),
		loseCluster(tagEntry, 2, 2),
		{
			name:   "leave upgrades to AKS",
			act:    withChannel,
			expect: []expectation{inAzure("/managedClusters/my-cluster", "properties.autoUpgradeProfile.upgradeChannel", "stable"), available},
		},
		{
			name: "AKS upgrades by itself, and much is changed before anybody here knows",
			act: all(
				once("upgraded by AKS", upgradedByAKS(between)),
				func(w *world) error { return inFirst(w, asoCluster, "spec.tags", map[string]any{"team": "blue"}) },
				func(w *world) error {
					return inFirst(w, asoUserPool, "spec.nodeLabels", map[string]any{"example.org/workload": "batch"})
				},
				scaleTo(userPool, 3),
			),
			expect: []expectation{
				inAzure("/managedClusters/my-cluster", "tags.team", "blue"), inAzure("/managedClusters/my-cluster", "properties.currentKubernetesVersion", between[1:]),
				inAzure("/agentPools/pool1", "properties.nodeLabels", map[string]any{"example.org/workload": "batch"}), replicas(userPool, 3),
				inAzure("/agentPools/pool0", "properties.currentOrchestratorVersion", between[1:]),
				field(controlPlaneKind, clusterName, "status.version", between), field(controlPlaneKind, clusterName, "spec.version", version),
				kubelets(between), available, kubeconfigWorks,
			},
		},
		{
			name: "upgrade the control plane",
			act:  func(w *world) error { return w.set(controlPlaneKind, clusterName, "spec.version", newer) },
			expect: []expectation{
				inAzure("/managedClusters/my-cluster", "properties.currentKubernetesVersion", newer[1:]),
				field(controlPlaneKind, clusterName, "status.version", newer),
				kubelets(between), available,
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
				kubelets(newer), available, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 3),
			},
		},
		down,
	},
}
