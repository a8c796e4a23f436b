package arm

import (
	"strings"
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
	TypeNetworkInterface: {{list: listConfigurations, follows: true}},
	TypeLoadBalancer: {
		{list: listFrontends, follows: true}, {list: "backendAddressPools", follows: true}, {list: "loadBalancingRules", follows: true},
		{list: "probes", follows: true}, {list: "outboundRules", follows: true}, {list: "inboundNatPools", follows: true},
	},
	TypePrivateLinkService: {{list: listConfigurations}},
	typeAzureFirewall:      {{list: listConfigurations, segment: "azureFirewallIpConfigurations"}},
	typeZoneGroup:          {{list: "privateDnsZoneConfigs", follows: true}},
	TypeBastionHost:        {{list: listConfigurations, segment: "bastionHostIpConfigurations"}},
}

// completeParts gives every part of the resource its identifier, its type and what a request may leave out.
func completeParts(p *put) *Error {
	all, err := decode(networkDefaults)
	if err != nil {
		return internalError(err)
	}
	for _, list := range partsOf[p.resource.Type] {
		segment := list.list
		if list.segment != "" {
			segment = list.segment
		}
		partType := p.resource.Type + "/" + segment
		for _, one := range objects(p.result, "properties", list.list) {
			one["id"] = p.resource.ID + "/" + segment + "/" + text(one, "name")
			one["type"] = partType
			one["etag"] = ""
			child(one, "properties")["provisioningState"] = statusSucceeded
			fill(one, child(all, partType))
		}
	}
	return nil
}

// showParts has the parts in a body that is shown follow their resource.
func showParts(r *Resource, body map[string]any) {
	for _, list := range partsOf[r.Type] {
		for _, one := range objects(body, "properties", list.list) {
			one["etag"] = r.Body["etag"]
			if list.follows {
				child(one, "properties")["provisioningState"] = r.provisioningState()
			}
		}
	}
}

// partNamed returns the part of that identifier in a list of a body, or nil.
func partNamed(body map[string]any, list, id string) map[string]any {
	for _, one := range objects(body, "properties", list) {
		if strings.EqualFold(text(one, "id"), id) {
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
