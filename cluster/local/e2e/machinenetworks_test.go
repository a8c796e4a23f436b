package e2e

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// privateCluster is a cluster whose API server has no public address.
var privateCluster = &scenario{
	name: "private-cluster", family: machineFamily, calmOnly: true,
	steps: []step{
		{
			name: "create", act: applyTyped("self-managed-private"), lasts: 2 * booting,
			expect: []expectation{
				machinesUp(1, 1), machinesKept,
				field(azureClusterKind, clusterName, "spec.controlPlaneEndpoint.host", privateHost),
				inAzure("/privateDnsZones/my-cluster.capz.io/A/apiserver", "properties.aRecords", []any{map[string]any{"ipv4Address": "10.0.0.100"}}),
				inAzure("/bastionHosts/my-cluster-azure-bastion", "properties.provisioningState", "Succeeded"),
				notInAzure("/publicIPAddresses/pip-my-cluster-apiserver"),
			},
		},
		downMachines,
	},
}

// controlPlanesSubnet is the second subnet of the company's network, as examples/self-managed-own-network has it.
const controlPlanesSubnet = network + "/subnets/control-planes"

// ownNetwork is a cluster of virtual machines in a network that was there before, and stays.
var ownNetwork = &scenario{
	name: "own-network", family: machineFamily, calmOnly: true,
	steps: []step{
		{
			name: "create", lasts: 2 * booting,
			act: all(once("network", all(companyNetwork, writeAzure(controlPlanesSubnet, "2020-11-01", `{"properties":{"addressPrefix":"10.65.0.0/24"}}`))),
				applyTyped("self-managed-own-network")),
			expect: append([]expectation{
				machinesUp(1, 1), machinesKept, owned("/resourceGroups/my-cluster"),
				externalObject(resourceGroupKind, "my-network"), externalObject(virtualNetworkKind, "company"),
				externalObject(subnetKind, "company-nodes"), externalObject(subnetKind, "company-control-planes"),
				neverWritten(controlPlanesSubnet), notInAzure("/routeTables/my-cluster-node-routetable"), notInAzure("/natGateways/my-cluster-node-natgw-1"),
			}, untouchedNetwork...),
		},
		{
			name: "delete", act: downTyped.act, deletes: true, lasts: booting, never: downTyped.never,
			expect: append([]expectation{gone(clusterKind, clusterName), gone(azureClusterKind, clusterName), onlyNetworkLeft, neverWritten(controlPlanesSubnet)}, untouchedNetwork...),
		},
	},
}

// dualStack is a cluster whose machines have addresses of IPv4 and of IPv6.
var dualStack = &scenario{
	name: "dual-stack", family: machineFamily, calmOnly: true,
	steps: []step{
		{
			name: "create", act: applyTyped("self-managed-dual-stack", noWorkers), lasts: booting,
			expect: []expectation{
				machinesUp(1, 0), machinesKept, bothAddresses, notInAzure("/natGateways/my-cluster-node-natgw-1"),
				inAzure("/virtualNetworks/my-cluster-vnet", "properties.addressSpace.addressPrefixes", "[10.0.0.0/8 2001:1234:5678:9a00::/56]"),
				inAzure("/subnets/control-plane-subnet", "properties.addressPrefixes", "[10.0.0.0/16 2001:1234:5678:9abc::/64]"),
				inAzure("/loadBalancers/my-cluster", "properties.provisioningState", "Succeeded"),
			},
		},
		downMachines,
	},
}

// bothAddresses expects the network interface of the control plane to have an address of each sort, and to forward what is for others.
func bothAddresses(w *world) []string {
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return []string{err.Error()}
	}
	for _, r := range all {
		if !strings.Contains(r.ID, "/networkInterfaces/"+kubeadmControlPlane) {
			continue
		}
		var versions []string
		configurations, _, _ := unstructured.NestedSlice(r.Body, "properties", "ipConfigurations")
		for _, c := range configurations {
			version, _, _ := unstructured.NestedString(c.(map[string]any), "properties", "privateIPAddressVersion")
			versions = append(versions, version)
		}
		if forwards, _, _ := unstructured.NestedBool(r.Body, "properties", "enableIPForwarding"); !forwards || !slices.Equal(versions, []string{"IPv4", "IPv6"}) {
			return []string{fmt.Sprintf("%s has addresses of %v, and forwards: %v", r.ID, versions, forwards)}
		}
		return nil
	}
	return []string{"there is no network interface of the control plane"}
}
