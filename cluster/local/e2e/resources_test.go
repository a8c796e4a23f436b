package e2e

import (
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

const (
	extraNetwork = `
apiVersion: network.azure.com/v20250301
kind: VirtualNetwork
metadata:
  name: extra
spec:
  location: westeurope
  owner:
    name: my-cluster
  addressSpace:
    addressPrefixes: [10.99.0.0/16]
`
	extraSubnet = `
apiVersion: network.azure.com/v20250301
kind: VirtualNetworksSubnet
metadata:
  name: extra-nodes
spec:
  azureName: nodes
  owner:
    name: extra
  addressPrefix: 10.99.1.0/24
`
	maintenance = `
apiVersion: containerservice.azure.com/v1api20250801
kind: MaintenanceConfiguration
metadata:
  name: my-cluster-default
spec:
  azureName: default
  owner:
    name: my-cluster
  timeInWeek:
  - day: Sunday
    hourSlots: [0, 1]
`
)

// addResource adds an entry to spec.resources.
func addResource(gvk schema.GroupVersionKind, name, entry string) func(*world) error {
	return func(w *world) error {
		return w.edit(gvk, name, func(u *unstructured.Unstructured) error { return addEntry(u, entry) })
	}
}

// removeResource takes an entry out of spec.resources.
func removeResource(gvk schema.GroupVersionKind, name, entry string) func(*world) error {
	return func(w *world) error {
		return w.edit(gvk, name, func(u *unstructured.Unstructured) error { return dropEntry(u, entry) })
	}
}

var resources = &scenario{
	name: "resources",
	steps: []step{
		up("aks-aso", onePool),
		{
			name: "add a network with a subnet, and a maintenance window",
			act: all(
				addResource(asoClusterKind, clusterName, extraSubnet), addResource(asoClusterKind, clusterName, extraNetwork),
				addResource(controlPlaneKind, clusterName, maintenance),
			),
			expect: []expectation{
				inAzure("/virtualNetworks/extra", "", nil), inAzure("/virtualNetworks/extra/subnets/nodes", "", nil),
				inAzure("/maintenanceConfigurations/default", "", nil),
				entry(asoClusterKind, clusterName, "VirtualNetwork/extra", true, "Succeeded", ""),
				entry(asoClusterKind, clusterName, "VirtualNetworksSubnet/extra-nodes", true, "Succeeded", ""),
				entry(controlPlaneKind, clusterName, "MaintenanceConfiguration/my-cluster-default", true, "Succeeded", ""),
				available, contractKept,
			},
		},
		{
			name: "remove the subnet, while Azure takes its time",
			act: all(
				func(w *world) error {
					return w.fault("slow", admin.Fault{Method: http.MethodDelete, Path: "/subnets/nodes", Delay: 4 * time.Second})
				},
				removeResource(asoClusterKind, clusterName, "VirtualNetworksSubnet/extra-nodes"),
			),
			goes: []removal{{"VirtualNetworksSubnet/extra-nodes", "/virtualNetworks/extra/subnets/nodes"}},
			expect: []expectation{
				entry(asoClusterKind, clusterName, "VirtualNetworksSubnet/extra-nodes", false, "Deleting", ""),
			},
		},
		{
			name: "let it go",
			act:  func(w *world) error { return w.fix("slow") },
			expect: []expectation{
				notInAzure("/subnets/nodes"), noEntry(asoClusterKind, clusterName, "VirtualNetworksSubnet/extra-nodes"),
				inAzure("/virtualNetworks/extra", "", nil), available, contractKept,
			},
		},
		{
			name: "remove the network and the maintenance window",
			act: all(
				removeResource(asoClusterKind, clusterName, "VirtualNetwork/extra"),
				removeResource(controlPlaneKind, clusterName, "MaintenanceConfiguration/my-cluster-default"),
			),
			goes: []removal{
				{"VirtualNetwork/extra", "/virtualNetworks/extra"},
				{"MaintenanceConfiguration/my-cluster-default", "/maintenanceConfigurations/default"},
			},
			expect: []expectation{
				notInAzure("/virtualNetworks/extra"), notInAzure("/maintenanceConfigurations/default"),
				noEntry(asoClusterKind, clusterName, "VirtualNetwork/extra"),
				noEntry(controlPlaneKind, clusterName, "MaintenanceConfiguration/my-cluster-default"),
				available, contractKept,
			},
		},
		down,
	},
}
