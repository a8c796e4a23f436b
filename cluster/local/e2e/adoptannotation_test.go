package e2e

import (
	"time"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// CAPZ's annotation by which an object is adopted, and this project's for the name.
const (
	adoptAnnotation   = "sigs.k8s.io/cluster-api-provider-azure-adopt"
	adoptAsAnnotation = "infrastructure.cluster.x-k8s.io/adopt-as"
)

// asoByHand is an AKS cluster that somebody has made by Azure Service Operator alone.
const asoByHand = `
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata: {name: by-hand, annotations: {serviceoperator.azure.com/credential-from: aso-credential}}
spec: {location: westeurope}
---
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedCluster
metadata: {name: aks, annotations: {serviceoperator.azure.com/credential-from: aso-credential}}
spec:
  azureName: my-cluster
  owner: {name: by-hand}
  location: westeurope
  dnsPrefix: by-hand
  identity: {type: SystemAssigned}
  kubernetesVersion: 1.33.6
  networkProfile: {networkPlugin: azure, networkPluginMode: overlay}
  agentPoolProfiles:
  - {name: pool0, mode: System, type: VirtualMachineScaleSets, vmSize: Standard_D2s_v5, count: 2, osType: Linux}
---
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedClustersAgentPool
metadata: {name: my-cluster-pool0, annotations: {serviceoperator.azure.com/credential-from: aso-credential}}
spec: {azureName: pool0, owner: {name: aks}, mode: System, type: VirtualMachineScaleSets, vmSize: Standard_D2s_v5, count: 2, osType: Linux}
---
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedClustersAgentPool
metadata: {name: my-cluster-pool1, annotations: {serviceoperator.azure.com/credential-from: aso-credential}}
spec: {azureName: pool1, owner: {name: aks}, mode: User, type: VirtualMachineScaleSets, vmSize: Standard_D2s_v5, count: 2, osType: Linux}
`

// adoptedByAnnotation is that cluster, of which the annotation that CAPZ has for it makes a Cluster.
var adoptedByAnnotation = &scenario{
	name: "adopt-annotation", calmOnly: true,
	rights: []string{
		"provider-capz: create clusters.cluster.x-k8s.io", "provider-capz: create machinepools.cluster.x-k8s.io", "provider-capz: get machinepools.cluster.x-k8s.io",
		"provider-capz: create azureasomanagedclusters.infrastructure.cluster.x-k8s.io", "provider-capz: create azureasomanagedcontrolplanes.infrastructure.cluster.x-k8s.io",
		"provider-capz: create azureasomanagedmachinepools.infrastructure.cluster.x-k8s.io",
	},
	steps: []step{
		{
			name: "make a cluster by Azure Service Operator alone", lasts: 20 * time.Second,
			act: func(w *world) error {
				objects, err := kubeyaml.Parse([]byte(asoByHand))
				if err != nil {
					return err
				}
				return w.apply(objects...)
			},
			expect: []expectation{ready(managedClusterKind, "aks"), ready(agentPoolKind, systemPool), ready(agentPoolKind, userPool)},
		},
		{
			name: "annotate it", lasts: 25 * time.Second,
			act: all(now("annotated"), func(w *world) error {
				yes, name := "true", clusterName
				if err := w.annotate(managedClusterKind, "aks", adoptAsAnnotation, &name); err != nil {
					return err
				}
				if err := w.annotate(managedClusterKind, "aks", adoptAnnotation, &yes); err != nil {
					return err
				}
				for _, pool := range []string{systemPool, userPool} {
					if err := w.annotate(agentPoolKind, pool, adoptAnnotation, &yes); err != nil {
						return err
					}
				}
				return nil
			}),
			expect: []expectation{
				available, replicas(systemPool, 2), replicas(userPool, 2), kubeconfigWorks, managed("ManagedCluster"), managed("ManagedClustersAgentPool"),
			},
			never: []expectation{nothingChangedSince("annotated", ofAzure...)},
			stays: []expectation{nothingChangedSince("annotated", ofAzure...)}, staysFor: 5 * time.Second,
		},
		{name: "scale it", act: func(w *world) error { return w.set(poolKind, userPool, "spec.replicas", int64(3)) }, expect: []expectation{replicas(userPool, 3)}},
		{
			name: "delete it", deletes: true, lasts: 10 * time.Second,
			act:    func(w *world) error { return w.remove(clusterKind, clusterName) },
			expect: []expectation{nothingLeft, notInAzure("/managedClusters/" + clusterName)},
		},
	},
}
