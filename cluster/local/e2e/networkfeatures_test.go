package e2e

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// managementNetwork is the network that a private cluster is peered with. It is there before, and stays.
const managementNetwork = "/resourceGroups/my-management/providers/Microsoft.Network/virtualNetworks/management"

var peersOfPrivate = all(
	writeAzure("/resourceGroups/my-management", "2020-06-01", `{"location":"westeurope"}`),
	writeAzure(managementNetwork, "2020-11-01", `{"location":"westeurope","properties":{"addressSpace":{"addressPrefixes":["10.200.0.0/16"]}}}`),
	writeAzure("/resourceGroups/my-management/providers/Microsoft.Network/virtualNetworks/overlapping", "2020-11-01",
		`{"location":"westeurope","properties":{"addressSpace":{"addressPrefixes":["10.30.128.0/17"]}}}`),
)

// featured is a Cluster without machines, whose network has what an AzureCluster can have: no control plane is needed for it.
const featured = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: my-cluster}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureCluster, name: my-cluster}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureClusterIdentity
metadata: {name: my-identity}
spec:
  type: ServicePrincipal
  tenantID: 00000000-0000-0000-0000-000000000002
  clientID: 00000000-0000-0000-0000-000000000003
  clientSecret: {name: my-identity}
  allowedNamespaces: {}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureCluster
metadata: {name: my-cluster}
spec:
  subscriptionID: SUBSCRIPTION
  resourceGroup: my-cluster
  location: westeurope
  identityRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, name: my-identity}
  networkSpec:
    privateDNSZoneName: clusters.example.org
    vnet:
      name: my-cluster-vnet
      cidrBlocks: [10.30.0.0/16, "2001:db8:1234:9a00::/56"]
      peerings:
      - {resourceGroup: my-management, remoteVnetName: management, forwardPeeringProperties: {allowForwardedTraffic: true}}
    subnets:
    - {name: control-plane-subnet, role: control-plane, cidrBlocks: [10.30.0.0/24, "2001:db8:1234:9abc::/64"]}
    - name: node-subnet
      role: node
      cidrBlocks: [10.30.4.0/22, "2001:db8:1234:9abd::/64"]
      serviceEndpoints: [{service: Microsoft.Storage, locations: [westeurope]}]
      privateEndpoints:
      - name: my-endpoint
        privateLinkServiceConnections:
        - privateLinkServiceID: /subscriptions/SUBSCRIPTION/resourceGroups/my-cluster/providers/Microsoft.Network/privateLinkServices/my-link
    apiServerLB:
      type: Internal
      frontendIPs: [{name: api, privateIP: 10.30.0.100}]
      privateLinks:
      - name: my-link
        lbFrontendIPConfigNames: [api]
        natIPConfigurations: [{subnet: control-plane-subnet, allocationMethod: Dynamic}]
        allowedSubscriptions: [SUBSCRIPTION]
        autoApprovedSubscriptions: [SUBSCRIPTION]
    controlPlaneOutboundLB: {frontendIPsCount: 1}
    nodeOutboundLB: {frontendIPsCount: 1}
`

// edge is a Cluster without machines in an edge zone.
const edge = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: my-edge}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureCluster, name: my-edge}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureCluster
metadata: {name: my-edge}
spec:
  subscriptionID: SUBSCRIPTION
  location: westus
  extendedLocation: {name: losangeles, type: EdgeZone}
  identityRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, name: my-identity}
  networkSpec:
    subnets:
    - {name: control-plane-subnet, role: control-plane}
    - {name: node-subnet, role: node}
`

// edgeCluster is the Cluster in the edge zone.
const edgeCluster = "my-edge"

// applyNetwork applies one of the manifests for the scenario's subscription.
func applyNetwork(manifest string) func(*world) error {
	return func(w *world) error {
		if err := w.create(w.password()); err != nil {
			return err
		}
		objects, err := parse(strings.ReplaceAll(manifest, "SUBSCRIPTION", w.subscription))
		if err != nil {
			return err
		}
		return w.apply(objects...)
	}
}

// networkUp expects an AzureCluster that is ready, and a Cluster that knows it.
func networkUp(name string) expectation {
	return func(w *world) []string {
		return slices.Concat(
			condition(azureClusterKind, name, "Ready", "True", "")(w), condition(azureClusterKind, name, "NetworkInfrastructureReady", "True", "")(w),
			field(azureClusterKind, name, "status.initialization.provisioned", true)(w), condition(clusterKind, name, "InfrastructureReady", "True", "")(w),
		)
	}
}

// peered expects a peering in both directions, or in none, that Azure calls connected.
func peered(is bool) expectation {
	return func(w *world) []string {
		var missing []string
		for _, ending := range []string{
			"/virtualNetworks/my-cluster-vnet/virtualNetworkPeerings/my-cluster-vnet-To-management", managementNetwork + "/virtualNetworkPeerings/management-To-my-cluster-vnet",
		} {
			if is {
				missing = append(missing, inAzure(ending, "properties.peeringState", "Connected")(w)...)
			} else {
				missing = append(missing, notInAzure(ending)(w)...)
			}
		}
		return missing
	}
}

// editSubnet changes a subnet of the AzureCluster.
func editSubnet(name string, alter func(subnet map[string]any)) func(*world) error {
	return func(w *world) error {
		return w.edit(azureClusterKind, clusterName, func(u *unstructured.Unstructured) error {
			subnets, _, err := unstructured.NestedSlice(u.Object, "spec", "networkSpec", "subnets")
			if err != nil {
				return err
			}
			at := slices.IndexFunc(subnets, poolOf(name))
			if at < 0 {
				return fmt.Errorf("the AzureCluster has no subnet %s", name)
			}
			alter(subnets[at].(map[string]any))
			return unstructured.SetNestedSlice(u.Object, subnets, "spec", "networkSpec", "subnets")
		})
	}
}

// setPeerings has the network peered with those of the names.
func setPeerings(remotes ...string) func(*world) error {
	return func(w *world) error {
		peerings := []any{}
		for _, remote := range remotes {
			peerings = append(peerings, map[string]any{"resourceGroup": "my-management", "remoteVnetName": remote})
		}
		return w.set(azureClusterKind, clusterName, "spec.networkSpec.vnet.peerings", peerings)
	}
}

// onlyManagementLeft expects that of the clusters nothing is left in Azure, and of the management cluster's networks everything.
func onlyManagementLeft(w *world) []string {
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return []string{err.Error()}
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	want := []string{"/resourceGroups/my-management", managementNetwork, "/resourceGroups/my-management/providers/Microsoft.Network/virtualNetworks/overlapping"}
	for i := range want {
		want[i] = "/subscriptions/" + w.subscription + want[i]
	}
	if slices.Sort(want); !slices.Equal(ids, want) {
		return []string{fmt.Sprintf("Azure has %v, want %v", ids, want)}
	}
	return nil
}

// What goes with one field of the spec.
var (
	theOverlap  = removal{"(VirtualNetworksVirtualNetworkPeering|PrivateDnsZonesVirtualNetworkLink)/.*overlapping.*", "/(virtualNetworkPeerings|virtualNetworkLinks)/.*overlapping.*"}
	thePeering  = removal{"(VirtualNetworksVirtualNetworkPeering|PrivateDnsZonesVirtualNetworkLink)/.*management.*", "/(virtualNetworkPeerings|virtualNetworkLinks)/.*management.*"}
	theEndpoint = removal{"PrivateEndpoint/my-endpoint", "/privateEndpoints/my-endpoint"}
	theLink     = removal{"PrivateLinkService/my-link", "/privateLinkServices/my-link"}
)

// networkFeatures has networks that need no machine to be looked at: peerings in both directions, a private link service with a private
// endpoint, IPv4 with IPv6, a service endpoint, and an edge zone.
var networkFeatures = &scenario{
	name: "network-features", family: machineFamily, calmOnly: true,
	steps: []step{
		{
			name: "create", act: all(once("networks", peersOfPrivate), applyNetwork(featured)), lasts: 20 * time.Second,
			expect: []expectation{
				networkUp(clusterName), labelled, signedIn, peered(true), neverWritten(managementNetwork),
				inAzure("/my-cluster-vnet/virtualNetworkPeerings/my-cluster-vnet-To-management", "properties.allowForwardedTraffic", true),
				inAzure("/privateDnsZones/clusters.example.org/A/apiserver", "properties.aRecords", []any{map[string]any{"ipv4Address": "10.30.0.100"}}),
				inAzure("/privateDnsZones/clusters.example.org/virtualNetworkLinks/management-link", "properties.virtualNetworkLinkState", "Completed"),
				inAzure("/subnets/node-subnet", "properties.addressPrefixes", "[10.30.4.0/22 2001:db8:1234:9abd::/64]"),
				inAzure("/virtualNetworks/my-cluster-vnet", "properties.addressSpace.addressPrefixes", "[10.30.0.0/16 2001:db8:1234:9a00::/56]"),
				inAzure("/subnets/control-plane-subnet", "properties.privateLinkServiceNetworkPolicies", "Disabled"),
				servedDirectly, connectedPrivately,
				inAzure("/loadBalancers/my-cluster-internal-lb", "properties.provisioningState", "Succeeded"), inAzure("/loadBalancers/my-cluster-outbound-lb", "", nil),
				notInAzure("/natGateways/my-cluster-node-natgw-1"), field(azureClusterKind, clusterName, "spec.controlPlaneEndpoint.host", "apiserver.clusters.example.org"),
			},
		},
		{
			name: "peer it with a network that has the same addresses, too", act: setPeerings("management", "overlapping"),
			expect: []expectation{
				condition(azureClusterKind, clusterName, "VnetPeeringReady", "False", "address spaces overlap"), peered(true),
				condition(azureClusterKind, clusterName, "NetworkInfrastructureReady", "False", "address spaces overlap"),
			},
		},
		{
			name: "take that back", act: setPeerings("management"), goes: []removal{theOverlap},
			expect: []expectation{networkUp(clusterName), silent(azureClusterKind, clusterName, "address spaces overlap"), peered(true)},
		},
		{
			name: "a second cluster, in an edge zone", act: applyNetwork(edge), lasts: 20 * time.Second,
			expect: []expectation{
				networkUp(edgeCluster), onEdge("/virtualNetworks/my-edge-vnet"), onEdge("/publicIPAddresses/pip-my-edge-apiserver"), onEdge("/loadBalancers/my-edge-public-lb"),
				inAzure("/publicIPAddresses/pip-my-edge-apiserver", "zones", nil), field(azureClusterKind, edgeCluster, "status.failureDomains", nil),
			},
		},
		{
			name: "take the private endpoint away", act: editSubnet("node-subnet", func(s map[string]any) { delete(s, "privateEndpoints") }), goes: []removal{theEndpoint},
			expect: []expectation{networkUp(clusterName), notInAzure("/privateEndpoints/my-endpoint")},
		},
		{
			name: "take the private link service and the peering away", goes: []removal{theLink, thePeering},
			act: all(setPeerings(), func(w *world) error {
				return w.set(azureClusterKind, clusterName, "spec.networkSpec.apiServerLB.privateLinks", nil)
			}),
			expect: []expectation{networkUp(clusterName), peered(false), notInAzure("/privateLinkServices/my-link"), inAzure(managementNetwork, "", nil)},
		},
		{
			name: "peer it again, and delete both", deletes: true, lasts: 20 * time.Second, never: downTyped.never,
			act:    all(once("peered again", peerAgain), func(w *world) error { return w.remove(clusterKind, edgeCluster) }, downTyped.act),
			expect: []expectation{nothingLeft, onlyManagementLeft, acceptedDeletes},
		},
	},
}

// peerAgain has the network peered, and waits until Azure says so.
func peerAgain(w *world) error {
	if err := setPeerings("management")(w); err != nil {
		return err
	}
	return w.await(step{expect: []expectation{peered(true)}})
}

// servedDirectly expects the service endpoint of the nodes' subnet.
func servedDirectly(w *world) []string {
	r, err := w.resource("/subnets/node-subnet")
	if err != nil || r == nil {
		return []string{fmt.Sprintf("Azure has no subnet of the nodes: %v", err)}
	}
	endpoints, _, _ := unstructured.NestedSlice(r.Body, "properties", "serviceEndpoints")
	if len(endpoints) != 1 || endpoints[0].(map[string]any)["service"] != "Microsoft.Storage" {
		return []string{fmt.Sprintf("the service endpoints of the nodes' subnet are %v", endpoints)}
	}
	return nil
}

// connectedPrivately expects the private endpoint to be connected to the private link service, which leads to the API servers and takes
// connections of the subscription.
func connectedPrivately(w *world) []string {
	service, err := w.resource("/privateLinkServices/my-link")
	if err != nil || service == nil {
		return []string{fmt.Sprintf("Azure has no private link service: %v", err)}
	}
	endpoint, err := w.resource("/privateEndpoints/my-endpoint")
	if err != nil || endpoint == nil {
		return []string{fmt.Sprintf("Azure has no private endpoint: %v", err)}
	}
	var missing []string
	connections, _, _ := unstructured.NestedSlice(endpoint.Body, "properties", "privateLinkServiceConnections")
	if len(connections) != 1 {
		return []string{fmt.Sprintf("the private endpoint has the connections %v", connections)}
	}
	connection := connections[0].(map[string]any)
	if to, _, _ := unstructured.NestedString(connection, "properties", "privateLinkServiceId"); !strings.EqualFold(to, service.ID) {
		missing = append(missing, "the private endpoint leads to "+to)
	}
	if state, _, _ := unstructured.NestedString(connection, "properties", "privateLinkServiceConnectionState", "status"); state != "Approved" {
		missing = append(missing, "the connection of the private endpoint is "+state)
	}
	frontends, _, _ := unstructured.NestedSlice(service.Body, "properties", "loadBalancerFrontendIpConfigurations")
	if text := fmt.Sprint(frontends); !strings.Contains(text, "/loadBalancers/my-cluster-internal-lb/frontendIPConfigurations/api") {
		missing = append(missing, "the private link service leads to "+text)
	}
	for _, list := range []string{"visibility", "autoApproval"} {
		if has, _, _ := unstructured.NestedStringSlice(service.Body, "properties", list, "subscriptions"); !slices.Equal(has, []string{w.subscription}) {
			missing = append(missing, fmt.Sprintf("%s of the private link service is %v", list, has))
		}
	}
	return missing
}

// onEdge expects a resource in the edge zone.
func onEdge(ending string) expectation {
	return inAzure(ending, "extendedLocation", map[string]any{"name": "losangeles", "type": "EdgeZone"})
}
