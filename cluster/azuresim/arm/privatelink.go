package arm

import (
	"slices"
	"strings"

	"github.com/google/uuid"
)

func privateLinkServiceType() *resourceType {
	p := networkProtocol(10)
	p.update = p.unchanged
	t := networkResourceType(TypePrivateLinkService, p)
	t.validate = validatePrivateLinkService
	t.apply = applyPrivateLinkService
	t.deletable = privateLinkServiceDeletable
	t.view = viewPrivateLinkService
	return t
}

func validatePrivateLinkService(p *put) *Error {
	if e := checkReferences(p); e != nil {
		return e
	}
	for _, configuration := range objects(p.requested, "properties", listConfigurations) {
		subnet := p.service.store.get(text(configuration, "properties", "subnet", "id"))
		if subnet != nil && text(subnet.Body, "properties", "privateLinkServiceNetworkPolicies") == "Enabled" {
			return detailed(badRequest("PrivateLinkServiceCannotBeCreatedInSubnetThatHasNetworkPoliciesEnabled",
				"Private link service %s cannot be created in a subnet %s since it has private link service network policies enabled.", p.id.Path, subnet.ID))
		}
	}
	return nil
}

func applyPrivateLinkService(p *put) *Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	guid := uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.id.Key())).String()
	properties := child(p.result, "properties")
	fill(properties, map[string]any{
		"alias":             p.id.Name + "." + guid + "." + normalLocation(text(p.requested, "location")) + ".azure.privatelinkservice",
		"networkInterfaces": []any{map[string]any{"id": p.id.groupPath() + "/providers/" + TypeNetworkInterface + "/" + p.id.Name + ".nic." + guid}},
	})
	primary := slices.ContainsFunc(objects(properties, listConfigurations), func(c map[string]any) bool { return boolean(c, "properties", "primary") })
	for i, configuration := range objects(properties, listConfigurations) {
		fill(child(configuration, "properties"), map[string]any{"primary": i == 0 && !primary})
	}
	return completeParts(p)
}

// connectionsTo returns the private endpoints that are connected to a private link service.
func (s *Service) connectionsTo(r *Resource) []*Resource {
	var found []*Resource
	for _, endpoint := range s.store.all() {
		for _, list := range []string{"privateLinkServiceConnections", "manualPrivateLinkServiceConnections"} {
			for _, connection := range objects(endpoint.Body, "properties", list) {
				to := text(connection, "properties", "privateLinkServiceId")
				if endpoint.Type == TypePrivateEndpoint && to != "" && (strings.EqualFold(to, r.ID) || strings.EqualFold(to, text(r.Body, "properties", "alias"))) {
					found = append(found, endpoint)
				}
			}
		}
	}
	return found
}

// viewPrivateLinkService shows the connections of private endpoints.
func viewPrivateLinkService(s *Service, r *Resource, apiVersion string) map[string]any {
	body := viewNetwork(s, r, apiVersion)
	connections := []any{}
	for _, endpoint := range s.connectionsTo(r) {
		name := endpoint.Name + "." + uuid.NewSHA1(uuid.NameSpaceURL, []byte(endpoint.key())).String()
		connections = append(connections, map[string]any{
			"id": r.ID + "/privateEndpointConnections/" + name, "name": name, "etag": r.Body["etag"], "type": r.Type + "/privateEndpointConnections",
			fieldProperties: map[string]any{
				fieldState: statusSucceeded, "privateEndpoint": map[string]any{"id": endpoint.ID},
				"privateLinkServiceConnectionState": map[string]any{fieldStatus: "Approved", "description": "Approved", "actionsRequired": "None"},
			},
		})
	}
	child(body, "properties")["privateEndpointConnections"] = connections
	return body
}

func privateLinkServiceDeletable(s *Service, r *Resource) *Error {
	for _, endpoint := range s.connectionsTo(r) {
		return detailed(badRequest("CannotDeletePrivateLinkServiceWithPrivateEndPointConnections",
			"Cannot delete private link service %s since it has private end point connections, such as that of %s.", r.ID, endpoint.ID))
	}
	return nil
}

// bastionSubnet is what the subnet of an Azure Bastion has to be called, see https://learn.microsoft.com/azure/bastion/configuration-settings.
const bastionSubnet = "AzureBastionSubnet"

func bastionHostType() *resourceType {
	t := networkResourceType(TypeBastionHost, networkProtocol(10))
	t.validate = validateBastionHost
	t.apply = applyBastionHost
	t.settle = settleBastionHost
	return t
}

func validateBastionHost(p *put) *Error {
	if e := checkReferences(p); e != nil {
		return e
	}
	for _, configuration := range objects(p.requested, "properties", listConfigurations) {
		if e := checkPublicAddressFree(p, text(configuration, "properties", "publicIPAddress", "id"), "bastionHostIpConfigurations/"+text(configuration, "name")); e != nil {
			return e
		}
		_, _, subnet := cutPart(text(configuration, "properties", "subnet", "id"))
		if !strings.EqualFold(subnet, bastionSubnet) {
			return detailed(badRequest("InvalidBastionSubnetName", "Azure Bastion %s has to be in a subnet of the name %s, not %s.", p.id.Name, bastionSubnet, subnet))
		}
	}
	return nil
}

func applyBastionHost(p *put) *Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	properties := child(p.result, "properties")
	delete(properties, "resourceGuid")
	if p.existing != nil {
		properties["dnsName"] = text(p.existing.Body, "properties", "dnsName")
	} else {
		delete(properties, "dnsName")
	}
	for _, configuration := range objects(properties, listConfigurations) {
		if address := text(configuration, "properties", "publicIPAddress", "id"); address != "" {
			properties["publicUri"] = address
		}
	}
	return completeParts(p)
}

// settleBastionHost names the host in DNS.
func settleBastionHost(s *Service, r *Resource) error {
	properties := r.properties()
	if text(properties, "dnsName") == "" {
		properties["dnsName"] = "bst-" + uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.key())).String() + ".bastion.azure.com"
	}
	return s.store.put(r)
}
