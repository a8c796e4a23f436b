package selfmanaged

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// defaultFlavor are the resources of CAPZ's default flavor.
var defaultFlavor = []string{
	"LoadBalancer c1-public-lb", "NatGateway c1-node-natgw-1", "NetworkSecurityGroup c1-controlplane-nsg", "NetworkSecurityGroup c1-node-nsg",
	"NetworkSecurityGroupsSecurityRule allow_apiserver", "NetworkSecurityGroupsSecurityRule allow_ssh", "PublicIPAddress pip-c1-apiserver",
	"PublicIPAddress pip-c1-node-natgw-1", "ResourceGroup rg", "RouteTable c1-node-routetable", "VirtualNetwork net", "VirtualNetworksSubnet cps",
	"VirtualNetworksSubnet nodes",
}

func TestCluster(t *testing.T) {
	p := newPlay(t, azureWorld(t), azureCluster(t)).Rounds(12)
	if got := slices.Sorted(maps.Keys(p.Azure)); !slices.Equal(got, defaultFlavor) {
		t.Errorf("in Azure (-want +got):\n%s", cmp.Diff(defaultFlavor, got))
	}
	for resource, is := range p.Whose() {
		if is != "/owned" {
			t.Errorf("%s is %q", resource, is)
		}
	}
	const host = "c1-f3275104.westeurope.cloudapp.azure.com"
	want := map[string]any{"host": host, "port": float64(6443)}
	if diff := cmp.Diff(want, status(p.Response)["controlPlaneEndpoint"]); diff != "" {
		t.Errorf("status.controlPlaneEndpoint (-want +got):\n%s", diff)
	}
	if status(p.Response)["ready"] != false || !strings.Contains(condition(p.Response, "Ready"), "waits for spec.controlPlaneEndpoint") {
		t.Errorf("ready before the endpoint is taken over: %s", condition(p.Response, "Ready"))
	}
	mirrored(p)
	if status(p.Response)["ready"] != true {
		t.Errorf("not ready: %s", condition(p.Response, "Ready"))
	}
	zone := func(name string) any { return map[string]any{"name": name, "controlPlane": true} }
	if diff := cmp.Diff([]any{zone("1"), zone("2"), zone("3")}, status(p.Response)["failureDomains"]); diff != "" {
		t.Errorf("status.failureDomains (-want +got):\n%s", diff)
	}
	for _, of := range []string{"ResourceGroupReady", "VNetReady", "SecurityGroupsReady", "RouteTablesReady", "PublicIPsReady", "NATGatewaysReady", "SubnetsReady",
		"LoadBalancersReady", "NetworkInfrastructureReady"} {
		if got := condition(p.Response, of); !strings.HasPrefix(got, "True") {
			t.Errorf("%s is %q", of, got)
		}
	}
	did := len(p.Did)
	if mirrored(p).Rounds(3); len(p.Did) != did {
		t.Errorf("though nothing changes: %v", p.Did[did:])
	}
}

// TestOrder shows that nothing is sent to Azure before what it refers to.
func TestOrder(t *testing.T) {
	p := newPlay(t, azureWorld(t), azureCluster(t)).Rounds(12)
	at := func(resource string) int { return slices.Index(p.Did, "create "+resource) }
	for later, sooner := range map[string][]string{
		"VirtualNetwork net":                                {"ResourceGroup rg"},
		"NatGateway c1-node-natgw-1":                        {"PublicIPAddress pip-c1-node-natgw-1"},
		"VirtualNetworksSubnet nodes":                       {"VirtualNetwork net", "NetworkSecurityGroup c1-node-nsg", "RouteTable c1-node-routetable", "NatGateway c1-node-natgw-1"},
		"LoadBalancer c1-public-lb":                         {"PublicIPAddress pip-c1-apiserver"},
		"NetworkSecurityGroupsSecurityRule allow_apiserver": {"NetworkSecurityGroup c1-controlplane-nsg"},
	} {
		for _, s := range sooner {
			if at(later) < 0 || at(s) < 0 || at(later) < at(s) {
				t.Errorf("%s before %s: %v", later, s, p.Did)
			}
		}
	}
}

// TestOwnNetwork shows that of a network that is not the Cluster's nothing is changed, and nothing is made in it or for it.
func TestOwnNetwork(t *testing.T) {
	theirs := []string{"ResourceGroup nets", "VirtualNetwork net", "VirtualNetworksSubnet cps"}
	xr := azureCluster(t, set("nets", "spec", "networkSpec", "vnet", "resourceGroup"))
	p := newPlay(t, azureWorld(t), xr, theirs...).Rounds(12)
	missing := "SubnetsReady"
	if got := condition(p.Response, missing); !strings.Contains(got, "VirtualNetwork net, which it lies in, is not the Cluster's, and nothing is made there") {
		t.Errorf("%s is %q", missing, got)
	}
	p.Azure["VirtualNetworksSubnet nodes"] = nil
	p.Rounds(6)
	mirrored(p)
	want := map[string]string{
		"ResourceGroup nets": "skip/external", "VirtualNetwork net": "skip/external", "VirtualNetworksSubnet cps": "skip/external", "VirtualNetworksSubnet nodes": "skip/external",
		"ResourceGroup rg": "/owned", "PublicIPAddress pip-c1-apiserver": "/owned", "LoadBalancer c1-public-lb": "/owned",
	}
	if diff := cmp.Diff(want, p.Whose()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, done := range p.Did {
		if slices.ContainsFunc(append(theirs, "VirtualNetworksSubnet nodes"), func(r string) bool { return strings.HasSuffix(done, " "+r) }) {
			t.Errorf("%s", done)
		}
	}
	if status(p.Response)["ready"] != true {
		t.Errorf("not ready: %s", condition(p.Response, "Ready"))
	}
}

// TestBringYourOwn shows that a resource of somebody else's is used as it is.
func TestBringYourOwn(t *testing.T) {
	private := []edit{set("Internal", "spec", "networkSpec", "apiServerLB", "type")}
	tests := map[string]struct {
		edits   []edit
		theirs  string
		in      string
		omitted string
	}{
		"security group": {theirs: "NetworkSecurityGroup c1-controlplane-nsg", omitted: "NetworkSecurityGroupsSecurityRule allow_ssh"},
		"route table":    {theirs: "RouteTable c1-node-routetable"},
		"NAT gateway":    {theirs: "NatGateway c1-node-natgw-1"},
		"public IP":      {theirs: "PublicIPAddress pip-c1-apiserver"},
		"DNS zone":       {edits: private, theirs: "PrivateDnsZone c1.capz.io"},
		"DNS link":       {edits: private, theirs: "PrivateDnsZonesVirtualNetworkLink net-link", in: "PrivateDnsZone c1.capz.io"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, azureWorld(t), azureCluster(t, tc.edits...), "ResourceGroup rg", tc.theirs, tc.in).Rounds(12)
			mirrored(p)
			if got := p.Whose()[tc.theirs]; got != "skip/external" {
				t.Errorf("it is %q", got)
			}
			if _, made := p.Azure[tc.omitted]; made && tc.omitted != "" {
				t.Errorf("%s is made", tc.omitted)
			}
			if slices.ContainsFunc(p.Did, func(done string) bool { return strings.HasSuffix(done, " "+tc.theirs) }) {
				t.Errorf("%v", p.Did)
			}
			if status(p.Response)["ready"] != true {
				t.Errorf("not ready: %s", condition(p.Response, "Ready"))
			}
		})
	}
}

// TestEndpoint shows where the API server is said to be.
func TestEndpoint(t *testing.T) {
	tests := map[string]struct {
		edits   []edit
		inAzure []string
		want    any
	}{
		"private":                 {edits: []edit{set("Internal", "spec", "networkSpec", "apiServerLB", "type")}, want: map[string]any{"host": "apiserver.c1.capz.io", "port": float64(6443)}},
		"in a zone of a name":     {edits: []edit{set("Internal", "spec", "networkSpec", "apiServerLB", "type"), set("corp.example", "spec", "networkSpec", "privateDNSZoneName")}, want: map[string]any{"host": "apiserver.corp.example", "port": float64(6443)}},
		"at a port":               {edits: []edit{set(int64(443), "spec", "controlPlaneEndpoint", "port")}, want: map[string]any{"host": "c1-f3275104.westeurope.cloudapp.azure.com", "port": float64(443)}},
		"the user's":              {edits: []edit{set("api.example", "spec", "controlPlaneEndpoint", "host")}, want: map[string]any{"host": "api.example", "port": float64(6443)}},
		"an address without name": {inAzure: []string{"ResourceGroup rg", "PublicIPAddress pip-c1-apiserver"}, want: map[string]any{"host": "203.0.113.7", "port": float64(6443)}},
		"no control plane":        {edits: []edit{set(false, "spec", "controlPlaneEnabled")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, azureWorld(t), azureCluster(t, tc.edits...), tc.inAzure...).Rounds(12)
			if diff := cmp.Diff(tc.want, status(p.Response)["controlPlaneEndpoint"]); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, condition(p.Response, "ResourcesReady"))
			}
		})
	}
}

// TestWithoutControlPlane shows that a cluster whose control plane is elsewhere gets a network, and waits for its user to say where.
func TestWithoutControlPlane(t *testing.T) {
	p := newPlay(t, azureWorld(t), azureCluster(t, set(false, "spec", "controlPlaneEnabled"), set([]any{map[string]any{"name": "nodes", "role": "node"}}, "spec", "networkSpec", "subnets"))).Rounds(12)
	for _, of := range []string{"Ready", "NetworkInfrastructureReady"} {
		if got := condition(p.Response, of); !strings.HasPrefix(got, "False ExternallyManagedControlPlane: waits for host and port in spec.controlPlaneEndpoint") {
			t.Errorf("%s is %q", of, got)
		}
	}
	for resource := range p.Azure {
		if strings.HasPrefix(resource, "LoadBalancer") || strings.Contains(resource, "apiserver") {
			t.Errorf("%s is made", resource)
		}
	}
	p.XR = edited(p.XR, set(map[string]any{"host": "api.example", "port": int64(443)}, "spec", "controlPlaneEndpoint"))
	if p.Compose(); status(p.Response)["ready"] != true {
		t.Errorf("not ready: %s", condition(p.Response, "Ready"))
	}
}

// TestZones shows that public IP addresses wait for the zones of the location, and keep those that they were made with.
func TestZones(t *testing.T) {
	c := cluster(t)
	p := newPlay(t, world{Objects: []*unstr{c}}, azureCluster(t)).Rounds(8)
	if got := condition(p.Response, "PublicIPsReady"); !strings.Contains(got, `waits until it is known which availability zones location "westeurope" has`) {
		t.Errorf("PublicIPsReady is %q", got)
	}
	if _, there := status(p.Response)["failureDomains"]; there {
		t.Errorf("failure domains that nobody knows: %v", status(p.Response)["failureDomains"])
	}
	p.World = azureWorld(t)
	p.Rounds(8)
	p.World = world{Objects: []*unstr{c}}.WithFacts(c, set([]any{"1"}, "spec", "failureDomains"), set(true, "spec", "failureDomainsKnown"))
	p.Rounds(2)
	ip := p.Live.Object("PublicIPAddress.network.azure.com/pip-c1-apiserver")
	zones, _, _ := unstructured.NestedStringSlice(ip.Object, "spec", "zones")
	if !slices.Equal(zones, []string{"1", "2", "3"}) {
		t.Errorf("zones are %v", zones)
	}
	if got := status(p.Response)["failureDomains"]; !cmp.Equal(got, []any{map[string]any{"name": "1", "controlPlane": true}}) {
		t.Errorf("status.failureDomains is %v", got)
	}
}

// TestZonesAreThoseInAzure shows that the zones of a public IP address are those that ASO finds in Azure, as after a move, whatever is known of the
// location by then: Azure would refuse any others for ever.
func TestZonesAreThoseInAzure(t *testing.T) {
	const ip = "PublicIPAddress.network.azure.com/pip-c1-apiserver"
	before := newPlay(t, azureWorld(t), azureCluster(t)).Rounds(8)
	if !slices.Contains(before.Did, "create PublicIPAddress pip-c1-apiserver") {
		t.Fatalf("Azure was asked: %v", before.Did)
	}
	c := cluster(t)
	unknown := world{Objects: []*unstr{c}}
	fewer := unknown.WithFacts(c, set([]any{"1"}, "spec", "failureDomains"), set(true, "spec", "failureDomainsKnown"))
	for name, knowledge := range map[string][]world{"nothing is known yet": {unknown, fewer}, "the location has other zones": {fewer}} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, knowledge[0], azureCluster(t))
			p.Azure = maps.Clone(before.Azure)
			p.Status = func(o *unstr) map[string]any {
				if o.GetKind() != "PublicIPAddress" {
					return nil
				}
				return map[string]any{"zones": []any{"1", "2", "3"}}
			}
			for _, p.World = range knowledge {
				p.Rounds(12)
				if owned := p.Whose()["PublicIPAddress pip-c1-apiserver"]; owned != "/owned" {
					t.Fatalf("it is %s", owned)
				}
				if zones, _, _ := unstructured.NestedStringSlice(p.Live.Object(ip).Object, "spec", "zones"); !slices.Equal(zones, []string{"1", "2", "3"}) {
					t.Errorf("zones are %v", zones)
				}
			}
		})
	}
}

// TestFailureDomains shows what the user may say of the zones.
func TestFailureDomains(t *testing.T) {
	p := newPlay(t, azureWorld(t), azureCluster(t, set(map[string]any{"2": map[string]any{"controlPlane": false}, "9": map[string]any{"controlPlane": true}}, "spec", "failureDomains")))
	p.Compose()
	want := []any{map[string]any{"name": "1", "controlPlane": true}, map[string]any{"name": "2", "controlPlane": false}, map[string]any{"name": "3", "controlPlane": true}}
	if diff := cmp.Diff(want, status(p.Response)["failureDomains"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// outbound has nodes reach the world by a load balancer with so many addresses.
func outbound(addresses int64) edit {
	return set(map[string]any{"frontendIPsCount": addresses}, "spec", "networkSpec", "nodeOutboundLB")
}

// TestOutboundIsCreatedOnly shows that the load balancer which the cloud controller writes as well is sent once, and only if Azure does not
// have it, that it keeps its addresses, and that it is given more.
func TestOutboundIsCreatedOnly(t *testing.T) {
	const lb, policy, lifecycle = "LoadBalancer.network.azure.com/c1", "serviceoperator.azure.com/reconcile-policy", "infrastructure.cluster.x-k8s.io/lifecycle"
	skipped := func(p *composertest.Play) bool {
		annotations := p.Live.Object(lb).GetAnnotations()
		return annotations[policy] == "skip" && annotations[lifecycle] == "create-only"
	}
	p := newPlay(t, azureWorld(t), azureCluster(t, outbound(2))).Rounds(12)
	if n := len(slices.DeleteFunc(slices.Clone(p.Did), func(done string) bool { return done != "create LoadBalancer c1" })); n != 1 || !skipped(p) {
		t.Errorf("created %d times, %v", n, p.Live.Object(lb).GetAnnotations())
	}
	did := len(p.Did)
	p.XR = edited(p.XR, outbound(1))
	if p.Rounds(3); len(p.Did) != did {
		t.Errorf("with one address less: %v", p.Did[did:])
	}
	if got := condition(p.Response, "LoadBalancersReady"); !strings.Contains(got, "it keeps its 2 addresses") {
		t.Errorf("with one address less: %q", got)
	}
	p.XR = edited(p.XR, outbound(3))
	p.Rounds(4)
	if diff := cmp.Diff([]string{"create PublicIPAddress pip-c1-node-outbound-3"}, p.Did[did:]); diff != "" {
		t.Errorf("with one address more: -want +got:\n%s", diff)
	}
	p.Live[lb].Status["frontendIPConfigurations"] = []any{map[string]any{"name": "c1-frontEnd-1"}, map[string]any{"name": "c1-frontEnd-2"}}
	p.Compose()
	if got := condition(p.Response, "LoadBalancersReady"); !strings.Contains(got, "it is given the addresses") {
		t.Errorf("until it has one address more: %q", got)
	}
	p.XR = edited(p.XR, composertest.Annotate("infrastructure.cluster.x-k8s.io/added-frontends", `{"c1":["c1-frontEnd-1","c1-frontEnd-2","c1-frontEnd-3"]}`))
	p.Compose()
	if got := condition(p.Response, "LoadBalancersReady"); strings.Contains(got, "it is given the addresses") {
		t.Errorf("once it has it: %q", got)
	}

	adopted := newPlay(t, azureWorld(t), azureCluster(t, outbound(1)))
	for _, made := range []string{"ResourceGroup rg", "LoadBalancer c1"} {
		adopted.Azure[made] = map[string]any{"sigs.k8s.io_cluster-api-provider-azure_cluster_c1": "owned"}
	}
	adopted.Rounds(12)
	if !skipped(adopted) || slices.ContainsFunc(adopted.Did, func(done string) bool { return strings.HasSuffix(done, "LoadBalancer c1") }) {
		t.Errorf("what CAPZ has made is sent again: %v, %v", adopted.Did, adopted.Live.Object(lb).GetAnnotations())
	}
}

// TestChanges shows what a change of the spec does in Azure.
func TestChanges(t *testing.T) {
	rule := map[string]any{"name": "web", "description": "", "priority": int64(300), "protocol": "Tcp", "direction": "Inbound", "action": "Allow", "destinationPorts": "80"}
	subnets := func(more ...any) edit {
		return set(append([]any{map[string]any{"name": "cps", "role": "control-plane"}, map[string]any{"name": "nodes", "role": "node"}}, more...), "spec", "networkSpec", "subnets")
	}
	tests := map[string]struct {
		before, after edit
		want          []string
	}{
		"tags": {before: subnets(), after: set(map[string]any{"a": "b"}, "spec", "additionalTags"), want: []string{
			"update LoadBalancer c1-public-lb", "update NatGateway c1-node-natgw-1", "update NetworkSecurityGroup c1-controlplane-nsg", "update NetworkSecurityGroup c1-node-nsg",
			"update PublicIPAddress pip-c1-apiserver", "update PublicIPAddress pip-c1-node-natgw-1", "update ResourceGroup rg", "update RouteTable c1-node-routetable", "update VirtualNetwork net"}},
		"a rule more": {before: subnets(), after: set([]any{map[string]any{"name": "cps", "role": "control-plane"}, map[string]any{"name": "nodes", "role": "node",
			"securityGroup": map[string]any{"securityRules": []any{rule}}}}, "spec", "networkSpec", "subnets"), want: []string{"create NetworkSecurityGroupsSecurityRule web"}},
		"a port more": {before: subnets(), after: set([]any{map[string]any{"name": "rke2", "port": int64(9345)}}, "spec", "networkSpec", "additionalAPIServerLBPorts"),
			want: []string{"update LoadBalancer c1-public-lb"}},
		"a subnet more": {before: subnets(), after: subnets(map[string]any{"name": "more", "role": "node"}), want: []string{
			"create NatGateway c1-node-natgw-2", "create PublicIPAddress pip-c1-node-natgw-2", "create VirtualNetworksSubnet more"}},
		"a subnet less": {before: subnets(map[string]any{"name": "more", "role": "node"}), after: subnets(), want: []string{
			"delete NatGateway c1-node-natgw-2", "delete PublicIPAddress pip-c1-node-natgw-2", "delete VirtualNetworksSubnet more"}},
		"address ranges": {before: subnets(), after: set([]any{"10.0.0.0/8", "192.168.0.0/16"}, "spec", "networkSpec", "vnet", "cidrBlocks"), want: []string{"update VirtualNetwork net"}},
		"a peering": {before: subnets(), after: set([]any{map[string]any{"resourceGroup": "hub", "remoteVnetName": "hub"}}, "spec", "networkSpec", "vnet", "peerings"),
			want: []string{"create VirtualNetworksVirtualNetworkPeering hub-To-net", "create VirtualNetworksVirtualNetworkPeering net-To-hub"}},
		"another network":      {before: subnets(), after: set("other", "spec", "networkSpec", "vnet", "name")},
		"another group":        {before: subnets(), after: set("other", "spec", "resourceGroup")},
		"another subscription": {before: subnets(), after: set("other", "spec", "subscriptionID")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, azureWorld(t), azureCluster(t, tc.before)).Rounds(12)
			did := len(p.Did)
			p.XR = edited(p.XR, tc.after)
			p.Rounds(8)
			got := slices.Sorted(slices.Values(p.Did[did:]))
			if diff := cmp.Diff(tc.want, got); diff != "" && len(tc.want)+len(got) > 0 {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestExternallyManaged shows that infrastructure of somebody else's is left alone, and that nothing becomes so that is not.
func TestExternallyManaged(t *testing.T) {
	p := newPlay(t, azureWorld(t), azureCluster(t, annotate("cluster.x-k8s.io/managed-by", "terraform")))
	if p.Rounds(2); len(p.Live) > 0 || fatal(p.Response) != "" {
		t.Errorf("%d objects, %s", len(p.Live), fatal(p.Response))
	}
	made := newPlay(t, azureWorld(t), azureCluster(t)).Rounds(3)
	req := request(t, edited(made.XR, annotate("cluster.x-k8s.io/managed-by", "terraform")), made.Live.Objects()...)
	if rsp := composers.SettleByObjects(t, made.World, req); len(dropped(req, rsp)) > 0 || !strings.Contains(fatal(rsp), "must be absent") {
		t.Errorf("%v would be dropped: %q", dropped(req, rsp), fatal(rsp))
	}
}
