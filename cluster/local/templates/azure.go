package templates

import (
	"context"
	"fmt"
	"strings"
)

// prepareAzure makes what users of the template have in Azure before: the identity of the machines, and a virtual network of their own.
func (w *world) prepareAzure(ctx context.Context) error {
	put := func(path, apiVersion, body string) error {
		return w.Stack.PutInAzure(ctx, "/subscriptions/"+w.subscription+path, apiVersion, strings.ReplaceAll(body, "SUBSCRIPTION", w.subscription))
	}
	group := func(name, location string) error {
		return put("/resourceGroups/"+name, "2020-06-01", fmt.Sprintf(`{"location":%q}`, location))
	}
	if strings.Contains(w.template.text, "USER_IDENTITY") || strings.Contains(strings.Join(w.template.files(), " "), "clusterclass") {
		if err := group(machinesGroup, location); err != nil {
			return err
		}
		identity := "/resourceGroups/" + machinesGroup + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/" + machinesIdentity
		if err := put(identity, "2023-01-31", fmt.Sprintf(`{"location":%q}`, location)); err != nil {
			return err
		}
	}
	if !strings.Contains(w.template.text, "AZURE_CUSTOM_VNET_NAME") {
		return nil
	}
	if err := group(customGroup, location); err != nil {
		return err
	}
	for _, r := range customNetworkResources {
		if err := put("/resourceGroups/"+customGroup+"/providers/Microsoft.Network/"+r.path, "2020-11-01", r.body); err != nil {
			return err
		}
	}
	return nil
}

const customProviders = "/subscriptions/SUBSCRIPTION/resourceGroups/" + customGroup + "/providers/Microsoft.Network"

// customNetworkResources are the virtual network that is there before, as CAPZ's tests make it.
var customNetworkResources = []struct{ path, body string }{
	{"networkSecurityGroups/control-plane-nsg", `{"location":"` + location + `","properties":{"securityRules":[
		{"name":"allow_ssh","properties":{"priority":2200,"protocol":"Tcp","access":"Allow","direction":"Inbound","sourceAddressPrefix":"*",
		"sourcePortRange":"*","destinationAddressPrefix":"*","destinationPortRange":"22"}},
		{"name":"allow_apiserver","properties":{"priority":2201,"protocol":"Tcp","access":"Allow","direction":"Inbound","sourceAddressPrefix":"*",
		"sourcePortRange":"*","destinationAddressPrefix":"*","destinationPortRange":"6443"}}]}}`},
	{"networkSecurityGroups/node-nsg", `{"location":"` + location + `","properties":{}}`},
	{"routeTables/node-routetable", `{"location":"` + location + `","properties":{}}`},
	{"virtualNetworks/" + customNetwork, `{"location":"` + location + `","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/16"]}}}`},
	{"virtualNetworks/" + customNetwork + "/subnets/" + customNetwork + "-controlplane-subnet", `{"properties":{"addressPrefix":"10.0.0.0/24",
		"networkSecurityGroup":{"id":"` + customProviders + `/networkSecurityGroups/control-plane-nsg"}}}`},
	{"virtualNetworks/" + customNetwork + "/subnets/" + customNetwork + "-node-subnet", `{"properties":{"addressPrefix":"10.0.1.0/24",
		"networkSecurityGroup":{"id":"` + customProviders + `/networkSecurityGroups/node-nsg"},
		"routeTable":{"id":"` + customProviders + `/routeTables/node-routetable"}}}`},
}

// prepared reports whether a resource is one that was there before the template.
func (w *world) prepared(id string) bool {
	for _, group := range []string{machinesGroup, customGroup} {
		path := strings.ToLower("/subscriptions/" + w.subscription + "/resourceGroups/" + group)
		if strings.EqualFold(id, path) || strings.HasPrefix(strings.ToLower(id), path+"/") {
			return true
		}
	}
	return false
}
