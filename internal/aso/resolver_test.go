package aso

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

const (
	inGroup   = "/subscriptions/s/resourceGroups/rg"
	inNetwork = inGroup + "/providers/Microsoft.Network"
)

// among are the objects that references are resolved among.
func among(t testing.TB) []*unstructured.Unstructured {
	return []*unstructured.Unstructured{
		object(t, "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: rg}, spec: {azureName: RG}}"),
		object(t, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork, metadata: {name: net}, spec: {azureName: Net, owner: {name: rg}}}"),
		object(t, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetworksSubnet, metadata: {name: net-nodes}, spec: {azureName: nodes, owner: {name: net}}}"),
		object(t, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetworksSubnet, metadata: {name: other-nodes}, spec: {azureName: nodes, owner: {name: other}}}"),
		object(t, "{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: c1}}"),
		object(t, "{apiVersion: network.azure.com/v1api20240301, kind: LoadBalancer, metadata: {name: lb}, spec: {owner: {armId: "+inGroup+"}}}"),
		object(t, "{apiVersion: network.azure.com/v1api20240301, kind: NatGateway, metadata: {name: nat, annotations: {serviceoperator.azure.com/resource-id: "+inNetwork+"/natGateways/renamed}}}"),
		object(t, "{apiVersion: example.azure.com/v1, kind: Thing, metadata: {name: nodes}}"),
	}
}

func TestResolveByID(t *testing.T) {
	cases := map[string]struct {
		spec string
		want []string
	}{
		"a subnet of the network, in other letters": {"{a: {armId: '" + inNetwork + "/virtualNetworks/net/subnets/NODES'}}", []string{"VirtualNetworksSubnet net-nodes at spec.a.armId", "VirtualNetworksSubnet other-nodes at spec.a.armId"}},
		"a subnet of another network":               {"{a: {armId: '" + inNetwork + "/virtualNetworks/else/subnets/nodes'}}", []string{"VirtualNetworksSubnet other-nodes at spec.a.armId"}},
		"a subnet of the network in another group":  {"{a: {armId: /subscriptions/s/resourceGroups/other/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes}}", []string{"VirtualNetworksSubnet other-nodes at spec.a.armId"}},
		"another subnet of the network":             {"{a: {armId: '" + inNetwork + "/virtualNetworks/net/subnets/pods'}}", []string{"VirtualNetwork net at spec.a.armId"}},
		"the cluster, in a list":                    {"{a: [{}, {b: {armId: '" + inGroup + "/providers/Microsoft.ContainerService/managedClusters/c1'}}]}", []string{"ManagedCluster c1 at spec.a[1].b.armId"}},
		"the group":                                 {"{owner: {armId: '" + inGroup + "'}}", []string{"ResourceGroup rg at spec.owner.armId"}},
		"another cluster in the group":              {"{a: {armId: '" + inGroup + "/providers/Microsoft.ContainerService/managedClusters/c2'}}", []string{"ResourceGroup rg at spec.a.armId"}},
		"something within the cluster":              {"{a: {armId: '" + inGroup + "/providers/Microsoft.ContainerService/managedClusters/c1/agentPools/p'}}", []string{"ManagedCluster c1 at spec.a.armId"}},
		"an extension of the cluster":               {"{a: {armId: '" + inGroup + "/providers/Microsoft.ContainerService/managedClusters/c1/providers/Microsoft.KubernetesConfiguration/extensions/x'}}", []string{"ManagedCluster c1 at spec.a.armId"}},
		"a pool of the load balancer":               {"{a: {armId: '" + inNetwork + "/loadBalancers/lb/backendAddressPools/pool'}}", []string{"LoadBalancer lb at spec.a.armId"}},
		"a pool of another group's":                 {"{a: {armId: /subscriptions/s/resourceGroups/other/providers/Microsoft.Network/loadBalancers/lb/backendAddressPools/pool}}", nil},
		"by the ID that ASO has noted":              {"{a: {armId: '" + inNetwork + "/natGateways/Renamed'}}", []string{"NatGateway nat at spec.a.armId"}},
		"the name is another's":                     {"{a: {armId: /subscriptions/s/resourceGroups/other/providers/Microsoft.Network/natGateways/nat}}", nil},
		"of another type":                           {"{a: {armId: /subscriptions/s/resourceGroups/other/providers/Microsoft.Network/publicIPAddresses/lb}}", nil},
		"no ID":                                     {"{a: {armId: 1}, b: {armId: ''}, c: text, d: {armId: /some/id}, e: {armId: /subscriptions}, f: {armId: nodes}}", nil},
		"no spec":                                   {"{}", nil},
		"a spec of another shape":                   {"[{armId: '" + inGroup + "'}]", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			from := object(t, "{apiVersion: network.azure.com/v1, kind: PrivateEndpoint, metadata: {name: pe}}")
			from.Object["spec"] = object(t, "{spec: "+c.spec+"}").Object["spec"]
			resolver := NewResolver(among(t)...)
			var got []string
			for _, ref := range resolver.Resolve(from) {
				got = append(got, ref.String()+" at "+ref.Path)
				if !ref.Matches(resolver.Find(ref)) {
					t.Errorf("%s does not match what it was found by", ref)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestResolveByName shows that references by name are there whether the object is known or not, before those by ID.
func TestResolveByName(t *testing.T) {
	from := object(t, "{apiVersion: network.azure.com/v1, kind: NetworkInterface, metadata: {name: nic}, spec: {owner: {name: rg}, "+
		"a: {armId: '"+inNetwork+"/loadBalancers/lb/backendAddressPools/pool'}, b: {group: network.azure.com, kind: NatGateway, name: nobody}}}")
	var got []string
	for _, ref := range NewResolver(among(t)...).Resolve(from) {
		got = append(got, ref.String()+" at "+ref.Path)
	}
	want := []string{"NatGateway nobody at spec.b", "ResourceGroup rg at spec.owner", "LoadBalancer lb at spec.a.armId"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestNothingRefersToItselfByID(t *testing.T) {
	cluster := object(t, "{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: c1}, spec: {a: {armId: "+
		inGroup+"/providers/Microsoft.ContainerService/managedClusters/c1/agentPools/p}}}")
	if refs := NewResolver(cluster).Resolve(cluster); len(refs) > 0 {
		t.Errorf("got %v", refs)
	}
}

// TestOwnersInACircle has two objects own each other, which a user can write.
func TestOwnersInACircle(t *testing.T) {
	owned := func(name, by string) *unstructured.Unstructured {
		return object(t, "{apiVersion: kubernetesconfiguration.azure.com/v1, kind: Extension, metadata: {name: "+name+"}, spec: {owner: {group: kubernetesconfiguration.azure.com, kind: Extension, name: "+by+"}, "+
			"x: {armId: '"+inGroup+"/providers/Microsoft.KubernetesConfiguration/extensions/a/providers/Microsoft.KubernetesConfiguration/extensions/b'}}}")
	}
	if refs := NewResolver(owned("a", "b"), owned("b", "a")).Resolve(owned("c", "a")); len(refs) != 1 {
		t.Errorf("want the owner only, got %v", refs)
	}
}

// TestLongIDs shows that an ID which a user has written cannot keep the function at work for long.
func TestLongIDs(t *testing.T) {
	from := object(t, "{apiVersion: network.azure.com/v1, kind: PrivateEndpoint, metadata: {name: pe}, spec: {a: {}}}")
	_ = unstructured.SetNestedField(from.Object, "/subscriptions/s"+strings.Repeat("/a/b", 1<<18), "spec", "a", "armId")
	begun := time.Now()
	NewResolver(among(t)...).Resolve(from)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
