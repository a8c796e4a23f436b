package e2e

import (
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// conflict has a user and Cluster API disagree about one field.
var conflict = &scenario{
	name: "conflict",
	steps: []step{
		up("aks-aso"),
		{
			name: "set another version in the ManagedCluster",
			act: all(now("conflict"), func(w *world) error {
				return w.setResource(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", "spec.kubernetesVersion", "1.32.0")
			}),
			expect: []expectation{
				says(controlPlaneKind, clusterName, `spec.resources[0].spec.kubernetesVersion is "1.32.0", but must be "1.33.6" or absent because spec.version is "v1.33.6"`),
				entry(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", false, "IncompatibleValue", "1.32.0"),
				condition(controlPlaneKind, clusterName, "Ready", "False", "1.32.0"),
				// The API server still answers, so that it says so and why it may not stay as it is.
				condition(clusterKind, clusterName, "ControlPlaneAvailable", "True", "1.32.0"),
			},
			// ASO writes everything once more when it starts, as it was before.
			stays:    []expectation{neverSent("1.32.0"), unless(stack.ASO, quietSince("conflict", ""))},
			staysFor: 3 * time.Second,
		},
		{
			name:   "other objects go on",
			act:    scaleTo(userPool, 3),
			expect: []expectation{replicas(userPool, 3)},
		},
		{
			name: "take it back",
			act: func(w *world) error {
				return w.setResource(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", "spec.kubernetesVersion", nil)
			},
			expect: []expectation{silent(controlPlaneKind, clusterName, "1.32.0"), available, contractKept, kubeconfigWorks},
		},
		{
			name: "the same value is no conflict",
			act: func(w *world) error {
				return w.setResource(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", "spec.kubernetesVersion", version[1:])
			},
			expect:   []expectation{available, contractKept},
			stays:    []expectation{entry(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", true, "", "")},
			staysFor: 2 * time.Second,
		},
		down,
	},
}
