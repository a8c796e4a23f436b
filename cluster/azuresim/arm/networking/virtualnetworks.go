package networking

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

func virtualNetworkType() *arm.ResourceType {
	p := networkProtocol(3)
	p.Update = p.Unchanged
	return &arm.ResourceType{
		Name:       TypeVirtualNetwork,
		Tracked:    true,
		Protocol:   p,
		EtagHeader: true,
		Validate:   validateVirtualNetwork,
		Apply:      applyVirtualNetwork,
		Stored:     storeSubnets,
		Settle:     settleSubnets,
		View:       viewVirtualNetwork,
		Deletable:  virtualNetworkDeletable,
		Missing:    networkMissing,
	}
}

func validateVirtualNetwork(p *arm.Put) *arm.Error {
	if p.Existing == nil && len(fields.Texts(p.Requested, "properties", "addressSpace", "addressPrefixes")) == 0 && fields.At(p.Requested, "properties", "addressSpace", "ipamPoolPrefixAllocations") == nil {
		return arm.BadRequest("InvalidRequestFormat", "Cannot parse the request: virtual network %s has no address space.", p.ID.Name)
	}
	if _, given := fields.Child(p.Requested, "properties")["subnets"]; !given || p.Existing == nil {
		return checkAddressSpace(p)
	}
	for _, subnet := range absentSubnets(p) {
		if e := subnetDeletable(p.Service, subnet); e != nil {
			return e
		}
	}
	return checkAddressSpace(p)
}

// checkAddressSpace refuses a change of the address space that leaves a subnet outside.
func checkAddressSpace(p *arm.Put) *arm.Error {
	space := PrefixesOf(p.Requested)
	if p.Existing == nil || len(space) == 0 {
		return nil
	}
	for _, subnet := range p.Service.Store.Children(p.ID.Path, TypeSubnet) {
		for _, prefix := range PrefixesOf(subnet.Body) {
			if !slices.ContainsFunc(space, func(outer netip.Prefix) bool { return within(outer, prefix) }) {
				return arm.Detailed(arm.BadRequest("NetcfgInvalidSubnet", "Subnet '%s' is not valid in virtual network '%s'.", subnet.Name, p.ID.Name))
			}
		}
	}
	return nil
}

// absentSubnets are the subnets that exist and that the request's list does not have.
func absentSubnets(p *arm.Put) []*arm.Resource {
	listed := map[string]bool{}
	for _, subnet := range fields.Objects(p.Requested, "properties", "subnets") {
		listed[strings.ToLower(fields.Text(subnet, "name"))] = true
	}
	var absent []*arm.Resource
	for _, subnet := range p.Service.Store.Children(p.ID.Path, TypeSubnet) {
		if !listed[strings.ToLower(subnet.Name)] {
			absent = append(absent, subnet)
		}
	}
	return absent
}

func applyVirtualNetwork(p *arm.Put) *arm.Error {
	if e := applyNetwork(p); e != nil {
		return e
	}
	properties := fields.Child(p.Result, "properties")
	delete(properties, "subnets")
	delete(properties, "virtualNetworkPeerings")
	fields.Fill(properties, map[string]any{"enableDdosProtection": false, "privateEndpointVNetPolicies": "Disabled"})
	return nil
}

// storeSubnets makes the subnets those of the request's list; a request without the list leaves them alone.
func storeSubnets(p *arm.Put) *arm.Error {
	if _, given := fields.Child(p.Requested, "properties")["subnets"]; !given {
		return nil
	}
	for _, subnet := range absentSubnets(p) {
		if err := p.Service.Remove(subnet); err != nil {
			return arm.InternalError(err)
		}
	}
	for _, listed := range fields.Objects(p.Requested, "properties", "subnets") {
		path := p.Resource.ID + "/subnets/" + fields.Text(listed, "name")
		subnet := p.Service.Store.Get(path)
		if subnet == nil {
			subnet = &arm.Resource{ID: path, Type: TypeSubnet, Name: fields.Text(listed, "name"), Created: p.Now}
		}
		subnet.APIVersion = p.APIVersion
		subnet.Body = arm.NewBody(subnet.ID, subnet.Name, TypeSubnet, subnetProperties(path, fields.Child(listed, "properties")))
		subnet.Body["etag"] = ""
		subnet.Properties()["provisioningState"] = p.Resource.ProvisioningState()
		arm.RefreshETag(subnet)
		if err := p.Service.Store.Put(subnet); err != nil {
			return arm.InternalError(err)
		}
	}
	return nil
}

func settleSubnets(s *arm.Service, r *arm.Resource) error {
	for _, subnet := range s.Store.Children(r.ID, TypeSubnet) {
		if subnet.ProvisioningState() == arm.StateUpdating && s.Operations.RunningOn(subnet.ID, false) == nil {
			if err := s.SetState(subnet, arm.StatusSucceeded); err != nil {
				return err
			}
		}
	}
	return nil
}

func viewVirtualNetwork(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := fields.Clone(r.Body)
	subnets, peerings := []any{}, []any{}
	for _, subnet := range s.Store.Children(r.ID, TypeSubnet) {
		subnets = append(subnets, s.Show(subnet, s.Types.Lookup(TypeSubnet), apiVersion))
	}
	for _, peering := range s.Store.Children(r.ID, TypePeering) {
		peerings = append(peerings, s.Show(peering, s.Types.Lookup(TypePeering), apiVersion))
	}
	properties := fields.Child(body, "properties")
	properties["subnets"], properties["virtualNetworkPeerings"] = subnets, peerings
	fields.Hide(body, virtualNetworkFields, apiVersion)
	return body
}

var virtualNetworkFields = []fields.Versioned{
	{Path: "properties.privateEndpointVNetPolicies", Since: "2023-09-01"},
}

func virtualNetworkDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	for _, subnet := range s.Store.Children(r.ID, TypeSubnet) {
		if e := subnetDeletable(s, subnet); e != nil {
			return e
		}
	}
	return nil
}
