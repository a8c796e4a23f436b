package containerservice

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// uniqueLabel is the part of a cluster's host name that keeps it apart from others with the same DNS prefix.
func uniqueLabel(id string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.ToLower(id))) // never fails
	return fmt.Sprintf("%08x", h.Sum64()&0xffffffff)
}

// applyHostNames names the API server: publicly, and privately for a private cluster, which may go without a public name, see
// https://learn.microsoft.com/azure/aks/private-clusters.
func applyHostNames(p *arm.Put, properties map[string]any) {
	location := arm.NormalLocation(fields.Text(p.Requested, fields.Location))
	domain := p.Service.Tenants.CloudOf(p.ID.Subscription).AKSDomain
	label := fields.Text(properties, "dnsPrefix") + fields.Text(properties, "fqdnSubdomain") + "-" + uniqueLabel(p.ID.Path)
	fields.Fill(properties, map[string]any{"azurePortalFQDN": label + ".portal.hcp." + location + "." + domain})
	delete(properties, "fqdn")
	delete(properties, "privateFQDN")
	private := fields.Bool(properties, "apiServerAccessProfile", "enablePrivateCluster")
	if private {
		access := fields.Child(properties, "apiServerAccessProfile")
		fields.Fill(access, map[string]any{"enablePrivateClusterPublicFQDN": true, "privateDNSZone": "system"})
		if name := privateName(p.ID, label, location+"."+domain, fields.Text(access, "privateDNSZone")); name != "" {
			properties["privateFQDN"] = name
		}
	}
	if !private || fields.Bool(properties, "apiServerAccessProfile", "enablePrivateClusterPublicFQDN") {
		properties["fqdn"] = label + ".hcp." + location + "." + domain
	}
}

// privateName is the name in the private DNS zone: one that AKS makes, one of the user's, or none.
func privateName(id arm.ID, label, domain, zone string) string {
	switch {
	case strings.EqualFold(zone, "none"):
		return ""
	case strings.EqualFold(zone, "system"):
		return fmt.Sprintf("%s.%s.privatelink.%s", label, uuid.NewSHA1(uuid.NameSpaceURL, []byte(id.Key())), domain)
	}
	return label + "." + zone[strings.LastIndex(zone, "/")+1:]
}

// applyIssuer names the issuer of the cluster's tokens.
func applyIssuer(p *arm.Put, properties map[string]any) {
	if !fields.Bool(properties, "oidcIssuerProfile", "enabled") {
		return
	}
	fields.Fill(fields.Child(properties, "oidcIssuerProfile"), map[string]any{"issuerURL": fmt.Sprintf("https://%s.oic.prod-aks.azure.com/%s/%s/",
		arm.NormalLocation(fields.Text(p.Requested, fields.Location)), p.Service.TenantOf(p.ID.Subscription), uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.ID.Key())))})
}
