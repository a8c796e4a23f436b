package network

import (
	"cmp"
	"net/netip"

	zones "github.com/Azure/azure-service-operator/v2/api/network/v1api20240601"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

const (
	// global is the location of private DNS zones and what is in them.
	global = "global"
	// apiServerHost is the name of the API server in its private DNS zone.
	apiServerHost = "apiserver"
	// recordTTL is in seconds.
	recordTTL = 300
)

// private reports whether the API server has no public address.
func (n *Network) private() bool {
	lb := n.spec.NetworkSpec.APIServerLB
	return n.spec.ControlPlaneEnabled && lb != nil && lb.Type == v1beta1.Internal
}

// zoneName returns the name of the private DNS zone.
func (n *Network) zoneName() string {
	return cmp.Or(n.spec.NetworkSpec.PrivateDNSZoneName, n.cluster.Name+".capz.io")
}

// privateDNS returns the zone that has the name of a private API server, its links to the networks from which that is asked for, and the
// record.
func (n *Network) privateDNS() []*plan.Resource {
	if !n.private() || ptr.Deref(n.spec.NetworkSpec.PrivateDNSZone, v1beta1.PrivateDNSZoneModeSystem) == v1beta1.PrivateDNSZoneModeNone {
		return nil
	}
	name := n.zoneName()
	all := []*plan.Resource{n.objects.Resource("spec.networkSpec.privateDNSZone", v1beta1.ASOObjectName(name), &zones.PrivateDnsZone{Spec: zones.PrivateDnsZone_Spec{
		AzureName: name,
		Owner:     n.inGroup(cmp.Or(n.spec.NetworkSpec.PrivateDNSZoneResourceGroup, n.spec.ResourceGroup)),
		Location:  ptr.To(global),
		Tags:      n.tags("", ""),
	}}, nil)}
	linked := nameSet{}
	link := func(path, network, id string) {
		if linked.add(network) {
			all = append(all, n.networkLink(path, network, id))
		}
	}
	link("spec.networkSpec.vnet", n.vnet().Name, n.vnetID())
	for i, p := range n.vnet().Peerings {
		link(peeringPath(i), p.RemoteVnetName, n.id(p.ResourceGroup, "virtualNetworks", p.RemoteVnetName))
	}
	return append(all, n.record())
}

// networkLink has a network ask the private DNS zone.
func (n *Network) networkLink(path, network, id string) *plan.Resource {
	name := network + "-link"
	return n.objects.Resource(path, v1beta1.ASOObjectName(n.zoneName()+"-"+name), &zones.PrivateDnsZonesVirtualNetworkLink{Spec: zones.PrivateDnsZonesVirtualNetworkLink_Spec{
		AzureName:           name,
		Owner:               typed.OwnedBy(n.zoneName()),
		Location:            ptr.To(global),
		RegistrationEnabled: ptr.To(false),
		VirtualNetwork:      &zones.SubResource{Reference: typed.ByID(id)},
		Tags:                n.tags("", ""),
	}}, nil)
}

// record returns the record with the address of the API server, of the sort that the address is.
func (n *Network) record() *plan.Resource {
	const path = "spec.networkSpec.apiServerLB.frontendIPs[0].privateIP"
	name := v1beta1.ASOObjectName(n.zoneName() + "-" + apiServerHost)
	text := ""
	if frontends := n.spec.NetworkSpec.APIServerLB.FrontendIPs; len(frontends) > 0 {
		text = frontends[0].PrivateIPAddress
	}
	var problem *composer.Blocked
	address, err := netip.ParseAddr(text)
	if err != nil {
		problem = typed.Invalid("%s is %q, but must be an IP address, as the private DNS zone has it", path, text)
	}
	if address.Is6() {
		return n.objects.Resource(path, name, &zones.PrivateDnsZonesAAAARecord{Spec: zones.PrivateDnsZonesAAAARecord_Spec{
			AzureName: apiServerHost, Owner: typed.OwnedBy(n.zoneName()), Ttl: ptr.To(recordTTL), AaaaRecords: []zones.AaaaRecord{{Ipv6Address: &text}}}}, problem)
	}
	return n.objects.Resource(path, name, &zones.PrivateDnsZonesARecord{Spec: zones.PrivateDnsZonesARecord_Spec{
		AzureName: apiServerHost, Owner: typed.OwnedBy(n.zoneName()), Ttl: ptr.To(recordTTL), ARecords: []zones.ARecord{{Ipv4Address: &text}}}}, problem)
}
