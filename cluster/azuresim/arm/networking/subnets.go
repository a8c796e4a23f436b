package networking

import (
	"net/netip"
	"slices"
	"sort"
	"strings"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

func subnetType() *arm.ResourceType {
	return &arm.ResourceType{
		Name:       TypeSubnet,
		Protocol:   networkProtocol(3),
		EtagHeader: true,
		Validate:   validateSubnet,
		Apply:      applySubnet,
		View:       viewSubnet,
		Deletable:  subnetDeletable,
		Missing:    networkMissing,
	}
}

func validateSubnet(p *arm.Put) *arm.Error {
	if e := networkBusy(p.Service, p.ID); e != nil {
		return e
	}
	for _, name := range []string{"networkSecurityGroup", "routeTable", "natGateway"} {
		if path := fields.Text(p.Requested, "properties", name, "id"); path != "" {
			if e := checkReference(p, path); e != nil {
				return e
			}
		}
	}
	return checkSubnetRange(p.Service, p.Service.Store.Get(p.ID.Parent), p.ID, p.Requested)
}

// checkSubnetRange refuses a subnet that is outside of its network, overlaps another one, or no longer has an address that is in use.
func checkSubnetRange(s *arm.Service, network *arm.Resource, id arm.ID, requested map[string]any) *arm.Error {
	wanted, space := PrefixesOf(requested), PrefixesOf(network.Body)
	for _, prefix := range wanted {
		if len(space) > 0 && !slices.ContainsFunc(space, func(outer netip.Prefix) bool { return within(outer, prefix) }) {
			return arm.Detailed(arm.BadRequest("NetcfgInvalidSubnet", "Subnet '%s' is not valid in virtual network '%s'.", id.Name, network.Name))
		}
		for _, other := range s.Store.Children(network.ID, TypeSubnet) {
			if other.Key() != id.Key() && slices.ContainsFunc(PrefixesOf(other.Body), prefix.Overlaps) {
				return arm.Detailed(arm.BadRequest("NetcfgSubnetRangesOverlap", "Subnet '%s' is not valid because its IP address range overlaps with that of an existing subnet in virtual network '%s'.", id.Name, network.Name))
			}
		}
	}
	existing := s.Store.Get(id.Path)
	if existing == nil || len(wanted) == 0 {
		return nil
	}
	for _, prefix := range PrefixesOf(existing.Body) {
		for address := range UsedAddresses(s, network.ID) {
			if prefix.Contains(address) && !slices.ContainsFunc(wanted, func(p netip.Prefix) bool { return p.Contains(address) }) {
				return arm.Detailed(arm.BadRequest("InUsePrefixCannotBeDeleted", "IpPrefix %s on Subnet %s has active allocations and cannot be deleted.", prefix, id.Name))
			}
		}
	}
	return nil
}

// within tells whether a range is all in another.
func within(outer, inner netip.Prefix) bool {
	return outer.Bits() <= inner.Bits() && outer.Contains(inner.Addr())
}

// networkBusy refuses a change of a child while its virtual network or a sibling is changing.
func networkBusy(s *arm.Service, id arm.ID) *arm.Error {
	if op := s.Operations.RunningOn(id.Parent, false); op != nil {
		return anotherOperation(s.OperationURL(op, arm.OperationsSegment))
	}
	op := s.Operations.RunningOn(id.Parent, true)
	switch {
	case op == nil || strings.EqualFold(op.ResourceID, id.Path):
		return nil
	case strings.EqualFold(op.ResourceType, id.Type):
		return anotherOperation(s.OperationURL(op, arm.OperationsSegment))
	}
	return retryable(op, id.Parent)
}

func applySubnet(p *arm.Put) *arm.Error {
	if p.Existing != nil {
		p.Changed = fields.Differs(p.Existing.Body, map[string]any{fields.Properties: subnetProperties(p.ID.Path, fields.Child(p.Requested, "properties"))})
	}
	p.Result["etag"] = ""
	p.Result["properties"] = subnetProperties(p.ID.Path, fields.Child(p.Result, "properties"))
	delete(p.Result, fields.Location)
	delete(p.Result, "tags")
	return nil
}

func subnetProperties(path string, requested map[string]any) map[string]any {
	properties := fields.Clone(requested)
	fields.Fill(properties, map[string]any{
		"delegations": []any{}, "privateEndpointNetworkPolicies": "Disabled", "privateLinkServiceNetworkPolicies": "Enabled",
	})
	for _, delegation := range fields.Objects(properties, "delegations") {
		inner := fields.Child(delegation, "properties")
		inner["provisioningState"] = arm.StatusSucceeded
		inner["actions"] = []any{"Microsoft.Network/virtualNetworks/subnets/join/action"}
		delegation["id"] = path + "/delegations/" + fields.Text(delegation, "name")
		delegation["type"] = TypeSubnet + "/delegations"
		delegation["etag"] = `W/"` + uuid.NewSHA1(uuid.NameSpaceURL, []byte(path)).String() + `"`
	}
	for _, endpoint := range fields.Objects(properties, "serviceEndpoints") {
		fields.Fill(endpoint, map[string]any{fields.State: arm.StatusSucceeded, "locations": []any{"*"}})
	}
	return properties
}

func viewSubnet(s *arm.Service, r *arm.Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	if users := subnetUsers(s, r.ID); len(users) > 0 {
		var configurations []any
		for _, id := range users {
			configurations = append(configurations, map[string]any{"id": id})
		}
		fields.Child(body, "properties")[ListConfigurations] = configurations
	}
	var endpoints []any
	for _, endpoint := range endpointsIn(s, r.ID) {
		endpoints = append(endpoints, map[string]any{"id": endpoint.ID})
	}
	if len(endpoints) > 0 {
		fields.Child(body, "properties")["privateEndpoints"] = endpoints
	}
	return body
}

// subnetUsers are the identifiers of what occupies addresses of the subnet.
func subnetUsers(s *arm.Service, subnet string) []string {
	var users []string
	for _, r := range s.Store.All() {
		switch {
		case s.Types.Lookup(r.Type).Occupies != nil:
			users = append(users, s.Types.Lookup(r.Type).Occupies(s, r, subnet)...)
		case strings.HasPrefix(strings.ToLower(r.Type), "microsoft.network/") && !strings.EqualFold(r.Type, TypeVirtualNetwork):
			users = append(users, IPConfigurationsIn(r, subnet)...)
		}
	}
	sort.Strings(users)
	return users
}

// IPConfigurationsIn returns the IDs of the IP configurations of a resource that are in a subnet.
func IPConfigurationsIn(r *arm.Resource, subnet string) []string {
	var users []string
	for _, list := range []string{ListConfigurations, ListFrontends, "gatewayIPConfigurations"} {
		for _, configuration := range fields.Objects(r.Body, "properties", list) {
			if strings.EqualFold(fields.Text(configuration, "properties", "subnet", "id"), subnet) {
				users = append(users, r.ID+"/"+list+"/"+fields.Text(configuration, "name"))
			}
		}
	}
	return users
}

// subnetDeletable refuses while something is in the subnet, https://aka.ms/deletesubnet.
func subnetDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	users := subnetUsers(s, r.ID)
	if len(users) == 0 {
		return nil
	}
	e := arm.BadRequest("InUseSubnetCannotBeDeleted",
		"Subnet %s is in use by %s and cannot be deleted. In order to delete the subnet, delete all the resources within the subnet. See aka.ms/deletesubnet.", r.Name, users[0])
	e.Details = []arm.Detail{}
	return e
}
