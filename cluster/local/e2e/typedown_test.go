package e2e

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
			name:   "the person's AKS cluster",
			act:    applyOwn(),
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
			expect:   []expectation{field(poolKind, systemPool, "spec.replicas", 2)},
			stays:    []expectation{quietSince("around", "/managedClusters/own.*"), inAzure("/agentPools/pool0", "properties.count", 2)},
			staysFor: 5 * time.Second,
		},
		{
			name: "Cluster API is told to decide",
			act: all(
				func(w *world) error { return w.annotate(typedPoolKind, systemPool, manages, pointer("replicas")) },
				func(w *world) error {
					return w.annotate(typedControlPlaneKind, clusterName, manages, pointer("version"))
				},
			),
			expect: []expectation{
				warned(typedControlPlaneKind, clusterName, `decide kubernetesVersion of ManagedCluster own, but .spec.kubernetesVersion: conflict with "`+fieldOwner+`"`),
				warned(typedPoolKind, systemPool, "ManagedCluster own has spec.agentPoolProfiles[0].count: 2, which Azure gets whenever"),
				annotated(poolKind, systemPool, replicasManagedBy, nil), decides(agentPoolKind, "own-pool0", true), decides(managedClusterKind, "own", false),
			},
		},
		{
			name:     "but the person still does",
			act:      scaleTo(systemPool, 3),
			expect:   []expectation{warned(typedPoolKind, systemPool, `decide count of ManagedClustersAgentPool own-pool0, but .spec.count: conflict with "`+fieldOwner+`"`)},
			stays:    []expectation{quietSince("around", "/managedClusters/own.*"), inAzure("/agentPools/pool0", "properties.count", 2)},
			staysFor: 5 * time.Second,
		},
		{
			name: "the person lets Cluster API decide the version",
			act:  applyOwn(left("kubernetesVersion")),
			expect: []expectation{
				inAzure("/managedClusters/own", "properties.currentKubernetesVersion", newer[1:]), decides(managedClusterKind, "own", true),
				field(typedControlPlaneKind, clusterName, "status.version", newer), inAzure("/agentPools/pool0", "properties.count", 2),
			},
		},
		{
			name: "and says the same of the replicas",
			act:  applyOwn(left("kubernetesVersion"), told("count", 3)),
			expect: []expectation{
				inAzure("/agentPools/pool0", "properties.count", 3), decides(agentPoolKind, "own-pool0", true), ownUntouched, available,
			},
		},
		{
			name:     "the person says nothing of the replicas",
			act:      all(now("left"), applyOwn(left("kubernetesVersion"), left("count"))),
			stays:    []expectation{quietSince("left", "/managedClusters/own.*"), decides(agentPoolKind, "own-pool0", true)},
			staysFor: 5 * time.Second,
		},
		{
			name:   "Cluster API scales",
			act:    scaleTo(systemPool, 4),
			expect: []expectation{inAzure("/agentPools/pool0", "properties.count", 4), field(typedPoolKind, systemPool, "status.replicas", 4), available},
		},
		{
			name: "it is told to decide no more",
			act: all(now("taken back"), func(w *world) error { return w.annotate(typedPoolKind, systemPool, manages, nil) },
				func(w *world) error { return w.annotate(typedControlPlaneKind, clusterName, manages, nil) }),
			expect: []expectation{decides(managedClusterKind, "own", false), decides(agentPoolKind, "own-pool0", false)},
			stays: []expectation{
				quietSince("taken back", "/managedClusters/own.*"), field(agentPoolKind, "own-pool0", "spec.count", 4),
				field(managedClusterKind, "own", "spec.kubernetesVersion", newer[1:]),
			},
			staysFor: 5 * time.Second,
		},
		{
			name: "delete the Cluster",
			act:  downTyped.act,
			expect: []expectation{
				gone(clusterKind, clusterName), gone(typedControlPlaneKind, clusterName), gone(poolKind, systemPool), ownUntouched,
				inAzure("/managedClusters/own", "tags.owner", "person"), inAzure("/agentPools/pool0", "properties.count", 4),
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

// applyOwn applies the person's objects.
func applyOwn(changes ...change) func(*world) error {
	return func(w *world) error {
		objects, err := parse(ownObjects)
		if err != nil {
			return err
		}
		for _, alter := range changes {
			if objects, err = alter(objects); err != nil {
				return err
			}
		}
		return w.apply(objects...)
	}
}

// left leaves a field of spec out, told sets it, where it is.
func left(name string) change {
	return each(func(u *unstructured.Unstructured) error {
		unstructured.RemoveNestedField(u.Object, "spec", name)
		return nil
	})
}

func told(name string, value int64) change {
	return each(func(u *unstructured.Unstructured) error {
		if _, has, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", name); !has {
			return nil
		}
		return unstructured.SetNestedField(u.Object, value, "spec", name)
	})
}

// decides expects that provider-capz has applied a field of an object, or none.
func decides(gvk schema.GroupVersionKind, name string, yes bool) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		applied := slices.ContainsFunc(u.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool {
			return m.Manager == "provider-capz" && m.Operation == metav1.ManagedFieldsOperationApply
		})
		if applied != yes {
			return []string{fmt.Sprintf("%s %s has fields that provider-capz applied: %v", gvk.Kind, name, applied)}
		}
		return nil
	})
}

// ready expects ASO's condition Ready.
func ready(gvk schema.GroupVersionKind, name string) expectation {
	return condition(gvk, name, "Ready", "True", "")
}
