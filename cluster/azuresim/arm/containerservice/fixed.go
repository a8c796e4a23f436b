package containerservice

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// What AKS does not change once it is there, as far as it is known from its documentation.
var (
	fixedOfCluster = []string{
		"dnsPrefix", "nodeResourceGroup", "networkProfile.networkPlugin", "networkProfile.serviceCidr", "networkProfile.dnsServiceIP",
		"networkProfile.loadBalancerSku", "linuxProfile.adminUsername", "apiServerAccessProfile.enablePrivateCluster", "servicePrincipalProfile.clientId",
	}
	fixedOfPool = []string{
		"vmSize", "osType", "osDiskSizeGB", "osDiskType", "kubeletDiskType", "vnetSubnetID", "maxPods", "availabilityZones", "enableNodePublicIP",
		"nodePublicIPPrefixID", "enableUltraSSD", "scaleSetPriority", "kubeletConfig", "linuxOSConfig",
	}
)

// unchangeable refuses to give another value to a property that was decided at creation. A property that the request leaves out, or
// has the zero of, stays as it is.
func unchangeable(prefix string, fixed []string, before, requested map[string]any) *arm.Error {
	for _, name := range fixed {
		path := strings.Split(name, ".")
		have, want := fields.At(before, path...), fields.At(requested, path...)
		if fields.IsZero(want) || fields.Same(have, want) {
			continue
		}
		return &arm.Error{
			Status: http.StatusBadRequest, Code: "PropertyChangeNotAllowed",
			Message: fmt.Sprintf("Changing property '%s%s' is not allowed.", prefix, name),
		}
	}
	return nil
}

// validateClusterProperties checks what holds between properties of a cluster, and between those and what is in Azure.
func validateClusterProperties(p *arm.Put, profiles []map[string]any) *arm.Error {
	requested := fields.Child(fields.Clone(p.Requested), "properties")
	if p.Existing != nil {
		if e := unchangeable("", fixedOfCluster, p.Existing.Properties(), requested); e != nil {
			return e
		}
		if fields.Bool(p.Existing.Body, "properties", "oidcIssuerProfile", "enabled") && fields.At(requested, "oidcIssuerProfile", "enabled") == false {
			return arm.BadRequest("OIDCIssuerFeatureCannotBeDisabled", "The OIDC issuer feature cannot be disabled once it has been enabled.")
		}
		return nil
	}
	return validateServiceRange(p, fields.Text(requested, "networkProfile", "serviceCidr"), fields.Text(requested, "networkProfile", "dnsServiceIP"), profiles)
}

// validateServiceRange refuses a range of Service addresses that the nodes' subnet overlaps or that has no place for the DNS service.
func validateServiceRange(p *arm.Put, serviceCIDR, dnsServiceIP string, profiles []map[string]any) *arm.Error {
	if serviceCIDR == "" {
		serviceCIDR = "10.0.0.0/16"
	}
	services, err := netip.ParsePrefix(serviceCIDR)
	if err != nil {
		return arm.BadRequest("InvalidServiceCidr", "The service CIDR %s is not valid.", serviceCIDR)
	}
	if dns, err := netip.ParseAddr(dnsServiceIP); dnsServiceIP != "" && (err != nil || !services.Contains(dns)) {
		return arm.BadRequest("InvalidDnsServiceIP", "The DNS service IP address %s is not within the service CIDR %s.", dnsServiceIP, serviceCIDR)
	}
	for _, profile := range profiles {
		subnet := p.Service.Store.Get(fields.Text(profile, "vnetSubnetID"))
		if subnet == nil {
			continue
		}
		for _, prefix := range append(fields.Texts(subnet.Body, "properties", "addressPrefixes"), fields.Text(subnet.Body, "properties", "addressPrefix")) {
			if nodes, err := netip.ParsePrefix(prefix); err == nil && nodes.Overlaps(services) {
				return arm.BadRequest("ServiceCidrOverlapExistingSubnetsCidr",
					"The specified service CIDR %s is conflicted with an existing subnet CIDR %s.", serviceCIDR, prefix)
			}
		}
	}
	return nil
}
