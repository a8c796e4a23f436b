package arm

import (
	"net/http"
	"strings"
)

// The types of private DNS.
const (
	TypePrivateDNSZone = "Microsoft.Network/privateDnsZones"
	TypePrivateDNSLink = "Microsoft.Network/privateDnsZones/virtualNetworkLinks"
	typePrivateDNSA    = "Microsoft.Network/privateDnsZones/A"
	typePrivateDNSAAAA = "Microsoft.Network/privateDnsZones/AAAA"
)

func privateDNSTypes() []*resourceType {
	p := privateDNSProtocol()
	types := []*resourceType{
		{
			name: TypePrivateDNSZone, tracked: true, protocol: p, etagHeader: true,
			validate: validatePrivateDNSZone, apply: applyPrivateDNSZone, view: viewPrivateDNSZone, deletable: privateDNSZoneDeletable, missing: networkMissing,
		},
		{
			name: TypePrivateDNSLink, protocol: p, etagHeader: true,
			validate: validatePrivateDNSLink, apply: applyPrivateDNSLink, missing: networkMissing,
		},
	}
	for _, kind := range []string{"A", "AAAA", "CNAME", "MX", "PTR", "SRV", "TXT"} {
		types = append(types, &resourceType{
			name: TypePrivateDNSZone + "/" + kind, protocol: synchronous, etagHeader: true, etagOfPut: true,
			validate: validateRecordSet, apply: applyRecordSet, view: viewWithoutState, missing: networkMissing,
		})
	}
	return types
}

// privateDNSProtocol is what private DNS answers: an empty object to a change, and 202 to polls of a running one.
func privateDNSProtocol() protocol {
	return protocol{
		create:         answer{status: 202, asyncOperation: true, location: true, retryAfter: 30, state: stateUpdating, emptyBody: true},
		update:         answer{status: 202, asyncOperation: true, location: true, retryAfter: 30, state: stateUpdating, emptyBody: true},
		remove:         answer{status: 202, asyncOperation: true, location: true, retryAfter: 30, state: stateDeleting, noBody: true},
		poll:           pollStatusOnly,
		pollAccepted:   true,
		pollRetryAfter: 30,
		operations:     "privateDnsOperationStatuses",
		results:        "privateDnsOperationResults",
		inGroup:        true,
	}
}

func validatePrivateDNSZone(p *put) *Error {
	if !strings.EqualFold(text(p.requested, "location"), "global") {
		return badRequest("LocationNotAvailableForResourceType", "The provided location '%s' is not available for resource type 'Microsoft.Network/privateDnsZones'. List of available regions for the resource type is 'global'.", text(p.requested, "location"))
	}
	if !strings.Contains(p.id.Name, ".") {
		return badRequest("BadRequest", "The zone name '%s' does not have enough labels. Provide a zone name with at least two labels.", p.id.Name)
	}
	return nil
}

func applyPrivateDNSZone(p *put) *Error {
	p.result["etag"] = ""
	fill(child(p.result, "properties"), map[string]any{
		"maxNumberOfRecordSets": int64(25000), "maxNumberOfVirtualNetworkLinks": int64(1000), "maxNumberOfVirtualNetworkLinksWithRegistration": int64(100),
		"internalId": "SW1tdXRhYmxlWm9uZUlkZW50aXR5",
	})
	return nil
}

func viewPrivateDNSZone(s *Service, r *Resource, apiVersion string) map[string]any {
	body := clone(r.Body)
	links, registering, records := int64(0), int64(0), int64(1) // The first record is the zone's SOA.
	for _, below := range s.store.under(r.ID) {
		switch {
		case below.Type == TypePrivateDNSLink && boolean(below.Body, "properties", "registrationEnabled"):
			registering++
			links++
		case below.Type == TypePrivateDNSLink:
			links++
		default:
			records++
		}
	}
	properties := child(body, "properties")
	properties["numberOfRecordSets"], properties["numberOfVirtualNetworkLinks"], properties["numberOfVirtualNetworkLinksWithRegistration"] = records, links, registering
	hideFields(body, []field{{path: "properties.internalId", since: "2020-01-01"}}, apiVersion)
	return body
}

func privateDNSZoneDeletable(s *Service, r *Resource) *Error {
	for _, link := range s.store.children(r.ID, TypePrivateDNSLink) {
		return conflict("CannotDeleteResource", "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: '%s'. Please delete all nested resources before deleting this resource.", link.id().typedName())
	}
	return nil
}

func validatePrivateDNSLink(p *put) *Error {
	network := text(p.requested, "properties", "virtualNetwork", "id")
	if p.service.store.get(network) == nil {
		return badRequest("BadRequest", "The virtual network '%s' referenced by virtual network link '%s' does not exist.", network, p.id.Path)
	}
	for _, other := range p.service.store.all() {
		if other.Type != TypePrivateDNSLink || other.key() == p.id.Key() || !strings.EqualFold(text(other.Body, "properties", "virtualNetwork", "id"), network) {
			continue
		}
		zone, own := other.id().Parent, p.id.Parent
		_, _, name := cutPart(zone)
		_, _, ownName := cutPart(own)
		if strings.EqualFold(name, ownName) {
			return conflict("BadRequest", "A virtual network cannot be linked to multiple zones with overlapping namespaces. You tried to link virtual network with '%s' and '%s' zones.", ownName, name)
		}
	}
	if p.existing != nil && !strings.EqualFold(text(p.existing.Body, "properties", "virtualNetwork", "id"), network) {
		return &Error{Status: http.StatusBadRequest, Code: "BadRequest", Message: "The virtual network of a virtual network link cannot be changed."}
	}
	return nil
}

func applyPrivateDNSLink(p *put) *Error {
	p.result["etag"] = ""
	fill(child(p.result, "properties"), map[string]any{"registrationEnabled": false, "virtualNetworkLinkState": "Completed"})
	return nil
}

// recordLists are the properties with the records of a record set by its type.
var recordLists = map[string]string{typePrivateDNSA: "aRecords", typePrivateDNSAAAA: "aaaaRecords"}

func validateRecordSet(p *put) *Error {
	for name, list := range recordLists {
		if strings.EqualFold(p.id.Type, name) && len(objects(p.requested, "properties", list)) == 0 {
			return badRequest("BadRequest", "The record set '%s' of type '%s' has no records.", p.id.Name, name)
		}
	}
	return nil
}

func applyRecordSet(p *put) *Error {
	_, _, zone := cutPart(p.id.Parent)
	p.result["etag"] = ""
	name := p.id.Name + "." + zone + "."
	if p.id.Name == "@" {
		name = zone + "."
	}
	fill(child(p.result, "properties"), map[string]any{"fqdn": name, "isAutoRegistered": false, "ttl": int64(3600)})
	delete(p.result, "location")
	return nil
}

// privateNames returns what a virtual network resolves by the private zones that are linked to it.
func (s *Service) privateNames(network string) map[string]string {
	names := map[string]string{}
	for _, link := range s.store.all() {
		if link.Type != TypePrivateDNSLink || !strings.EqualFold(text(link.Body, "properties", "virtualNetwork", "id"), network) {
			continue
		}
		for _, record := range s.store.under(link.id().Parent) {
			for _, one := range objects(record.Body, "properties", "aRecords") {
				names[strings.TrimSuffix(text(record.Body, "properties", "fqdn"), ".")] = text(one, "ipv4Address")
			}
		}
	}
	return names
}
