package e2e

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
