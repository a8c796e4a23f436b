package schema

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestAzureClusterUpdates are the rules about what of an AzureCluster can be changed.
func TestAzureClusterUpdates(t *testing.T) {
	network := func(rest string) string { return "{networkSpec: {" + rest + "}}" }
	lb := func(rest string) string { return network("apiServerLB: {" + rest + "}") }
	private := func(rest string) string { return network("apiServerLB: {type: Internal}, " + rest) }
	subnet := func(rest string) string { return network("subnets: [{name: s, role: node, " + rest + "}]") }
	const where = ": it is where the cluster is reached"
	const inSubnet = ": it is decided when the subnet is created"
	runRules(t, map[string]rule{
		"Location":     {kind: azureCluster, existing: "{}", no: "{location: eastus}", yes: "{additionalTags: {a: b}}", want: "spec.location: Forbidden: cannot be changed from westeurope to eastus" + decidedCluster},
		"Subscription": {kind: azureCluster, existing: "{subscriptionID: a}", no: "{subscriptionID: b}", yes: "{subscriptionID: a}", want: "spec.subscriptionID: Forbidden: cannot be changed from a to b" + decidedCluster},
		"Group":        {kind: azureCluster, existing: "{resourceGroup: a}", no: "{resourceGroup: b}", yes: "{resourceGroup: a}", want: "spec.resourceGroup: Forbidden: cannot be changed from a to b" + decidedCluster},
		"GroupDefault": {kind: azureCluster, existing: "{}", no: "{resourceGroup: b}", yes: "{resourceGroup: checked}", want: "spec.resourceGroup: Forbidden: cannot be changed from checked to b" + decidedCluster},
		"Environment":  {kind: azureCluster, existing: "{}", no: "{azureEnvironment: AzureChinaCloud}", yes: "{azureEnvironment: AzurePublicCloud}", want: "spec.azureEnvironment: Forbidden: cannot be changed from AzurePublicCloud to AzureChinaCloud" + decidedCluster},
		"Overrides":    {kind: azureCluster, existing: "{cloudProviderConfigOverrides: {backOffs: {cloudProviderBackoff: true}}}", no: "{cloudProviderConfigOverrides: {backOffs: {cloudProviderBackoff: false}}}", yes: "{additionalTags: {a: b}}", want: "spec.cloudProviderConfigOverrides: Forbidden: cannot be changed, set or taken away" + decidedCluster},
		"Endpoint":     {kind: azureCluster, existing: "{controlPlaneEndpoint: {host: a, port: 443}}", no: "{controlPlaneEndpoint: {host: b}}", yes: "{controlPlaneEndpoint: {host: a}}", want: "spec.controlPlaneEndpoint.host: Forbidden: cannot be changed from a to b" + where},
		"EndpointPort": {kind: azureCluster, existing: "{controlPlaneEndpoint: {host: a, port: 443}}", no: "{controlPlaneEndpoint: {port: 6443}}", yes: "{}", want: "spec.controlPlaneEndpoint.port: Forbidden: cannot be changed" + where},
		"EndpointSet":  {kind: azureCluster, existing: "{controlPlaneEndpoint: {port: 443}}", no: "{controlPlaneEndpoint: null}", yes: "{controlPlaneEndpoint: {host: a}}", want: "spec.controlPlaneEndpoint.port: Forbidden: cannot be changed" + where},
		"Enabled":      {kind: azureCluster, existing: "{}", no: "{controlPlaneEnabled: false}", yes: "{controlPlaneEnabled: true}", want: "spec.controlPlaneEnabled: Invalid value: false: cannot be changed" + decidedCluster},
		"Bastion":      {kind: azureCluster, existing: "{bastionSpec: {azureBastion: {sku: Basic}}}", no: "{bastionSpec: {azureBastion: {sku: Standard}}}", yes: "{additionalTags: {a: b}}", want: "spec.bastionSpec.azureBastion: Forbidden: cannot be changed or taken away again: it is decided when it is added"},
		"BastionGone":  {kind: azureCluster, existing: "{bastionSpec: {azureBastion: {}}}", no: "{bastionSpec: null}", yes: "{}", want: "spec.bastionSpec.azureBastion: Forbidden: cannot be changed or taken away again: it is decided when it is added"},
		"BastionAdded": {kind: azureCluster, existing: "{}", no: "{location: eastus}", yes: "{bastionSpec: {azureBastion: {}}}", want: "spec.location: Forbidden: cannot be changed from westeurope to eastus" + decidedCluster},
		"LBName":       {kind: azureCluster, existing: lb("name: a"), no: lb("name: b"), yes: lb("backendPool: {name: p}"), want: "spec.networkSpec.apiServerLB.name: Forbidden: cannot be changed from a to b" + decidedCluster},
		"LBType":       {kind: azureCluster, existing: lb("type: Public"), no: lb("type: Internal"), yes: "{}", want: "spec.networkSpec.apiServerLB.type: Forbidden: cannot be changed from Public to Internal" + decidedCluster},
		"LBIdle":       {kind: azureCluster, existing: lb("idleTimeoutInMinutes: 4"), no: lb("idleTimeoutInMinutes: 5"), yes: "{}", want: "spec.networkSpec.apiServerLB.idleTimeoutInMinutes: Forbidden: cannot be changed" + decidedCluster},
		"LBZones":      {kind: azureCluster, existing: lb(`availabilityZones: ["1", "2"]`), no: lb(`availabilityZones: ["1"]`), yes: lb(`availabilityZones: ["2", "1"]`), want: "spec.networkSpec.apiServerLB.availabilityZones: Forbidden: cannot be changed" + decidedCluster},
		"LBPrivateIP":  {kind: azureCluster, existing: lb("type: Internal, frontendIPs: [{name: a, privateIP: 10.0.0.4}]"), no: lb("frontendIPs: [{name: a, privateIP: 10.0.0.5}]"), yes: lb("frontendIPs: [{name: b, privateIP: 10.0.0.4}]"), want: "spec.networkSpec.apiServerLB.frontendIPs: Forbidden: privateIP cannot be changed" + decidedCluster},
		"LBLink": {
			kind: azureCluster, existing: lb("type: Internal, frontendIPs: [{name: a, privateIP: 10.0.0.4}], privateLinks: [{name: l, lbFrontendIPConfigNames: [a], natIPConfigurations: [{allocationMethod: Dynamic, subnet: p}]}]"),
			no: lb("privateLinks: [{name: l, lbFrontendIPConfigNames: [a], natIPConfigurations: [{allocationMethod: Dynamic, subnet: q}]}]"), yes: lb("privateLinks: [{name: m, lbFrontendIPConfigNames: [a], natIPConfigurations: [{allocationMethod: Dynamic, subnet: q}]}]"),
			want: "spec.networkSpec.apiServerLB.privateLinks: Forbidden: natIPConfigurations cannot be changed: make another private link",
		},
		"NodesOut":        {kind: azureCluster, existing: network("nodeOutboundLB: {name: a}"), no: network("nodeOutboundLB: {name: b}"), yes: network("nodeOutboundLB: {frontendIPsCount: 3}"), want: "spec.networkSpec.nodeOutboundLB.name: Forbidden: cannot be changed from a to b" + decidedCluster},
		"ControlPlaneOut": {kind: azureCluster, existing: private("controlPlaneOutboundLB: {frontendIPsCount: 1}"), no: private("controlPlaneOutboundLB: {frontendIPsCount: 2}"), yes: "{}", want: "spec.networkSpec.controlPlaneOutboundLB: Forbidden: cannot be changed, set or taken away" + decidedCluster},
		"Zone":            {kind: azureCluster, existing: private("privateDNSZoneName: a.b"), no: private("privateDNSZoneName: a.c"), yes: "{}", want: "spec.networkSpec.privateDNSZoneName: Forbidden: cannot be changed from a.b to a.c" + decidedCluster},
		"ZoneAdded":       {kind: azureCluster, existing: private("vnet: {}"), no: private("privateDNSZone: None"), yes: "{}", want: "spec.networkSpec.privateDNSZone: Forbidden: cannot be changed from nothing to None" + decidedCluster},
		"ZoneGroup":       {kind: azureCluster, existing: private("privateDNSZoneName: a.b, privateDNSZoneResourceGroup: g"), no: private("privateDNSZoneResourceGroup: h"), yes: "{}", want: "spec.networkSpec.privateDNSZoneResourceGroup: Forbidden: cannot be changed from g to h" + decidedCluster},
		"RouteTable":      {kind: azureCluster, existing: subnet("routeTable: {name: a}"), no: subnet("routeTable: {name: b}"), yes: subnet("routeTable: {name: a}, natGateway: {name: later}"), want: "spec.networkSpec.subnets[0].routeTable.name: Forbidden: cannot be changed from a to b" + inSubnet},
		"NATGateway":      {kind: azureCluster, existing: subnet("natGateway: {name: a}"), no: subnet("natGateway: {}"), yes: subnet("natGateway: {name: a}"), want: "spec.networkSpec.subnets[0].natGateway.name: Forbidden: cannot be changed from a to nothing" + inSubnet},
		"SecurityGroup":   {kind: azureCluster, existing: subnet("securityGroup: {name: a}"), no: subnet("securityGroup: {name: b}"), yes: network("subnets: [{name: other, role: node, securityGroup: {name: b}}]"), want: "spec.networkSpec.subnets[0].securityGroup.name: Forbidden: cannot be changed from a to b" + inSubnet},
		"Ranges":          {kind: azureCluster, existing: subnet("cidrBlocks: [10.1.0.0/16]"), no: "{location: eastus}", yes: subnet("cidrBlocks: [10.2.0.0/16]"), want: "spec.location: Forbidden: cannot be changed from westeurope to eastus" + decidedCluster},
	})
}

// TestSubnetOfOwnNetwork shows that the range of a subnet stays from the day that the virtual network was made for the cluster.
func TestSubnetOfOwnNetwork(t *testing.T) {
	ctx := context.Background()
	for ownership, want := range map[string]string{
		"owned":    "spec.networkSpec.subnets: Forbidden: cidrBlocks cannot be changed: the virtual network was made for the cluster, and machines may be in the subnet",
		"external": "",
	} {
		t.Run(ownership, func(t *testing.T) {
			u := object(t, azureCluster, "")
			u.Object["spec"] = merged(t, minimal[azureCluster], "{networkSpec: {subnets: [{name: s, role: node, cidrBlocks: [10.1.0.0/16]}]}}")
			create(t, u)
			status, _ := json.Marshal(map[string]any{"status": map[string]any{"ready": false, "resources": []any{map[string]any{
				"ready": true, "ownership": ownership, "resource": map[string]any{"group": "network.azure.com", "version": "v1", "kind": "VirtualNetwork", "name": "v"}}}}})
			if err := server.client.Status().Patch(ctx, u.DeepCopy(), client.RawPatch("application/merge-patch+json", status)); err != nil {
				t.Fatal(err)
			}
			changed := []byte(`{"spec": {"networkSpec": {"subnets": [{"name": "s", "role": "node", "cidrBlocks": ["10.2.0.0/16"]}]}}}`)
			checkReason(t, string(changed), server.client.Patch(ctx, u.DeepCopy(), client.RawPatch("application/merge-patch+json", changed), client.DryRunAll), want)
			added := strings.Replace(string(changed), `["10.2.0.0/16"]}`, `["10.1.0.0/16"]}, {"name": "t", "role": "node", "cidrBlocks": ["10.3.0.0/16"]}`, 1)
			checkReason(t, added, server.client.Patch(ctx, u.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(added)), client.DryRunAll), "")
		})
	}
}

// TestAzureClusterTemplateUpdate shows that what clusters are made from stays as it is.
func TestAzureClusterTemplateUpdate(t *testing.T) {
	u := object(t, azureCluster+"Template", "{template: {spec: {location: westeurope}}}")
	create(t, u)
	changed := u.DeepCopy()
	changed.Object["spec"] = map[string]any{"template": map[string]any{"spec": map[string]any{"location": "eastus"}}}
	checkReason(t, "eastus", server.client.Update(context.Background(), changed, client.DryRunAll), "spec.template.spec: Invalid value: cannot be changed: make another AzureClusterTemplate")
	u.SetLabels(map[string]string{"a": "b"})
	if err := server.client.Update(context.Background(), u); err != nil {
		t.Error(err)
	}
}
