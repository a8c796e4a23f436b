package host

import (
	"fmt"
	"net"
	"slices"
)

// place is an address in one network.
type place struct {
	network *virtualNetwork
	ip      string
}

// find returns where a name or an address is. Networks may have the same addresses; one that is in two of them is an error.
func (h *Host) find(name string) (*virtualNetwork, string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var places []place
	switch ip, global := h.global.Lookup(name); {
	case net.ParseIP(name) != nil:
		places = h.having(name)
	case global:
		places = h.having(ip)
	default:
		places = h.named(name)
	}
	switch len(places) {
	case 0:
		return nil, "", fmt.Errorf("%s: no machine and no load balancer has this name or address", name)
	case 1:
		return places[0].network, places[0].ip, nil
	}
	return nil, "", fmt.Errorf("%s is in %d virtual networks", name, len(places))
}

// named returns where a name is that only some networks find: in the network itself, if that has the address, else wherever the address is, as
// peered networks find the same names. The caller holds the lock.
func (h *Host) named(name string) []place {
	var places []place
	for _, n := range h.networks {
		ip, ok := n.names.Lookup(name)
		if !ok {
			continue
		}
		having := h.having(ip)
		if own := (place{n, ip}); slices.Contains(having, own) {
			having = []place{own}
		}
		for _, p := range having {
			if !slices.Contains(places, p) {
				places = append(places, p)
			}
		}
	}
	return places
}

// having returns the networks in which an address is that of a machine that runs, or of a frontend. The caller holds the lock.
func (h *Host) having(ip string) []place {
	in := map[*virtualNetwork]bool{}
	for _, m := range h.machines {
		spec := m.current()
		for _, nic := range spec.NICs {
			if nic.IP == ip && h.networks[key(spec.VirtualNetwork)] != nil {
				in[h.networks[key(spec.VirtualNetwork)]] = true
			}
		}
	}
	for _, b := range h.lbs {
		if b.has(ip) {
			in[b.network] = true
		}
	}
	var places []place
	for n := range in {
		places = append(places, place{n, ip})
	}
	return places
}
