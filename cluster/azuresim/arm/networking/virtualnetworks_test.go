package networking_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TestSubnets checks that subnets are resources of their own and show in their virtual network.
func TestSubnets(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	subnets := func() string {
		var names []string
		for _, subnet := range fields.Objects(f.Get(armtest.Network), "properties", "subnets") {
			names = append(names, fields.Text(subnet, "name")+" "+fields.Text(subnet, "properties", "provisioningState"))
		}
		return strings.Join(names, ", ")
	}
	put := func(more string) {
		f.Settle(http.MethodPut, armtest.Network, `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]}`+more+`}}`)
	}
	steps := []struct {
		what string
		do   func()
		want string
	}{
		{"network with a subnet", func() { put(`,"subnets":[{"name":"a","properties":{"addressPrefix":"10.2.0.0/16"}}]`) }, "a Succeeded"},
		{"second subnet", func() { f.Make(armtest.CreateSubnet) }, "a Succeeded, nodes Succeeded"},
		{"network without the list", func() { put("") }, "a Succeeded, nodes Succeeded"},
		{"network with a shorter list", func() { put(`,"subnets":[{"name":"nodes","properties":{"addressPrefix":"10.0.0.0/16"}}]`) }, "nodes Succeeded"},
		{"subnet deleted", func() { f.Settle(http.MethodDelete, armtest.Subnet, "") }, ""},
	}
	for _, step := range steps {
		step.do()
		if got := subnets(); got != step.want {
			t.Errorf("%s: subnets %q, want %q", step.what, got, step.want)
		}
	}
}

// TestPeering checks that two virtual networks are connected when each has a peering to the other.
func TestPeering(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	other := armtest.Group + "/providers/Microsoft.Network/virtualNetworks/other"
	f.Settle(http.MethodPut, armtest.Network, armtest.NetworkBody)
	f.Settle(http.MethodPut, other, strings.Replace(armtest.NetworkBody, "10.0.0.0/8", "172.16.0.0/12", 1))
	peering := func(from, to string) {
		f.Settle(http.MethodPut, from+"/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"`+to+`"}}}`)
	}
	state := func(network string) string {
		return fields.Text(f.Get(network+"/virtualNetworkPeerings/p"), "properties", "peeringState")
	}
	peering(armtest.Network, other)
	if got := state(armtest.Network); got != "Initiated" {
		t.Errorf("peeringState %s, want Initiated", got)
	}
	peering(other, armtest.Network)
	if got := state(armtest.Network) + state(other); got != "ConnectedConnected" {
		t.Errorf("peeringStates %s, want Connected twice", got)
	}
	f.Send(http.MethodPut, armtest.Network+"/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"`+other+`"}}}`)
	if got := state(armtest.Network); got != "Connected" {
		t.Errorf("peeringState %s while the peering is written again, want Connected", got)
	}
	f.Settle(http.MethodPut, armtest.Network+"/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"`+other+`"}}}`)
	f.Settle(http.MethodDelete, other+"/virtualNetworkPeerings/p", "")
	if got := state(armtest.Network); got != "Disconnected" {
		t.Errorf("peeringState %s, want Disconnected", got)
	}
}
