package defaulting

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

func from[T any](t testing.TB, text string) *T {
	t.Helper()
	into := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return into
}

// filled fills in, twice, and compares with what is wanted.
func filled[T any](t *testing.T, given, want string, fill func(*T)) {
	t.Helper()
	got := from[T](t, given)
	fill(got)
	if diff := cmp.Diff(from[T](t, want), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	once, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	fill(got)
	again, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(once), string(again)); diff != "" {
		t.Errorf("when asked again: -once +twice:\n%s", diff)
	}
}

// What clusters have whatever their spec says.
const (
	general    = "azureEnvironment: AzurePublicCloud, resourceGroup: c"
	aVnet      = "vnet: {resourceGroup: c, name: c-vnet, cidrBlocks: [10.0.0.0/8]}"
	standardLB = "sku: Standard, idleTimeoutInMinutes: 4"
	publicLB   = "apiServerLB: {name: c-public-lb, type: Public, " + standardLB + ", frontendIPs: [{name: c-public-lb-frontEnd, publicIP: {name: pip-c-apiserver}}], backendPool: {name: c-public-lb-backendPool}}"
	aControl   = "{name: c-controlplane-subnet, role: control-plane, cidrBlocks: [10.0.0.0/16], securityGroup: {name: c-controlplane-nsg}, routeTable: {name: c-node-routetable}}"
	aNodes     = "{name: c-node-subnet, role: node, cidrBlocks: [10.1.0.0/16], securityGroup: {name: c-node-nsg}, routeTable: {name: c-node-routetable}, natGateway: {name: c-node-natgw, ip: {name: pip-c-node-natgw}}}"
)

// TestCluster has the names and ranges of CAPZ v1.27.0 (internal/api/v1beta1/azurecluster_default_test.go has cases of the same).
func TestCluster(t *testing.T) {
	network := func(rest string) string {
		return "{" + general + ", controlPlaneEnabled: true, networkSpec: {" + rest + "}}"
	}
	cases := map[string]struct{ given, want string }{
		"nothing": {"{controlPlaneEnabled: true}", network(aVnet + ", subnets: [" + aControl + ", " + aNodes + "], " + publicLB)},
		"what is given stays": {
			"{azureEnvironment: AzureChinaCloud, resourceGroup: rg, controlPlaneEnabled: true, networkSpec: {vnet: {name: v, cidrBlocks: [10.0.0.0/16], peerings: [{remoteVnetName: hub}, {resourceGroup: h, remoteVnetName: hub}]}, " +
				"subnets: [{name: x, role: node, cidrBlocks: [10.0.1.0/24], routeTable: {name: r}, securityGroup: {name: s}, natGateway: {name: g, ip: {name: i}}}, {name: p, role: control-plane, cidrBlocks: [10.0.0.0/24], securityGroup: {name: s}}], " +
				"apiServerLB: {name: l, frontendIPs: [{name: f, publicIP: {name: i, dnsName: d}}], backendPool: {name: b}}}}",
			"{azureEnvironment: AzureChinaCloud, resourceGroup: rg, controlPlaneEnabled: true, networkSpec: {vnet: {resourceGroup: rg, name: v, cidrBlocks: [10.0.0.0/16], peerings: [{resourceGroup: rg, remoteVnetName: hub}, {resourceGroup: h, remoteVnetName: hub}]}, " +
				"subnets: [{name: x, role: node, cidrBlocks: [10.0.1.0/24], routeTable: {name: r}, securityGroup: {name: s}, natGateway: {name: g, ip: {name: i}}}, {name: p, role: control-plane, cidrBlocks: [10.0.0.0/24], securityGroup: {name: s}, routeTable: {name: r}}], " +
				"apiServerLB: {name: l, type: Public, " + standardLB + ", frontendIPs: [{name: f, publicIP: {name: i, dnsName: d}}], backendPool: {name: b}}}}",
		},
		"several subnets of nodes": {
			"{controlPlaneEnabled: true, networkSpec: {subnets: [{name: '', role: node}, {name: x, role: node, securityGroup: {securityRules: [{name: r, description: d, protocol: Tcp, direction: ''}]}}]}}",
			network(aVnet + ", subnets: [{name: c-node-subnet-1, role: node, cidrBlocks: [10.1.0.0/16], securityGroup: {name: c-node-nsg}, routeTable: {name: c-node-routetable}, natGateway: {name: c-node-natgw-1, ip: {name: pip-c-node-natgw-1}}}, " +
				"{name: x, role: node, cidrBlocks: [10.2.0.0/16], securityGroup: {name: c-node-nsg, securityRules: [{name: r, description: d, protocol: Tcp, direction: Inbound}]}, routeTable: {name: c-node-routetable}, natGateway: {name: c-node-natgw-2, ip: {name: pip-c-node-natgw-2}}}, " +
				aControl + "], " + publicLB),
		},
		"one subnet for both": {
			"{controlPlaneEnabled: true, networkSpec: {subnets: [{name: '', role: cluster}]}}",
			network(aVnet + ", subnets: [{name: c-subnet, role: cluster, cidrBlocks: [10.0.0.0/16], securityGroup: {name: c-nsg}, routeTable: {name: c-routetable}, natGateway: {name: c-natgw, ip: {name: pip-c-natgw}}}], " + publicLB),
		},
		"a subnet that was there": {
			"{controlPlaneEnabled: true, networkSpec: {subnets: [{id: /id, name: x, role: node}]}}",
			network(aVnet + ", subnets: [{id: /id, name: x, role: node, cidrBlocks: [10.1.0.0/16], securityGroup: {name: c-node-nsg}, routeTable: {name: c-node-routetable}}, " + aControl + "], " + publicLB),
		},
		"IPv6 has a load balancer for traffic out": {
			"{controlPlaneEnabled: true, networkSpec: {subnets: [{name: x, role: node, cidrBlocks: [10.1.0.0/16, 'fd00::/64']}]}}",
			network(aVnet + ", subnets: [{name: x, role: node, cidrBlocks: [10.1.0.0/16, 'fd00::/64'], securityGroup: {name: c-node-nsg}, routeTable: {name: c-node-routetable}}, " + aControl + "], " + publicLB +
				", nodeOutboundLB: {name: c, type: Public, " + standardLB + ", frontendIPsCount: 1, frontendIPs: [{name: c-frontEnd, publicIP: {name: pip-c-node-outbound}}], backendPool: {name: c-outboundBackendPool}}"),
		},
		"private": {
			"{controlPlaneEnabled: true, networkSpec: {apiServerLB: {type: Internal}, controlPlaneOutboundLB: {name: out}, nodeOutboundLB: {frontendIPsCount: 2, type: Internal}}}",
			network(aVnet + ", subnets: [" + aControl + ", " + aNodes + "], " +
				"apiServerLB: {name: c-internal-lb, type: Internal, " + standardLB + ", frontendIPs: [{name: c-internal-lb-frontEnd, privateIP: 10.0.0.100}], backendPool: {name: c-internal-lb-backendPool}}, " +
				"controlPlaneOutboundLB: {name: out, type: Public, " + standardLB + ", frontendIPsCount: 1, frontendIPs: [{name: out-frontEnd, publicIP: {name: pip-c-controlplane-outbound}}], backendPool: {name: c-outbound-lb-outboundBackendPool}}, " +
				"nodeOutboundLB: {name: c, type: Public, " + standardLB + ", frontendIPsCount: 2, frontendIPs: [{name: c-frontEnd-1, publicIP: {name: pip-c-node-outbound-1}}, {name: c-frontEnd-2, publicIP: {name: pip-c-node-outbound-2}}], backendPool: {name: c-outboundBackendPool}}"),
		},
		"somebody else's control plane": {
			"{controlPlaneEnabled: false, networkSpec: {apiServerLB: {type: Public}}}",
			"{" + general + ", controlPlaneEnabled: false, networkSpec: {" + aVnet + ", subnets: [" + aNodes + "]}}",
		},
		"bastion": {
			"{controlPlaneEnabled: true, bastionSpec: {azureBastion: {}}}",
			"{" + general + ", controlPlaneEnabled: true, networkSpec: {" + aVnet + ", subnets: [" + aControl + ", " + aNodes + "], " + publicLB + "}, " +
				"bastionSpec: {azureBastion: {name: c-azure-bastion, subnet: {name: AzureBastionSubnet, role: bastion, cidrBlocks: [10.255.255.224/27]}, publicIP: {name: c-azure-bastion-pip}}}}",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			filled(t, tc.given, tc.want, func(spec *v1beta1.AzureClusterSpec) { Cluster("c", spec) })
		})
	}
}

func TestClusterTemplate(t *testing.T) {
	const lb = "apiServerLB: {type: Public, " + standardLB + "}"
	cases := map[string]struct{ given, want string }{
		"nothing": {"{location: l}", "{location: l, azureEnvironment: AzurePublicCloud, networkSpec: {vnet: {cidrBlocks: [10.0.0.0/8]}, " + lb + "}}"},
		"subnets": {
			"{location: l, bastionSpec: {azureBastion: {}}, networkSpec: {controlPlaneOutboundLB: {}, subnets: [{name: p, role: control-plane}, {name: x, role: node, cidrBlocks: ['fd00::/64']}, {name: m, role: node}]}}",
			"{location: l, azureEnvironment: AzurePublicCloud, bastionSpec: {azureBastion: {subnet: {name: AzureBastionSubnet, role: bastion, cidrBlocks: [10.255.255.224/27]}}}, networkSpec: {vnet: {cidrBlocks: [10.0.0.0/8]}, " + lb + ", " +
				"controlPlaneOutboundLB: {type: Public, " + standardLB + "}, nodeOutboundLB: {type: Public, " + standardLB + "}, " +
				"subnets: [{name: p, role: control-plane, cidrBlocks: [10.0.0.0/16]}, {name: x, role: node, cidrBlocks: ['fd00::/64']}, {name: m, role: node, cidrBlocks: [10.2.0.0/16]}]}}",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { filled(t, tc.given, tc.want, ClusterTemplate) })
	}
}
