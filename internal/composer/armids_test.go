package composer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestReferencesByID(t *testing.T) {
	objects := []*unstructured.Unstructured{
		object(t, "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: rg}, spec: {azureName: RG}}"),
		object(t, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork, metadata: {name: net}, spec: {azureName: Net, owner: {name: rg}}}"),
		object(t, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetworksSubnet, metadata: {name: net-nodes}, spec: {azureName: nodes, owner: {name: net}}}"),
		object(t, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetworksSubnet, metadata: {name: other-nodes}, spec: {azureName: nodes, owner: {name: other}}}"),
		object(t, "{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: c1}}"),
		object(t, "{apiVersion: example.azure.com/v1, kind: Thing, metadata: {name: nodes}}"),
	}
	const group = "/subscriptions/s/resourceGroups/rg"
	cases := map[string]struct {
		spec string
		want []string
	}{
		"a subnet of the network, in other letters": {"{a: {armId: '" + group + "/providers/Microsoft.Network/virtualNetworks/net/subnets/NODES'}}", []string{"VirtualNetworksSubnet net-nodes at spec.a.armId", "VirtualNetworksSubnet other-nodes at spec.a.armId"}},
		"a subnet of another network":               {"{a: {armId: '" + group + "/providers/Microsoft.Network/virtualNetworks/else/subnets/nodes'}}", []string{"VirtualNetworksSubnet other-nodes at spec.a.armId"}},
		"the cluster, in a list":                    {"{a: [{}, {b: {armId: '" + group + "/providers/Microsoft.ContainerService/managedClusters/c1'}}]}", []string{"ManagedCluster c1 at spec.a[1].b.armId"}},
		"the group":                                 {"{owner: {armId: '" + group + "'}}", []string{"ResourceGroup rg at spec.owner.armId"}},
		"another cluster":                           {"{a: {armId: '" + group + "/providers/Microsoft.ContainerService/managedClusters/c2'}}", nil},
		"something within the cluster":              {"{a: {armId: '" + group + "/providers/Microsoft.ContainerService/managedClusters/c1/agentPools/p'}}", nil},
		"no ID":                                     {"{a: {armId: 1}, b: {armId: ''}, c: text}", nil},
		"no spec":                                   {"{}", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			from := object(t, "{apiVersion: network.azure.com/v1, kind: PrivateEndpoint, metadata: {name: pe}}")
			from.Object["spec"] = object(t, c.spec).Object
			var got []string
			for _, ref := range ReferencesByID(from, objects) {
				got = append(got, ref.String()+" at "+ref.Path)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestNothingRefersToItselfByID(t *testing.T) {
	cluster := object(t, "{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: c1}, spec: {a: {armId: /managedClusters/c1}}}")
	if refs := ReferencesByID(cluster, []*unstructured.Unstructured{cluster}); len(refs) > 0 {
		t.Errorf("got %v", refs)
	}
}
