package azure

import (
	"maps"
	"strings"

	_ "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime" // It tells package cloud of Azure Resource Manager.
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
)

// KubernetesScope is what a token for the API server of an AKS cluster is asked for with. The application is the same in all clouds, see
// https://azure.github.io/kubelogin/concepts/aks.html. It is not taken from the kubeconfig, which could name another.
const KubernetesScope = "6dae42f8-4368-4678-94ff-3960e28e3630/.default"

// A Cloud is one of the Azure clouds.
type Cloud struct {
	// Name is what it is called in spec.azureEnvironment.
	Name string
	// IdentityType is what it is called in spec.userAssignedIdentityCredentialsCloudType of an AzureClusterIdentity.
	IdentityType  string
	configuration cloud.Configuration
	// alias is another name of its authority host, without a scheme.
	alias string
}

// Clouds returns the clouds that there are. That of Germany was closed in 2021.
func Clouds() []Cloud {
	return []Cloud{
		{Name: "AzurePublicCloud", IdentityType: "public", configuration: cloud.AzurePublic, alias: "login.windows.net"},
		{Name: "AzureUSGovernmentCloud", IdentityType: "usgovernment", configuration: cloud.AzureGovernment},
		{Name: "AzureChinaCloud", IdentityType: "china", configuration: cloud.AzureChina, alias: "login.partner.microsoftonline.cn"},
	}
}

// Endpoints returns what a credential Secret has for ASO to work in the cloud: all three or none.
func (c Cloud) Endpoints() map[string][]byte {
	manager := c.configuration.Services[cloud.ResourceManager]
	return map[string][]byte{
		keyAuthorityHost: []byte(c.configuration.ActiveDirectoryAuthorityHost), keyARMEndpoint: []byte(manager.Endpoint), keyARMAudience: []byte(manager.Audience),
	}
}

// cloudAt returns the cloud of an authority host.
func cloudAt(host string) (Cloud, bool) {
	for _, c := range Clouds() {
		if sameHost(host, c.configuration.ActiveDirectoryAuthorityHost) || c.alias != "" && sameHost(host, "https://"+c.alias) {
			return c, true
		}
	}
	return Cloud{}, false
}

// sameHost compares two authority hosts, which may end with a slash.
func sameHost(a, b string) bool {
	return strings.EqualFold(strings.TrimRight(a, "/"), strings.TrimRight(b, "/"))
}

// At returns the configuration of the cloud, with another address of Azure Resource Manager if it is not empty.
func (c Cloud) At(endpoint string) cloud.Configuration {
	configuration := c.configuration
	if endpoint != "" {
		configuration.Services = maps.Clone(configuration.Services)
		manager := configuration.Services[cloud.ResourceManager]
		manager.Endpoint = endpoint
		configuration.Services[cloud.ResourceManager] = manager
	}
	return configuration
}
