package azuresim_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

// TestRoles checks that an application with a role may do what that allows, on what it writes and on what that refers to, and nothing else.
func TestRoles(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir, "")
	first.registerTenants()
	const group, network = "/subscriptions/" + subA + "/resourceGroups/rg", "/providers/Microsoft.Network/"
	roles := map[string][]string{
		"app-groups":   {"Microsoft.Resources/subscriptions/resourceGroups/write"},
		"app-reader":   {"*/read"},
		"app-networks": {"microsoft.network/networkinterfaces/WRITE", "Microsoft.Network/*/subnets/join/action"},
		"app-no-join":  {"Microsoft.Network/networkInterfaces/write", "Microsoft.Network/publicIPAddresses/join/action"},
	}
	for id, actions := range roles {
		application := admin.Application{TenantID: tenantA, ClientID: id, Secret: "secret", Subscriptions: []string{subA}, Actions: actions}
		if err := first.admin.RegisterApplication(context.Background(), application); err != nil {
			t.Fatal(err)
		}
	}
	first.stop()
	a := start(t, dir, "")
	const located = `{"location":"eastus"}`
	nic := `{"location":"eastus","properties":{"ipConfigurations":[{"name":"a","properties":{"subnet":{"id":"` + group + network + `virtualNetworks/v/subnets/s"}}}]}}`
	cases := map[string]struct{ client, path, body, want string }{
		"what the role allows":          {"app-groups", group, located, "201 Created"},
		"in another subscription":       {"app-groups", "/subscriptions/" + subB + "/resourceGroups/rg", located, "401 Unauthorized"},
		"what it does not allow":        {"app-groups", group + network + "virtualNetworks/v", located, `403 Forbidden  {"error":{"code":"AuthorizationFailed"`},
		"the action that it lacks":      {"app-groups", group + network + "virtualNetworks/v", located, "to perform action 'Microsoft.Network/virtualNetworks/write' over scope"},
		"a wildcard for another action": {"app-reader", group, located, "AuthorizationFailed"},
		"a network that it may join":    {"app-networks", group + network + "networkInterfaces/n", nic, "201 Created"},
		"a network that it may not":     {"app-no-join", group + network + "networkInterfaces/n", nic, `403 Forbidden  {"error":{"code":"LinkedAuthorizationFailed"`},
		"the action on the network":     {"app-no-join", group + network + "networkInterfaces/n", nic, "permission to perform action(s) 'Microsoft.Network/virtualNetworks/subnets/join/action' on the linked scope(s)"},
	}
	token := func(client, secret string) string {
		token, err := a.token(clouds.Public, tenantA, client, secret, clouds.Public.ARMAudiences[1]+"/")
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	all := token(appA, "secret of a") // It has no role, and may do everything.
	if err := a.simulator.SetLatency(azuresim.DefaultLatency, 0); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{group, group + network + "virtualNetworks/v", group + network + "virtualNetworks/v/subnets/s"} {
		if answer := a.put(clouds.Public, all, path, `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/16"]},"addressPrefix":"10.0.0.0/24"}}`); !strings.HasPrefix(answer, "20") {
			t.Fatal(path, answer)
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			want := c.want
			if strings.HasPrefix(want, "201") {
				want = "20"
			}
			if got := a.put(clouds.Public, token(c.client, "secret"), c.path, c.body); !strings.Contains(got, want) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// TestActions holds what Azure documents as the actions of requests (Azure permissions for Networking, Compute and others).
func TestActions(t *testing.T) {
	const s, group = "/subscriptions/s", "/subscriptions/s/resourcegroups/rg"
	for _, c := range []struct{ method, path, want string }{
		{http.MethodGet, s, "Microsoft.Resources/subscriptions/read"},
		{http.MethodHead, group, "Microsoft.Resources/subscriptions/resourceGroups/read"},
		{http.MethodGet, group + "/resources", "Microsoft.Resources/subscriptions/resourceGroups/resources/read"},
		{http.MethodGet, s + "/operationresults/o", "Microsoft.Resources/subscriptions/operationresults/read"},
		{http.MethodGet, s + "/providers/Microsoft.Network", "Microsoft.Resources/subscriptions/providers/read"},
		{http.MethodPost, s + "/providers/Microsoft.Network/register", "Microsoft.Network/register/action"},
		{http.MethodGet, s + "/providers/Microsoft.Compute/skus", "Microsoft.Compute/skus/read"},
		{http.MethodGet, s + "/providers/Microsoft.Network/locations/l/operations/o", "Microsoft.Network/locations/operations/read"},
		{http.MethodPatch, group + "/providers/Microsoft.Compute/virtualMachines/v/providers/Microsoft.Resources/tags/default", "Microsoft.Resources/tags/write"},
		{http.MethodDelete, group + "/providers/Microsoft.Compute/virtualMachineScaleSets/v/virtualMachines/0", "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/delete"},
		{http.MethodPost, group + "/providers/Microsoft.ContainerService/managedClusters/c/listClusterUserCredential", "Microsoft.ContainerService/managedClusters/listClusterUserCredential/action"},
	} {
		if got := arm.ActionOf(c.method, c.path); got != c.want {
			t.Errorf("%s %s is %s, want %s", c.method, c.path, got, c.want)
		}
	}
	const providers = group + "/providers/Microsoft."
	for _, c := range []struct{ writing, linked, want string }{
		{"Network/networkInterfaces/n", "Network/virtualNetworks/v/subnets/s", "Microsoft.Network/virtualNetworks/subnets/join/action"},
		{"Network/networkInterfaces/n", "Network/loadBalancers/l/backendAddressPools/b", "Microsoft.Network/loadBalancers/backendAddressPools/join/action"},
		{"Network/networkInterfaces/n", "Network/applicationSecurityGroups/a", "Microsoft.Network/applicationSecurityGroups/joinIpConfiguration/action"},
		{"Network/networkSecurityGroups/n", "Network/applicationSecurityGroups/a", "Microsoft.Network/applicationSecurityGroups/joinNetworkSecurityRule/action"},
		{"Network/virtualNetworks/v/virtualNetworkPeerings/p", "Network/virtualNetworks/w", "Microsoft.Network/virtualNetworks/peer/action"},
		{"Network/privateDnsZones/z/virtualNetworkLinks/l", "Network/virtualNetworks/v", "Microsoft.Network/virtualNetworks/join/action"},
		{"Network/privateEndpoints/e", "Storage/storageAccounts/s", "Microsoft.Storage/storageAccounts/PrivateEndpointConnectionsApproval/action"},
		{"Compute/virtualMachines/m", "ManagedIdentity/userAssignedIdentities/i", "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action"},
		{"Compute/virtualMachines/m", "Compute/availabilitySets/a", "Microsoft.Compute/availabilitySets/read"},
	} {
		if got := arm.LinkActionOf(providers+c.writing, providers+c.linked); got != c.want {
			t.Errorf("%s in %s is %s, want %s", c.linked, c.writing, got, c.want)
		}
	}
}
