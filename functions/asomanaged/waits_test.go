package asomanaged

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func aksReference(kind, name string) map[string]any {
	return dict("group", "network.azure.com", "kind", kind, "name", name)
}

// TestFirstCreation shows what an object waits for before it is created: whatever it refers to, wherever that stands.
func TestFirstCreation(t *testing.T) {
	net := owned(network, "VirtualNetwork", "net", "rg")
	subnet := owned(network, "VirtualNetworksSubnet", "subnet", "net")
	const (
		waiting        = "waits until "
		noControlPlane = "AzureASOManagedControlPlane cp exists, which says what credential is used in Azure"
	)
	type args struct {
		xr       *unstr
		world    world
		observed []*unstr
	}
	inInfra := func(xr *unstr, observed ...*unstr) args {
		return args{xr: xr, world: world{Objects: []*unstr{cluster(), controlPlaneXR()}}, observed: observed}
	}
	infra := infraXR()
	vnets := func(xr *unstr) world { return aksWorld("p0").With(xr) }
	inSubnet := set(aksReference("VirtualNetworksSubnet", "subnet"), "spec", "apiServerAccessProfile", "subnetReference")
	byID := func(id string) edit { return set(dict("armId", id), "spec", "owner") }
	const mcID = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/"

	cases := map[string]struct {
		args args
		name string
		want string // "" when it is sent to Azure
	}{
		"owner in the same XR, missing":    {inInfra(infraXR(group("rg"), net)), "net", waiting + "ResourceGroup rg (spec.owner) is ready"},
		"owner in the same XR, not ready":  {inInfra(infraXR(group("rg"), net), exists(t, infra, group("rg"), condition("False", "Info", "Reconciling", ""))), "net", waiting + "ResourceGroup rg (spec.owner) is ready"},
		"owner in the same XR, outdated":   {inInfra(infraXR(group("rg"), net), exists(t, infra, group("rg"), set(int64(2), "metadata", "generation"))), "net", waiting + "ResourceGroup rg (spec.owner) is ready"},
		"owner in the same XR, ready":      {inInfra(infraXR(group("rg"), net), exists(t, infra, group("rg"))), "net", ""},
		"owner defined after it":           {inInfra(infraXR(net, group("rg"))), "net", waiting + "ResourceGroup rg (spec.owner) is ready"},
		"owner that nobody defines":        {inInfra(infraXR(net)), "net", ""},
		"owner of a kind with its own":     {inInfra(infraXR(net, subnet)), "subnet", waiting + "VirtualNetwork net (spec.owner) is ready"},
		"owner in another version":         {inInfra(infraXR(edited(net, inVersion("network.azure.com/v1api20201101")), subnet), exists(t, infra, net)), "subnet", ""},
		"owner with a mistake":             {inInfra(infraXR(edited(group("rg"), set("other", "metadata", "namespace")), net)), "net", waiting + "ResourceGroup rg (spec.owner) is ready"},
		"group of the same name as a net":  {inInfra(infraXR(group("x"), owned(network, "VirtualNetwork", "x", "x"), owned(network, "NatGateway", "x", "x")), exists(t, infra, group("x"))), "x", ""},
		"net of the same name is no group": {inInfra(infraXR(owned(network, "VirtualNetwork", "x", "y"), owned(network, "NatGateway", "n", "x"))), "n", ""},
		"by armId":                         {inInfra(infraXR(group("rg"), inline(network, "VirtualNetwork", "net", byID("/subscriptions/s/resourceGroups/rg")))), "net", ""},
		"extension resource names its owner": {inInfra(infraXR(net, inline("authorization.azure.com/v1api20220401", "RoleAssignment", "role",
			set(dict("group", "network.azure.com", "kind", "VirtualNetwork", "name", "net"), "spec", "owner")))), "role", waiting + "VirtualNetwork net (spec.owner) is ready"},
		"references deep in lists": {inInfra(infraXR(net, owned(network, "LoadBalancer", "lb", "elsewhere",
			set(list(dict("a", list(dict("subnet", dict("reference", aksReference("VirtualNetwork", "net")))))), "spec", "frontends")))), "lb",
			waiting + "VirtualNetwork net (spec.frontends[0].a[0].subnet.reference) is ready"},
		"several": {inInfra(infraXR(group("rg"), net, owned(network, "LoadBalancer", "lb", "rg", set(aksReference("VirtualNetwork", "net"), "spec", "xReference")))), "lb",
			waiting + "ResourceGroup rg (spec.owner) is ready, VirtualNetwork net (spec.xReference) is ready"},
		"a group of other things is no reference": {inInfra(infraXR(group("rg"), owned(network, "LoadBalancer", "lb", "elsewhere",
			set(dict("group", "apps", "kind", "ResourceGroup", "name", "rg"), "spec", "x")))), "lb", ""},
		"itself":                        {inInfra(infraXR(owned(network, "VirtualNetwork", "a", "elsewhere", set(aksReference("VirtualNetwork", "a"), "spec", "x")))), "a", ""},
		"a cycle":                       {inInfra(infraXR(owned(network, "VirtualNetwork", "a", "elsewhere", set(aksReference("VirtualNetwork", "b"), "spec", "x")), owned(network, "VirtualNetwork", "b", "elsewhere", set(aksReference("VirtualNetwork", "a"), "spec", "x")))), "a", waiting + "VirtualNetwork b (spec.x) is ready"},
		"what exists waits for nothing": {inInfra(infraXR(group("rg"), net), exists(t, infra, group("rg"), condition("False", "Error", "Gone", "")), exists(t, infra, net)), "net", ""},

		"control plane, group ready":                   {args{xr: controlPlaneXR(aksCluster()), world: aksWorld("p0")}, "mc", ""},
		"control plane, group not ready":               {args{xr: controlPlaneXR(aksCluster()), world: vnets(infraXR(group("rg")))}, "mc", waiting + "ResourceGroup rg (spec.owner) of AzureASOManagedCluster infra is ready"},
		"control plane, group not ready by the status": {args{xr: controlPlaneXR(aksCluster()), world: vnets(edited(infraXR(group("rg")), set(list(statusItem(group("rg"), false)), "status", "resources")))}, "mc", waiting + "ResourceGroup rg (spec.owner) of AzureASOManagedCluster infra is ready"},
		"control plane, group just removed":            {args{xr: controlPlaneXR(aksCluster()), world: vnets(edited(infraXR(), set(list(statusItem(group("rg"), true)), "status", "resources")))}, "mc", ""},
		"control plane, subnet not ready":              {args{xr: controlPlaneXR(aksCluster(inSubnet)), world: vnets(edited(infraXR(group("rg"), subnet), set(list(statusItem(group("rg"), true)), "status", "resources")))}, "mc", waiting + "VirtualNetworksSubnet subnet (spec.apiServerAccessProfile.subnetReference) of AzureASOManagedCluster infra is ready"},
		"control plane, subnet ready":                  {args{xr: controlPlaneXR(aksCluster(inSubnet)), world: vnets(ready(infraXR(group("rg"), subnet)))}, "mc", ""},
		"control plane, subnet nobody's":               {args{xr: controlPlaneXR(aksCluster(inSubnet)), world: aksWorld("p0")}, "mc", ""},
		"control plane, no AzureASOManaged":            {args{xr: controlPlaneXR(aksCluster()), world: aksWorld("p0").Without(infraXR())}, "mc", waiting + "AzureASOManagedCluster infra exists, which may define ResourceGroup rg (spec.owner)"},
		"control plane, subnet of the profile":         {args{xr: controlPlaneXR(aksCluster()), world: vnets(edited(infraXR(group("rg"), subnet), set(list(statusItem(group("rg"), true)), "status", "resources"))).With(poolXR("p0", aksPool("p0", set(aksReference("VirtualNetworksSubnet", "subnet"), "spec", "vnetSubnetReference"))))}, "mc", waiting + "VirtualNetworksSubnet subnet (spec.agentPoolProfiles[0].vnetSubnetReference) of AzureASOManagedCluster infra is ready"},

		"pool, cluster ready":              {args{xr: poolXR("p0", aksPool("p0")), world: aksWorld("p0")}, "p0", ""},
		"pool, cluster not ready":          {args{xr: poolXR("p0", aksPool("p0")), world: vnets(controlPlaneXR(aksCluster()))}, "p0", waiting + "ManagedCluster mc (spec.owner) of AzureASOManagedControlPlane cp is ready"},
		"pool, subnet of the cluster's XR": {args{xr: poolXR("p0", aksPool("p0", set(aksReference("VirtualNetworksSubnet", "subnet"), "spec", "vnetSubnetReference"))), world: vnets(infraXR(subnet))}, "p0", waiting + "VirtualNetworksSubnet subnet (spec.vnetSubnetReference) of AzureASOManagedCluster infra is ready"},
		"pool, no control plane":           {args{xr: poolXR("p0", aksPool("p0")), world: aksWorld("p0").Without(controlPlaneXR())}, "p0", waiting + noControlPlane + ", AzureASOManagedControlPlane cp exists, which may define ManagedCluster mc (spec.owner)"},
		"pool, no peers at all":            {args{xr: poolXR("p0", aksPool("p0")), world: aksWorld("p0").Without(controlPlaneXR(), infraXR())}, "p0", waiting + noControlPlane + ", AzureASOManagedCluster infra exists, which may define ManagedCluster mc (spec.owner)"},
		"pool, by armId, ready":            {args{xr: poolXR("p0", aksPool("p0", byID(mcID+"MC"))), world: aksWorld("p0")}, "p0", ""},
		"pool, by armId, not ready":        {args{xr: poolXR("p0", aksPool("p0", byID(mcID+"MC"))), world: vnets(controlPlaneXR(aksCluster()))}, "p0", waiting + "ManagedCluster mc (spec.owner.armId) of AzureASOManagedControlPlane cp is ready"},
		"pool, by armId and azureName":     {args{xr: poolXR("p0", aksPool("p0", byID(mcID+"Az"))), world: vnets(controlPlaneXR(aksCluster(set("az", "spec", "azureName"))))}, "p0", waiting + "ManagedCluster mc (spec.owner.armId) of AzureASOManagedControlPlane cp is ready"},
		"pool, by armId of another":        {args{xr: poolXR("p0", aksPool("p0", byID(mcID+"other"))), world: vnets(controlPlaneXR(aksCluster()))}, "p0", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := composers.Settle(t, c.args.world, request(t, c.args.xr, c.args.observed...))
			if f := fatal(rsp); f != "" {
				t.Fatal(f)
			}
			composed, isHeld, fresh := false, false, false
			for _, o := range desired(t, rsp) {
				composed = composed || o.GetName() == c.name
				fresh = fresh || o.GetName() == c.name && !slices.ContainsFunc(c.args.observed, func(there *unstr) bool {
					return there.GetName() == c.name && there.GetKind() == o.GetKind()
				})
				isHeld = isHeld || o.GetName() == c.name && o.GetAnnotations()[heldMark] == "true" && o.GetAnnotations()[policy] == "skip"
			}
			if want := !strings.Contains(c.want, noControlPlane); composed != want {
				t.Errorf("composed: want %v, got %v", want, composed)
			}
			if isHeld != fresh {
				t.Errorf("held: want %v, got %v", fresh, isHeld)
			}
			if c.want == "" {
				return
			}
			_, reason, message := outcome(rsp, c.name)
			if diff := cmp.Diff([]string{"WaitingForResource", c.want}, []string{reason, message}); diff != "" {
				t.Errorf("status.resources of %s: -want, +got:\n%s", c.name, diff)
			}
		})
	}
}
