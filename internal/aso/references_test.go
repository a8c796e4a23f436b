package aso

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

func TestReferences(t *testing.T) {
	net := func(kind, name, path string) Reference {
		return Reference{GroupKind: schema.GroupKind{Group: "network.azure.com", Kind: kind}, Name: name, Path: path}
	}
	rg := func(name string) Reference {
		return Reference{GroupKind: ResourceGroup.GroupKind(), Name: name, Path: "spec.owner"}
	}
	const vnet, subnet = "{apiVersion: network.azure.com/v1, kind: VirtualNetwork, ", "{apiVersion: network.azure.com/v1, kind: VirtualNetworksSubnet, "
	cases := map[string]struct {
		object string
		want   []Reference
	}{
		"owner, a resource group": {vnet + "spec: {owner: {name: rg}}}", []Reference{rg("rg")}},
		"owner, by kind":          {subnet + "spec: {owner: {name: net}}}", []Reference{net("VirtualNetwork", "net", "spec.owner")}},
		"owner, named":            {vnet + "spec: {owner: {group: network.azure.com, kind: NatGateway, name: nat}}}", []Reference{net("NatGateway", "nat", "spec.owner")}},
		"owner, by armId":         {vnet + "spec: {owner: {armId: /x}}}", nil},
		"owner, no map":           {vnet + "spec: {owner: x}}", nil},
		"owner, name no text":     {vnet + "spec: {owner: {name: 1}}}", nil},
		"an unknown ASO kind":     {"{apiVersion: new.azure.com/v1, kind: Thing, spec: {owner: {name: rg}}}", []Reference{rg("rg")}},
		"by name":                 {vnet + "spec: {a: {group: network.azure.com, kind: NatGateway, name: nat}}}", []Reference{net("NatGateway", "nat", "spec.a")}},
		"by armId":                {vnet + "spec: {a: {group: network.azure.com, kind: NatGateway, armId: /x}}}", nil},
		"without name":            {vnet + "spec: {a: {group: network.azure.com, kind: NatGateway}}}", nil},
		"of another group":        {vnet + "spec: {a: {group: apps, kind: Deployment, name: nat}}}", nil},
		"nested in lists": {vnet + "spec: {z: [{w: {group: network.azure.com, kind: A, name: a}}, [{group: network.azure.com, kind: B, name: b}]]}}",
			[]Reference{net("A", "a", "spec.z[0].w"), net("B", "b", "spec.z[1][0]")}},
		"in the order of paths": {vnet + "spec: {b: {group: network.azure.com, kind: B, name: b}, a: {group: network.azure.com, kind: A, name: a}, owner: {name: rg}}}",
			[]Reference{net("A", "a", "spec.a"), net("B", "b", "spec.b"), rg("rg")}},
		"a nested owner is like any other": {vnet + "spec: {x: {owner: {name: nat}}}}", nil},
		"no spec":                          {vnet + "}", nil},
		"spec of another shape":            {vnet + "spec: []}", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, References(object(t, c.object))); diff != "" {
				t.Errorf("References: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestOwnerKind(t *testing.T) {
	for of, want := range map[string]string{
		"ManagedCluster.containerservice.azure.com":             "ResourceGroup.resources.azure.com",
		"ManagedClustersAgentPool.containerservice.azure.com":   "ManagedCluster.containerservice.azure.com",
		"MaintenanceConfiguration.containerservice.azure.com":   "ManagedCluster.containerservice.azure.com",
		"VirtualNetworksSubnet.network.azure.com":               "VirtualNetwork.network.azure.com",
		"FederatedIdentityCredential.managedidentity.azure.com": "UserAssignedIdentity.managedidentity.azure.com",
		"Thing.new.azure.com":                                   "ResourceGroup.resources.azure.com",
	} {
		if got := OwnerKind(schema.ParseGroupKind(of)); got != schema.ParseGroupKind(want) {
			t.Errorf("OwnerKind(%s): want %s, got %s", of, want, got)
		}
	}
}

func TestRetarget(t *testing.T) {
	group := schema.GroupKind{Group: "resources.azure.com", Kind: "ResourceGroup"}
	subnet := schema.GroupKind{Group: "network.azure.com", Kind: "VirtualNetworksSubnet"}
	const reference = `{group: network.azure.com, kind: VirtualNetworksSubnet, name: `
	cases := map[string]struct {
		kind        schema.GroupKind
		given, want string
	}{
		"owner":              {group, `{owner: {name: a}}`, `{owner: {name: b}}`},
		"another owner":      {group, `{owner: {name: c}}`, `{owner: {name: c}}`},
		"owner by ID":        {group, `{owner: {armId: a}}`, `{owner: {armId: a}}`},
		"owner of a kind":    {subnet, `{owner: ` + reference + `a}}`, `{owner: ` + reference + `b}}`},
		"reference":          {subnet, `{x: ` + reference + `a}}`, `{x: ` + reference + `b}}`},
		"reference in lists": {subnet, `{x: [[{y: ` + reference + `a}}], ` + reference + `c}]}`, `{x: [[{y: ` + reference + `b}}], ` + reference + `c}]}`},
		"of another kind":    {group, `{x: ` + reference + `a}}`, `{x: ` + reference + `a}}`},
		"an odd owner":       {group, `{owner: [a]}`, `{owner: [a]}`},
		"an odd spec":        {group, `a`, `a`},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			parse := func(spec string) *unstructured.Unstructured {
				o := &unstructured.Unstructured{}
				if err := yaml.Unmarshal([]byte("{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: mc}, spec: "+spec+"}"), &o.Object); err != nil {
					t.Fatal(err)
				}
				return o
			}
			got := parse(c.given)
			Retarget(got, c.kind, "a", "b")
			if diff := cmp.Diff(parse(c.want).Object, got.Object); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
