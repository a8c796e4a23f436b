package e2e

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// lostMark is on the ASO object of a resource that Azure may no longer have.
const lostMark = "infrastructure.cluster.x-k8s.io/lost"

// lose has somebody delete a resource in Azure, as in the portal, of which nobody hears.
func lose(ending string) func(*world) error {
	return once("lost "+ending, func(w *world) error {
		r, err := w.resource(ending)
		if err != nil || r == nil {
			return fmt.Errorf("Azure has no %s: %w", ending, err)
		}
		return w.azure.DeleteResource(w.ctx, r.ID)
	})
}

// loseCluster has somebody delete the AKS cluster in Azure. The user changes it then, so that ASO looks before an hour has passed. It must
// be made again with its pools of these sizes.
func loseCluster(change func(*world) error, system, user int) step {
	return step{
		name: "somebody deletes the AKS cluster in Azure",
		act:  all(lose("/managedClusters/my-cluster"), change),
		expect: []expectation{
			inAzure("/managedClusters/my-cluster", "tags.changed", "yes"), inAzure("/agentPools/pool0", "properties.count", system),
			inAzure("/agentPools/pool1", "properties.count", user), annotated(managedClusterKind, clusterName, lostMark, nil),
			annotated(managedClusterKind, clusterName, asoPolicy, nil), field(managedClusterKind, clusterName, "spec.agentPoolProfiles", nil),
			available, contractKept, kubeconfigWorks, replicas(systemPool, system), replicas(userPool, user),
		},
	}
}

// tagEntry tags the ManagedCluster in spec.resources.
func tagEntry(w *world) error {
	return w.edit(controlPlaneKind, clusterName, func(u *unstructured.Unstructured) error {
		return editEntry(u, "ManagedCluster/"+clusterName, func(e map[string]any) error {
			return setField(e, "spec.tags", map[string]any{"changed": "yes"})
		})
	})
}

// tagTyped tags all that is made for the cluster.
func tagTyped(w *world) error {
	return w.set(typedControlPlaneKind, clusterName, "spec.additionalTags", map[string]any{"changed": "yes"})
}
