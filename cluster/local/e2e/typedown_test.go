package e2e

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ownObjects are ASO objects that a person has written, for an AKS cluster that was there before Cluster API.
const ownObjects = `
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata:
  name: my-cluster
spec:
  location: westeurope
---
apiVersion: containerservice.azure.com/v1api20250801
kind: ManagedCluster
metadata:
  name: own
spec:
  location: westeurope
  owner: {name: my-cluster}
  dnsPrefix: own
  kubernetesVersion: 1.33.6
  identity: {type: SystemAssigned}
  tags: {owner: person}
  networkProfile: {networkPlugin: azure, networkPluginMode: overlay}
  agentPoolProfiles:
  - {name: pool0, mode: System, type: VirtualMachineScaleSets, vmSize: Standard_D2s_v5, count: 2}
  operatorSpec:
    secrets:
      adminCredentials: {name: own-credentials, key: value}
---
apiVersion: containerservice.azure.com/v1api20250801
kind: ManagedClustersAgentPool
metadata:
  name: own-pool0
spec:
  azureName: pool0
  owner: {name: own}
  mode: System
  type: VirtualMachineScaleSets
  vmSize: Standard_D2s_v5
  count: 2
  orchestratorVersion: 1.33.6
`

const (
	behindCluster = "infrastructure.cluster.x-k8s.io/managed-cluster"
	behindPool    = "infrastructure.cluster.x-k8s.io/agent-pool"
	manages       = "infrastructure.cluster.x-k8s.io/manages"
)

// refer names the person's objects on those of an example.
var refer = each(func(u *unstructured.Unstructured) error {
	switch u.GetKind() {
	case typedControlPlaneKind.Kind:
		u.SetAnnotations(map[string]string{behindCluster: "own"})
	case typedPoolKind.Kind:
		u.SetAnnotations(map[string]string{behindPool: "own-pool0"})
	}
	return nil
})

// ownUntouched expects that nobody has made an object of the person's his own.
func ownUntouched(w *world) []string {
	var missing []string
	for _, o := range []struct {
		gvk  schema.GroupVersionKind
		name string
	}{{resourceGroupKind, clusterName}, {managedClusterKind, "own"}, {agentPoolKind, "own-pool0"}} {
		missing = append(missing, on(o.gvk, o.name, func(u *unstructured.Unstructured) []string {
			for _, owner := range u.GetOwnerReferences() {
				if owner.Kind != managedClusterKind.Kind && owner.Kind != resourceGroupKind.Kind {
					return []string{fmt.Sprintf("%s %s has the owner %s %s", o.gvk.Kind, o.name, owner.Kind, owner.Name)}
				}
			}
			if policy := u.GetAnnotations()[asoPolicy]; policy != "" {
				return []string{fmt.Sprintf("%s %s has the reconcile policy %s", o.gvk.Kind, o.name, policy)}
			}
			return nil
		})(w)...)
	}
	return missing
}

// typedOwn is a cluster whose AKS cluster the person has written as ASO objects.
var typedOwn = &scenario{
	name: "typed-own", family: typedFamily, calmOnly: true,
	steps: []step{
		{
			name: "the person's AKS cluster",
			act: func(w *world) error {
				objects, err := parse(ownObjects)
				if err != nil {
					return err
				}
				return w.apply(objects...)
			},
			expect: []expectation{inAzure("/managedClusters/own", "properties.provisioningState", "Succeeded"), exists(secretKind, "own-credentials"), ready(agentPoolKind, "own-pool0")},
		},
		{
			name: "Cluster API around it",
			act:  all(now("around"), applyTyped("aks", onePool, refer)),
			expect: []expectation{
				available, ownUntouched, kubeconfigWorks, field(typedControlPlaneKind, clusterName, "status.version", version),
				field(typedControlPlaneKind, clusterName, "status.ready", true), field(typedPoolKind, systemPool, "status.replicas", 2),
				quietSince("around", "/managedClusters/own.*"), notInAzure("/managedClusters/my-cluster"),
			},
		},
		{
			name: "the person's fields stay the person's",
			act: all(scaleTo(systemPool, 3), func(w *world) error {
				return w.set(typedControlPlaneKind, clusterName, "spec.version", newer)
			}),
			stays:    []expectation{quietSince("around", "/managedClusters/own.*"), inAzure("/agentPools/pool0", "properties.count", 2)},
			staysFor: 5 * time.Second,
		},
		{
			name: "unless Cluster API is told to decide",
			act: all(
				func(w *world) error { return w.annotate(typedPoolKind, systemPool, manages, pointer("replicas")) },
				func(w *world) error {
					return w.annotate(typedControlPlaneKind, clusterName, manages, pointer("version"))
				},
			),
			expect: []expectation{
				inAzure("/agentPools/pool0", "properties.count", 3), inAzure("/managedClusters/own", "properties.currentKubernetesVersion", newer[1:]),
				field(typedControlPlaneKind, clusterName, "status.version", newer), ownUntouched, available,
			},
		},
		{
			name: "delete the Cluster",
			act:  downTyped.act,
			expect: []expectation{
				gone(clusterKind, clusterName), gone(typedControlPlaneKind, clusterName), gone(poolKind, systemPool), ownUntouched,
				inAzure("/managedClusters/own", "tags.owner", "person"), inAzure("/agentPools/pool0", "properties.count", 3),
			},
		},
		{
			name:    "the person's AKS cluster goes",
			act:     func(w *world) error { return w.remove(resourceGroupKind, clusterName) },
			expect:  []expectation{azureEmpty, nothingLeft},
			deletes: true,
		},
	},
}

// ready expects ASO's condition Ready.
func ready(gvk schema.GroupVersionKind, name string) expectation {
	return condition(gvk, name, "Ready", "True", "")
}
