package arm

import (
	"net/netip"
	"slices"
	"strings"
)

func virtualNetworkType() *resourceType {
	p := networkProtocol(3)
	p.update = p.unchanged
	return &resourceType{
		name:       TypeVirtualNetwork,
		tracked:    true,
		protocol:   p,
		etagHeader: true,
		validate:   validateVirtualNetwork,
		apply:      applyVirtualNetwork,
		stored:     storeSubnets,
		settle:     settleSubnets,
		view:       viewVirtualNetwork,
		deletable:  virtualNetworkDeletable,
		missing:    networkMissing,
	}
}

func validateVirtualNetwork(p *put) *Error {
	if p.existing == nil && len(texts(p.requested, "properties", "addressSpace", "addressPrefixes")) == 0 && at(p.requested, "properties", "addressSpace", "ipamPoolPrefixAllocations") == nil {
		return badRequest("InvalidRequestFormat", "Cannot parse the request: virtual network %s has no address space.", p.id.Name)
	}
	if _, given := child(p.requested, "properties")["subnets"]; !given || p.existing == nil {
		return checkAddressSpace(p)
	}
	for _, subnet := range absentSubnets(p) {
		if e := subnetDeletable(p.service, subnet); e != nil {
			return e
		}
	}
	return checkAddressSpace(p)
}

// checkAddressSpace refuses a change of the address space that leaves a subnet outside.
func checkAddressSpace(p *put) *Error {
	space := prefixesOf(p.requested)
	if p.existing == nil || len(space) == 0 {
		return nil
	}
	for _, subnet := range p.service.store.children(p.id.Path, TypeSubnet) {
		for _, prefix := range prefixesOf(subnet.Body) {
			if !slices.ContainsFunc(space, func(outer netip.Prefix) bool { return within(outer, prefix) }) {
				return detailed(badRequest("NetcfgInvalidSubnet", "Subnet '%s' is not valid in virtual network '%s'.", subnet.Name, p.id.Name))
			}
		}
	}
	return nil
}

// absentSubnets are the subnets that exist and that the request's list does not have.
func absentSubnets(p *put) []*Resource {
	listed := map[string]bool{}
	for _, subnet := range objects(p.requested, "properties", "subnets") {
		listed[strings.ToLower(text(subnet, "name"))] = true
	}
	var absent []*Resource
	for _, subnet := range p.service.store.children(p.id.Path, TypeSubnet) {
		if !listed[strings.ToLower(subnet.Name)] {
			absent = append(absent, subnet)
		}
	}
	return absent
}

func applyVirtualNetwork(p *put) *Error {
	if e := applyNetwork(p); e != nil {
		return e
	}
	properties := child(p.result, "properties")
	delete(properties, "subnets")
	delete(properties, "virtualNetworkPeerings")
	fill(properties, map[string]any{"enableDdosProtection": false, "privateEndpointVNetPolicies": "Disabled"})
	return nil
}

// storeSubnets makes the subnets those of the request's list; a request without the list leaves them alone.
func storeSubnets(p *put) *Error {
	if _, given := child(p.requested, "properties")["subnets"]; !given {
		return nil
	}
	for _, subnet := range absentSubnets(p) {
		if err := p.service.erase(subnet); err != nil {
			return internalError(err)
		}
	}
	for _, listed := range objects(p.requested, "properties", "subnets") {
		path := p.resource.ID + "/subnets/" + text(listed, "name")
		subnet := p.service.store.get(path)
		if subnet == nil {
			subnet = &Resource{ID: path, Type: TypeSubnet, Name: text(listed, "name"), Created: p.now}
		}
		subnet.APIVersion = p.apiVersion
		subnet.Body = newBody(subnet.ID, subnet.Name, TypeSubnet, subnetProperties(path, child(listed, "properties")))
		subnet.Body["etag"] = ""
		subnet.properties()["provisioningState"] = p.resource.provisioningState()
		refreshETag(subnet)
		if err := p.service.store.put(subnet); err != nil {
			return internalError(err)
		}
	}
	return nil
}

func settleSubnets(s *Service, r *Resource) error {
	for _, subnet := range s.store.children(r.ID, TypeSubnet) {
		if subnet.provisioningState() == stateUpdating && s.operations.runningOn(subnet.ID, false) == nil {
			if err := s.setState(subnet, statusSucceeded); err != nil {
				return err
			}
		}
	}
	return nil
}

func viewVirtualNetwork(s *Service, r *Resource, apiVersion string) map[string]any {
	body := clone(r.Body)
	subnets, peerings := []any{}, []any{}
	for _, subnet := range s.store.children(r.ID, TypeSubnet) {
		subnets = append(subnets, s.show(subnet, s.types.lookup(TypeSubnet), apiVersion))
	}
	for _, peering := range s.store.children(r.ID, TypePeering) {
		peerings = append(peerings, s.show(peering, s.types.lookup(TypePeering), apiVersion))
	}
	properties := child(body, "properties")
	properties["subnets"], properties["virtualNetworkPeerings"] = subnets, peerings
	hideFields(body, virtualNetworkFields, apiVersion)
	return body
}

var virtualNetworkFields = []field{
	{path: "properties.privateEndpointVNetPolicies", since: "2023-09-01"},
}

func virtualNetworkDeletable(s *Service, r *Resource) *Error {
	for _, subnet := range s.store.children(r.ID, TypeSubnet) {
		if e := subnetDeletable(s, subnet); e != nil {
			return e
		}
	}
	return nil
}
