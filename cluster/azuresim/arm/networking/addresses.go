package networking

import (
	"fmt"
	"hash/fnv"
	"net/netip"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// reservedAddresses are how many addresses at the start of a subnet Azure keeps for itself; the last one is the fifth
// (https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq).
const reservedAddresses = 4

// addressLists are the properties with IP configurations that have private addresses.
var addressLists = []string{ListConfigurations, ListFrontends}

// PrefixesOf are the address ranges of a subnet or of a virtual network; what is none is left out.
func PrefixesOf(body map[string]any) []netip.Prefix {
	names := append(fields.Texts(body, "properties", "addressPrefixes"), fields.Text(body, "properties", "addressPrefix"))
	names = append(names, fields.Texts(body, "properties", "addressSpace", "addressPrefixes")...)
	var found []netip.Prefix
	for _, name := range names {
		if prefix, err := netip.ParsePrefix(name); err == nil {
			found = append(found, prefix.Masked())
		}
	}
	return found
}

// UsedAddresses returns which IP configuration has each private address of a virtual network.
func UsedAddresses(s *arm.Service, network string) map[netip.Addr]string {
	used := map[netip.Addr]string{}
	for _, r := range s.Store.All() {
		for _, list := range addressLists {
			for _, configuration := range fields.Objects(r.Body, "properties", list) {
				subnet := strings.ToLower(fields.Text(configuration, "properties", "subnet", "id"))
				address, err := netip.ParseAddr(fields.Text(configuration, "properties", "privateIPAddress"))
				if err == nil && strings.HasPrefix(subnet, strings.ToLower(network)+"/") {
					used[address] = fields.Text(configuration, "id")
				}
			}
		}
	}
	return used
}

// assignAddresses gives each IP configuration of a list that is in a subnet its private address: the one that the request asks for, the one
// that it has, or the first that is free.
func assignAddresses(p *arm.Put, list string) *arm.Error {
	for _, configuration := range fields.Objects(p.Result, "properties", list) {
		properties := fields.Child(configuration, "properties")
		subnet := p.Service.Store.Get(fields.Text(properties, "subnet", "id"))
		if subnet == nil {
			continue
		}
		fields.Fill(properties, map[string]any{"privateIPAddressVersion": "IPv4"})
		var before map[string]any
		if p.Existing != nil {
			before = PartNamed(p.Existing.Body, list, fields.Text(configuration, "id"))
		}
		if e := assignAddress(p, configuration, before, subnet); e != nil {
			return e
		}
	}
	return nil
}

func assignAddress(p *arm.Put, configuration, before map[string]any, subnet *arm.Resource) *arm.Error {
	properties, id := fields.Child(configuration, "properties"), fields.Text(configuration, "id")
	used := UsedAddresses(p.Service, subnet.Identity().Parent)
	for _, list := range addressLists {
		for _, other := range fields.Objects(p.Result, "properties", list) {
			address, err := netip.ParseAddr(fields.Text(other, "properties", "privateIPAddress"))
			if err == nil && fields.Text(other, "id") != id && used[address] == "" {
				used[address] = fields.Text(other, "id")
			}
		}
	}
	dynamic := !strings.EqualFold(fields.Text(properties, "privateIPAllocationMethod"), "Static")
	wanted := fields.Text(properties, "privateIPAddress")
	if dynamic && before != nil && strings.EqualFold(fields.Text(before, "properties", "subnet", "id"), subnet.ID) {
		wanted = fields.Text(before, "properties", "privateIPAddress")
	} else if dynamic {
		wanted = ""
	}
	if wanted == "" {
		address, ok := FirstFree(subnet, used, fields.Text(properties, "privateIPAddressVersion") == "IPv6")
		if !ok {
			return arm.Detailed(arm.BadRequest("SubnetIsFull", "Subnet %s with address prefix %v does not have enough capacity for 1 IP addresses.", subnet.Name, PrefixesOf(subnet.Body)))
		}
		properties["privateIPAddress"] = address.String()
		return nil
	}
	properties["privateIPAddress"] = wanted
	return checkAddress(wanted, id, subnet, used)
}

func checkAddress(wanted, id string, subnet *arm.Resource, used map[netip.Addr]string) *arm.Error {
	address, err := netip.ParseAddr(wanted)
	if err != nil {
		return arm.Detailed(arm.BadRequest("InvalidIPAddress", "The IP address %s of IP configuration %s is not valid.", wanted, id))
	}
	inside := false
	for _, prefix := range PrefixesOf(subnet.Body) {
		inside = inside || prefix.Contains(address)
	}
	if !inside {
		return arm.Detailed(arm.BadRequest("PrivateIPAddressNotInSubnet", "Private static IP address %s does not belong to the range of subnet prefix %v.", wanted, PrefixesOf(subnet.Body)))
	}
	if user := used[address]; user != "" && !strings.EqualFold(user, id) {
		owner, _, _ := arm.CutPart(user)
		return arm.Detailed(arm.BadRequest("PrivateIPAddressIsAllocated", "IP configuration %s is using the private IP address %s which is already allocated to resource %s.", id, wanted, owner))
	}
	return nil
}

// FirstFree returns the first address of a subnet that nobody has.
func FirstFree(subnet *arm.Resource, used map[netip.Addr]string, six bool) (netip.Addr, bool) {
	for _, prefix := range PrefixesOf(subnet.Body) {
		if prefix.Addr().Is6() != six {
			continue
		}
		address := prefix.Addr()
		for range reservedAddresses {
			address = address.Next()
		}
		for ; prefix.Contains(address) && (six || prefix.Contains(address.Next())); address = address.Next() {
			if used[address] == "" {
				return address, true
			}
		}
	}
	return netip.Addr{}, false
}

// publicAddress makes up the public address of a resource: the same for the same identifier, and another one if that is taken.
func publicAddress(s *arm.Service, r *arm.Resource, six bool) string {
	taken := map[string]bool{}
	for _, other := range s.Store.All() {
		if other.Type == TypePublicIPAddress && other.Key() != r.Key() {
			taken[fields.Text(other.Body, "properties", "ipAddress")] = true
		}
	}
	for salt := 0; ; salt++ {
		h := fnv.New32a()
		_, _ = fmt.Fprintf(h, "%s%d", r.Key(), salt) // never fails
		sum := h.Sum32()
		address := fmt.Sprintf("20.%d.%d.%d", sum>>16&0xff, sum>>8&0xff, 1+(sum&0xff)%254)
		if six {
			address = fmt.Sprintf("2603:1030:%x:%x::%x", sum>>16&0xffff, sum&0xffff, 1+salt)
		}
		if !taken[address] {
			return address
		}
	}
}

// HardwareAddress makes up the MAC address of a network interface in Azure's form.
func HardwareAddress(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(id))) // never fails
	sum := h.Sum32()
	return fmt.Sprintf("00-0D-3A-%02X-%02X-%02X", sum>>16&0xff, sum>>8&0xff, sum&0xff)
}
