package network

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// domains has the domain of public IP addresses in each Azure cloud, by spec.azureEnvironment.
var domains = map[string]string{
	"":                       "cloudapp.azure.com",
	"AzurePublicCloud":       "cloudapp.azure.com",
	"AzureUSGovernmentCloud": "cloudapp.usgovcloudapi.net",
	"AzureChinaCloud":        "cloudapp.chinacloudapi.cn",
}

// setDNSName gives the public IP address of the API server its DNS name, where the user has not. It follows from what never changes: name,
// subscription and resource group, as in CAPZ.
func (n *Network) setDNSName() {
	lb := n.spec.NetworkSpec.APIServerLB
	if lb == nil || !n.spec.ControlPlaneEnabled || lb.Type == v1beta1.Internal {
		return
	}
	for i := range lb.FrontendIPs {
		if ip := lb.FrontendIPs[i].PublicIP; ip != nil {
			ip.DNSName = cmp.Or(ip.DNSName, n.dnsName(ip.Name))
			return
		}
	}
}

func (n *Network) dnsName(publicIP string) string {
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%s/%s/%s", n.spec.SubscriptionID, n.spec.ResourceGroup, publicIP)
	domain := cmp.Or(domains[n.spec.AzureEnvironment], domains[""])
	return strings.ToLower(fmt.Sprintf("%s-%x.%s.%s", n.cluster.Name, hash.Sum32(), n.spec.Location, domain))
}

// Fields of the status of a public IP address.
var (
	statusFQDN      = field.At[string]("status", "dnsSettings", "fqdn")
	statusIPAddress = field.At[string]("status", "ipAddress")
)

// Endpoint returns where the API server is reached. The host is empty where the cluster has no control plane of its own and the user has not
// said, or while it is not known.
func (n *Network) Endpoint() v1beta1.APIEndpoint {
	endpoint := n.spec.ControlPlaneEndpoint
	if !n.spec.ControlPlaneEnabled {
		return endpoint
	}
	endpoint.Port = cmp.Or(endpoint.Port, n.apiServerPort())
	endpoint.Host = cmp.Or(endpoint.Host, n.host())
	return endpoint
}

// host returns the name of the API server: in the private DNS zone, or that of its public IP address. One that is not the Cluster's has the
// name that it has in Azure, or none but its address.
func (n *Network) host() string {
	if n.private() {
		return apiServerHost + "." + n.zoneName()
	}
	for _, b := range n.balancers() {
		if b.role != roleAPIServer || len(b.frontends) == 0 || b.frontends[0].PublicIP == nil {
			continue
		}
		ip := b.frontends[0].PublicIP
		composed := n.composed(aso.PublicIPAddress, v1beta1.ASOObjectName(ip.Name))
		if composed != nil && composed.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipExternal {
			return cmp.Or(statusFQDN.Value(composed), statusIPAddress.Value(composed), ip.DNSName)
		}
		return ip.DNSName
	}
	return ""
}
