package arm

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/google/uuid"
)

// uniqueLabel is the part of a cluster's host name that keeps it apart from others with the same DNS prefix.
func uniqueLabel(id string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.ToLower(id))) // never fails
	return fmt.Sprintf("%08x", h.Sum64()&0xffffffff)
}

// applyHostNames names the API server: publicly, and privately for a private cluster, which may go without a public name, see
// https://learn.microsoft.com/azure/aks/private-clusters.
func applyHostNames(p *put, properties map[string]any) {
	location := normalLocation(text(p.requested, "location"))
	domain := p.service.tenants.CloudOf(p.id.Subscription).AKSDomain
	label := text(properties, "dnsPrefix") + text(properties, "fqdnSubdomain") + "-" + uniqueLabel(p.id.Path)
	fill(properties, map[string]any{"azurePortalFQDN": label + ".portal.hcp." + location + "." + domain})
	delete(properties, "fqdn")
	delete(properties, "privateFQDN")
	private := boolean(properties, "apiServerAccessProfile", "enablePrivateCluster")
	if private {
		access := child(properties, "apiServerAccessProfile")
		fill(access, map[string]any{"enablePrivateClusterPublicFQDN": true, "privateDNSZone": "system"})
		if name := privateName(p.id, label, location+"."+domain, text(access, "privateDNSZone")); name != "" {
			properties["privateFQDN"] = name
		}
	}
	if !private || boolean(properties, "apiServerAccessProfile", "enablePrivateClusterPublicFQDN") {
		properties["fqdn"] = label + ".hcp." + location + "." + domain
	}
}

// privateName is the name in the private DNS zone: one that AKS makes, one of the user's, or none.
func privateName(id ID, label, domain, zone string) string {
	switch {
	case strings.EqualFold(zone, "none"):
		return ""
	case strings.EqualFold(zone, "system"):
		return fmt.Sprintf("%s.%s.privatelink.%s", label, uuid.NewSHA1(uuid.NameSpaceURL, []byte(id.Key())), domain)
	}
	return label + "." + zone[strings.LastIndex(zone, "/")+1:]
}

// applyIssuer names the issuer of the cluster's tokens.
func applyIssuer(p *put, properties map[string]any) {
	if !boolean(properties, "oidcIssuerProfile", "enabled") {
		return
	}
	fill(child(properties, "oidcIssuerProfile"), map[string]any{"issuerURL": fmt.Sprintf("https://%s.oic.prod-aks.azure.com/%s/%s/",
		normalLocation(text(p.requested, "location")), p.service.tenantOf(p.id.Subscription), uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.id.Key())))})
}
