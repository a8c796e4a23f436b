package arm

import (
	"fmt"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
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
func unchangeable(prefix string, fixed []string, before, requested map[string]any) *Error {
	for _, name := range fixed {
		path := strings.Split(name, ".")
		have, want := at(before, path...), at(requested, path...)
		if isZero(want) || same(have, want) {
			continue
		}
		return &Error{
			Status: http.StatusBadRequest, Code: "PropertyChangeNotAllowed",
			Message: fmt.Sprintf("Changing property '%s%s' is not allowed.", prefix, name),
		}
	}
	return nil
}

func isZero(value any) bool {
	if n, ok := value.(int64); ok {
		return n == 0
	}
	return isEmpty(value)
}

// same compares what was stored with what is asked for. Of an object only what is asked for counts: Azure may have added to it.
func same(have, want any) bool {
	if w, ok := want.(map[string]any); ok {
		h, _ := have.(map[string]any)
		return !differs(h, w)
	}
	h, isText := have.(string)
	w, wantText := want.(string)
	return isText && wantText && strings.EqualFold(h, w) || reflect.DeepEqual(have, want)
}

// validateClusterProperties checks what holds between properties of a cluster, and between those and what is in Azure.
func validateClusterProperties(p *put, profiles []map[string]any) *Error {
	requested := child(clone(p.requested), "properties")
	if p.existing != nil {
		if e := unchangeable("", fixedOfCluster, p.existing.properties(), requested); e != nil {
			return e
		}
		if boolean(p.existing.Body, "properties", "oidcIssuerProfile", "enabled") && at(requested, "oidcIssuerProfile", "enabled") == false {
			return badRequest("OIDCIssuerFeatureCannotBeDisabled", "The OIDC issuer feature cannot be disabled once it has been enabled.")
		}
		return nil
	}
	return validateServiceRange(p, text(requested, "networkProfile", "serviceCidr"), text(requested, "networkProfile", "dnsServiceIP"), profiles)
}

// validateServiceRange refuses a range of Service addresses that the nodes' subnet overlaps or that has no place for the DNS service.
func validateServiceRange(p *put, serviceCIDR, dnsServiceIP string, profiles []map[string]any) *Error {
	if serviceCIDR == "" {
		serviceCIDR = "10.0.0.0/16"
	}
	services, err := netip.ParsePrefix(serviceCIDR)
	if err != nil {
		return badRequest("InvalidServiceCidr", "The service CIDR %s is not valid.", serviceCIDR)
	}
	if dns, err := netip.ParseAddr(dnsServiceIP); dnsServiceIP != "" && (err != nil || !services.Contains(dns)) {
		return badRequest("InvalidDnsServiceIP", "The DNS service IP address %s is not within the service CIDR %s.", dnsServiceIP, serviceCIDR)
	}
	for _, profile := range profiles {
		subnet := p.service.store.get(text(profile, "vnetSubnetID"))
		if subnet == nil {
			continue
		}
		for _, prefix := range append(texts(subnet.Body, "properties", "addressPrefixes"), text(subnet.Body, "properties", "addressPrefix")) {
			if nodes, err := netip.ParsePrefix(prefix); err == nil && nodes.Overlaps(services) {
				return badRequest("ServiceCidrOverlapExistingSubnetsCidr",
					"The specified service CIDR %s is conflicted with an existing subnet CIDR %s.", serviceCIDR, prefix)
			}
		}
	}
	return nil
}
