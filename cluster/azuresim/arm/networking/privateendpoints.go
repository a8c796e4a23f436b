package networking

import (
	"strings"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TypePrivateEndpoint is the type of a private endpoint, which brings another resource into a subnet.
const TypePrivateEndpoint = "Microsoft.Network/privateEndpoints"

func privateEndpointType() *arm.ResourceType {
	p := networkProtocol(10)
	p.Update = p.Unchanged
	t := networkResourceType(TypePrivateEndpoint, p)
	t.Validate = validatePrivateEndpoint
	t.Apply = applyPrivateEndpoint
	t.Stored = storeEndpointInterface
	t.Settle = settlePrivateEndpoint
	t.Removed = func(s *arm.Service, r *arm.Resource) error {
		if nic := s.Store.Get(endpointInterface(r.Identity())); nic != nil {
			return s.RemoveOne(nic)
		}
		return nil
	}
	return t
}

// storeEndpointInterface makes the network interface by which the endpoint is in its subnet.
func storeEndpointInterface(p *arm.Put) *arm.Error {
	s, r := p.Service, p.Resource
	path := endpointInterface(r.Identity())
	if s.Store.Get(path) != nil {
		return nil
	}
	subnet := s.Store.Get(fields.Text(r.Body, "properties", "subnet", "id"))
	address, ok := FirstFree(subnet, UsedAddresses(s, subnet.Identity().Parent), false)
	if !ok && len(PrefixesOf(subnet.Body)) > 0 {
		return arm.Detailed(arm.BadRequest("SubnetIsFull", "Subnet %s does not have enough capacity for 1 IP addresses.", subnet.Name))
	}
	_, _, name := arm.CutPart(path)
	configuration := "privateEndpointIpConfig"
	nic := &arm.Resource{ID: path, Type: TypeNetworkInterface, Name: name, Created: p.Now, APIVersion: p.APIVersion, Private: map[string]any{}}
	nic.Body = arm.NewBody(path, name, TypeNetworkInterface, map[string]any{
		fields.State: arm.StatusSucceeded, "resourceGuid": uuid.NewSHA1(uuid.NameSpaceURL, []byte(path)).String(), "macAddress": "",
		"privateEndpoint": map[string]any{"id": r.ID},
		"dnsSettings":     map[string]any{"dnsServers": []any{}, "appliedDnsServers": []any{}, "internalDomainNameSuffix": InternalSuffix(subnet.Identity().Parent)},
		ListConfigurations: []any{map[string]any{
			"name": configuration, "id": path + "/ipConfigurations/" + configuration, "type": TypeNetworkInterface + "/ipConfigurations", "etag": "",
			fields.Properties: map[string]any{
				fields.State: arm.StatusSucceeded, "privateIPAddress": address.String(), "privateIPAllocationMethod": "Dynamic", "privateIPAddressVersion": "IPv4",
				"primary": true, "subnet": map[string]any{"id": subnet.ID},
				"privateLinkConnectionProperties": map[string]any{"groupId": "", "requiredMemberName": "", "fqdns": []any{}},
			},
		}},
	})
	all, err := fields.Decode(networkDefaults)
	if err != nil {
		return arm.InternalError(err)
	}
	fields.Fill(nic.Body, fields.Child(all, TypeNetworkInterface))
	nic.Body[fields.Location], nic.Body["managedBy"], nic.Body["etag"] = r.Location(), r.ID, ""
	arm.RefreshETag(nic)
	if err := s.Store.Put(nic); err != nil {
		return arm.InternalError(err)
	}
	return nil
}

// settlePrivateEndpoint tells the names that have to resolve to the endpoint's address, when it has been made.
func settlePrivateEndpoint(s *arm.Service, r *arm.Resource) error {
	configurations := []any{}
	for _, connection := range fields.Objects(r.Body, "properties", "privateLinkServiceConnections") {
		_, _, target := arm.CutPart(fields.Text(connection, "properties", "privateLinkServiceId"))
		for _, group := range fields.Texts(connection, "properties", "groupIds") {
			configurations = append(configurations, map[string]any{
				"fqdn": strings.ToLower(target) + "." + group + ".core.windows.net", "ipAddresses": fields.List(endpointAddresses(s, r.ID)),
			})
		}
	}
	r.Properties()["customDnsConfigs"] = configurations
	return s.Store.Put(r)
}

func validatePrivateEndpoint(p *arm.Put) *arm.Error {
	subnet := fields.Text(p.Requested, "properties", "subnet", "id")
	if p.Service.Store.Get(subnet) == nil {
		return arm.BadRequest("InvalidResourceReference", "Resource %s referenced by resource %s was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.", subnet, p.ID.Path)
	}
	return nil
}

// applyPrivateEndpoint approves the connections, as Azure does where the person may write what is connected to, and adds the
// network interface.
func applyPrivateEndpoint(p *arm.Put) *arm.Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	all, err := fields.Decode(networkDefaults)
	if err != nil {
		return arm.InternalError(err)
	}
	properties := fields.Child(p.Result, "properties")
	if p.Existing != nil {
		properties["customDnsConfigs"] = fields.Clone(p.Existing.Properties())["customDnsConfigs"]
	}
	fields.Fill(properties, map[string]any{"networkInterfaces": []any{map[string]any{"id": endpointInterface(p.ID)}}})
	for _, list := range []string{"privateLinkServiceConnections", "manualPrivateLinkServiceConnections"} {
		connectionType := TypePrivateEndpoint + "/" + list
		for _, connection := range fields.Objects(properties, list) {
			connection["id"] = p.ID.Path + "/" + list + "/" + fields.Text(connection, "name")
			connection["type"] = connectionType
			connection["etag"] = `W/"` + uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.ID.Path)).String() + `"`
			fields.Fill(connection, fields.Clone(fields.Child(all, connectionType)))
		}
	}
	return nil
}

// endpointInterface is the identifier of an endpoint's network interface.
func endpointInterface(id arm.ID) string {
	guid := uuid.NewSHA1(uuid.NameSpaceURL, []byte(id.Key())).String()
	return id.GroupPath() + "/providers/Microsoft.Network/networkInterfaces/" + id.Name + ".nic." + guid
}

// endpointsIn are the private endpoints in a subnet.
func endpointsIn(s *arm.Service, subnet string) []*arm.Resource {
	var found []*arm.Resource
	for _, r := range s.Store.All() {
		if strings.EqualFold(r.Type, TypePrivateEndpoint) && strings.EqualFold(fields.Text(r.Body, "properties", "subnet", "id"), subnet) {
			found = append(found, r)
		}
	}
	return found
}
