// Package clouds has what differs between the Azure clouds: the hosts of their services and whom their tokens are for.
package clouds

import (
	"fmt"
	"slices"
	"strings"
)

// Names of the clouds, as kubelogin and Cluster API have them.
const (
	PublicName       = "AzurePublicCloud"
	USGovernmentName = "AzureUSGovernmentCloud"
	ChinaName        = "AzureChinaCloud"
)

// Cloud is one of the Azure clouds. Each has tenants and subscriptions of its own.
type Cloud struct {
	Name string
	// EntraHosts are where tokens are issued. All do the same; the first is the one that Entra itself prefers.
	EntraHosts []string
	// EntraCache is the name under which clients keep its tokens.
	EntraCache string
	// TokenIssuer is the host in claim iss of access tokens.
	TokenIssuer string
	// ARMHost is Azure Resource Manager's, which also answers below it, for a region.
	ARMHost string
	// ARMAudiences are the resources whose tokens it accepts.
	ARMAudiences []string
	// AKSDomain ends the names of the API servers of AKS clusters, see
	// https://learn.microsoft.com/azure/aks/outbound-rules-control-egress.
	AKSDomain string
	// MachineDomain ends the names of public IP addresses, after a label and the region.
	MachineDomain string
	// Regions are the locations that a resource group can be in.
	Regions []string
}

// The clouds; hosts and audiences of Resource Manager are those of the Azure SDK for Go, package azcore/cloud.
var (
	Public = &Cloud{ //nolint:gosec // Names of hosts.
		Name:          PublicName,
		EntraHosts:    []string{"login.microsoftonline.com"},
		EntraCache:    "login.windows.net",
		TokenIssuer:   "sts.windows.net",
		ARMHost:       "management.azure.com",
		ARMAudiences:  []string{"https://management.azure.com", "https://management.core.windows.net"},
		AKSDomain:     "azmk8s.io",
		MachineDomain: "cloudapp.azure.com",
		Regions: strings.Fields(`centralus eastasia southeastasia eastus eastus2 westus westus2 westus3 northcentralus southcentralus
			westcentralus northeurope westeurope japaneast japanwest brazilsouth australiasoutheast australiaeast westindia southindia
			centralindia canadacentral canadaeast uksouth ukwest koreacentral koreasouth francecentral southafricanorth uaenorth
			australiacentral australiacentral2 switzerlandnorth germanywestcentral norwayeast swedencentral polandcentral italynorth
			israelcentral spaincentral mexicocentral newzealandnorth qatarcentral jioindiawest jioindiacentral brazilsoutheast
			francesouth germanynorth norwaywest southafricawest switzerlandwest uaecentral centraluseuap eastus2euap`),
	}
	USGovernment = &Cloud{ //nolint:gosec // Names of hosts.
		Name:          USGovernmentName,
		EntraHosts:    []string{"login.microsoftonline.us"},
		EntraCache:    "login.microsoftonline.us",
		TokenIssuer:   "sts.windows.net",
		ARMHost:       "management.usgovcloudapi.net",
		ARMAudiences:  []string{"https://management.usgovcloudapi.net", "https://management.core.usgovcloudapi.net"},
		AKSDomain:     "cx.aks.containerservice.azure.us",
		MachineDomain: "cloudapp.usgovcloudapi.net",
		Regions:       strings.Fields("usgovvirginia usgovarizona usgovtexas usdodcentral usdodeast"),
	}
	China = &Cloud{ //nolint:gosec // Names of hosts.
		Name:          ChinaName,
		EntraHosts:    []string{"login.partner.microsoftonline.cn", "login.chinacloudapi.cn"},
		EntraCache:    "login.partner.microsoftonline.cn",
		TokenIssuer:   "sts.chinacloudapi.cn",
		ARMHost:       "management.chinacloudapi.cn",
		ARMAudiences:  []string{"https://management.chinacloudapi.cn", "https://management.core.chinacloudapi.cn"},
		AKSDomain:     "cx.prod.service.azk8s.cn",
		MachineDomain: "cloudapp.chinacloudapi.cn",
		Regions:       strings.Fields("chinaeast chinaeast2 chinaeast3 chinanorth chinanorth2 chinanorth3"),
	}
)

// All returns every cloud.
func All() []*Cloud { return []*Cloud{Public, USGovernment, China} }

// Named returns the cloud with that name; the public one for none.
func Named(name string) (*Cloud, error) {
	if name == "" {
		return Public, nil
	}
	for _, c := range All() {
		if c.Name == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("no cloud is called %q; there are %s, %s and %s", name, PublicName, USGovernmentName, ChinaName)
}

// Service tells what a host of a cloud is.
type Service int

// The services that are simulated. None is the service of a host that no cloud has.
const (
	None Service = iota
	Entra
	ResourceManager
	Kubernetes
)

// Of returns the cloud that has a host, and what the host is there; the public cloud and None when there is none.
func Of(host string) (*Cloud, Service) {
	host = strings.ToLower(strings.TrimSuffix(host, ":443"))
	for _, c := range All() {
		switch {
		case slices.Contains(c.EntraHosts, host):
			return c, Entra
		case host == c.ARMHost, strings.HasSuffix(host, "."+c.ARMHost):
			return c, ResourceManager
		case strings.HasSuffix(host, "."+c.AKSDomain):
			return c, Kubernetes
		}
	}
	return Public, None
}
