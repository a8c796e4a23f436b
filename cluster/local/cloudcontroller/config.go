package cloudcontroller

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

// config is what it reads of azure.json, see https://cloud-provider-azure.sigs.k8s.io/install/configs/.
type config struct {
	Cloud                       string `json:"cloud"`
	TenantID                    string `json:"tenantId"`
	SubscriptionID              string `json:"subscriptionId"`
	AADClientID                 string `json:"aadClientId"`
	AADClientSecret             string `json:"aadClientSecret"`
	UseManagedIdentityExtension bool   `json:"useManagedIdentityExtension"`
	UserAssignedIdentityID      string `json:"userAssignedIdentityID"`
	ResourceGroup               string `json:"resourceGroup"`
	Location                    string `json:"location"`
	LoadBalancerName            string `json:"loadBalancerName"`
	SecurityGroupName           string `json:"securityGroupName"`
	SecurityGroupResourceGroup  string `json:"securityGroupResourceGroup"`
}

// parseConfig reads azure.json. Its errors have nothing of the text, which holds secrets.
func parseConfig(raw []byte) (config, error) {
	var c config
	if err := json.Unmarshal(raw, &c); err != nil {
		return config{}, errors.New("azure.json is no JSON object of the known types")
	}
	for _, required := range []struct{ name, value string }{
		{"subscriptionId", c.SubscriptionID}, {"resourceGroup", c.ResourceGroup}, {"location", c.Location}, {"tenantId", c.TenantID},
	} {
		if required.value == "" {
			return config{}, fmt.Errorf("azure.json has no %s", required.name)
		}
	}
	return c, nil
}

// environment returns the Azure cloud that azure.json names; the public one when it names none.
func (c config) environment() (cloud.Configuration, error) {
	switch strings.ToLower(c.Cloud) {
	case "", "azurepubliccloud", "azurecloud":
		return cloud.AzurePublic, nil
	case "azureusgovernmentcloud", "azureusgovernment":
		return cloud.AzureGovernment, nil
	case "azurechinacloud":
		return cloud.AzureChina, nil
	}
	return cloud.Configuration{}, fmt.Errorf("azure.json: cloud is %q, which is not known", c.Cloud)
}

// credential returns what azure.json signs in with: the identity of the machine, or a service principal.
func (c config) credential(options azcore.ClientOptions) (azcore.TokenCredential, error) {
	if c.UseManagedIdentityExtension {
		identity := &azidentity.ManagedIdentityCredentialOptions{ClientOptions: options}
		if c.UserAssignedIdentityID != "" {
			identity.ID = azidentity.ClientID(c.UserAssignedIdentityID)
		}
		return azidentity.NewManagedIdentityCredential(identity)
	}
	if c.AADClientID == "" || c.AADClientSecret == "" {
		return nil, errors.New("azure.json has neither useManagedIdentityExtension nor aadClientId and aadClientSecret")
	}
	return azidentity.NewClientSecretCredential(c.TenantID, c.AADClientID, c.AADClientSecret, &azidentity.ClientSecretCredentialOptions{ClientOptions: options})
}
