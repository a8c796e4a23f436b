package e2e

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const managedBy = "cluster.x-k8s.io/managed-by"

// group is the resource group that the external system has made.
const group = `
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata:
  name: my-cluster
spec:
  location: westeurope
`

// externally has somebody else manage the AzureASOManagedCluster.
func externally(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	for _, u := range objects {
		if u.GetKind() == asoClusterKind.Kind {
			u.SetAnnotations(map[string]string{managedBy: "terraform"})
			if err := unstructured.SetNestedSlice(u.Object, []any{}, "spec", "resources"); err != nil {
				return nil, err
			}
		}
	}
	made, err := parse(group)
	return append(made, objects...), err
}

// fulfil does what the contract asks of the external system.
func fulfil(w *world) error {
	controlPlane, err := w.get(controlPlaneKind, clusterName)
	if err != nil || controlPlane == nil {
		return fmt.Errorf("control plane: %w", err)
	}
	endpoint, found, err := unstructured.NestedMap(controlPlane.Object, "status", "controlPlaneEndpoint")
	if err != nil || !found {
		return fmt.Errorf("the control plane has no endpoint: %w", err)
	}
	if err := w.set(asoClusterKind, clusterName, "spec.controlPlaneEndpoint", endpoint); err != nil {
		return err
	}
	u, err := w.get(asoClusterKind, clusterName)
	if err != nil {
		return err
	}
	status := map[string]any{"ready": true, "initialization": map[string]any{"provisioned": true}}
	if err := unstructured.SetNestedMap(u.Object, status, "status"); err != nil {
		return err
	}
	return w.client.Status().Update(w.ctx, u, client.FieldOwner("terraform"))
}

// untouched expects that nobody of ours has laid a hand on the externally managed object.
func untouched(w *world) []string {
	return on(asoClusterKind, clusterName, func(u *unstructured.Unstructured) []string {
		if len(u.GetFinalizers()) > 0 || u.GetAnnotations()[blockMove] != "" || len(mapsAt(u, "status", "resources")) > 0 {
			return []string{fmt.Sprintf("AzureASOManagedCluster has finalizers %v and annotations %v", u.GetFinalizers(), u.GetAnnotations())}
		}
		return nil
	})(w)
}

// external is a Cluster whose infrastructure is somebody else's.
var external = &scenario{
	name: "external", calmOnly: true,
	steps: []step{
		{
			name:   "create",
			act:    applyExample("aks-aso", externally),
			expect: []expectation{field(controlPlaneKind, clusterName, "status.ready", true), untouched},
			lasts:  15 * time.Second,
		},
		{
			name:   "the other system provides",
			act:    fulfil,
			expect: []expectation{available, untouched, kubeconfigWorks},
		},
		{
			name:   "delete the Cluster",
			act:    func(w *world) error { return w.remove(clusterKind, clusterName) },
			expect: []expectation{gone(clusterKind, clusterName), gone(managedClusterKind, clusterName), notInAzure("/managedClusters/my-cluster"), inAzure("/resourceGroups/my-cluster", "", nil)},
			goes: []removal{
				{"ManagedCluster/my-cluster", "/managedClusters/my-cluster"},
				{"ManagedClustersAgentPool/" + systemPool, "/agentPools/pool0"}, {"ManagedClustersAgentPool/" + userPool, "/agentPools/pool1"},
			},
		},
		{
			name:    "the other system takes its own away",
			act:     func(w *world) error { return w.remove(resourceGroupKind, clusterName) },
			expect:  []expectation{nothingLeft, azureEmpty, acceptedDeletes},
			deletes: true,
		},
	},
}
