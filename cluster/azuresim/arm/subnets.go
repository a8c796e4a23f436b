package arm

import (
	"net/netip"
	"slices"
	"sort"
	"strings"

	"github.com/google/uuid"
)

func subnetType() *resourceType {
	return &resourceType{
		name:       TypeSubnet,
		protocol:   networkProtocol(3),
		etagHeader: true,
		validate:   validateSubnet,
		apply:      applySubnet,
		view:       viewSubnet,
		deletable:  subnetDeletable,
		missing:    networkMissing,
	}
}

func validateSubnet(p *put) *Error {
	if e := networkBusy(p.service, p.id); e != nil {
		return e
	}
	for _, name := range []string{"networkSecurityGroup", "routeTable", "natGateway"} {
		if path := text(p.requested, "properties", name, "id"); path != "" {
			if e := checkReference(p, path); e != nil {
				return e
			}
		}
	}
	return checkSubnetRange(p.service, p.service.store.get(p.id.Parent), p.id, p.requested)
}

// checkSubnetRange refuses a subnet that is outside of its network, overlaps another one, or no longer has an address that is in use.
func checkSubnetRange(s *Service, network *Resource, id ID, requested map[string]any) *Error {
	wanted, space := prefixesOf(requested), prefixesOf(network.Body)
	for _, prefix := range wanted {
		if len(space) > 0 && !slices.ContainsFunc(space, func(outer netip.Prefix) bool { return within(outer, prefix) }) {
			return detailed(badRequest("NetcfgInvalidSubnet", "Subnet '%s' is not valid in virtual network '%s'.", id.Name, network.Name))
		}
		for _, other := range s.store.children(network.ID, TypeSubnet) {
			if other.key() != id.Key() && slices.ContainsFunc(prefixesOf(other.Body), prefix.Overlaps) {
				return detailed(badRequest("NetcfgSubnetRangesOverlap", "Subnet '%s' is not valid because its IP address range overlaps with that of an existing subnet in virtual network '%s'.", id.Name, network.Name))
			}
		}
	}
	existing := s.store.get(id.Path)
	if existing == nil || len(wanted) == 0 {
		return nil
	}
	for _, prefix := range prefixesOf(existing.Body) {
		for address := range s.usedAddresses(network.ID) {
			if prefix.Contains(address) && !slices.ContainsFunc(wanted, func(p netip.Prefix) bool { return p.Contains(address) }) {
				return detailed(badRequest("InUsePrefixCannotBeDeleted", "IpPrefix %s on Subnet %s has active allocations and cannot be deleted.", prefix, id.Name))
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
func networkBusy(s *Service, id ID) *Error {
	if op := s.operations.runningOn(id.Parent, false); op != nil {
		return anotherOperation(s.operationURL(op, operationsSegment))
	}
	op := s.operations.runningOn(id.Parent, true)
	switch {
	case op == nil || strings.EqualFold(op.ResourceID, id.Path):
		return nil
	case strings.EqualFold(op.ResourceType, id.Type):
		return anotherOperation(s.operationURL(op, operationsSegment))
	}
	return retryable(op, id.Parent)
}

func applySubnet(p *put) *Error {
	if p.existing != nil {
		p.changed = differs(p.existing.Body, map[string]any{fieldProperties: subnetProperties(p.id.Path, child(p.requested, "properties"))})
	}
	p.result["etag"] = ""
	p.result["properties"] = subnetProperties(p.id.Path, child(p.result, "properties"))
	delete(p.result, "location")
	delete(p.result, "tags")
	return nil
}

func subnetProperties(path string, requested map[string]any) map[string]any {
	properties := clone(requested)
	fill(properties, map[string]any{
		"delegations": []any{}, "privateEndpointNetworkPolicies": "Disabled", "privateLinkServiceNetworkPolicies": "Enabled",
	})
	for _, delegation := range objects(properties, "delegations") {
		inner := child(delegation, "properties")
		inner["provisioningState"] = statusSucceeded
		inner["actions"] = []any{"Microsoft.Network/virtualNetworks/subnets/join/action"}
		delegation["id"] = path + "/delegations/" + text(delegation, "name")
		delegation["type"] = TypeSubnet + "/delegations"
		delegation["etag"] = `W/"` + uuid.NewSHA1(uuid.NameSpaceURL, []byte(path)).String() + `"`
	}
	for _, endpoint := range objects(properties, "serviceEndpoints") {
		fill(endpoint, map[string]any{fieldState: statusSucceeded, "locations": []any{"*"}})
	}
	return properties
}

func viewSubnet(s *Service, r *Resource, _ string) map[string]any {
	body := clone(r.Body)
	if users := s.subnetUsers(r.ID); len(users) > 0 {
		var configurations []any
		for _, id := range users {
			configurations = append(configurations, map[string]any{"id": id})
		}
		child(body, "properties")[listConfigurations] = configurations
	}
	var endpoints []any
	for _, endpoint := range s.endpointsIn(r.ID) {
		endpoints = append(endpoints, map[string]any{"id": endpoint.ID})
	}
	if len(endpoints) > 0 {
		child(body, "properties")["privateEndpoints"] = endpoints
	}
	return body
}

// subnetUsers are the identifiers of what occupies addresses of the subnet.
func (s *Service) subnetUsers(subnet string) []string {
	var users []string
	for _, r := range s.store.all() {
		switch {
		case strings.EqualFold(r.Type, TypeAgentPool) && strings.EqualFold(text(r.Body, "properties", "vnetSubnetID"), subnet):
			cluster := s.store.get(r.id().Parent)
			if cluster != nil {
				users = append(users, nodeGroupPath(cluster)+"/providers/Microsoft.Compute/virtualMachineScaleSets/aks-"+r.Name+"-vmss/virtualMachines/0/networkInterfaces/aks-"+r.Name+"-vmss/ipConfigurations/ipconfig1")
			}
		case strings.HasPrefix(strings.ToLower(r.Type), "microsoft.network/") && !strings.EqualFold(r.Type, TypeVirtualNetwork):
			users = append(users, ipConfigurationsIn(r, subnet)...)
		}
	}
	sort.Strings(users)
	return users
}

func ipConfigurationsIn(r *Resource, subnet string) []string {
	var users []string
	for _, list := range []string{listConfigurations, listFrontends, "gatewayIPConfigurations"} {
		for _, configuration := range objects(r.Body, "properties", list) {
			if strings.EqualFold(text(configuration, "properties", "subnet", "id"), subnet) {
				users = append(users, r.ID+"/"+list+"/"+text(configuration, "name"))
			}
		}
	}
	return users
}

// subnetDeletable refuses while something is in the subnet, https://aka.ms/deletesubnet.
func subnetDeletable(s *Service, r *Resource) *Error {
	users := s.subnetUsers(r.ID)
	if len(users) == 0 {
		return nil
	}
	e := badRequest("InUseSubnetCannotBeDeleted",
		"Subnet %s is in use by %s and cannot be deleted. In order to delete the subnet, delete all the resources within the subnet. See aka.ms/deletesubnet.", r.Name, users[0])
	e.Details = []Detail{}
	return e
}
