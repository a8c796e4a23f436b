package networking

import (
	"regexp"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TypePublicIPAddress is the type of a public IP address.
const TypePublicIPAddress = "Microsoft.Network/publicIPAddresses"

// domainLabel is what Azure accepts as the first label of a public address's name.
var domainLabel = regexp.MustCompile(`^[a-z][a-z0-9-]{1,61}[a-z0-9]$`)

func publicIPAddressType() *arm.ResourceType {
	t := networkResourceType(TypePublicIPAddress, networkProtocol(1))
	t.Validate = validatePublicIPAddress
	t.Apply = applyPublicIPAddress
	t.Settle = settlePublicIPAddress
	t.Deletable = publicIPAddressDeletable
	return t
}

func validatePublicIPAddress(p *arm.Put) *arm.Error {
	if prefix := fields.Text(p.Requested, "properties", "publicIPPrefix", "id"); prefix != "" && p.Service.Store.Get(prefix) == nil {
		return arm.Detailed(arm.NotFound("NotFound", "Resource %s not found.", prefix))
	}
	if e := SameZones(p); e != nil {
		return e
	}
	label := fields.Text(p.Requested, "properties", "dnsSettings", "domainNameLabel")
	if label == "" {
		return nil
	}
	if !domainLabel.MatchString(label) {
		return arm.Detailed(arm.BadRequest("InvalidDomainNameLabel", "The domain name label %s is invalid. It must conform to the following regular expression: %s.", label, domainLabel))
	}
	name := publicName(p.Service, p.ID, label, fields.Text(p.Requested, fields.Location))
	for _, other := range p.Service.Store.All() {
		if other.Type == TypePublicIPAddress && other.Key() != p.ID.Key() && strings.EqualFold(fields.Text(other.Body, "properties", "dnsSettings", "fqdn"), name) {
			return arm.Detailed(arm.BadRequest("DnsRecordInUse", "DNS record %s is already used by another public IP.", name))
		}
	}
	return nil
}

// SameZones refuses to change the availability zones of a resource, which are decided at creation.
func SameZones(p *arm.Put) *arm.Error {
	if p.Existing == nil {
		return nil
	}
	before, wanted := fields.Texts(p.Existing.Body, "zones"), fields.Texts(p.Requested, "zones")
	if fields.SameSet(before, wanted) {
		return nil
	}
	return arm.Detailed(arm.BadRequest("ResourceAvailabilityZonesCannotBeModified",
		"Resource %s has an existing availability zone constraint %s and the request has availability zone constraint %s, which do not match. Zones cannot be added/updated/removed once the resource is created. The resource cannot be updated from regional to zonal or vice-versa.",
		p.Existing.ID, zonesText(before), zonesText(wanted)))
}

func zonesText(zones []string) string {
	if len(zones) == 0 {
		return "NoZone"
	}
	return strings.Join(zones, ", ")
}

// publicName is the host name of a public address with that label.
func publicName(s *arm.Service, id arm.ID, label, location string) string {
	return label + "." + arm.NormalLocation(location) + "." + s.Tenants.CloudOf(id.Subscription).MachineDomain
}

func applyPublicIPAddress(p *arm.Put) *arm.Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	properties := fields.Child(p.Result, "properties")
	if p.Existing != nil {
		if address := fields.Text(p.Existing.Body, "properties", "ipAddress"); address != "" {
			properties["ipAddress"] = address
		}
	}
	if label := fields.Text(properties, "dnsSettings", "domainNameLabel"); label != "" {
		fields.Child(properties, "dnsSettings")["fqdn"] = publicName(p.Service, p.ID, label, fields.Text(p.Requested, fields.Location))
	}
	return nil
}

// settlePublicIPAddress gives a public IP address its address.
func settlePublicIPAddress(s *arm.Service, r *arm.Resource) error {
	properties := r.Properties()
	if !strings.EqualFold(fields.Text(properties, "publicIPAllocationMethod"), "Static") {
		return nil
	}
	fields.Fill(properties, map[string]any{"ipAddress": publicAddress(s, r, fields.Text(properties, "publicIPAddressVersion") == "IPv6")})
	return s.Store.Put(r)
}

// publicIPAddressDeletable refuses while something has the address, https://aka.ms/deletepublicip.
func publicIPAddressDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	if users := networkUsersOf(s, r.ID, r.ID); len(users) > 0 {
		user := configurationWith(users[0], r.ID)
		if user == "" {
			user = users[0].ID
		}
		return arm.Detailed(arm.BadRequest("PublicIPAddressCannotBeDeleted",
			"Public IP address %s can not be deleted since it is still allocated to resource %s. In order to delete the public IP, disassociate/detach the Public IP address from the resource.  To learn how to do this, see aka.ms/deletepublicip.",
			r.ID, user))
	}
	return nil
}
