package arm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const subscription = "00000000-0000-0000-0000-00000000000a"

func TestObjects(t *testing.T) {
	group := "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: group}, spec: {azureName: My_Group, location: westus}}"
	vnet := "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork, metadata: {name: vnet}, spec: {azureName: Vnet, owner: {name: group}, location: westus, addressSpace: {addressPrefixes: [10.0.0.0/8]}}}"
	const at = "/subscriptions/" + subscription + "/resourcegroups/my_group"
	cases := map[string]struct {
		objects []string
		id      string
		want    string
	}{
		"group": {[]string{group}, at, "{location: westus}"},
		"in a group": {[]string{group, vnet}, at + "/providers/microsoft.network/virtualnetworks/vnet",
			"{location: westus, properties: {addressSpace: {addressPrefixes: [10.0.0.0/8]}}}"},
		"in another resource": {[]string{group, vnet,
			"{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetworksSubnet, metadata: {name: vnet-a}, spec: {azureName: A, owner: {name: vnet}, addressPrefixes: [10.1.0.0/16], routeTable: {reference: {armId: /subscriptions/S/resourceGroups/G/providers/Microsoft.Network/routeTables/R}}}}"},
			at + "/providers/microsoft.network/virtualnetworks/vnet/subnets/a",
			"{properties: {addressPrefixes: [10.1.0.0/16], routeTable: {id: /subscriptions/s/resourcegroups/g/providers/microsoft.network/routetables/r}}}"},
		"of another resource": {[]string{
			"{apiVersion: authorization.azure.com/v1api20220401, kind: RoleAssignment, metadata: {name: role}, spec: {azureName: guid, owner: {armId: /subscriptions/S}, principalId: p, roleDefinitionReference: {armId: /subscriptions/S/providers/D}}}"},
			"/subscriptions/s/providers/microsoft.authorization/roleassignments/guid",
			"{properties: {principalId: p, roleDefinitionId: /subscriptions/s/providers/d}}"},
		"reference by name": {[]string{group,
			"{apiVersion: network.azure.com/v1api20220701, kind: NatGateway, metadata: {name: nat}, spec: {azureName: nat, owner: {name: group}, publicIpAddresses: [{reference: {group: network.azure.com, kind: PublicIPAddress, name: ip}}]}}",
			"{apiVersion: network.azure.com/v1api20201101, kind: PublicIPAddress, metadata: {name: ip}, spec: {azureName: IP, owner: {name: group}}}"},
			at + "/providers/microsoft.network/natgateways/nat",
			"{properties: {publicIpAddresses: [{id: " + at + "/providers/microsoft.network/publicipaddresses/ip}]}}"},
		"Secret": {[]string{group,
			"{apiVersion: compute.azure.com/v1api20220301, kind: VirtualMachine, metadata: {name: vm}, spec: {azureName: vm, owner: {name: group}}}",
			"{apiVersion: compute.azure.com/v1api20220301, kind: VirtualMachinesExtension, metadata: {name: e}, spec: {azureName: e, owner: {name: vm}, protectedSettings: {name: secret}}}"},
			at + "/providers/microsoft.compute/virtualmachines/vm/extensions/e", "{properties: {protectedSettings: {key: value}}}"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			objects := Objects{Subscription: subscription, SecretMaps: map[string]map[string]string{"secret": {"key": "value"}}}
			for _, text := range c.objects {
				o, err := Typed(&unstructured.Unstructured{Object: parse(t, text)})
				if err != nil {
					t.Fatal(err)
				}
				objects.All = append(objects.All, o)
			}
			got := Resources{}
			if err := objects.Add(got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parse(t, c.want), got[c.id]); diff != "" {
				t.Errorf("-want +got\n%s\n%v", diff, got)
			}
		})
	}
}

func TestUnknownReference(t *testing.T) {
	o, err := Typed(&unstructured.Unstructured{Object: parse(t, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork, metadata: {name: v}, spec: {owner: {name: nowhere}}}")})
	if err != nil {
		t.Fatal(err)
	}
	if err := (Objects{}).Add(Resources{}); err != nil {
		t.Error(err)
	}
	objects := Objects{}
	objects.All = append(objects.All, o)
	if err := objects.Add(Resources{}); err == nil {
		t.Error("the owner is nowhere, and nobody says so")
	}
}

func TestTyped(t *testing.T) {
	for name, text := range map[string]string{
		"unknown field": "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork, metadata: {name: v}, spec: {unheardOf: 1}}",
		"unknown kind":  "{apiVersion: network.azure.com/v1api20201101, kind: Unheard, metadata: {name: v}}",
	} {
		if o, err := Typed(&unstructured.Unstructured{Object: parse(t, text)}); err == nil {
			t.Errorf("%s: got %v", name, o)
		}
	}
}

func TestBodies(t *testing.T) {
	const at = "/subscriptions/s/resourcegroups/g/providers/microsoft.network/"
	cases := map[string]struct {
		id, body string
		want     map[string]string
	}{
		"what the address says": {at + "x/a", "{name: a, id: b, type: c, etag: d, location: westus}", map[string]string{at + "x/a": "{location: westus}"}},
		"rules of a security group are resources": {at + "networkSecurityGroups/N", "{properties: {securityRules: [{name: R, properties: {priority: 100}}]}}",
			map[string]string{at + "networksecuritygroups/n": "{properties: {}}", at + "networksecuritygroups/n/securityrules/r": "{properties: {priority: 100}}"}},
		"lists without an order": {at + "x/a", "{zones: ['3', '1'], properties: {frontends: [{name: b}, {name: a}], pools: [{id: /x/b}, {id: /x/a}], dnsServers: [b, a]}}",
			map[string]string{at + "x/a": "{zones: ['1', '3'], properties: {frontends: [{name: a}, {name: b}], pools: [{id: /x/a}, {id: /x/b}], dnsServers: [b, a]}}"}},
		"IDs in lower case": {at + "x/a", "{properties: {ref: {id: /Subscriptions/S/X}, text: Text}, identity: {userAssignedIdentities: {/subscriptions/S/Y: {}}}}",
			map[string]string{at + "x/a": "{properties: {ref: {id: /subscriptions/s/x}, text: Text}, identity: {userAssignedIdentities: {/subscriptions/s/y: {}}}}"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := Resources{}
			body, err := yaml.YAMLToJSON([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if err := got.AddBody(c.id, body); err != nil {
				t.Fatal(err)
			}
			want := Resources{}
			for id, text := range c.want {
				want[id] = parse(t, text)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	object := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}
