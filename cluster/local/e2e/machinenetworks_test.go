package e2e

import (
	"fmt"
	"net/http"
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

// nodesBalancer is the load balancer by which the nodes reach the internet, and nodesAddress its address.
const (
	nodesBalancer = "/resourceGroups/my-cluster/providers/Microsoft.Network/loadBalancers/my-cluster"
	nodesAddress  = "/publicIPAddresses/pip-my-cluster-node-outbound"
)

// takeNodesBalancerOut takes the load balancer of the nodes out of the spec, and the nodes away that use it.
func takeNodesBalancerOut(w *world) error {
	err := w.edit(azureClusterKind, clusterName, func(u *unstructured.Unstructured) error {
		unstructured.RemoveNestedField(u.Object, "spec", "networkSpec", "nodeOutboundLB")
		return nil
	})
	if err != nil {
		return err
	}
	return scaleWorkers(0)(w)
}

// outboundAddresses undoes takeNodesBalancerOut: the nodes reach the internet from so many addresses.
func outboundAddresses(count int64) func(*world) error {
	return func(w *world) error {
		return w.set(azureClusterKind, clusterName, "spec.networkSpec.nodeOutboundLB", map[string]any{"frontendIPsCount": count})
	}
}

// hasFrontends expects a load balancer to have so many addresses, from all of which machines reach the internet.
func hasFrontends(balancer string, count int) expectation {
	return func(w *world) []string {
		r, err := w.resource(balancer)
		if err != nil || r == nil {
			return []string{fmt.Sprintf("Azure has no %s: %v", balancer, err)}
		}
		var missing []string
		if have := mapsAt(&unstructured.Unstructured{Object: r.Body}, "properties", "frontendIPConfigurations"); len(have) != count {
			missing = append(missing, fmt.Sprintf("%s has frontends %v, want %d", balancer, have, count))
		}
		for _, rule := range mapsAt(&unstructured.Unstructured{Object: r.Body}, "properties", "outboundRules") {
			if used := mapsAt(&unstructured.Unstructured{Object: rule}, "properties", "frontendIPConfigurations"); len(used) != count {
				missing = append(missing, fmt.Sprintf("%s: rule %v uses %v, want %d", balancer, rule["name"], used, count))
			}
		}
		return missing
	}
}

// deletedInAzure expects an accepted request for the deletion of a resource of the subscription.
func deletedInAzure(path string) expectation {
	return func(w *world) []string {
		requests, err := w.requests(w.begun, http.MethodDelete)
		if err != nil {
			return []string{err.Error()}
		}
		for _, r := range requests {
			if strings.EqualFold(r.Path, "/subscriptions/"+w.subscription+path) && r.Status < 300 {
				return nil
			}
		}
		return []string{"nobody has deleted " + path}
	}
}

// onlyGroupLeft expects that of the cluster nothing is left in Azure but the resource group that was there before.
func onlyGroupLeft(w *world) []string {
	var left []string
	for _, one := range onlyNetworkLeft(w) {
		if !strings.HasSuffix(one, "/resourceGroups/my-cluster") {
			left = append(left, one)
		}
	}
	return left
}

// ownNetwork is a cluster of virtual machines in a resource group and a network that were there before, and stay.
var ownNetwork = &scenario{
	name: "own-network", family: machineFamily, calmOnly: true,
	steps: []step{
		{
			name: "create", lasts: 2 * booting,
			act: all(once("network", all(companyNetwork, writeAzure(controlPlanesSubnet, "2020-11-01", `{"properties":{"addressPrefix":"10.65.0.0/24"}}`),
				writeAzure("/resourceGroups/my-cluster", "2020-06-01", `{"location":"westeurope"}`))),
				applyTyped("self-managed-own-network", withOutboundBalancer)),
			expect: append([]expectation{
				machinesUp(1, 1), machinesKept, externalObject(resourceGroupKind, "my-cluster"), owned("/loadBalancers/my-cluster"),
				externalObject(resourceGroupKind, "my-network"), externalObject(virtualNetworkKind, "company"),
				externalObject(subnetKind, "company-nodes"), externalObject(subnetKind, "company-control-planes"),
				neverWritten(controlPlanesSubnet), notInAzure("/routeTables/my-cluster-node-routetable"), notInAzure("/natGateways/my-cluster-node-natgw-1"),
			}, untouchedNetwork...),
		},
		{
			// ASO may only read it, as the cloud controller of the cluster writes it, too.
			name: "take the load balancer of the nodes out", act: takeNodesBalancerOut, lasts: booting,
			goes: []removal{aWorker, {"LoadBalancer/my-cluster", nodesBalancer}, {"PublicIPAddress/pip-my-cluster-node-outbound", nodesAddress}},
			expect: []expectation{
				machinesOf(deploymentKind, workers, 0), deletedInAzure(nodesBalancer), notInAzure("/loadBalancers/my-cluster"), notInAzure(nodesAddress),
				condition(clusterKind, clusterName, "Available", "True", ""),
			},
		},
		{
			name: "put it back in, with a node", act: all(outboundAddresses(1), scaleWorkers(1)), lasts: booting,
			expect: []expectation{machinesUp(1, 1), machinesKept, owned("/loadBalancers/my-cluster")},
		},
		{
			name: "have the nodes use one address more", act: outboundAddresses(2),
			expect: []expectation{hasFrontends(nodesBalancer, 2), inAzureTimes(nodesAddress, 2), machinesUp(1, 1), machinesKept},
		},
		{
			// Of a resource group that stays, everything has to go by itself.
			name: "delete in the foreground", act: all(deleteInForeground, removeIdentity), deletes: true, lasts: booting, never: downTyped.never,
			expect: append([]expectation{gone(clusterKind, clusterName), gone(azureClusterKind, clusterName), onlyGroupLeft, neverWritten(controlPlanesSubnet)}, untouchedNetwork...),
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
