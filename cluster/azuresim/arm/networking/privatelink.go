package networking

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

func privateLinkServiceType() *arm.ResourceType {
	p := networkProtocol(10)
	p.Update = p.Unchanged
	t := networkResourceType(TypePrivateLinkService, p)
	t.Validate = validatePrivateLinkService
	t.Apply = applyPrivateLinkService
	t.Deletable = privateLinkServiceDeletable
	t.View = viewPrivateLinkService
	return t
}

func validatePrivateLinkService(p *arm.Put) *arm.Error {
	if e := checkReferences(p); e != nil {
		return e
	}
	for _, configuration := range fields.Objects(p.Requested, "properties", ListConfigurations) {
		subnet := p.Service.Store.Get(fields.Text(configuration, "properties", "subnet", "id"))
		if subnet != nil && fields.Text(subnet.Body, "properties", "privateLinkServiceNetworkPolicies") == "Enabled" {
			return arm.Detailed(arm.BadRequest("PrivateLinkServiceCannotBeCreatedInSubnetThatHasNetworkPoliciesEnabled",
				"Private link service %s cannot be created in a subnet %s since it has private link service network policies enabled.", p.ID.Path, subnet.ID))
		}
	}
	return nil
}

func applyPrivateLinkService(p *arm.Put) *arm.Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	guid := uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.ID.Key())).String()
	properties := fields.Child(p.Result, "properties")
	fields.Fill(properties, map[string]any{
		"alias":             p.ID.Name + "." + guid + "." + arm.NormalLocation(fields.Text(p.Requested, fields.Location)) + ".azure.privatelinkservice",
		"networkInterfaces": []any{map[string]any{"id": p.ID.GroupPath() + "/providers/" + TypeNetworkInterface + "/" + p.ID.Name + ".nic." + guid}},
	})
	primary := slices.ContainsFunc(fields.Objects(properties, ListConfigurations), func(c map[string]any) bool { return fields.Bool(c, "properties", "primary") })
	for i, configuration := range fields.Objects(properties, ListConfigurations) {
		fields.Fill(fields.Child(configuration, "properties"), map[string]any{"primary": i == 0 && !primary})
	}
	return completeParts(p)
}

// ConnectionsTo returns the private endpoints that are connected to a private link service.
func ConnectionsTo(s *arm.Service, r *arm.Resource) []*arm.Resource {
	var found []*arm.Resource
	for _, endpoint := range s.Store.All() {
		for _, list := range []string{"privateLinkServiceConnections", "manualPrivateLinkServiceConnections"} {
			for _, connection := range fields.Objects(endpoint.Body, "properties", list) {
				to := fields.Text(connection, "properties", "privateLinkServiceId")
				if endpoint.Type == TypePrivateEndpoint && to != "" && (strings.EqualFold(to, r.ID) || strings.EqualFold(to, fields.Text(r.Body, "properties", "alias"))) {
					found = append(found, endpoint)
				}
			}
		}
	}
	return found
}

// viewPrivateLinkService shows the connections of private endpoints.
func viewPrivateLinkService(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := viewNetwork(s, r, apiVersion)
	connections := []any{}
	for _, endpoint := range ConnectionsTo(s, r) {
		name := endpoint.Name + "." + uuid.NewSHA1(uuid.NameSpaceURL, []byte(endpoint.Key())).String()
		connections = append(connections, map[string]any{
			"id": r.ID + "/privateEndpointConnections/" + name, "name": name, "etag": r.Body["etag"], "type": r.Type + "/privateEndpointConnections",
			fields.Properties: map[string]any{
				fields.State: arm.StatusSucceeded, "privateEndpoint": map[string]any{"id": endpoint.ID},
				"privateLinkServiceConnectionState": map[string]any{fields.Status: "Approved", "description": "Approved", "actionsRequired": "None"},
			},
		})
	}
	fields.Child(body, "properties")["privateEndpointConnections"] = connections
	return body
}

func privateLinkServiceDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	for _, endpoint := range ConnectionsTo(s, r) {
		return arm.Detailed(arm.BadRequest("CannotDeletePrivateLinkServiceWithPrivateEndPointConnections",
			"Cannot delete private link service %s since it has private end point connections, such as that of %s.", r.ID, endpoint.ID))
	}
	return nil
}

// bastionSubnet is what the subnet of an Azure Bastion has to be called, see https://learn.microsoft.com/azure/bastion/configuration-settings.
const bastionSubnet = "AzureBastionSubnet"

func bastionHostType() *arm.ResourceType {
	t := networkResourceType(TypeBastionHost, networkProtocol(10))
	t.Validate = validateBastionHost
	t.Apply = applyBastionHost
	t.Settle = settleBastionHost
	return t
}

func validateBastionHost(p *arm.Put) *arm.Error {
	if e := checkReferences(p); e != nil {
		return e
	}
	for _, configuration := range fields.Objects(p.Requested, "properties", ListConfigurations) {
		if e := checkPublicAddressFree(p, fields.Text(configuration, "properties", "publicIPAddress", "id"), "bastionHostIpConfigurations/"+fields.Text(configuration, "name")); e != nil {
			return e
		}
		_, _, subnet := arm.CutPart(fields.Text(configuration, "properties", "subnet", "id"))
		if !strings.EqualFold(subnet, bastionSubnet) {
			return arm.Detailed(arm.BadRequest("InvalidBastionSubnetName", "Azure Bastion %s has to be in a subnet of the name %s, not %s.", p.ID.Name, bastionSubnet, subnet))
		}
	}
	return nil
}

func applyBastionHost(p *arm.Put) *arm.Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	properties := fields.Child(p.Result, "properties")
	delete(properties, "resourceGuid")
	if p.Existing != nil {
		properties["dnsName"] = fields.Text(p.Existing.Body, "properties", "dnsName")
	} else {
		delete(properties, "dnsName")
	}
	for _, configuration := range fields.Objects(properties, ListConfigurations) {
		if address := fields.Text(configuration, "properties", "publicIPAddress", "id"); address != "" {
			properties["publicUri"] = address
		}
	}
	return completeParts(p)
}

// settleBastionHost names the host in DNS.
func settleBastionHost(s *arm.Service, r *arm.Resource) error {
	properties := r.Properties()
	if fields.Text(properties, "dnsName") == "" {
		properties["dnsName"] = "bst-" + uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.Key())).String() + ".bastion.azure.com"
	}
	return s.Store.Put(r)
}
