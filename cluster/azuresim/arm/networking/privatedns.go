package networking

import (
	"net/http"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// The types of private DNS.
const (
	TypePrivateDNSZone = "Microsoft.Network/privateDnsZones"
	TypePrivateDNSLink = "Microsoft.Network/privateDnsZones/virtualNetworkLinks"
	typePrivateDNSA    = "Microsoft.Network/privateDnsZones/A"
	typePrivateDNSAAAA = "Microsoft.Network/privateDnsZones/AAAA"
)

func privateDNSTypes() []*arm.ResourceType {
	p := privateDNSProtocol()
	types := []*arm.ResourceType{
		{
			Name: TypePrivateDNSZone, Tracked: true, Protocol: p, EtagHeader: true,
			Validate: validatePrivateDNSZone, Apply: applyPrivateDNSZone, View: viewPrivateDNSZone, Deletable: privateDNSZoneDeletable, Missing: networkMissing,
		},
		{
			Name: TypePrivateDNSLink, Protocol: p, EtagHeader: true,
			Validate: validatePrivateDNSLink, Apply: applyPrivateDNSLink, Missing: networkMissing,
		},
	}
	for _, kind := range []string{"A", "AAAA", "CNAME", "MX", "PTR", "SRV", "TXT"} {
		types = append(types, &arm.ResourceType{
			Name: TypePrivateDNSZone + "/" + kind, Protocol: arm.Synchronous, EtagHeader: true, EtagOfPut: true,
			Validate: validateRecordSet, Apply: applyRecordSet, View: arm.ViewWithoutState, Missing: networkMissing,
		})
	}
	return types
}

// privateDNSProtocol is what private DNS answers: an empty object to a change, and 202 to polls of a running one.
func privateDNSProtocol() arm.Protocol {
	return arm.Protocol{
		Create:         arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: 30, State: arm.StateUpdating, EmptyBody: true},
		Update:         arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: 30, State: arm.StateUpdating, EmptyBody: true},
		Remove:         arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: 30, State: arm.StateDeleting, NoBody: true},
		Poll:           arm.PollStatusOnly,
		PollAccepted:   true,
		PollRetryAfter: 30,
		Operations:     "privateDnsOperationStatuses",
		Results:        "privateDnsOperationResults",
		InGroup:        true,
	}
}

func validatePrivateDNSZone(p *arm.Put) *arm.Error {
	if !strings.EqualFold(fields.Text(p.Requested, fields.Location), "global") {
		return arm.BadRequest("LocationNotAvailableForResourceType", "The provided location '%s' is not available for resource type 'Microsoft.Network/privateDnsZones'. List of available regions for the resource type is 'global'.", fields.Text(p.Requested, fields.Location))
	}
	if !strings.Contains(p.ID.Name, ".") {
		return arm.BadRequest("BadRequest", "The zone name '%s' does not have enough labels. Provide a zone name with at least two labels.", p.ID.Name)
	}
	return nil
}

func applyPrivateDNSZone(p *arm.Put) *arm.Error {
	p.Result["etag"] = ""
	fields.Fill(fields.Child(p.Result, "properties"), map[string]any{
		"maxNumberOfRecordSets": int64(25000), "maxNumberOfVirtualNetworkLinks": int64(1000), "maxNumberOfVirtualNetworkLinksWithRegistration": int64(100),
		"internalId": "SW1tdXRhYmxlWm9uZUlkZW50aXR5",
	})
	return nil
}

func viewPrivateDNSZone(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := fields.Clone(r.Body)
	links, registering, records := int64(0), int64(0), int64(1) // The first record is the zone's SOA.
	for _, below := range s.Store.Under(r.ID) {
		switch {
		case below.Type == TypePrivateDNSLink && fields.Bool(below.Body, "properties", "registrationEnabled"):
			registering++
			links++
		case below.Type == TypePrivateDNSLink:
			links++
		default:
			records++
		}
	}
	properties := fields.Child(body, "properties")
	properties["numberOfRecordSets"], properties["numberOfVirtualNetworkLinks"], properties["numberOfVirtualNetworkLinksWithRegistration"] = records, links, registering
	fields.Hide(body, []fields.Versioned{{Path: "properties.internalId", Since: "2020-01-01"}}, apiVersion)
	return body
}

func privateDNSZoneDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	for _, link := range s.Store.Children(r.ID, TypePrivateDNSLink) {
		return arm.Conflict("CannotDeleteResource", "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: '%s'. Please delete all nested resources before deleting this resource.", link.Identity().TypedName())
	}
	return nil
}

func validatePrivateDNSLink(p *arm.Put) *arm.Error {
	network := fields.Text(p.Requested, "properties", "virtualNetwork", "id")
	if p.Service.Store.Get(network) == nil {
		return arm.BadRequest("BadRequest", "The virtual network '%s' referenced by virtual network link '%s' does not exist.", network, p.ID.Path)
	}
	for _, other := range p.Service.Store.All() {
		if other.Type != TypePrivateDNSLink || other.Key() == p.ID.Key() || !strings.EqualFold(fields.Text(other.Body, "properties", "virtualNetwork", "id"), network) {
			continue
		}
		zone, own := other.Identity().Parent, p.ID.Parent
		_, _, name := arm.CutPart(zone)
		_, _, ownName := arm.CutPart(own)
		if strings.EqualFold(name, ownName) {
			return arm.Conflict("BadRequest", "A virtual network cannot be linked to multiple zones with overlapping namespaces. You tried to link virtual network with '%s' and '%s' zones.", ownName, name)
		}
	}
	if p.Existing != nil && !strings.EqualFold(fields.Text(p.Existing.Body, "properties", "virtualNetwork", "id"), network) {
		return &arm.Error{Status: http.StatusBadRequest, Code: "BadRequest", Message: "The virtual network of a virtual network link cannot be changed."}
	}
	return nil
}

func applyPrivateDNSLink(p *arm.Put) *arm.Error {
	p.Result["etag"] = ""
	fields.Fill(fields.Child(p.Result, "properties"), map[string]any{"registrationEnabled": false, "virtualNetworkLinkState": "Completed"})
	return nil
}

// recordLists are the properties with the records of a record set by its type.
var recordLists = map[string]string{typePrivateDNSA: "aRecords", typePrivateDNSAAAA: "aaaaRecords"}

func validateRecordSet(p *arm.Put) *arm.Error {
	for name, list := range recordLists {
		if strings.EqualFold(p.ID.Type, name) && len(fields.Objects(p.Requested, "properties", list)) == 0 {
			return arm.BadRequest("BadRequest", "The record set '%s' of type '%s' has no records.", p.ID.Name, name)
		}
	}
	return nil
}

func applyRecordSet(p *arm.Put) *arm.Error {
	_, _, zone := arm.CutPart(p.ID.Parent)
	p.Result["etag"] = ""
	name := p.ID.Name + "." + zone + "."
	if p.ID.Name == "@" {
		name = zone + "."
	}
	fields.Fill(fields.Child(p.Result, "properties"), map[string]any{"fqdn": name, "isAutoRegistered": false, "ttl": int64(3600)})
	delete(p.Result, fields.Location)
	return nil
}

// PrivateNames returns what a virtual network resolves by the private zones that are linked to it.
func PrivateNames(s *arm.Service, network string) map[string]string {
	names := map[string]string{}
	for _, link := range s.Store.All() {
		if link.Type != TypePrivateDNSLink || !strings.EqualFold(fields.Text(link.Body, "properties", "virtualNetwork", "id"), network) {
			continue
		}
		for _, record := range s.Store.Under(link.Identity().Parent) {
			for _, one := range fields.Objects(record.Body, "properties", "aRecords") {
				names[strings.TrimSuffix(fields.Text(record.Body, "properties", "fqdn"), ".")] = fields.Text(one, "ipv4Address")
			}
		}
	}
	return names
}
