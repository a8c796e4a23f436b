package compute

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// at returns an object within the object of a resource.
func at(r *plan.Resource, path ...string) map[string]any {
	m, _, _ := unstructured.NestedMap(r.Object.Object, path...)
	return m
}

// attached returns the last parts of the IDs of what the first address of a network interface is attached to.
func attached(r *plan.Resource) []string {
	configurations, _, _ := unstructured.NestedSlice(r.Object.Object, "spec", "ipConfigurations")
	first, _ := configurations[0].(map[string]any)
	var ids []string
	for _, list := range []string{"loadBalancerBackendAddressPools", "loadBalancerInboundNatRules"} {
		items, _ := first[list].([]any)
		for _, item := range items {
			id, _, _ := unstructured.NestedString(item.(map[string]any), "reference", "armId")
			ids = append(ids, id[strings.Index(id, "loadBalancers/")+len("loadBalancers/"):])
		}
	}
	if id, found, _ := unstructured.NestedString(first, "publicIPAddress", "reference", "armId"); found {
		ids = append(ids, id[strings.LastIndex(id, "/")+1:])
	}
	return ids
}

// TestAttachments shows which load balancers send to a machine, and through which it reaches the internet.
func TestAttachments(t *testing.T) {
	const internal = "{networkSpec: {apiServerLB: {type: Internal}}}"
	// Subnets with IPv6 have no NAT gateway.
	const nodeLB = "{networkSpec: {nodeOutboundLB: {}, subnets: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node, cidrBlocks: ['fd00::/64', 10.1.0.0/16]}]}}"
	const natGateway = "{networkSpec: {nodeOutboundLB: {}, subnets: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node, natGateway: {name: gateway}}]}}"
	cases := map[string]struct {
		cluster, spec string
		facts         v1alpha1.MachineFacts
		live          Live
		want          []string
	}{
		"control plane":                                     {"", "", controlPlane(), Live{}, []string{"blue-public-lb/backendAddressPools/blue-public-lb-backendPool", "blue-public-lb/inboundNatRules/blue-md-0-abcde"}},
		"control plane that failed":                         {"", "", controlPlane(), Live{Failed: true}, nil},
		"control plane, private":                            {internal, "", controlPlane(), Live{}, []string{"blue-internal-lb/backendAddressPools/blue-internal-lb-backendPool"}},
		"control plane, private, with a way out":            {"{networkSpec: {apiServerLB: {type: Internal}, controlPlaneOutboundLB: {}}}", "", controlPlane(), Live{}, []string{"blue-outbound-lb/backendAddressPools/blue-outbound-lb-outboundBackendPool", "blue-internal-lb/backendAddressPools/blue-internal-lb-backendPool"}},
		"control plane, no load balancer":                   {"{controlPlaneEnabled: false}", "", controlPlane(), Live{}, nil},
		"control plane, with an internal load balancer too": {"{networkSpec: {apiServerLB: {frontendIPs: [{name: a, publicIP: {name: ip}}, {name: b, privateIP: 10.0.0.100}]}}}", "", controlPlane(), Live{}, []string{"blue-public-lb/backendAddressPools/blue-public-lb-backendPool", "blue-public-lb-internal/backendAddressPools/blue-public-lb-backendPool-internal", "blue-public-lb/inboundNatRules/blue-md-0-abcde"}},
		"worker, no load balancer":                          {"", "", worker(), Live{}, nil},
		"worker":                                            {nodeLB, "", worker(), Live{}, []string{"blue/backendAddressPools/blue-outboundBackendPool"}},
		"worker with a NAT gateway":                         {natGateway, "", worker(), Live{}, nil},
		"worker with an address of its own":                 {nodeLB, "{allocatePublicIP: true}", worker(), Live{}, []string{"pip-blue-md-0-abcde"}},
		"worker that failed":                                {nodeLB, "", worker(), Live{Failed: true}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			nic := plan.First(Resources(newXR(t, c.spec), c.facts, newCluster(t, c.cluster), c.live), aso.NetworkInterface)
			if diff := cmp.Diff(c.want, attached(nic)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if want := aso.CreateOnly; !c.live.Failed && nic.Lifecycle != want || c.live.Failed && nic.Lifecycle != aso.Managed {
				t.Errorf("the lifecycle is %q", nic.Lifecycle)
			}
		})
	}
}

// TestSubnets shows in which subnet a machine is whose spec names none.
func TestSubnets(t *testing.T) {
	cases := map[string]struct{ subnets, spec, want, wrong string }{
		"the only one of its role":  {"[{name: a, role: control-plane}, {name: b, role: node}]", "", "b", ""},
		"one for the whole cluster": {"[{name: a, role: cluster}]", "", "a", ""},
		"the one that is named":     {"[{name: a, role: control-plane}, {name: b, role: node}, {name: c, role: node}]", "{networkInterfaces: [{subnetName: c}]}", "c", ""},
		"two":                       {"[{name: a, role: control-plane}, {name: b, role: node}, {name: c, role: node}]", "", "", `spec.networkInterfaces[0].subnetName is "", but must be one of the subnets of AzureCluster blue, [a (control-plane) b (node) c (node)], because there is not exactly one for role node`},
		"one of another cluster":    {"[{name: a, role: control-plane}, {name: b, role: node}]", "{networkInterfaces: [{subnetName: x}]}", "", `spec.networkInterfaces[0].subnetName is "x", but must be one of the subnets of AzureCluster blue, [a (control-plane) b (node)], because a machine is in a subnet of its cluster`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			nic := plan.First(Resources(newXR(t, c.spec), worker(), newCluster(t, "{networkSpec: {subnets: "+c.subnets+"}}"), Live{}), aso.NetworkInterface)
			if c.wrong != "" {
				if nic.Err == nil || nic.Err.Message != c.wrong {
					t.Errorf("want %s, got %v", c.wrong, nic.Err)
				}
				return
			}
			configurations, _, _ := unstructured.NestedSlice(nic.Object.Object, "spec", "ipConfigurations")
			id, _, _ := unstructured.NestedString(configurations[0].(map[string]any), "subnet", "reference", "armId")
			if nic.Err != nil || !strings.HasSuffix(id, "/subnets/"+c.want) {
				t.Errorf("want subnet %s, got %s (%v)", c.want, id, nic.Err)
			}
		})
	}
}

// TestZonesOfPublicIPsStay shows that the zones of a public IP address are those of the location when it is made, and stay so.
func TestZonesOfPublicIPsStay(t *testing.T) {
	xr, cluster := newXR(t, "{allocatePublicIP: true}"), newCluster(t)
	zones := func(live Live) []string {
		ip := plan.First(Resources(xr, worker(), cluster, live), aso.PublicIPAddress)
		got, _, _ := unstructured.NestedStringSlice(ip.Object.Object, "spec", "zones")
		return got
	}
	if diff := cmp.Diff([]string{"1", "2", "3"}, zones(Live{})); diff != "" {
		t.Errorf("new: %s", diff)
	}
	if diff := cmp.Diff([]string{"1"}, zones(Live{PublicIP: true, PublicIPZones: []string{"1"}})); diff != "" {
		t.Errorf("made before: %s", diff)
	}
	cluster.ZonesKnown = false
	if after := plan.First(Resources(xr, worker(), cluster, Live{}), aso.PublicIPAddress).After; len(after) == 0 {
		t.Error("it is made before the zones are known")
	}
}

// TestAwaits shows that nothing is made before what it refers to in the AzureCluster is ready, and that its objects are found by other names.
func TestAwaits(t *testing.T) {
	cluster := newCluster(t)
	status := func(kind aso.Kind, name string, ready bool) v1beta1.ResourceStatus {
		return v1beta1.ResourceStatus{Resource: v1beta1.ResourceReference{Group: kind.Group, Kind: kind.Name, Name: name}, Ready: ready, Ownership: v1beta1.OwnershipOwned}
	}
	cluster.Azure.Status.Resources = []v1beta1.ResourceStatus{
		status(aso.ResourceGroup, "blue.blue", true), status(aso.VirtualNetworksSubnet, "blue-vnet-control-plane-subnet", true), status(aso.LoadBalancer, "blue-public-lb", false),
	}
	nic := plan.First(Resources(newXR(t), controlPlane(), cluster, Live{}), aso.NetworkInterface)
	if diff := cmp.Diff([]plan.Precondition{{Description: "LoadBalancer blue-public-lb of AzureCluster blue is ready"}}, nic.After); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if owner := at(nic, "spec", "owner")["name"]; owner != "blue.blue" || nic.ParentOwnership != v1beta1.OwnershipOwned {
		t.Errorf("the owner is %v, whose it is %q", owner, nic.ParentOwnership)
	}
	cluster.Azure.Annotations = map[string]string{"cluster.x-k8s.io/managed-by": "me"}
	nic = plan.First(Resources(newXR(t), controlPlane(), cluster, Live{}), aso.NetworkInterface)
	if owner := at(nic, "spec", "owner")["armId"]; owner != "/subscriptions/sub/resourceGroups/blue" || len(nic.After) > 0 {
		t.Errorf("externally managed: the owner is %v, it waits for %v", owner, nic.After)
	}
}
