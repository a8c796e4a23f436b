package networking

import (
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// part is a list of objects in the properties of a resource, which Azure gives identifiers as if they were resources of their own.
type part struct {
	// list is the property, segment what its identifiers have in its place.
	list, segment string
	// follows shows the provisioning state of the resource and not always Succeeded.
	follows bool
}

// partsOf are the lists of parts by the type of the resource.
var partsOf = map[string][]part{
	TypeNetworkInterface: {{list: ListConfigurations, follows: true}},
	TypeLoadBalancer: {
		{list: ListFrontends, follows: true}, {list: "backendAddressPools", follows: true}, {list: "loadBalancingRules", follows: true},
		{list: "probes", follows: true}, {list: "outboundRules", follows: true}, {list: "inboundNatPools", follows: true},
	},
	TypePrivateLinkService: {{list: ListConfigurations}},
	typeAzureFirewall:      {{list: ListConfigurations, segment: "azureFirewallIpConfigurations"}},
	typeZoneGroup:          {{list: "privateDnsZoneConfigs", follows: true}},
	TypeBastionHost:        {{list: ListConfigurations, segment: "bastionHostIpConfigurations"}},
}

// completeParts gives every part of the resource its identifier, its type and what a request may leave out.
func completeParts(p *arm.Put) *arm.Error {
	all, err := fields.Decode(networkDefaults)
	if err != nil {
		return arm.InternalError(err)
	}
	for _, list := range partsOf[p.Resource.Type] {
		segment := list.list
		if list.segment != "" {
			segment = list.segment
		}
		partType := p.Resource.Type + "/" + segment
		for _, one := range fields.Objects(p.Result, "properties", list.list) {
			one["id"] = p.Resource.ID + "/" + segment + "/" + fields.Text(one, "name")
			one["type"] = partType
			one["etag"] = ""
			fields.Child(one, "properties")["provisioningState"] = arm.StatusSucceeded
			fields.Fill(one, fields.Child(all, partType))
		}
	}
	return nil
}

// showParts has the parts in a body that is shown follow their resource.
func showParts(r *arm.Resource, body map[string]any) {
	for _, list := range partsOf[r.Type] {
		for _, one := range fields.Objects(body, "properties", list.list) {
			one["etag"] = r.Body["etag"]
			if list.follows {
				fields.Child(one, "properties")["provisioningState"] = r.ProvisioningState()
			}
		}
	}
}

// PartNamed returns the part of that identifier in a list of a body, or nil.
func PartNamed(body map[string]any, list, id string) map[string]any {
	for _, one := range fields.Objects(body, "properties", list) {
		if strings.EqualFold(fields.Text(one, "id"), id) {
			return one
		}
	}
	return nil
}

// addReference adds an identifier to the list of references at a name.
func addReference(properties map[string]any, name, id string) {
	list, _ := properties[name].([]any)
	properties[name] = append(list, map[string]any{"id": id})
}
