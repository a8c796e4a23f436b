package arm

import (
	"fmt"
	"hash/fnv"
	"net/netip"
	"strings"
)

// reservedAddresses are how many addresses at the start of a subnet Azure keeps for itself; the last one is the fifth
// (https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq).
const reservedAddresses = 4

// addressLists are the properties with IP configurations that have private addresses.
var addressLists = []string{listConfigurations, listFrontends}

// prefixesOf are the address ranges of a subnet or of a virtual network; what is none is left out.
func prefixesOf(body map[string]any) []netip.Prefix {
	names := append(texts(body, "properties", "addressPrefixes"), text(body, "properties", "addressPrefix"))
	names = append(names, texts(body, "properties", "addressSpace", "addressPrefixes")...)
	var found []netip.Prefix
	for _, name := range names {
		if prefix, err := netip.ParsePrefix(name); err == nil {
			found = append(found, prefix.Masked())
		}
	}
	return found
}

// usedAddresses returns which IP configuration has each private address of a virtual network.
func (s *Service) usedAddresses(network string) map[netip.Addr]string {
	used := map[netip.Addr]string{}
	for _, r := range s.store.all() {
		for _, list := range addressLists {
			for _, configuration := range objects(r.Body, "properties", list) {
				subnet := strings.ToLower(text(configuration, "properties", "subnet", "id"))
				address, err := netip.ParseAddr(text(configuration, "properties", "privateIPAddress"))
				if err == nil && strings.HasPrefix(subnet, strings.ToLower(network)+"/") {
					used[address] = text(configuration, "id")
				}
			}
		}
	}
	return used
}

// assignAddresses gives each IP configuration of a list that is in a subnet its private address: the one that the request asks for, the one
// that it has, or the first that is free.
func assignAddresses(p *put, list string) *Error {
	for _, configuration := range objects(p.result, "properties", list) {
		properties := child(configuration, "properties")
		subnet := p.service.store.get(text(properties, "subnet", "id"))
		if subnet == nil {
			continue
		}
		fill(properties, map[string]any{"privateIPAddressVersion": "IPv4"})
		var before map[string]any
		if p.existing != nil {
			before = partNamed(p.existing.Body, list, text(configuration, "id"))
		}
		if e := assignAddress(p, configuration, before, subnet); e != nil {
			return e
		}
	}
	return nil
}

func assignAddress(p *put, configuration, before map[string]any, subnet *Resource) *Error {
	properties, id := child(configuration, "properties"), text(configuration, "id")
	used := p.service.usedAddresses(subnet.id().Parent)
	for _, list := range addressLists {
		for _, other := range objects(p.result, "properties", list) {
			address, err := netip.ParseAddr(text(other, "properties", "privateIPAddress"))
			if err == nil && text(other, "id") != id && used[address] == "" {
				used[address] = text(other, "id")
			}
		}
	}
	dynamic := !strings.EqualFold(text(properties, "privateIPAllocationMethod"), "Static")
	wanted := text(properties, "privateIPAddress")
	if dynamic && before != nil && strings.EqualFold(text(before, "properties", "subnet", "id"), subnet.ID) {
		wanted = text(before, "properties", "privateIPAddress")
	} else if dynamic {
		wanted = ""
	}
	if wanted == "" {
		address, ok := firstFree(subnet, used, text(properties, "privateIPAddressVersion") == "IPv6")
		if !ok {
			return detailed(badRequest("SubnetIsFull", "Subnet %s with address prefix %v does not have enough capacity for 1 IP addresses.", subnet.Name, prefixesOf(subnet.Body)))
		}
		properties["privateIPAddress"] = address.String()
		return nil
	}
	properties["privateIPAddress"] = wanted
	return checkAddress(wanted, id, subnet, used)
}

func checkAddress(wanted, id string, subnet *Resource, used map[netip.Addr]string) *Error {
	address, err := netip.ParseAddr(wanted)
	if err != nil {
		return detailed(badRequest("InvalidIPAddress", "The IP address %s of IP configuration %s is not valid.", wanted, id))
	}
	inside := false
	for _, prefix := range prefixesOf(subnet.Body) {
		inside = inside || prefix.Contains(address)
	}
	if !inside {
		return detailed(badRequest("PrivateIPAddressNotInSubnet", "Private static IP address %s does not belong to the range of subnet prefix %v.", wanted, prefixesOf(subnet.Body)))
	}
	if user := used[address]; user != "" && !strings.EqualFold(user, id) {
		owner, _, _ := cutPart(user)
		return detailed(badRequest("PrivateIPAddressIsAllocated", "IP configuration %s is using the private IP address %s which is already allocated to resource %s.", id, wanted, owner))
	}
	return nil
}

// firstFree returns the first address of a subnet that nobody has.
func firstFree(subnet *Resource, used map[netip.Addr]string, six bool) (netip.Addr, bool) {
	for _, prefix := range prefixesOf(subnet.Body) {
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

// detailed has an error write an empty list of details, as the network provider does.
func detailed(e *Error) *Error {
	e.Details = []Detail{}
	return e
}

// publicAddress makes up the public address of a resource: the same for the same identifier, and another one if that is taken.
func (s *Service) publicAddress(r *Resource, six bool) string {
	taken := map[string]bool{}
	for _, other := range s.store.all() {
		if other.Type == TypePublicIPAddress && other.key() != r.key() {
			taken[text(other.Body, "properties", "ipAddress")] = true
		}
	}
	for salt := 0; ; salt++ {
		h := fnv.New32a()
		_, _ = fmt.Fprintf(h, "%s%d", r.key(), salt) // never fails
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

// hardwareAddress makes up the MAC address of a network interface in Azure's form.
func hardwareAddress(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(id))) // never fails
	sum := h.Sum32()
	return fmt.Sprintf("00-0D-3A-%02X-%02X-%02X", sum>>16&0xff, sum>>8&0xff, sum&0xff)
}
