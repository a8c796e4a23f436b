// Package aksnetwork knows the address ranges of an AKS cluster's network that nobody has chosen.
package aksnetwork

import "net/netip"

// A pair is a range for the virtual network, and one within it for the subnet of the nodes.
type pair struct{ network, subnet string }

var (
	plain = pair{"10.0.0.0/8", "10.240.0.0/16"}
	// overlay is smaller: with the network plugin mode overlay Pods have addresses of their own.
	overlay = pair{"10.224.0.0/12", "10.224.0.0/16"}
)

// Ranges returns the ranges of network and subnet, of which either may be empty. What is filled in goes with what is given:
// where the usual range would not, the other one is taken if it does.
func Ranges(isOverlay bool, network, subnet string) (filledNetwork, filledSubnet string) {
	usual, other := plain, overlay
	if isOverlay {
		usual, other = overlay, plain
	}
	if network == "" {
		network = usual.network
		if subnet != "" && !contains(network, subnet) && contains(other.network, subnet) {
			network = other.network
		}
	}
	if subnet == "" {
		subnet = usual.subnet
		if !contains(network, subnet) && contains(network, other.subnet) {
			subnet = other.subnet
		}
	}
	return network, subnet
}

// contains reports whether a range has all addresses of another; a range that cannot be read has none.
func contains(outer, inner string) bool {
	o, outerErr := netip.ParsePrefix(outer)
	i, innerErr := netip.ParsePrefix(inner)
	return outerErr == nil && innerErr == nil && o.Bits() <= i.Bits() && o.Contains(i.Addr())
}
