package aso

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestActions(t *testing.T) {
	const network = "apiVersion: network.azure.com/v1api20201101\nkind: "
	lifetime := func(of string, more ...string) []string {
		all := append([]string{of + "/read", of + "/write", of + "/delete", "Microsoft.Network/locations/operations/read"}, more...)
		slices.Sort(all)
		return all
	}
	ofScaleSet := func(more ...string) []string {
		const of = "Microsoft.Compute/virtualMachineScaleSets"
		all := append([]string{of + "/read", of + "/write", of + "/delete", "Microsoft.Compute/locations/operations/read", "Microsoft.Compute/skus/read",
			"Microsoft.Resources/tags/read", "Microsoft.Resources/tags/write"}, more...)
		slices.Sort(all)
		return all
	}
	cases := map[string]struct {
		object   string
		onlyUsed bool
		want     []string
	}{
		"a type": {object: network + "RouteTable\nmetadata: {name: r}\nspec: {owner: {name: g}}", want: lifetime("Microsoft.Network/routeTables")},
		"only used": {object: network + "RouteTable\nmetadata: {name: r}\nspec: {owner: {name: g}}", onlyUsed: true,
			want: []string{"Microsoft.Network/routeTables/read"}},
		"a reference by name": {object: network + "VirtualNetworksSubnet\nmetadata: {name: s}\nspec: {owner: {name: v}, routeTable: {reference: {group: network.azure.com, kind: RouteTable, name: r}}}",
			want: lifetime("Microsoft.Network/virtualNetworks/subnets", "Microsoft.Network/routeTables/join/action")},
		"a part of another by ID": {
			object: network + "NetworkInterface\nmetadata: {name: n}\nspec: {ipConfigurations: [{loadBalancerBackendAddressPools: [{reference: " +
				"{armId: /subscriptions/s/resourceGroups/g/providers/Microsoft.Network/loadBalancers/lb/backendAddressPools/p}}]}]}",
			want: lifetime("Microsoft.Network/networkInterfaces", "Microsoft.Network/loadBalancers/backendAddressPools/join/action")},
		"a part of its own": {
			object: network + "LoadBalancer\nmetadata: {name: lb}\nspec: {loadBalancingRules: [{frontendIPConfiguration: {reference: " +
				"{armId: /subscriptions/s/resourceGroups/g/providers/Microsoft.Network/loadBalancers/lb/frontendIPConfigurations/f}}}]}",
			want: lifetime("Microsoft.Network/loadBalancers")},
		"an application security group of addresses": {
			object: network + "NetworkInterface\nmetadata: {name: n}\nspec: {ipConfigurations: [{applicationSecurityGroups: [{reference: " +
				"{armId: /subscriptions/s/resourceGroups/g/providers/Microsoft.Network/applicationSecurityGroups/a}}]}]}",
			want: lifetime("Microsoft.Network/networkInterfaces", "Microsoft.Network/applicationSecurityGroups/joinIpConfiguration/action")},
		"an application security group of rules": {
			object: network + "NetworkSecurityGroupsSecurityRule\nmetadata: {name: r}\nspec: {owner: {name: n}, sourceApplicationSecurityGroups: [{reference: " +
				"{group: network.azure.com, kind: ApplicationSecurityGroup, name: a}}]}",
			want: lifetime("Microsoft.Network/networkSecurityGroups/securityRules", "Microsoft.Network/applicationSecurityGroups/joinNetworkSecurityRule/action")},
		"a scale set": {
			object: "apiVersion: compute.azure.com/v1api20220301\nkind: VirtualMachineScaleSet\nmetadata: {name: s}\nspec: {owner: {name: g}, orchestrationMode: Uniform}",
			want:   ofScaleSet("Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read", "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/delete")},
		"a scale set of virtual machines": {
			object: "apiVersion: compute.azure.com/v1api20220301\nkind: VirtualMachineScaleSet\nmetadata: {name: s}\nspec: {owner: {name: g}, orchestrationMode: Flexible}",
			want: ofScaleSet("Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read", "Microsoft.Compute/virtualMachines/read",
				"Microsoft.Compute/virtualMachines/delete")},
		"an identity of machines": {
			object: "apiVersion: compute.azure.com/v1api20220301\nkind: VirtualMachineScaleSet\nmetadata: {name: s}\nspec: {owner: {name: g}, orchestrationMode: Uniform, " +
				"identity: {userAssignedIdentities: [{reference: {armId: /subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i}}]}}",
			want: ofScaleSet("Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read", "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/delete",
				"Microsoft.ManagedIdentity/userAssignedIdentities/assign/action", "Microsoft.ManagedIdentity/userAssignedIdentities/read")},
		"a peering": {
			object: network + "VirtualNetworksVirtualNetworkPeering\nmetadata: {name: p}\nspec: {owner: {name: v}, remoteVirtualNetwork: {reference: " +
				"{armId: /subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/other}}}",
			want: lifetime("Microsoft.Network/virtualNetworks/virtualNetworkPeerings", "Microsoft.Network/virtualNetworks/peer/action")},
		"a private endpoint": {
			object: "apiVersion: network.azure.com/v1api20220701\nkind: PrivateEndpoint\nmetadata: {name: p}\nspec: {subnet: {reference: " +
				"{group: network.azure.com, kind: VirtualNetworksSubnet, name: s}}, privateLinkServiceConnections: [{privateLinkServiceReference: " +
				"{armId: /subscriptions/s/resourceGroups/g/providers/Microsoft.Network/privateLinkServices/pls}}]}",
			want: lifetime("Microsoft.Network/privateEndpoints", "Microsoft.Network/virtualNetworks/subnets/join/action",
				"Microsoft.Network/privateLinkServices/PrivateEndpointConnectionsApproval/action")},
		"kubeconfigs and identities": {
			object: "apiVersion: containerservice.azure.com/v1api20250801\nkind: ManagedCluster\nmetadata: {name: c}\nspec: {operatorSpec: {secrets: {userCredentials: {name: s, key: k}}}, " +
				"identity: {userAssignedIdentities: [{reference: {group: managedidentity.azure.com, kind: UserAssignedIdentity, name: i}}]}}",
			want: []string{"Microsoft.ContainerService/locations/operations/read", "Microsoft.ContainerService/managedClusters/delete",
				"Microsoft.ContainerService/managedClusters/listClusterUserCredential/action",
				"Microsoft.ContainerService/managedClusters/read", "Microsoft.ContainerService/managedClusters/write",
				"Microsoft.ManagedIdentity/userAssignedIdentities/assign/action"}},
		"a private DNS zone": {object: network + "PrivateDnsZone\nmetadata: {name: z}\nspec: {owner: {name: g}}",
			want: []string{"Microsoft.Network/privateDnsOperationStatuses/read", "Microsoft.Network/privateDnsZones/delete", "Microsoft.Network/privateDnsZones/read",
				"Microsoft.Network/privateDnsZones/write"}},
		"a part of a firewall policy": {object: network + "FirewallPoliciesRuleCollectionGroup\nmetadata: {name: g}\nspec: {owner: {name: p}}",
			want: []string{"Microsoft.Network/firewallPolicies/ruleCollectionGroups/delete", "Microsoft.Network/firewallPolicies/ruleCollectionGroups/read",
				"Microsoft.Network/firewallPolicies/ruleCollectionGroups/write", "Microsoft.Network/locations/nfvOperations/read"}},
		"no kind of ASO": {object: "apiVersion: x.azure.com/v1\nkind: Nothing\nmetadata: {name: n}"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(c.object), &o.Object); err != nil {
				t.Fatal(err)
			}
			got := Actions(o, c.onlyUsed)
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
