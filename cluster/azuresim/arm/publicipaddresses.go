package arm

import (
	"regexp"
	"strings"
)

// TypePublicIPAddress is the type of a public IP address.
const TypePublicIPAddress = "Microsoft.Network/publicIPAddresses"

// domainLabel is what Azure accepts as the first label of a public address's name.
var domainLabel = regexp.MustCompile(`^[a-z][a-z0-9-]{1,61}[a-z0-9]$`)

func publicIPAddressType() *resourceType {
	t := networkResourceType(TypePublicIPAddress, networkProtocol(1))
	t.validate = validatePublicIPAddress
	t.apply = applyPublicIPAddress
	t.settle = settlePublicIPAddress
	t.deletable = publicIPAddressDeletable
	return t
}

func validatePublicIPAddress(p *put) *Error {
	if prefix := text(p.requested, "properties", "publicIPPrefix", "id"); prefix != "" && p.service.store.get(prefix) == nil {
		return detailed(notFound("NotFound", "Resource %s not found.", prefix))
	}
	if e := sameZones(p); e != nil {
		return e
	}
	label := text(p.requested, "properties", "dnsSettings", "domainNameLabel")
	if label == "" {
		return nil
	}
	if !domainLabel.MatchString(label) {
		return detailed(badRequest("InvalidDomainNameLabel", "The domain name label %s is invalid. It must conform to the following regular expression: %s.", label, domainLabel))
	}
	name := p.service.publicName(p.id, label, text(p.requested, "location"))
	for _, other := range p.service.store.all() {
		if other.Type == TypePublicIPAddress && other.key() != p.id.Key() && strings.EqualFold(text(other.Body, "properties", "dnsSettings", "fqdn"), name) {
			return detailed(badRequest("DnsRecordInUse", "DNS record %s is already used by another public IP.", name))
		}
	}
	return nil
}

// sameZones refuses to change the availability zones of a resource, which are decided at creation.
func sameZones(p *put) *Error {
	if p.existing == nil {
		return nil
	}
	before, wanted := texts(p.existing.Body, "zones"), texts(p.requested, "zones")
	if sameSet(before, wanted) {
		return nil
	}
	return detailed(badRequest("ResourceAvailabilityZonesCannotBeModified",
		"Resource %s has an existing availability zone constraint %s and the request has availability zone constraint %s, which do not match. Zones cannot be added/updated/removed once the resource is created. The resource cannot be updated from regional to zonal or vice-versa.",
		p.existing.ID, zonesText(before), zonesText(wanted)))
}

func zonesText(zones []string) string {
	if len(zones) == 0 {
		return "NoZone"
	}
	return strings.Join(zones, ", ")
}

func sameSet(a, b []string) bool {
	have := map[string]bool{}
	for _, one := range a {
		have[one] = true
	}
	for _, one := range b {
		if !have[one] {
			return false
		}
	}
	return len(a) == len(b)
}

// publicName is the host name of a public address with that label.
func (s *Service) publicName(id ID, label, location string) string {
	return label + "." + normalLocation(location) + "." + s.tenants.CloudOf(id.Subscription).MachineDomain
}

func applyPublicIPAddress(p *put) *Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	properties := child(p.result, "properties")
	if p.existing != nil {
		if address := text(p.existing.Body, "properties", "ipAddress"); address != "" {
			properties["ipAddress"] = address
		}
	}
	if label := text(properties, "dnsSettings", "domainNameLabel"); label != "" {
		child(properties, "dnsSettings")["fqdn"] = p.service.publicName(p.id, label, text(p.requested, "location"))
	}
	return nil
}

// settlePublicIPAddress gives a public IP address its address.
func settlePublicIPAddress(s *Service, r *Resource) error {
	properties := r.properties()
	if !strings.EqualFold(text(properties, "publicIPAllocationMethod"), "Static") {
		return nil
	}
	fill(properties, map[string]any{"ipAddress": s.publicAddress(r, text(properties, "publicIPAddressVersion") == "IPv6")})
	return s.store.put(r)
}

// publicIPAddressDeletable refuses while something has the address, https://aka.ms/deletepublicip.
func publicIPAddressDeletable(s *Service, r *Resource) *Error {
	if users := s.networkUsersOf(r.ID, r.ID); len(users) > 0 {
		user := configurationWith(users[0], r.ID)
		if user == "" {
			user = users[0].ID
		}
		return detailed(badRequest("PublicIPAddressCannotBeDeleted",
			"Public IP address %s can not be deleted since it is still allocated to resource %s. In order to delete the public IP, disassociate/detach the Public IP address from the resource.  To learn how to do this, see aka.ms/deletepublicip.",
			r.ID, user))
	}
	return nil
}
