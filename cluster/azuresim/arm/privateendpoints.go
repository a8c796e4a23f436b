package arm

import (
	"strings"

	"github.com/google/uuid"
)

// TypePrivateEndpoint is the type of a private endpoint, which brings another resource into a subnet.
const TypePrivateEndpoint = "Microsoft.Network/privateEndpoints"

func privateEndpointType() *resourceType {
	p := networkProtocol(10)
	p.update = p.unchanged
	t := networkResourceType(TypePrivateEndpoint, p)
	t.validate = validatePrivateEndpoint
	t.apply = applyPrivateEndpoint
	t.stored = storeEndpointInterface
	t.settle = settlePrivateEndpoint
	t.removed = func(s *Service, r *Resource) error {
		if nic := s.store.get(endpointInterface(r.id())); nic != nil {
			return s.eraseOne(nic)
		}
		return nil
	}
	return t
}

// storeEndpointInterface makes the network interface by which the endpoint is in its subnet.
func storeEndpointInterface(p *put) *Error {
	s, r := p.service, p.resource
	path := endpointInterface(r.id())
	if s.store.get(path) != nil {
		return nil
	}
	subnet := s.store.get(text(r.Body, "properties", "subnet", "id"))
	address, ok := firstFree(subnet, s.usedAddresses(subnet.id().Parent), false)
	if !ok && len(prefixesOf(subnet.Body)) > 0 {
		return detailed(badRequest("SubnetIsFull", "Subnet %s does not have enough capacity for 1 IP addresses.", subnet.Name))
	}
	_, _, name := cutPart(path)
	configuration := "privateEndpointIpConfig"
	nic := &Resource{ID: path, Type: TypeNetworkInterface, Name: name, Created: p.now, APIVersion: p.apiVersion, Private: map[string]any{}}
	nic.Body = newBody(path, name, TypeNetworkInterface, map[string]any{
		fieldState: statusSucceeded, "resourceGuid": uuid.NewSHA1(uuid.NameSpaceURL, []byte(path)).String(), "macAddress": "",
		"privateEndpoint": map[string]any{"id": r.ID},
		"dnsSettings":     map[string]any{"dnsServers": []any{}, "appliedDnsServers": []any{}, "internalDomainNameSuffix": internalSuffix(subnet.id().Parent)},
		listConfigurations: []any{map[string]any{
			"name": configuration, "id": path + "/ipConfigurations/" + configuration, "type": TypeNetworkInterface + "/ipConfigurations", "etag": "",
			fieldProperties: map[string]any{
				fieldState: statusSucceeded, "privateIPAddress": address.String(), "privateIPAllocationMethod": "Dynamic", "privateIPAddressVersion": "IPv4",
				"primary": true, "subnet": map[string]any{"id": subnet.ID},
				"privateLinkConnectionProperties": map[string]any{"groupId": "", "requiredMemberName": "", "fqdns": []any{}},
			},
		}},
	})
	all, err := decode(networkDefaults)
	if err != nil {
		return internalError(err)
	}
	fill(nic.Body, child(all, TypeNetworkInterface))
	nic.Body["location"], nic.Body["managedBy"], nic.Body["etag"] = r.location(), r.ID, ""
	refreshETag(nic)
	if err := s.store.put(nic); err != nil {
		return internalError(err)
	}
	return nil
}

// settlePrivateEndpoint tells the names that have to resolve to the endpoint's address, when it has been made.
func settlePrivateEndpoint(s *Service, r *Resource) error {
	configurations := []any{}
	for _, connection := range objects(r.Body, "properties", "privateLinkServiceConnections") {
		_, _, target := cutPart(text(connection, "properties", "privateLinkServiceId"))
		for _, group := range texts(connection, "properties", "groupIds") {
			configurations = append(configurations, map[string]any{
				"fqdn": strings.ToLower(target) + "." + group + ".core.windows.net", "ipAddresses": anyStrings(s.endpointAddresses(r.ID)),
			})
		}
	}
	r.properties()["customDnsConfigs"] = configurations
	return s.store.put(r)
}

func validatePrivateEndpoint(p *put) *Error {
	subnet := text(p.requested, "properties", "subnet", "id")
	if p.service.store.get(subnet) == nil {
		return badRequest("InvalidResourceReference", "Resource %s referenced by resource %s was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.", subnet, p.id.Path)
	}
	return nil
}

// applyPrivateEndpoint approves the connections, as Azure does where the person may write what is connected to, and adds the
// network interface.
func applyPrivateEndpoint(p *put) *Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	all, err := decode(networkDefaults)
	if err != nil {
		return internalError(err)
	}
	properties := child(p.result, "properties")
	if p.existing != nil {
		properties["customDnsConfigs"] = clone(p.existing.properties())["customDnsConfigs"]
	}
	fill(properties, map[string]any{"networkInterfaces": []any{map[string]any{"id": endpointInterface(p.id)}}})
	for _, list := range []string{"privateLinkServiceConnections", "manualPrivateLinkServiceConnections"} {
		connectionType := TypePrivateEndpoint + "/" + list
		for _, connection := range objects(properties, list) {
			connection["id"] = p.id.Path + "/" + list + "/" + text(connection, "name")
			connection["type"] = connectionType
			connection["etag"] = `W/"` + uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.id.Path)).String() + `"`
			fill(connection, clone(child(all, connectionType)))
		}
	}
	return nil
}

// endpointInterface is the identifier of an endpoint's network interface.
func endpointInterface(id ID) string {
	guid := uuid.NewSHA1(uuid.NameSpaceURL, []byte(id.Key())).String()
	return id.groupPath() + "/providers/Microsoft.Network/networkInterfaces/" + id.Name + ".nic." + guid
}

// endpointsIn are the private endpoints in a subnet.
func (s *Service) endpointsIn(subnet string) []*Resource {
	var found []*Resource
	for _, r := range s.store.all() {
		if strings.EqualFold(r.Type, TypePrivateEndpoint) && strings.EqualFold(text(r.Body, "properties", "subnet", "id"), subnet) {
			found = append(found, r)
		}
	}
	return found
}
