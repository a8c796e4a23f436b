package network

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

const (
	namespace = "team"
	group     = "/subscriptions/sub/resourceGroups/rg/providers/Microsoft.Network"
	ofBlue    = `"sigs.k8s.io_cluster-api-provider-azure_cluster_blue":"owned"`
	privately = "networkSpec: {apiServerLB: {type: Internal}, vnet: {name: net}}"
)

var (
	blue  = Cluster{Namespace: namespace, Name: "blue"}
	known = Live{Zones: []string{"1", "2", "3"}, ZonesKnown: true}
)

// azureCluster returns an AzureCluster named infra with the spec, in YAML, over the least that one needs.
func azureCluster(t testing.TB, specs ...string) *v1beta1.AzureCluster {
	t.Helper()
	c := &v1beta1.AzureCluster{ObjectMeta: metav1.ObjectMeta{Name: "infra", Namespace: namespace}}
	for _, spec := range append([]string{"{location: westus, resourceGroup: rg, subscriptionID: sub, controlPlaneEnabled: true}"}, specs...) {
		if err := yaml.UnmarshalStrict([]byte(spec), &c.Spec); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// named returns the only resource whose object is of the kind and name.
func named(t testing.TB, resources []*plan.Resource, what string) *plan.Resource {
	t.Helper()
	var all []string
	for _, r := range resources {
		if r.String() == what {
			return r
		}
		all = append(all, r.String())
	}
	t.Fatalf("there is no %s among %s", what, strings.Join(all, ", "))
	return nil
}

// jsonOf returns a field as JSON, so that numbers of any type compare.
func jsonOf(obj *unstructured.Unstructured, path string) string {
	value, found, err := unstructured.NestedFieldNoCopy(obj.Object, strings.Split(path, ".")...)
	if !found || err != nil {
		return ""
	}
	written, _ := json.Marshal(value)
	return string(written)
}

// A mapping is what becomes of one thing that an AzureCluster says.
type mapping struct {
	spec  string
	what  string
	field string
	want  string
}

func (m mapping) check(t *testing.T) {
	t.Helper()
	r := named(t, Of(azureCluster(t, m.spec), blue, known).Resources(), m.what)
	if r.Err != nil {
		t.Fatal(r.Err.Message)
	}
	if diff := cmp.Diff(m.want, jsonOf(r.Object, m.field)); diff != "" {
		t.Errorf("%s of %s (-want +got):\n%s", m.field, m.what, diff)
	}
}

func check(t *testing.T, tests map[string]mapping) {
	t.Helper()
	for name, m := range tests {
		t.Run(name, m.check)
	}
}

func TestResourceGroup(t *testing.T) {
	check(t, map[string]mapping{
		"of the cluster": {what: "ResourceGroup rg", field: "spec",
			want: `{"azureName":"rg","location":"westus","tags":{"Name":"rg",` + ofBlue + `,"sigs.k8s.io_cluster-api-provider-azure_role":"common"}}`},
		"user's tags win": {spec: "additionalTags: {Name: other}", what: "ResourceGroup rg", field: "spec.tags.Name", want: `"other"`},
		"of the network":  {spec: "networkSpec: {vnet: {resourceGroup: Nets}}", what: "ResourceGroup nets", field: "spec.azureName", want: `"Nets"`},
		"identity": {what: "ResourceGroup rg", field: "metadata", want: `{"annotations":{"serviceoperator.azure.com/credential-from":"blue-aso-secret"},` +
			`"labels":{"cluster.x-k8s.io/cluster-name":"blue"},"name":"rg","namespace":"team"}`},
	})
}

func TestVirtualNetwork(t *testing.T) {
	check(t, map[string]mapping{
		"by default": {what: "VirtualNetwork infra-vnet", field: "spec",
			want: `{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]},"azureName":"infra-vnet","location":"westus","owner":{"name":"rg"},` +
				`"tags":{"Name":"infra-vnet",` + ofBlue + `,"sigs.k8s.io_cluster-api-provider-azure_role":"common"}}`},
		"dual-stack":      {spec: "networkSpec: {vnet: {cidrBlocks: [10.0.0.0/8, '2001:db8::/56']}}", what: "VirtualNetwork infra-vnet", field: "spec.addressSpace.addressPrefixes", want: `["10.0.0.0/8","2001:db8::/56"]`},
		"in an edge zone": {spec: "extendedLocation: {name: losangeles, type: EdgeZone}", what: "VirtualNetwork infra-vnet", field: "spec.extendedLocation", want: `{"name":"losangeles","type":"EdgeZone"}`},
		"its own tags":    {spec: "{additionalTags: {a: all}, networkSpec: {vnet: {tags: {a: own, b: own}}}}", what: "VirtualNetwork infra-vnet", field: "spec.tags.b", want: `"own"`},
		"tags of all":     {spec: "{additionalTags: {a: all}, networkSpec: {vnet: {tags: {a: own, b: own}}}}", what: "VirtualNetwork infra-vnet", field: "spec.tags.a", want: `"all"`},
	})
}

func TestSubnet(t *testing.T) {
	check(t, map[string]mapping{
		"of nodes": {what: "VirtualNetworksSubnet infra-vnet-infra-node-subnet", field: "spec",
			want: `{"addressPrefix":"10.1.0.0/16","addressPrefixes":["10.1.0.0/16"],"azureName":"infra-node-subnet","natGateway":{"reference":{"armId":"` + group + `/natGateways/infra-node-natgw"}},` +
				`"networkSecurityGroup":{"reference":{"armId":"` + group + `/networkSecurityGroups/infra-node-nsg"}},"owner":{"name":"infra-vnet"},` +
				`"routeTable":{"reference":{"armId":"` + group + `/routeTables/infra-node-routetable"}}}`},
		"of the control plane": {what: "VirtualNetworksSubnet infra-vnet-infra-controlplane-subnet", field: "spec",
			want: `{"addressPrefix":"10.0.0.0/16","addressPrefixes":["10.0.0.0/16"],"azureName":"infra-controlplane-subnet",` +
				`"networkSecurityGroup":{"reference":{"armId":"` + group + `/networkSecurityGroups/infra-controlplane-nsg"}},"owner":{"name":"infra-vnet"},` +
				`"routeTable":{"reference":{"armId":"` + group + `/routeTables/infra-node-routetable"}}}`},
		"dual-stack has no NAT gateway": {spec: "networkSpec: {subnets: [{name: nodes, role: node, cidrBlocks: [10.1.0.0/16, '2001:db8::/64']}]}",
			what: "VirtualNetworksSubnet infra-vnet-nodes", field: "spec.natGateway", want: ``},
		"dual-stack has two ranges": {spec: "networkSpec: {subnets: [{name: nodes, role: node, cidrBlocks: [10.1.0.0/16, '2001:db8::/64']}]}",
			what: "VirtualNetworksSubnet infra-vnet-nodes", field: "spec.addressPrefix", want: ``},
		"groups of the network": {spec: "networkSpec: {vnet: {resourceGroup: nets}}", what: "VirtualNetworksSubnet infra-vnet-infra-node-subnet", field: "spec.routeTable.reference.armId",
			want: `"/subscriptions/sub/resourceGroups/nets/providers/Microsoft.Network/routeTables/infra-node-routetable"`},
		"service endpoints": {spec: "networkSpec: {subnets: [{name: nodes, role: node, serviceEndpoints: [{service: Microsoft.Sql, locations: ['*']}]}]}",
			what: "VirtualNetworksSubnet infra-vnet-nodes", field: "spec.serviceEndpoints", want: `[{"locations":["*"],"service":"Microsoft.Sql"}]`},
		"of private links": {spec: "networkSpec: {apiServerLB: {type: Internal, privateLinks: [{name: pl, lbFrontendIPConfigNames: [f], natIPConfigurations: [{allocationMethod: Dynamic, subnet: nodes}]}]}, subnets: [{name: nodes, role: node}]}",
			what: "VirtualNetworksSubnet infra-vnet-nodes", field: "spec.privateLinkServiceNetworkPolicies", want: `"Disabled"`},
		"of Azure Bastion": {spec: "bastionSpec: {azureBastion: {}}", what: "VirtualNetworksSubnet infra-vnet-azurebastionsubnet", field: "spec",
			want: `{"addressPrefix":"10.255.255.224/27","addressPrefixes":["10.255.255.224/27"],"azureName":"AzureBastionSubnet","owner":{"name":"infra-vnet"}}`},
	})
}

func TestSecurityGroup(t *testing.T) {
	const rules = "networkSpec: {subnets: [{name: c, role: control-plane, securityGroup: {name: nsg, tags: {own: tag}, securityRules: [%s]}}, {name: nodes, role: node}]}"
	web := fmt.Sprintf(rules, "{name: Web_1, description: d, protocol: Tcp, direction: Inbound, priority: 300, sources: [10.0.0.0/8, 10.1.0.0/16], sourcePorts: '*', destination: '*', destinationPorts: '22', action: Deny}")
	check(t, map[string]mapping{
		"of nodes": {what: "NetworkSecurityGroup infra-node-nsg", field: "spec", want: `{"azureName":"infra-node-nsg","location":"westus","owner":{"name":"rg"},"tags":{"Name":"infra-node-nsg",` + ofBlue + `}}`},
		"its tags": {spec: web, what: "NetworkSecurityGroup nsg", field: "spec.tags.own", want: `"tag"`},
		"SSH": {what: "NetworkSecurityGroupsSecurityRule infra-controlplane-nsg-allow-ssh", field: "spec",
			want: `{"access":"Allow","azureName":"allow_ssh","description":"Allow SSH","destinationAddressPrefix":"*","destinationPortRange":"22","direction":"Inbound",` +
				`"owner":{"name":"infra-controlplane-nsg"},"priority":2200,"protocol":"Tcp","sourceAddressPrefix":"*","sourcePortRange":"*"}`},
		"API server": {what: "NetworkSecurityGroupsSecurityRule infra-controlplane-nsg-allow-apiserver", field: "spec.destinationPortRange", want: `"6443"`},
		"the user's": {spec: web, what: "NetworkSecurityGroupsSecurityRule nsg-web-1", field: "spec",
			want: `{"access":"Deny","azureName":"Web_1","description":"d","destinationAddressPrefix":"*","destinationPortRange":"22","direction":"Inbound","owner":{"name":"nsg"},` +
				`"priority":300,"protocol":"Tcp","sourceAddressPrefixes":["10.0.0.0/8","10.1.0.0/16"],"sourcePortRange":"*"}`},
	})
	for _, r := range Of(azureCluster(t, web), blue, known).Resources() {
		if r.String() == "NetworkSecurityGroupsSecurityRule nsg-allow-ssh" {
			t.Error("there are two rules for port 22")
		}
	}
	shared := "networkSpec: {subnets: [{name: a, role: node, securityGroup: {name: nsg, securityRules: [%s]}}, {name: b, role: node, securityGroup: {name: NSG, securityRules: [%s]}}]}"
	one, other := "{name: x, protocol: Tcp, priority: 300}", "{name: x, protocol: Udp, priority: 300}"
	if n := count(Of(azureCluster(t, fmt.Sprintf(shared, one, one)), blue, known).Resources(), "NetworkSecurityGroupsSecurityRule nsg-x"); n != 1 {
		t.Errorf("a rule that two subnets share is there %d times", n)
	}
	resources := Of(azureCluster(t, fmt.Sprintf(shared, one, other)), blue, known).Resources()
	if got := problems(resources); !strings.Contains(got, `spec.networkSpec.subnets[1].securityGroup.securityRules[0] is called "x", but must be the same as spec.networkSpec.subnets[0].securityGroup.securityRules[0]`) {
		t.Errorf("of two rules with one name: %q", got)
	}
}

func count(resources []*plan.Resource, what string) int {
	n := 0
	for _, r := range resources {
		if r.String() == what {
			n++
		}
	}
	return n
}

// problems returns what is wrong with resources.
func problems(resources []*plan.Resource) string {
	var all []string
	for _, r := range resources {
		if r.Err != nil {
			all = append(all, r.Err.Message)
		}
	}
	return strings.Join(all, "; ")
}

func TestRouteTable(t *testing.T) {
	check(t, map[string]mapping{
		"shared":                 {what: "RouteTable infra-node-routetable", field: "spec", want: `{"azureName":"infra-node-routetable","location":"westus","owner":{"name":"rg"},"tags":{"Name":"infra-node-routetable",` + ofBlue + `}}`},
		"in the network's group": {spec: "networkSpec: {vnet: {resourceGroup: Nets}}", what: "RouteTable infra-node-routetable", field: "spec.owner", want: `{"name":"nets"}`},
	})
	if n := count(Of(azureCluster(t), blue, known).Resources(), "RouteTable infra-node-routetable"); n != 1 {
		t.Errorf("it is there %d times", n)
	}
}

func TestPublicIP(t *testing.T) {
	const apiServer = "PublicIPAddress pip-infra-apiserver"
	check(t, map[string]mapping{
		"of the API server": {what: apiServer, field: "spec",
			want: `{"azureName":"pip-infra-apiserver","dnsSettings":{"domainNameLabel":"blue-435e9826","fqdn":"blue-435e9826.westus.cloudapp.azure.com"},"location":"westus","owner":{"name":"rg"},` +
				`"publicIPAddressVersion":"IPv4","publicIPAllocationMethod":"Static","sku":{"name":"Standard"},"tags":{"Name":"pip-infra-apiserver",` + ofBlue + `},"zones":["1","2","3"]}`},
		"of a NAT gateway":           {what: "PublicIPAddress pip-infra-node-natgw", field: "spec.dnsSettings", want: ``},
		"in another cloud":           {spec: "azureEnvironment: AzureUSGovernmentCloud", what: apiServer, field: "spec.dnsSettings.fqdn", want: `"blue-435e9826.westus.cloudapp.usgovcloudapi.net"`},
		"the user's":                 {spec: "networkSpec: {apiServerLB: {frontendIPs: [{name: f, publicIP: {name: mine, dnsName: mine.westus.cloudapp.azure.com, ipTags: [{type: FirstPartyUsage, tag: SQL}]}}]}}", what: "PublicIPAddress mine", field: "spec.ipTags", want: `[{"ipTagType":"FirstPartyUsage","tag":"SQL"}]`},
		"zones of the load balancer": {spec: "networkSpec: {apiServerLB: {availabilityZones: ['2']}}", what: apiServer, field: "spec.zones", want: `["2"]`},
		"in an edge zone":            {spec: "extendedLocation: {name: losangeles, type: EdgeZone}", what: apiServer, field: "spec.extendedLocation", want: `{"name":"losangeles","type":"EdgeZone"}`},
		"in an edge zone, no zones":  {spec: "extendedLocation: {name: losangeles, type: EdgeZone}", what: apiServer, field: "spec.zones", want: ``},
		"of nodes":                   {spec: "networkSpec: {nodeOutboundLB: {frontendIPsCount: 2}}", what: "PublicIPAddress pip-infra-node-outbound-2", field: "spec.azureName", want: `"pip-infra-node-outbound-2"`},
		"of a private control plane": {spec: "networkSpec: {apiServerLB: {type: Internal}, controlPlaneOutboundLB: {}}", what: "PublicIPAddress pip-infra-controlplane-outbound", field: "spec.dnsSettings", want: ``},
		"of Azure Bastion":           {spec: "bastionSpec: {azureBastion: {}}", what: "PublicIPAddress infra-azure-bastion-pip", field: "spec.zones", want: `["1","2","3"]`},
	})
	r := named(t, Of(azureCluster(t), blue, Live{}).Resources(), apiServer)
	if len(r.After) != 1 || !r.After[0].OfObject {
		t.Errorf("while nobody knows the zones of the location it waits for %+v", r.After)
	}
}

func TestNatGateway(t *testing.T) {
	check(t, map[string]mapping{
		"by default": {what: "NatGateway infra-node-natgw", field: "spec", want: `{"azureName":"infra-node-natgw","location":"westus","owner":{"name":"rg"},` +
			`"publicIpAddresses":[{"reference":{"armId":"` + group + `/publicIPAddresses/pip-infra-node-natgw"}}],"sku":{"name":"Standard"},"tags":{"Name":"infra-node-natgw",` + ofBlue + `}}`},
		"in a zone": {spec: "networkSpec: {subnets: [{name: nodes, role: node, natGateway: {name: gw, zones: ['1'], ip: {name: out}}}]}", what: "NatGateway gw", field: "spec.zones", want: `["1"]`},
	})
}

func TestPeering(t *testing.T) {
	const peered = "networkSpec: {vnet: {name: net, peerings: [{remoteVnetName: hub, resourceGroup: hubs, forwardPeeringProperties: {allowForwardedTraffic: true}, reversePeeringProperties: {allowGatewayTransit: true}}]}}"
	const hub = "/subscriptions/sub/resourceGroups/hubs/providers/Microsoft.Network/virtualNetworks/hub"
	check(t, map[string]mapping{
		"there": {spec: peered, what: "VirtualNetworksVirtualNetworkPeering net-to-hub", field: "spec",
			want: `{"allowForwardedTraffic":true,"azureName":"net-To-hub","owner":{"name":"net"},"remoteVirtualNetwork":{"reference":{"armId":"` + hub + `"}}}`},
		"back": {spec: peered, what: "VirtualNetworksVirtualNetworkPeering hub-to-net", field: "spec",
			want: `{"allowGatewayTransit":true,"azureName":"hub-To-net","owner":{"armId":"` + hub + `"},"remoteVirtualNetwork":{"reference":{"armId":"` + group + `/virtualNetworks/net"}}}`},
	})
}

func TestLoadBalancer(t *testing.T) {
	const lb = group + "/loadBalancers/infra-public-lb"
	rule := func(name string, frontend, backend int, of string) string {
		return fmt.Sprintf(`{"backendAddressPool":{"reference":{"armId":"%[4]s/backendAddressPools/%[5]s-backendPool"}},"backendPort":%[3]d,"disableOutboundSnat":true,"enableFloatingIP":false,`+
			`"frontendIPConfiguration":{"reference":{"armId":"%[4]s/frontendIPConfigurations/%[5]s-frontEnd"}},"frontendPort":%[2]d,"idleTimeoutInMinutes":4,"loadDistribution":"Default",`+
			`"name":"%[1]s","probe":{"reference":{"armId":"%[4]s/probes/HTTPSProbe"}},"protocol":"Tcp"}`, name, frontend, backend, group+"/loadBalancers/"+of, of)
	}
	check(t, map[string]mapping{
		"frontend":      {what: "LoadBalancer infra-public-lb", field: "spec.frontendIPConfigurations", want: `[{"name":"infra-public-lb-frontEnd","publicIPAddress":{"reference":{"armId":"` + group + `/publicIPAddresses/pip-infra-apiserver"}}}]`},
		"pool":          {what: "LoadBalancer infra-public-lb", field: "spec.backendAddressPools", want: `[{"name":"infra-public-lb-backendPool"}]`},
		"tags":          {what: "LoadBalancer infra-public-lb", field: "spec.tags", want: `{` + ofBlue + `,"sigs.k8s.io_cluster-api-provider-azure_role":"apiserver"}`},
		"sku":           {what: "LoadBalancer infra-public-lb", field: "spec.sku", want: `{"name":"Standard"}`},
		"probe":         {what: "LoadBalancer infra-public-lb", field: "spec.probes", want: `[{"intervalInSeconds":15,"name":"HTTPSProbe","port":6443,"probeThreshold":1,"protocol":"Https","requestPath":"/readyz"}]`},
		"rule":          {what: "LoadBalancer infra-public-lb", field: "spec.loadBalancingRules", want: `[` + rule("LBRuleHTTPS", 6443, 6443, "infra-public-lb") + `]`},
		"port outside":  {spec: "controlPlaneEndpoint: {host: h, port: 443}", what: "LoadBalancer infra-public-lb", field: "spec.loadBalancingRules", want: `[` + rule("LBRuleHTTPS", 443, 6443, "infra-public-lb") + `]`},
		"further ports": {spec: "networkSpec: {additionalAPIServerLBPorts: [{name: rke2, port: 9345}]}", what: "LoadBalancer infra-public-lb", field: "spec.loadBalancingRules", want: `[` + rule("LBRuleHTTPS", 6443, 6443, "infra-public-lb") + `,` + rule("rke2", 9345, 9345, "infra-public-lb") + `]`},
		"outbound rule": {what: "LoadBalancer infra-public-lb", field: "spec.outboundRules",
			want: `[{"backendAddressPool":{"reference":{"armId":"` + lb + `/backendAddressPools/infra-public-lb-backendPool"}},"frontendIPConfigurations":[{"reference":{"armId":"` + lb + `/frontendIPConfigurations/infra-public-lb-frontEnd"}}],` +
				`"idleTimeoutInMinutes":4,"name":"OutboundNATAllProtocols","protocol":"All"}]`},
		"internal frontend": {spec: "networkSpec: {apiServerLB: {type: Internal, availabilityZones: ['1']}}", what: "LoadBalancer infra-internal-lb", field: "spec.frontendIPConfigurations",
			want: `[{"name":"infra-internal-lb-frontEnd","privateIPAddress":"10.0.0.100","privateIPAllocationMethod":"Static","subnet":{"reference":{"armId":"` + group + `/virtualNetworks/infra-vnet/subnets/infra-controlplane-subnet"}},"zones":["1"]}]`},
		"internal has no outbound rule": {spec: privately, what: "LoadBalancer infra-internal-lb", field: "spec.outboundRules", want: ``},
		"of nodes":                      {spec: "networkSpec: {nodeOutboundLB: {}}", what: "LoadBalancer infra", field: "spec.tags", want: `{` + ofBlue + `,"sigs.k8s.io_cluster-api-provider-azure_role":"nodeOutbound"}`},
		"of nodes passes nothing in":    {spec: "networkSpec: {nodeOutboundLB: {}}", what: "LoadBalancer infra", field: "spec.loadBalancingRules", want: ``},
		"of a private control plane":    {spec: "networkSpec: {apiServerLB: {type: Internal}, controlPlaneOutboundLB: {}}", what: "LoadBalancer infra-outbound-lb", field: "spec.backendAddressPools", want: `[{"name":"infra-outbound-lb-outboundBackendPool"}]`},
		"internal beside a public": {spec: "networkSpec: {apiServerLB: {frontendIPs: [{name: out, publicIP: {name: ip}}, {name: in, privateIP: 10.0.0.9}]}}", what: "LoadBalancer infra-public-lb-internal", field: "spec.frontendIPConfigurations",
			want: `[{"name":"in","privateIPAddress":"10.0.0.9","privateIPAllocationMethod":"Static","subnet":{"reference":{"armId":"` + group + `/virtualNetworks/infra-vnet/subnets/infra-controlplane-subnet"}}}]`},
		"pool beside a public": {spec: "networkSpec: {apiServerLB: {frontendIPs: [{name: out, publicIP: {name: ip}}, {name: in, privateIP: 10.0.0.9}]}}", what: "LoadBalancer infra-public-lb-internal", field: "spec.backendAddressPools", want: `[{"name":"infra-public-lb-backendPool-internal"}]`},
		"in an edge zone":      {spec: "extendedLocation: {name: losangeles, type: EdgeZone}", what: "LoadBalancer infra-public-lb", field: "spec.extendedLocation", want: `{"name":"losangeles","type":"EdgeZone"}`},
	})
	tests := map[string]struct{ spec, want string }{
		"no address": {"networkSpec: {apiServerLB: {frontendIPs: [{name: in, privateIP: 10.0.0.9}]}}", `spec.networkSpec.apiServerLB.frontendIPs has no entry with publicIP, but must have one`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := problems(Of(azureCluster(t, tc.spec), blue, known).Resources()); !strings.Contains(got, tc.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestPrivateDNS(t *testing.T) {
	const peered = "networkSpec: {apiServerLB: {type: Internal}, vnet: {name: net, peerings: [{remoteVnetName: hub, resourceGroup: hubs}]}}"
	check(t, map[string]mapping{
		"zone":                  {spec: privately, what: "PrivateDnsZone blue-capz-io", field: "spec", want: `{"azureName":"blue.capz.io","location":"global","owner":{"name":"rg"},"tags":{` + ofBlue + `}}`},
		"zone of another group": {spec: "networkSpec: {apiServerLB: {type: Internal}, privateDNSZoneName: corp.example, privateDNSZoneResourceGroup: dns}", what: "PrivateDnsZone corp-example", field: "spec.owner", want: `{"armId":"/subscriptions/sub/resourceGroups/dns"}`},
		"link":                  {spec: privately, what: "PrivateDnsZonesVirtualNetworkLink blue-capz-io-net-link", field: "spec", want: `{"azureName":"net-link","location":"global","owner":{"name":"blue-capz-io"},"registrationEnabled":false,"tags":{` + ofBlue + `},"virtualNetwork":{"reference":{"armId":"` + group + `/virtualNetworks/net"}}}`},
		"link of a peer":        {spec: peered, what: "PrivateDnsZonesVirtualNetworkLink blue-capz-io-hub-link", field: "spec.virtualNetwork.reference.armId", want: `"/subscriptions/sub/resourceGroups/hubs/providers/Microsoft.Network/virtualNetworks/hub"`},
		"record":                {spec: privately, what: "PrivateDnsZonesARecord blue-capz-io-apiserver", field: "spec", want: `{"aRecords":[{"ipv4Address":"10.0.0.100"}],"azureName":"apiserver","owner":{"name":"blue-capz-io"},"ttl":300}`},
		"record of IPv6":        {spec: "networkSpec: {apiServerLB: {type: Internal, frontendIPs: [{name: f, privateIP: '2001:db8::9'}]}}", what: "PrivateDnsZonesAAAARecord blue-capz-io-apiserver", field: "spec.aaaaRecords", want: `[{"ipv6Address":"2001:db8::9"}]`},
	})
	for name, spec := range map[string]string{"public": "{}", "none": "networkSpec: {apiServerLB: {type: Internal}, privateDNSZone: None}", "no control plane": "controlPlaneEnabled: false"} {
		for _, r := range Of(azureCluster(t, spec), blue, known).Resources() {
			if strings.HasPrefix(r.String(), "PrivateDns") {
				t.Errorf("%s: %s", name, r)
			}
		}
	}
}

func TestPrivateLinkService(t *testing.T) {
	const link = "networkSpec: {apiServerLB: {type: Internal, privateLinks: [{name: PL, lbFrontendIPConfigNames: [infra-internal-lb-frontEnd], allowedSubscriptions: [a, b], autoApprovedSubscriptions: [a], enableProxyProtocol: true, " +
		"natIPConfigurations: [{allocationMethod: Static, subnet: nodes, privateIPAddress: 10.1.0.9}, {allocationMethod: Dynamic, subnet: nodes}]}]}, subnets: [{name: nodes, role: node}]}"
	const subnet = group + "/virtualNetworks/infra-vnet/subnets/nodes"
	check(t, map[string]mapping{
		"all of it": {spec: link, what: "PrivateLinkService pl", field: "spec", want: `{"autoApproval":{"subscriptions":["a"]},"azureName":"PL","enableProxyProtocol":true,"ipConfigurations":[` +
			`{"name":"nodes-natipconfig-1","primary":true,"privateIPAddress":"10.1.0.9","privateIPAllocationMethod":"Static","subnet":{"reference":{"armId":"` + subnet + `"}}},` +
			`{"name":"nodes-natipconfig-2","privateIPAllocationMethod":"Dynamic","subnet":{"reference":{"armId":"` + subnet + `"}}}],` +
			`"loadBalancerFrontendIpConfigurations":[{"reference":{"armId":"` + group + `/loadBalancers/infra-internal-lb/frontendIPConfigurations/infra-internal-lb-frontEnd"}}],` +
			`"location":"westus","owner":{"name":"rg"},"tags":{"Name":"PL",` + ofBlue + `},"visibility":{"subscriptions":["a","b"]}}`},
	})
}

func TestPrivateEndpoint(t *testing.T) {
	check(t, map[string]mapping{
		"in a subnet": {spec: "networkSpec: {subnets: [{name: nodes, role: node, privateEndpoints: [{name: PE, privateLinkServiceConnections: [{name: c, privateLinkServiceID: /some/id}]}]}]}", what: "PrivateEndpoint pe", field: "spec.subnet.reference.armId",
			want: `"` + group + `/virtualNetworks/infra-vnet/subnets/nodes"`},
		"its location": {spec: "networkSpec: {subnets: [{name: nodes, role: node, privateEndpoints: [{name: PE}]}]}", what: "PrivateEndpoint pe", field: "spec.location", want: `"westus"`},
	})
}

func TestBastionHost(t *testing.T) {
	check(t, map[string]mapping{
		"all of it": {spec: "bastionSpec: {azureBastion: {sku: Standard, enableTunneling: true}}", what: "BastionHost infra-azure-bastion", field: "spec",
			want: `{"azureName":"infra-azure-bastion","dnsName":"infra-azure-bastion-bastion","enableTunneling":true,"ipConfigurations":[{"name":"infra-azure-bastion-bastionIP","privateIPAllocationMethod":"Dynamic",` +
				`"publicIPAddress":{"reference":{"armId":"` + group + `/publicIPAddresses/infra-azure-bastion-pip"}},"subnet":{"reference":{"armId":"` + group + `/virtualNetworks/infra-vnet/subnets/AzureBastionSubnet"}}}],` +
				`"location":"westus","owner":{"name":"rg"},"sku":{"name":"Standard"},"tags":{"Name":"infra-azure-bastion",` + ofBlue + `,"sigs.k8s.io_cluster-api-provider-azure_role":"Bastion"}}`},
	})
}

// TestNothingForAControlPlane shows what there is not where the control plane is elsewhere.
func TestNothingForAControlPlane(t *testing.T) {
	for _, r := range Of(azureCluster(t, "controlPlaneEnabled: false"), blue, known).Resources() {
		if r.Err != nil || strings.HasPrefix(r.String(), "LoadBalancer") || strings.Contains(r.String(), "apiserver") || strings.Contains(r.String(), "controlplane") {
			t.Errorf("%s: %v", r, r.Err)
		}
	}
}

// TestAnySpec shows that no spec makes the expansion panic, however odd, and that it depends on nothing but the spec.
func TestAnySpec(t *testing.T) {
	for seed := range int64(500) {
		fill := randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).Funcs(func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63()-c.Int63(), resource.DecimalSI)
		}, func(*runtime.RawExtension, randfill.Continue) {})
		c, cluster, live := &v1beta1.AzureCluster{}, Cluster{}, Live{}
		fill.Fill(&c.Spec)
		fill.Fill(&c.Name)
		fill.Fill(&cluster)
		fill.Fill(&live.Zones)
		live.ZonesKnown = seed%2 == 0
		before := c.DeepCopy()
		resources := Of(c, cluster, live).Resources()
		for _, r := range resources {
			if r.Source == "" || r.Object.GetKind() == "" || r.Object.GetName() == "" && r.Err == nil {
				t.Fatalf("seed %d: neither an object nor a problem: %+v", seed, r)
			}
		}
		if diff := cmp.Diff(before, c); diff != "" {
			t.Fatalf("seed %d: the spec was changed:\n%s", seed, diff)
		}
		if diff := cmp.Diff(written(t, resources), written(t, Of(c, cluster, live).Resources())); diff != "" {
			t.Fatalf("seed %d: the same spec gives other objects:\n%s", seed, diff)
		}
		Of(c, cluster, live).Endpoint()
	}
}

func written(t *testing.T, resources []*plan.Resource) string {
	t.Helper()
	var all []any
	for _, r := range resources {
		all = append(all, r.Object, r.Err, r.After, r.Source)
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
