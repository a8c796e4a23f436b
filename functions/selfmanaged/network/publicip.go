package network

import (
	"fmt"
	"slices"
	"strings"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A publicIP is one public IP address of the cluster.
type publicIP struct {
	path string
	v1beta1.PublicIPSpec

	// zones are those of the spec; empty for all of the location.
	zones []string
	// edge puts it into the edge zone of the cluster.
	edge bool
	// with is what it is only made with; nil for nothing.
	with *plan.Resource
}

// publicIPs returns the public IP addresses of load balancers, NAT gateways and Azure Bastion, each once.
func (n *Network) publicIPs(network *plan.Resource) []*plan.Resource {
	var wanted []publicIP
	for _, lb := range n.balancers() {
		wanted = append(wanted, lb.publicIPs()...)
	}
	for i, s := range n.spec.NetworkSpec.Subnets {
		if s.NatGateway.Name != "" && hasNodes(s) {
			ip := s.NatGateway.NatGatewayIP
			ip.Name = natGatewayIP(s)
			wanted = append(wanted, publicIP{path: subnetPath(i) + ".natGateway.ip", PublicIPSpec: ip, with: network})
		}
	}
	if bastion := n.spec.BastionSpec.AzureBastion; bastion != nil {
		wanted = append(wanted, publicIP{path: "spec.bastionSpec.azureBastion.publicIP", PublicIPSpec: bastion.PublicIP})
	}
	var all []*plan.Resource
	seen := nameSet{}
	for _, ip := range wanted {
		if seen.add(ip.Name) {
			all = append(all, n.publicIP(ip))
		}
	}
	return all
}

func (n *Network) publicIP(ip publicIP) *plan.Resource {
	spec := networks.PublicIPAddress_Spec{
		AzureName:                ip.Name,
		Owner:                    typed.OwnedBy(n.spec.ResourceGroup),
		Location:                 &n.spec.Location,
		Sku:                      &networks.PublicIPAddressSku{Name: ptr.To(networks.PublicIPAddressSku_Name_Standard)},
		PublicIPAddressVersion:   ptr.To(networks.IPVersion_IPv4),
		PublicIPAllocationMethod: ptr.To(networks.IPAllocationMethod_Static),
		Tags:                     n.tags(ip.Name, ""),
	}
	if ip.edge {
		spec.ExtendedLocation = n.extendedLocation()
	}
	if ip.DNSName != "" {
		label, _, _ := strings.Cut(ip.DNSName, ".")
		spec.DnsSettings = &networks.PublicIPAddressDnsSettings{DomainNameLabel: ptr.To(label), Fqdn: ptr.To(ip.DNSName)}
	}
	for _, tag := range ip.IPTags {
		spec.IpTags = append(spec.IpTags, networks.IpTag{IpTagType: ptr.To(tag.Type), Tag: ptr.To(tag.Tag)})
	}
	name := v1beta1.ASOObjectName(ip.Name)
	zones, known := n.zonesOf(name, ip.zones)
	spec.Zones = zones
	r := n.objects.Resource(ip.path, name, &networks.PublicIPAddress{Spec: spec}, nil)
	r.OnlyWith = ip.with
	if !known {
		r.After = append(r.After, plan.Precondition{OfObject: true,
			Description: fmt.Sprintf("it is known which availability zones location %q has, which provider-capz finds out", n.spec.Location)})
	}
	return r
}

// Fields of the ASO objects of public IP addresses.
var (
	specZones   = field.At[[]string]("spec", "zones")
	statusZones = field.At[[]string]("status", "zones")
)

// ZonesOf returns the zones that a composed public IP address has, which Azure does not let change: as ASO has found it in Azure, else as it was
// written. It has none yet while it is held, or while nobody knows whether Azure has it.
func ZonesOf(composed *unstructured.Unstructured) (zones []string, made bool) {
	if composed == nil || aso.Held(composed) {
		return nil, false
	}
	written, found := specZones.Value(composed), statusZones.Value(composed)
	switch {
	case aso.StatusID.Value(composed) != "":
		if sets.New(written...).Equal(sets.New(found...)) {
			return written, true // Azure may have them in another order.
		}
		return found, true
	case composed.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipUndecided:
		return nil, false
	}
	return written, true
}

// zonesOf returns the zones of a public IP address, and whether they are known. Those of one that is there stay.
func (n *Network) zonesOf(name string, wanted []string) (zones []string, known bool) {
	zones, made := ZonesOf(n.composed(aso.PublicIPAddress, name))
	switch {
	case made:
		return zones, true
	case len(wanted) > 0:
		return wanted, true
	case n.spec.ExtendedLocation != nil:
		return nil, true
	}
	return slices.Clone(n.live.Zones), n.live.ZonesKnown
}
