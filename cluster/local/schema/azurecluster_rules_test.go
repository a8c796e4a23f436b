package schema

import "testing"

// The self-managed kinds.
const (
	azureCluster = "AzureCluster"
	azureMachine = "AzureMachine"
)

// TestAzureClusterRules are the rules about an AzureCluster as it is.
func TestAzureClusterRules(t *testing.T) {
	const (
		controlPlaneSubnet = "{name: p, role: control-plane, cidrBlocks: [10.0.0.0/16]}"
		lb                 = "spec.networkSpec.apiServerLB."
	)
	network := func(rest string) string { return "{networkSpec: {" + rest + "}}" }
	private := func(rest string) string {
		return network("subnets: [" + controlPlaneSubnet + "], apiServerLB: {type: Internal, " + rest + "}")
	}
	link := func(rest string) string {
		return private("frontendIPs: [{name: a, privateIP: 10.0.0.9}], privateLinks: [{" + rest + "}]")
	}
	const goodLink = "name: l, lbFrontendIPConfigNames: [a], natIPConfigurations: [{allocationMethod: Dynamic, subnet: p}]"
	subnet := func(rest string) string { return network("subnets: [{name: s, role: node, " + rest + "}]") }
	secured := func(rest string) string {
		return subnet("securityGroup: {securityRules: [{name: r, description: d, direction: Inbound, protocol: Tcp, " + rest + "}]}")
	}
	runRules(t, map[string]rule{
		"Name":         {kind: azureCluster, name: "my.cluster", no: "{}", yes: "{}", want: "metadata.name: Invalid value: my.cluster must be 2 to 44 lower-case letters, digits and dashes, with no dash at either end: names in Azure begin with it"},
		"Location":     {kind: azureCluster, no: `{location: ""}`, yes: "{}", want: "spec.location: Required value: is needed: it says which Azure region", template: noRule},
		"Identity":     {kind: azureCluster, no: "{identityRef: null}", yes: "{}", want: "spec.identityRef: Required value: is needed: it says with which credential Azure is reached", template: noRule},
		"IdentityKind": {kind: azureCluster, no: "{identityRef: {kind: Secret}}", yes: "{}", want: "spec.identityRef.kind: Invalid value: must be AzureClusterIdentity", template: noRule},
		"VnetRange":    {kind: azureCluster, no: network("vnet: {cidrBlocks: [10.0.0.0]}"), yes: network(`vnet: {cidrBlocks: [10.0.0.0/16, "fd00::/48"]}`), want: `spec.networkSpec.vnet.cidrBlocks[0]: Invalid value: "10.0.0.0": must be an address range in CIDR notation, such as 10.0.0.0/16`, template: sameRule},
		"VnetGroup":    {kind: azureCluster, no: network("vnet: {resourceGroup: a/b}"), yes: network("vnet: {resourceGroup: a.b_(c)-d}"), want: `spec.networkSpec.vnet.resourceGroup: Invalid value: "a/b": must be letters, digits, and the characters - _ . ( ) as Azure wants it`},
		"Peerings": {
			kind: azureCluster, no: network("vnet: {peerings: [{remoteVnetName: a}, {remoteVnetName: a}]}"), yes: network("vnet: {peerings: [{remoteVnetName: a}, {remoteVnetName: a, resourceGroup: b}]}"),
			want: `spec.networkSpec.vnet.peerings: Invalid value: must have each virtual network once`, template: notThere,
		},
		"SubnetOutside": {
			kind: azureCluster, no: network("vnet: {cidrBlocks: [10.0.0.0/16]}, subnets: [{name: s, role: node, cidrBlocks: [10.1.0.0/16]}]"), yes: network("vnet: {cidrBlocks: [10.0.0.0/15]}, subnets: [{name: s, role: node, cidrBlocks: [10.1.0.0/16]}]"),
			want: "spec.networkSpec.subnets: Invalid value: cidrBlocks of each must be within those of vnet, which are 10.0.0.0/16",
		},
		"SubnetTooBig":    {kind: azureCluster, no: network("vnet: {cidrBlocks: [10.0.0.0/16]}, subnets: [{name: s, role: node, cidrBlocks: [10.0.0.0/15]}]"), yes: "{}", want: "spec.networkSpec.subnets: Invalid value: cidrBlocks of each must be within those of vnet, which are 10.0.0.0/16"},
		"SubnetName":      {kind: azureCluster, no: network("subnets: [{name: a/b, role: node}]"), yes: network("subnets: [{name: a_b.c-d, role: node}]"), want: `spec.networkSpec.subnets[0].name: Invalid value: "a/b": must be letters, digits, and the characters - _ . as Azure wants it`, template: sameRule},
		"SubnetTwice":     {kind: azureCluster, no: network("subnets: [{name: a, role: node}, {name: a, role: node}]"), yes: network("subnets: [{name: a, role: node}, {name: b, role: node}]"), want: `spec.networkSpec.subnets[1]: Duplicate value: {"name":"a"}`, template: sameRule},
		"SubnetRole":      {kind: azureCluster, no: network("subnets: [{name: a, role: x}]"), yes: "{}", want: `[spec.networkSpec.subnets[0].role: Unsupported value: "x": supported values: "node", "control-plane", "bastion", "cluster", ` + notAllChecked + "]", template: sameRule},
		"SubnetRange":     {kind: azureCluster, no: subnet("cidrBlocks: [x]"), yes: subnet("cidrBlocks: [10.1.0.0/16]"), want: `spec.networkSpec.subnets[0].cidrBlocks[0]: Invalid value: "x": must be an address range in CIDR notation, such as 10.1.0.0/16`, template: sameRule},
		"Priority":        {kind: azureCluster, no: secured("priority: 99"), yes: secured("priority: 100"), want: "spec.networkSpec.subnets[0].securityGroup.securityRules[0].priority: Invalid value: 99: must be from 100 to 4096", template: sameRule},
		"PriorityMost":    {kind: azureCluster, no: secured("priority: 4097"), yes: secured("priority: 4096"), want: "spec.networkSpec.subnets[0].securityGroup.securityRules[0].priority: Invalid value: 4097: must be from 100 to 4096", template: sameRule},
		"PriorityLacking": {kind: azureCluster, no: secured("source: a"), yes: "{}", want: "spec.networkSpec.subnets[0].securityGroup.securityRules[0].priority: Required value: is needed: a number from 100 to 4096", template: sameRule},
		"Sources":         {kind: azureCluster, no: secured("priority: 100, source: a, sources: [b]"), yes: secured("priority: 100, sources: [b]"), want: "spec.networkSpec.subnets[0].securityGroup.securityRules[0].source: Invalid value: does not go with sources: say all address ranges there", template: sameRule},
		"Service":         {kind: azureCluster, no: subnet("serviceEndpoints: [{service: Storage, locations: [westeurope]}]"), yes: subnet(`serviceEndpoints: [{service: Microsoft.Storage, locations: [westeurope, "*"]}]`), want: "spec.networkSpec.subnets[0].serviceEndpoints: Invalid value: service of each must be a name such as Microsoft.Storage", template: sameRule},
		"ServiceLocation": {kind: azureCluster, no: subnet("serviceEndpoints: [{service: Microsoft.Storage, locations: [West Europe]}]"), yes: "{}", want: "spec.networkSpec.subnets[0].serviceEndpoints: Invalid value: locations of each must have one or more names of regions, such as westeurope, or *", template: sameRule},
		"NoLocation":      {kind: azureCluster, no: subnet("serviceEndpoints: [{service: Microsoft.Storage, locations: []}]"), yes: "{}", want: "spec.networkSpec.subnets[0].serviceEndpoints: Invalid value: locations of each must have one or more names of regions, such as westeurope, or *", template: sameRule},
		"EndpointAddress": {
			kind: azureCluster, no: subnet("cidrBlocks: [10.1.0.0/16], privateEndpoints: [{name: e, privateIPAddresses: [10.2.0.4], privateLinkServiceConnections: [{privateLinkServiceID: " + resourceID + "Microsoft.Storage/storageAccounts/a}]}]"),
			yes:  subnet("cidrBlocks: [10.1.0.0/16], privateEndpoints: [{name: e, privateIPAddresses: [10.1.0.4], privateLinkServiceConnections: [{privateLinkServiceID: " + resourceID + "Microsoft.Storage/storageAccounts/a}]}]"),
			want: "spec.networkSpec.subnets[0].privateEndpoints: Invalid value: each of their privateIPAddresses must be in the range of the subnet", template: sameRule,
		},
		"SKU":              {kind: azureCluster, no: network("apiServerLB: {sku: Basic}"), yes: network("apiServerLB: {sku: Standard}"), want: lb + `sku: Invalid value: "Basic": must be Standard: there is no other kind`, template: sameRule},
		"Type":             {kind: azureCluster, no: network("apiServerLB: {type: Open}"), yes: network("apiServerLB: {type: Public}"), want: lb + `type: Invalid value: "Open": must be Public or Internal`, template: sameRule},
		"Idle":             {kind: azureCluster, no: network("apiServerLB: {idleTimeoutInMinutes: 3}"), yes: network("apiServerLB: {idleTimeoutInMinutes: 4}"), want: lb + `idleTimeoutInMinutes: Invalid value: 3: must be from 4 to 30`, template: sameRule},
		"IdleMost":         {kind: azureCluster, no: network("nodeOutboundLB: {idleTimeoutInMinutes: 31}"), yes: network("nodeOutboundLB: {idleTimeoutInMinutes: 30}"), want: `spec.networkSpec.nodeOutboundLB.idleTimeoutInMinutes: Invalid value: 31: must be from 4 to 30`, template: sameRule},
		"LBName":           {kind: azureCluster, no: network("apiServerLB: {name: a b}"), yes: network("apiServerLB: {name: a-b}"), want: lb + `name: Invalid value: "a b": must be letters, digits, and the characters - _ . as Azure wants it`},
		"PublicIPs":        {kind: azureCluster, no: network("apiServerLB: {frontendIPs: [{name: a, publicIP: {name: a}}, {name: b, publicIP: {name: b}}]}"), yes: network("apiServerLB: {frontendIPs: [{name: a, publicIP: {name: a}}, {name: b, privateIP: 10.0.0.9}]}"), want: lb + "frontendIPs: Invalid value: must have exactly one publicIP, and no frontendIPsCount but 1: type is Public"},
		"PublicCount":      {kind: azureCluster, no: network("apiServerLB: {frontendIPsCount: 2}"), yes: network("apiServerLB: {frontendIPsCount: 1}"), want: lb + "frontendIPs: Invalid value: must have exactly one publicIP, and no frontendIPsCount but 1: type is Public"},
		"PrivateIPs":       {kind: azureCluster, no: network("apiServerLB: {frontendIPs: [{name: a, publicIP: {name: a}}, {name: b, privateIP: 10.0.0.8}, {name: c, privateIP: 10.0.0.9}]}"), yes: "{}", want: lb + "frontendIPs: Invalid value: must have at most one privateIP beside the public address"},
		"InternalPublic":   {kind: azureCluster, no: private("frontendIPs: [{name: a, privateIP: 10.0.0.9}, {name: b, publicIP: {name: b}}]"), yes: private("frontendIPs: [{name: a, privateIP: 10.0.0.9}]"), want: lb + "frontendIPs: Forbidden: must have no publicIP: type is Internal"},
		"InternalNone":     {kind: azureCluster, no: private("frontendIPs: [{name: a}]"), yes: private("frontendIPs: []"), want: lb + "frontendIPs: Invalid value: must have exactly one privateIP: type is Internal"},
		"InternalOutside":  {kind: azureCluster, no: private("frontendIPs: [{name: a, privateIP: 10.1.0.9}]"), yes: private("frontendIPs: [{name: a, privateIP: 10.0.255.9}]"), want: lb + "frontendIPs: Invalid value: each privateIP must be in the range of the control plane subnet"},
		"InternalNoIP":     {kind: azureCluster, no: private("frontendIPs: [{name: a, privateIP: x}]"), yes: "{}", want: lb + `frontendIPs[0].privateIP: Invalid value: "x": must be an IP address`},
		"ControlPlaneOut":  {kind: azureCluster, no: network("controlPlaneOutboundLB: {}"), yes: network("controlPlaneOutboundLB: {}, apiServerLB: {type: Internal}"), want: "spec.networkSpec.controlPlaneOutboundLB: Forbidden: goes with apiServerLB.type Internal only: otherwise the control plane reaches the internet by apiServerLB", template: sameRule},
		"OutboundIPs":      {kind: azureCluster, no: network("nodeOutboundLB: {frontendIPsCount: 17}"), yes: network("nodeOutboundLB: {frontendIPsCount: 16}"), want: "spec.networkSpec.nodeOutboundLB.frontendIPsCount: Invalid value: must be from 0 to 16: a load balancer has no more addresses for traffic out"},
		"OutboundLinks":    {kind: azureCluster, no: network("nodeOutboundLB: {privateLinks: [{" + goodLink + "}]}"), yes: "{}", want: "spec.networkSpec.nodeOutboundLB.privateLinks: Forbidden: are for apiServerLB only"},
		"ZoneName":         {kind: azureCluster, no: network("privateDNSZoneName: a.b"), yes: network("privateDNSZoneName: a.b, apiServerLB: {type: Internal}"), want: "spec.networkSpec.privateDNSZoneName: Invalid value: goes with apiServerLB.type Internal only: the name of a public address is public", template: sameRule},
		"ZoneNameForm":     {kind: azureCluster, no: network("privateDNSZoneName: a b, apiServerLB: {type: Internal}"), yes: "{}", want: `spec.networkSpec.privateDNSZoneName: Invalid value: "a b": must be a DNS name, such as clusters.example.org`, template: sameRule},
		"ZoneGroup":        {kind: azureCluster, no: network("privateDNSZoneResourceGroup: g"), yes: network("privateDNSZoneResourceGroup: g, privateDNSZoneName: a.b, apiServerLB: {type: Internal}"), want: "spec.networkSpec.privateDNSZoneResourceGroup: Invalid value: needs privateDNSZoneName: the zone is that of somebody else", template: sameRule},
		"LinkPublic":       {kind: azureCluster, no: network("subnets: [" + controlPlaneSubnet + "], apiServerLB: {frontendIPs: [{name: a, publicIP: {name: a}}], privateLinks: [{" + goodLink + "}]}"), yes: link(goodLink), want: lb + "privateLinks: Invalid value: go with type Internal only: a private link leads to a private address"},
		"LinkName":         {kind: azureCluster, no: link("lbFrontendIPConfigNames: [a], natIPConfigurations: [{allocationMethod: Dynamic, subnet: p}]"), yes: "{}", want: lb + "privateLinks[0].name: Invalid value: must be letters, digits, and the characters - _ . as Azure wants it"},
		"LinkTwice":        {kind: azureCluster, no: link(goodLink + "}, {" + goodLink), yes: "{}", want: lb + "privateLinks: Invalid value: must have names of their own"},
		"LinkFrontend":     {kind: azureCluster, no: link("name: l, lbFrontendIPConfigNames: [b], natIPConfigurations: [{allocationMethod: Dynamic, subnet: p}]"), yes: "{}", want: lb + "privateLinks: Invalid value: lbFrontendIPConfigNames of each must have one or more names of frontendIPs"},
		"LinkNoFrontend":   {kind: azureCluster, no: link("name: l, lbFrontendIPConfigNames: [], natIPConfigurations: [{allocationMethod: Dynamic, subnet: p}]"), yes: "{}", want: lb + "privateLinks: Invalid value: lbFrontendIPConfigNames of each must have one or more names of frontendIPs"},
		"LinkFrontendMany": {kind: azureCluster, no: link("name: l, lbFrontendIPConfigNames: [a, a], natIPConfigurations: [{allocationMethod: Dynamic, subnet: p}]"), yes: "{}", want: lb + `privateLinks[0].lbFrontendIPConfigNames: Invalid value: must have each name once`},
		"LinkNoNAT":        {kind: azureCluster, no: link("name: l, lbFrontendIPConfigNames: [a], natIPConfigurations: []"), yes: "{}", want: lb + `privateLinks[0].natIPConfigurations: Invalid value: must have at least one`},
		"LinkSubnet":       {kind: azureCluster, no: link("name: l, lbFrontendIPConfigNames: [a], natIPConfigurations: [{allocationMethod: Dynamic, subnet: q}]"), yes: "{}", want: lb + "privateLinks: Invalid value: natIPConfigurations of each must name a subnet of this cluster"},
		"LinkStatic":       {kind: azureCluster, no: link("name: l, lbFrontendIPConfigNames: [a], natIPConfigurations: [{allocationMethod: Static, subnet: p, privateIPAddress: 10.1.0.1}]"), yes: link("name: l, lbFrontendIPConfigNames: [a], natIPConfigurations: [{allocationMethod: Static, subnet: p, privateIPAddress: 10.0.0.10}]"), want: lb + "privateLinks: Invalid value: natIPConfigurations with allocationMethod Static must have a privateIPAddress in the range of their subnet"},
		"LinkApproved":     {kind: azureCluster, no: link(goodLink + ", autoApprovedSubscriptions: [a]"), yes: link(goodLink + ", autoApprovedSubscriptions: [a], allowedSubscriptions: [a, b]"), want: lb + "privateLinks[0].autoApprovedSubscriptions: Invalid value: must be among allowedSubscriptions"},
		"Tunnelling":       {kind: azureCluster, no: "{bastionSpec: {azureBastion: {enableTunneling: true}}}", yes: "{bastionSpec: {azureBastion: {enableTunneling: true, sku: Standard}}}", want: "spec.bastionSpec.azureBastion.sku: Invalid value: must be Standard with enableTunneling, but is Basic"},
	})
}

// TestExternalControlPlane shows that what is about a control plane of virtual machines does not count without one.
func TestExternalControlPlane(t *testing.T) {
	u := object(t, azureCluster, "")
	u.Object["spec"] = merged(t, minimal[azureCluster], "{controlPlaneEnabled: false, networkSpec: {privateDNSZoneName: a.b, controlPlaneOutboundLB: {}, apiServerLB: {frontendIPs: [{name: a}]}}}")
	dryRun(t, u)
}
