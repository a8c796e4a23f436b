package specs

import (
	"encoding/base64"
	"fmt"
	"maps"
	"strings"
)

// selfManagedEdges are those of each self-managed kind.
var selfManagedEdges = []*objectEdges{
	{"AzureCluster", "{location: westus, subscriptionID: " + Subscription + ", identityRef: {kind: AzureClusterIdentity, name: identity}}", azureClusterEdges},
	{"AzureMachine", "{vmSize: Standard_All_v5, osDisk: {osType: Linux}, sshPublicKey: " + sshKey + "}", azureMachineEdges},
	{"AzureClusterTemplate", "{location: westus, subscriptionID: " + Subscription + ", identityRef: {kind: AzureClusterIdentity, name: identity}, " +
		"networkSpec: {subnets: [" + controlPlaneSubnet + ", " + nodeSubnet + "]}}",
		ofTemplates(azureClusterEdges, "resourceGroup", "controlPlane", "networkSpec.vnet.name", "networkSpec.vnet.resourceGroup", "networkSpec.apiServerLB",
			"networkSpec.nodeOutboundLB", "networkSpec.controlPlaneOutboundLB", "networkSpec.subnets", "bastionSpec.azureBastion", "networkSpec.additionalAPIServerLBPorts")},
	{"AzureMachineTemplate", "{vmSize: Standard_All_v5, osDisk: {osType: Linux}, sshPublicKey: " + sshKey + "}", ofTemplates(azureMachineEdges, "providerID")},
	{"AzureMachinePool", "{location: westus, template: {vmSize: Standard_All_v5, osDisk: {osType: Linux}, sshPublicKey: " + sshKey + "}}", azureMachinePoolEdges},
}

// ofTemplates returns the edges that templates have too, and those of subnets and load balancers as these have them.
func ofTemplates(edges map[string][]string, without ...string) map[string][]string {
	all := maps.Clone(edges)
	maps.DeleteFunc(all, func(field string, _ []string) bool {
		for _, prefix := range without {
			if strings.HasPrefix(field, prefix) {
				return true
			}
		}
		return false
	})
	if _, ofCluster := edges["networkSpec.subnets"]; !ofCluster {
		return all
	}
	all["networkSpec.subnets"] = subnetEdges
	all["networkSpec.nodeOutboundLB"] = []string{"{}", "{idleTimeoutInMinutes: 3}", "{idleTimeoutInMinutes: 30}", "{type: Internal}", "{sku: Standard}"}
	all["networkSpec.controlPlaneOutboundLB"] = []string{"{}", "{idleTimeoutInMinutes: 31}", "{idleTimeoutInMinutes: 4}"}
	all["networkSpec.apiServerLB"] = []string{"{}", "{type: Internal}"}
	for _, field := range []string{"type", "sku", "idleTimeoutInMinutes"} {
		all["networkSpec.apiServerLB."+field] = edges["networkSpec.apiServerLB."+field]
	}
	all["bastionSpec.azureBastion"] = []string{"{}", "{subnet: {name: AzureBastionSubnet}}"}
	return all
}

const (
	controlPlaneSubnet = "{name: cp, role: control-plane, cidrBlocks: [10.0.0.0/16]}"
	nodeSubnet         = "{name: nodes, role: node, cidrBlocks: [10.1.0.0/16]}"
)

// withNodes returns lists of subnets that differ in what a subnet of nodes has beside its name.
func withNodes(fields ...string) []string {
	var lists []string
	for _, f := range fields {
		lists = append(lists, fmt.Sprintf("[%s, {name: nodes, role: node, %s}]", controlPlaneSubnet, f))
	}
	return lists
}

var subnetEdges = append(withNodes("cidrBlocks: [10.1.0.0/16]", "cidrBlocks: [10.2.0.0/16]", "cidrBlocks: [11.0.0.0/16]", "cidrBlocks: [x]", "cidrBlocks: []",
	"cidrBlocks: ['10.1.0.0/16', 'fd00::/64']", "natGateway: {name: n}", "natGateway: {name: n, zones: ['1']}", "routeTable: {name: r}", "securityGroup: {name: s}",
	"securityGroup: {name: s, securityRules: [{name: a, description: d, protocol: Tcp, priority: 99}]}",
	"securityGroup: {name: s, securityRules: [{name: a, description: d, protocol: Tcp, priority: 100}]}",
	"securityGroup: {name: s, securityRules: [{name: a, description: d, protocol: Tcp, priority: 4096, direction: Outbound, action: Deny}]}",
	"securityGroup: {name: s, securityRules: [{name: a, description: d, protocol: Tcp, priority: 4097}]}",
	"securityGroup: {name: s, securityRules: [{name: a, description: d, protocol: Tcp, priority: 200, source: '*', sources: ['10.0.0.0/8']}]}",
	"securityGroup: {name: s, securityRules: [{name: a, description: d, protocol: Foo, priority: 200}]}"),
	"["+controlPlaneSubnet+"]", "["+nodeSubnet+"]", "["+controlPlaneSubnet+", "+nodeSubnet+", {name: more, role: node, cidrBlocks: [10.2.0.0/16]}]",
	"["+controlPlaneSubnet+", "+controlPlaneSubnet+"]", "[]", "[{name: 'a b', role: control-plane}, "+nodeSubnet+"]", "[{name: other, role: control-plane, cidrBlocks: [10.0.0.0/16]}, "+nodeSubnet+"]",
	"[{name: all, role: cluster, cidrBlocks: [10.0.0.0/16]}]", "[{name: x, role: unknown}]")

// addressed are subnets with endpoints, which templates do not have.
var addressed = withNodes("serviceEndpoints: [{service: Microsoft.Sql, locations: ['*']}]", "serviceEndpoints: [{service: Microsoft.Sql, locations: []}]",
	"serviceEndpoints: [{service: Sql, locations: [westus]}]", "serviceEndpoints: [{service: Microsoft.Sql, locations: [WestUS]}]",
	"serviceEndpoints: [{service: Microsoft.Sql, locations: [westus, westus]}]", "serviceEndpoints: [{service: Microsoft.Sql, locations: [a]}, {service: Microsoft.Sql, locations: [b]}]",
	"privateEndpoints: [{name: e}]", "privateEndpoints: [{name: e, privateLinkServiceConnections: [{privateLinkServiceID: "+armID+"a/b/c}]}]",
	"privateEndpoints: [{name: e/f, privateLinkServiceConnections: [{privateLinkServiceID: "+armID+"a/b/c}]}]", "privateEndpoints: [{name: e, privateLinkServiceConnections: [{privateLinkServiceID: x}]}]",
	"cidrBlocks: [10.1.0.0/16], privateEndpoints: [{name: e, privateIPAddresses: [10.1.0.5], privateLinkServiceConnections: [{privateLinkServiceID: "+armID+"a/b/c}]}]",
	"cidrBlocks: [10.1.0.0/16], privateEndpoints: [{name: e, privateIPAddresses: [10.2.0.5], privateLinkServiceConnections: [{privateLinkServiceID: "+armID+"a/b/c}]}]",
	"cidrBlocks: [10.1.0.0/16], privateEndpoints: [{name: e, privateIPAddresses: [x], privateLinkServiceConnections: [{privateLinkServiceID: "+armID+"a/b/c}]}]")

// privateLinkEdges are load balancers with private links, as a whole.
var privateLinkEdges = []string{
	"[{name: l, lbFrontendIPConfigNames: [f], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Dynamic}]}]",
	"[{name: l, lbFrontendIPConfigNames: [f], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Static, privateIPAddress: 10.1.0.7}]}]",
	"[{name: l, lbFrontendIPConfigNames: [f], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Static, privateIPAddress: 10.9.0.7}]}]",
	"[{name: l, lbFrontendIPConfigNames: [g], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Dynamic}]}]",
	"[{name: l, lbFrontendIPConfigNames: [], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Dynamic}]}]",
	"[{name: l, lbFrontendIPConfigNames: [f, f], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Dynamic}]}]",
	"[{name: l, lbFrontendIPConfigNames: [f], natIPConfigurations: [{subnet: nowhere, allocationMethod: Dynamic}]}]",
	"[{name: l, lbFrontendIPConfigNames: [f], natIPConfigurations: []}]",
	"[{name: 'a b', lbFrontendIPConfigNames: [f], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Dynamic}]}]",
	"[{name: l, lbFrontendIPConfigNames: [f], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Dynamic}], allowedSubscriptions: [a], autoApprovedSubscriptions: [b]}]",
	"[{name: l, lbFrontendIPConfigNames: [f], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Dynamic}]}, {name: l, lbFrontendIPConfigNames: [f], natIPConfigurations: [{subnet: blue-node-subnet, allocationMethod: Dynamic}]}]",
	"[]",
}

// withPrivateLinks returns internal load balancers with the links.
func withPrivateLinks() []string {
	var all []string
	for _, links := range privateLinkEdges {
		all = append(all, "{type: Internal, frontendIPs: [{name: f, privateIP: 10.0.0.100}], privateLinks: "+links+"}")
	}
	return all
}

var azureClusterEdges = map[string][]string{
	"location":                                     {"westus", "eastus", `""`},
	"resourceGroup":                                {"g", "other", "blue", `""`},
	"subscriptionID":                               {Subscription, "11111111-0000-0000-0000-000000000000"},
	"azureEnvironment":                             {"AzurePublicCloud", "AzureChinaCloud", `""`},
	"controlPlaneEnabled":                          {"true", "false"},
	"controlPlaneEndpoint":                         {"{host: a, port: 6443}", "{host: b, port: 6443}", "{host: a, port: 443}", "{host: '', port: 8443}"},
	"identityRef":                                  {"{kind: AzureClusterIdentity, name: identity}", "{kind: AzureClusterIdentity, name: other}", "{kind: Secret, name: x}", "{name: x}"},
	"additionalTags":                               {"{a: b}", "{}"},
	"extendedLocation":                             {"{name: losangeles, type: EdgeZone}", "{name: atlanta, type: EdgeZone}", "{name: x, type: y}"},
	"cloudProviderConfigOverrides":                 {"{}", "{backOffs: {cloudProviderBackoff: true}}"},
	"failureDomains":                               {"{'1': {controlPlane: true}}", "{}"},
	"bastionSpec.azureBastion":                     {"{}", "{name: b}", "{sku: Basic, enableTunneling: true}", "{sku: Standard, enableTunneling: true}", "{enableTunneling: true}", "{subnet: {name: x, role: bastion}}", "{publicIP: {name: p}}"},
	"networkSpec.vnet.name":                        {"v", "w", `""`},
	"networkSpec.vnet.resourceGroup":               {"g", "other", "a/b", "x y", `""`},
	"networkSpec.vnet.cidrBlocks":                  {"[10.0.0.0/8]", "[10.0.0.0/16]", "[x]", "['10.0.0.0/8', 'fd00::/56']", "[]"},
	"networkSpec.vnet.peerings":                    {"[{remoteVnetName: a}]", "[{remoteVnetName: a}, {remoteVnetName: a}]", "[{remoteVnetName: a}, {remoteVnetName: a, resourceGroup: o}]", "[{remoteVnetName: b}]", "[]"},
	"networkSpec.subnets":                          append(append([]string{}, subnetEdges...), addressed...),
	"networkSpec.apiServerLB":                      append([]string{"{}", "{type: Internal}"}, withPrivateLinks()...),
	"networkSpec.apiServerLB.name":                 {"l", "m", "'a b'", `""`},
	"networkSpec.apiServerLB.type":                 {"Public", "Internal", "x"},
	"networkSpec.apiServerLB.sku":                  {"Standard", "Basic"},
	"networkSpec.apiServerLB.idleTimeoutInMinutes": {"3", "4", "30", "31"},
	"networkSpec.apiServerLB.frontendIPs": {"[]", "[{name: f, publicIP: {name: p}}]", "[{name: f, publicIP: {name: p}}, {name: g, publicIP: {name: q}}]", "[{name: f, privateIP: 10.0.0.100}]",
		"[{name: f, privateIP: 10.0.0.101}]", "[{name: f, privateIP: 10.9.0.1}]", "[{name: f, privateIP: x}]", "[{name: f, publicIP: {name: p}}, {name: g, privateIP: 10.0.0.100}]",
		"[{name: f, publicIP: {name: p}}, {name: g, privateIP: 10.0.0.101}]", "[{name: f}]"},
	"networkSpec.apiServerLB.frontendIPsCount":  {"1", "2"},
	"networkSpec.apiServerLB.availabilityZones": {"['1']", "['1', '2']", "['2', '1']", "[]"},
	"networkSpec.apiServerLB.backendPool":       {"{name: p}", "{name: q}", "{}"},
	"networkSpec.apiServerLB.privateLinks":      privateLinkEdges,
	"networkSpec.nodeOutboundLB":                {"{}", "{name: n}", "{frontendIPsCount: 16}", "{frontendIPsCount: 17}", "{frontendIPsCount: 2}", "{idleTimeoutInMinutes: 3}", "{idleTimeoutInMinutes: 30}", "{availabilityZones: ['1']}", "{backendPool: {name: p}}", "{type: Internal}", "{sku: Basic}"},
	"networkSpec.controlPlaneOutboundLB":        {"{}", "{name: n}", "{frontendIPsCount: 16}", "{frontendIPsCount: 17}", "{idleTimeoutInMinutes: 31}", "{availabilityZones: ['1']}"},
	"networkSpec.privateDNSZoneName":            {"a.example", "b.example", "'-'", "a_b.c", "'a b'", `""`},
	"networkSpec.privateDNSZoneResourceGroup":   {"g", "other", "a/b", `""`},
	"networkSpec.privateDNSZone":                {"System", "None", "x"},
	"networkSpec.additionalAPIServerLBPorts":    {"[{name: a, port: 9345}]", "[{name: a, port: 9345}, {name: b, port: 9346}]", "[]"},
}

const (
	roleName   = "11111111-1111-1111-1111-111111111111"
	otherRole  = "22222222-2222-2222-2222-222222222222"
	wholeRole  = "scope: /subscriptions/s, definitionID: /subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/d"
	confidence = "managedDisk: {storageAccountType: Premium_LRS, securityProfile: {securityEncryptionType: "
)

var notAKey = base64.StdEncoding.EncodeToString([]byte("no key"))

var azureMachineEdges = map[string][]string{
	"vmSize":        {"Standard_All_v5", "Standard_Arm_v5", `""`},
	"failureDomain": {"'1'", "'2'"},
	"providerID":    {"azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/m", "x"},
	"image": {"{}", "{id: x}", "{id: ''}", "{marketplace: {publisher: p, offer: o, sku: s, version: v}}", "{marketplace: {publisher: p, offer: o, sku: s, version: ''}}",
		"{marketplace: {publisher: '', offer: o, sku: s, version: v}}", "{id: x, marketplace: {publisher: p, offer: o, sku: s, version: v}}",
		"{sharedGallery: {subscriptionID: s, resourceGroup: g, gallery: a, name: n, version: v}}", "{sharedGallery: {subscriptionID: s, resourceGroup: '', gallery: a, name: n, version: v}}",
		"{computeGallery: {gallery: a, name: n, version: v}}", "{computeGallery: {gallery: a, name: n, version: v, subscriptionID: s}}",
		"{computeGallery: {gallery: a, name: n, version: v, subscriptionID: s, resourceGroup: g}}", "{computeGallery: {gallery: a, name: n, version: v, resourceGroup: g}}"},
	"identity": {"None", "SystemAssigned", "UserAssigned", "x"},
	"userAssignedIdentities": {"[]", "[{providerID: 'azure://" + armID + "Microsoft.ManagedIdentity/userAssignedIdentities/i'}]", "[{providerID: " + armID + "Microsoft.ManagedIdentity/userAssignedIdentities/j}]",
		"[{providerID: x}]", "[{providerID: ''}]"},
	"systemAssignedIdentityRole": {"{}", "{name: " + roleName + "}", "{name: " + roleName + ", " + wholeRole + "}", "{name: x, " + wholeRole + "}", "{" + wholeRole + "}", "{name: " + otherRole + ", " + wholeRole + "}"},
	"roleAssignmentName":         {roleName, otherRole, "x", `""`},
	"osDisk": {"{osType: Linux}", "{osType: Windows}", "{osType: ''}", "{osType: Plan9}", "{osType: Linux, diskSizeGB: 0}", "{osType: Linux, diskSizeGB: 2048}", "{osType: Linux, diskSizeGB: 2049}",
		"{osType: Linux, cachingType: ReadOnly}", "{osType: Linux, cachingType: x}", "{osType: Linux, managedDisk: {}}", "{osType: Linux, managedDisk: {storageAccountType: Premium_LRS}}",
		"{osType: Linux, managedDisk: {storageAccountType: UltraSSD_LRS}}", "{osType: Linux, managedDisk: {storageAccountType: x}}", "{osType: Linux, diffDiskSettings: {option: Local}}",
		"{osType: Linux, diffDiskSettings: {option: Local, placement: CacheDisk}}", "{osType: Linux, diffDiskSettings: {option: Local}, managedDisk: {storageAccountType: Premium_LRS, diskEncryptionSet: {id: x}}}",
		"{osType: Linux, " + confidence + "VMGuestStateOnly}}}", "{osType: Linux, " + confidence + "DiskWithVMGuestState}}}",
		"{osType: Linux, " + confidence + "DiskWithVMGuestState, diskEncryptionSet: {id: x}}}}", "{osType: Linux, " + confidence + "VMGuestStateOnly, diskEncryptionSet: {id: x}}}}"},
	"dataDisks": {"[]", "[{nameSuffix: a, diskSizeGB: 4}]", "[{nameSuffix: a, diskSizeGB: 3}]", "[{nameSuffix: a, diskSizeGB: 32767}]", "[{nameSuffix: a, diskSizeGB: 32768}]", "[{nameSuffix: '', diskSizeGB: 4}]",
		"[{nameSuffix: a, diskSizeGB: 4}, {nameSuffix: a, diskSizeGB: 4}]", "[{nameSuffix: a, diskSizeGB: 4, lun: 63}]", "[{nameSuffix: a, diskSizeGB: 4, lun: 64}]",
		"[{nameSuffix: a, diskSizeGB: 4, lun: 1}, {nameSuffix: b, diskSizeGB: 4, lun: 1}]", "[{nameSuffix: a, diskSizeGB: 4, cachingType: None, managedDisk: {storageAccountType: UltraSSD_LRS}}]",
		"[{nameSuffix: a, diskSizeGB: 4, cachingType: ReadOnly, managedDisk: {storageAccountType: UltraSSD_LRS}}]", "[{nameSuffix: a, diskSizeGB: 4, cachingType: x}]", "[{nameSuffix: a, diskSizeGB: 4, managedDisk: {storageAccountType: x}}]"},
	"sshPublicKey":          {sshKey, "x", notAKey, "'%'"},
	"allocatePublicIP":      {"true", "false"},
	"enableIPForwarding":    {"true", "false"},
	"acceleratedNetworking": {"true", "false"},
	"subnetName":            {"a", "b", `""`},
	"networkInterfaces": {"[]", "[{}]", "[{subnetName: a}]", "[{subnetName: a, privateIPConfigs: 1}]", "[{privateIPConfigs: 0}]", "[{privateIPConfigs: -1}]", "[{subnetName: a}, {subnetName: b}]",
		"[{acceleratedNetworking: true}]", "[{privateIPConfigs: 2}]"},
	"diagnostics": {"{}", "{boot: {storageAccountType: Managed}}", "{boot: {storageAccountType: Disabled}}", "{boot: {storageAccountType: UserManaged}}",
		"{boot: {storageAccountType: UserManaged, userManaged: {storageAccountURI: 'https://a.blob.core.windows.net/'}}}", "{boot: {storageAccountType: UserManaged, userManaged: {storageAccountURI: ''}}}",
		"{boot: {storageAccountType: Managed, userManaged: {storageAccountURI: 'https://a.blob.core.windows.net/'}}}", "{boot: {storageAccountType: x}}"},
	"spotVMOptions": {"{}", "{maxPrice: '1'}", "{evictionPolicy: Delete}", "{evictionPolicy: x}"},
	"securityProfile": {"{}", "{encryptionAtHost: true}", "{encryptionAtHost: false}", "{securityType: ConfidentialVM}", "{securityType: ConfidentialVM, uefiSettings: {vTpmEnabled: true}}",
		"{securityType: ConfidentialVM, uefiSettings: {vTpmEnabled: true, secureBootEnabled: true}}", "{securityType: ConfidentialVM, encryptionAtHost: true, uefiSettings: {vTpmEnabled: true, secureBootEnabled: true}}",
		"{securityType: TrustedLaunch, uefiSettings: {vTpmEnabled: true, secureBootEnabled: true}}", "{uefiSettings: {vTpmEnabled: false}}", "{securityType: x}"},
	"capacityReservationGroupID":  {armID + "Microsoft.Compute/capacityReservationGroups/r", armID + "Microsoft.Compute/images/r", "x"},
	"virtualMachineScaleSetID":    {armID + "Microsoft.Compute/virtualMachineScaleSets/s", armID + "Microsoft.Compute/images/r", "x"},
	"disableExtensionOperations":  {"true", "false"},
	"disableVMBootstrapExtension": {"true", "false"},
	"vmExtensions":                {"[]", "[{name: e, publisher: p, version: '1'}]", "[{name: e, publisher: p, version: '2'}]", "[{name: e, publisher: p, version: '1'}, {name: e, publisher: p, version: '1'}]"},
	"dnsServers":                  {"[]", "[10.0.0.4]", "[10.0.0.5]", "[x]"},
	"additionalCapabilities":      {"{}", "{ultraSSDEnabled: true}"},
	"additionalTags":              {"{a: b}", "{}"},
}
