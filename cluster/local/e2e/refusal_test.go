package e2e

import (
	"net/http"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// refuse makes Azure refuse PUTs with a text. ASO tries the code again and again.
func refuse(name, path, text string) func(*world) error {
	return func(w *world) error {
		return w.fault(name, admin.Fault{
			Method: http.MethodPut, Path: path, Status: http.StatusForbidden, Code: "AuthorizationFailed", Message: text,
		})
	}
}

func fix(name string) func(*world) error {
	return func(w *world) error { return w.fix(name) }
}

const (
	groupRefused   = "The client may not write resource groups here."
	clusterRefused = "The client may not write managed clusters here."
	networkRefused = "The client may not write this network."
)

// refusal has Azure refuse one resource after the other; people read why where they look.
var refusal = &scenario{
	name: "refusal",
	steps: []step{
		{
			name: "create, while Azure refuses the resource group",
			act:  all(refuse("group", "/resourceGroups/my-cluster", groupRefused), applyExample("aks-aso")),
			expect: []expectation{
				says(asoClusterKind, clusterName, groupRefused),
				entry(asoClusterKind, clusterName, "ResourceGroup/my-cluster", false, "AuthorizationFailed", groupRefused),
				condition(clusterKind, clusterName, "InfrastructureReady", "False", groupRefused),
				says(controlPlaneKind, clusterName, "ResourceGroup my-cluster"),
			},
			stays: []expectation{because("ResourceGroup", groupRefused)}, staysFor: time.Second,
		},
		{
			name: "allow it, while Azure refuses the AKS cluster",
			act:  all(refuse("cluster", "/managedClusters/my-cluster", clusterRefused), fix("group")),
			expect: []expectation{
				entry(asoClusterKind, clusterName, "ResourceGroup/my-cluster", true, "", ""),
				says(controlPlaneKind, clusterName, clusterRefused),
				condition(clusterKind, clusterName, "ControlPlaneAvailable", "False", clusterRefused),
			},
			stays: []expectation{because("ManagedCluster", clusterRefused)}, staysFor: time.Second,
		},
		{
			name:   "allow it",
			act:    fix("cluster"),
			expect: []expectation{available, contractKept, kubeconfigWorks, silent(controlPlaneKind, clusterName, clusterRefused), nothingWrongOnce(available)},
		},
		{
			name: "ask for a version that AKS does not have",
			act:  func(w *world) error { return w.set(controlPlaneKind, clusterName, "spec.version", "v1.99.0") },
			expect: []expectation{
				entry(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", false, "K8sVersionNotSupported", "1.99.0"),
				says(controlPlaneKind, clusterName, "1.99.0, which is not supported"),
				// The API server still answers.
				condition(clusterKind, clusterName, "ControlPlaneAvailable", "True", "1.99.0"),
				field(controlPlaneKind, clusterName, "status.version", version), kubelets(version),
			},
			stays: []expectation{because("ManagedCluster", "1.99.0, which is not supported")}, staysFor: time.Second,
		},
		{
			name:   "ask for one that it has",
			act:    func(w *world) error { return w.set(controlPlaneKind, clusterName, "spec.version", version) },
			expect: []expectation{available, contractKept, kubeconfigWorks},
		},
		down,
	},
}

// oneOfMany has one resource fail, and one of a kind that nobody serves; the others are not held up.
var oneOfMany = &scenario{
	name: "one-of-many", calmOnly: true,
	steps: []step{
		{
			name: "create with two that fail",
			act: all(
				refuse("network", "/virtualNetworks/extra", networkRefused),
				applyExample("aks-aso", onePool, withEntry(asoClusterKind, clusterName, extraNetwork), withEntry(asoClusterKind, clusterName, extraSubnet),
					withEntry(asoClusterKind, clusterName, notInstalled), withEntry(asoClusterKind, clusterName, goodNetwork)),
			),
			expect: []expectation{
				entry(asoClusterKind, clusterName, "ResourceGroup/my-cluster", true, "Succeeded", ""),
				entry(asoClusterKind, clusterName, "VirtualNetwork/good", true, "Succeeded", ""),
				entry(asoClusterKind, clusterName, "VirtualNetwork/extra", false, "AuthorizationFailed", networkRefused),
				entry(asoClusterKind, clusterName, "VirtualNetworksSubnet/extra-nodes", false, "WaitingForResource", "VirtualNetwork extra"),
				entry(asoClusterKind, clusterName, "VirtualNetworkGateway/nobody", false, "KindNotInstalled", "VirtualNetworkGateway"),
				says(asoClusterKind, clusterName, networkRefused), says(asoClusterKind, clusterName, "VirtualNetworkGateway"),
				condition(clusterKind, clusterName, "InfrastructureReady", "False", networkRefused),
				field(controlPlaneKind, clusterName, "status.ready", true), inAzure("/agentPools/pool0", "properties.count", 2),
			},
		},
		{
			name:   "fix both",
			act:    all(fix("network"), removeResource(asoClusterKind, clusterName, "VirtualNetworkGateway/nobody")),
			expect: []expectation{available, contractKept, kubeconfigWorks, inAzure("/virtualNetworks/extra/subnets/nodes", "", nil)},
		},
		down,
	},
}

const (
	notInstalled = `
apiVersion: network.azure.com/v20250301
kind: VirtualNetworkGateway
metadata:
  name: nobody
spec:
  location: westeurope
  owner:
    name: my-cluster
`
	goodNetwork = `
apiVersion: network.azure.com/v20250301
kind: VirtualNetwork
metadata:
  name: good
spec:
  location: westeurope
  owner:
    name: my-cluster
  addressSpace:
    addressPrefixes: [10.98.0.0/16]
`
)
