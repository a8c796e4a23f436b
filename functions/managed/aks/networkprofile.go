package aks

import (
	"net/netip"
	"strings"

	aks "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801/storage"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// dnsHost is the last byte of the address that AKS gives to the DNS service when nobody chooses one.
const dnsHost = 10

func (c *aksCluster) setNetworkProfile(hub *aks.ManagedCluster) *composer.Blocked {
	s := &c.spec
	profile := &aks.ContainerServiceNetworkProfile{
		NetworkPlugin:       typed.Optional(s.NetworkPlugin),
		NetworkPluginMode:   typed.Optional(s.NetworkPluginMode),
		NetworkPolicy:       typed.Optional(s.NetworkPolicy),
		NetworkDataplane:    typed.Optional(s.NetworkDataplane),
		OutboundType:        typed.Optional(s.OutboundType),
		LoadBalancerSku:     typed.Text(strings.ToLower(ptr.Deref(s.LoadBalancerSKU, ""))),
		LoadBalancerProfile: c.loadBalancerProfile(),
	}
	hub.Spec.NetworkProfile = profile
	return typed.FirstProblem(c.setPodCIDR(profile), c.setServiceCIDR(profile))
}

func (c *aksCluster) setPodCIDR(profile *aks.ContainerServiceNetworkProfile) *composer.Blocked {
	cidr, problem := c.onlyCIDR("pods", c.cluster.PodCIDRs)
	profile.PodCidr = typed.Text(cidr)
	return problem
}

// setServiceCIDR sets the addresses of Services and, within them, that of the DNS service.
func (c *aksCluster) setServiceCIDR(profile *aks.ContainerServiceNetworkProfile) *composer.Blocked {
	cidr, problem := c.onlyCIDR("services", c.cluster.ServiceCIDRs)
	if problem != nil {
		return problem
	}
	if cidr == "" {
		if c.spec.DNSServiceIP != nil {
			return composer.Blockedf(composer.ReasonIncompatibleValue,
				"spec.dnsServiceIP is %q, but must be absent or within spec.clusterNetwork.services.cidrBlocks of Cluster %q, which is empty",
				*c.spec.DNSServiceIP, c.cluster.Name)
		}
		return nil
	}
	profile.ServiceCidr, profile.DnsServiceIP = &cidr, c.spec.DNSServiceIP
	if c.spec.DNSServiceIP == nil {
		address, err := dnsAddress(cidr)
		if err != nil {
			return typed.Invalid("Cluster %q: spec.clusterNetwork.services.cidrBlocks[0] is %s, but must be an address range such as 10.0.0.0/16: %v", c.cluster.Name, short(cidr), err)
		}
		profile.DnsServiceIP = &address
	}
	return nil
}

// onlyCIDR returns the only address range of a list: AKS takes one through this API.
func (c *aksCluster) onlyCIDR(of string, cidrs []string) (string, *composer.Blocked) {
	switch len(cidrs) {
	case 0:
		return "", nil
	case 1:
		return cidrs[0], nil
	}
	return "", composer.Blockedf(composer.ReasonIncompatibleValue,
		"Cluster %q: spec.clusterNetwork.%s.cidrBlocks has %d entries, but must have one at most, because an AzureManagedControlPlane passes one to AKS; use spec.asoManagedClusterPatches for more",
		c.cluster.Name, of, len(cidrs))
}

// dnsAddress returns the address in the range that the DNS service gets.
func dnsAddress(cidr string) (string, error) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return "", err
	}
	address := prefix.Addr().AsSlice()
	address[len(address)-1] = dnsHost
	dns, _ := netip.AddrFromSlice(address)
	return dns.String(), nil
}

func (c *aksCluster) loadBalancerProfile() *aks.ManagedClusterLoadBalancerProfile {
	s := c.spec.LoadBalancerProfile
	if s == nil {
		return nil
	}
	profile := &aks.ManagedClusterLoadBalancerProfile{AllocatedOutboundPorts: s.AllocatedOutboundPorts, IdleTimeoutInMinutes: s.IdleTimeoutInMinutes}
	if s.ManagedOutboundIPs != nil {
		profile.ManagedOutboundIPs = &aks.ManagedClusterLoadBalancerProfile_ManagedOutboundIPs{Count: s.ManagedOutboundIPs}
	}
	if len(s.OutboundIPPrefixes) > 0 {
		profile.OutboundIPPrefixes = &aks.ManagedClusterLoadBalancerProfile_OutboundIPPrefixes{PublicIPPrefixes: references(s.OutboundIPPrefixes)}
	}
	if len(s.OutboundIPs) > 0 {
		profile.OutboundIPs = &aks.ManagedClusterLoadBalancerProfile_OutboundIPs{PublicIPs: references(s.OutboundIPs)}
	}
	return profile
}

func references(ids []string) []aks.ResourceReference {
	refs := make([]aks.ResourceReference, len(ids))
	for i, id := range ids {
		refs[i].Reference = typed.ByID(id)
	}
	return refs
}
