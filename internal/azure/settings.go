package azure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-service-operator/v2/pkg/common/config"
)

// The keys that Azure Service Operator (ASO) reads from a credential Secret, and as environment variables from its own
// settings (ASO documentation, "Credential format").
const (
	keySubscriptionID      = config.AzureSubscriptionID
	keyTenantID            = config.AzureTenantID
	keyClientID            = config.AzureClientID
	keyClientSecret        = config.AzureClientSecret
	keyClientCertificate   = config.AzureClientCertificate
	keyCertificatePassword = config.AzureClientCertificatePassword
	keyUserAssignedFile    = config.AzureUserAssignedIdentityCredentials
	keyAdditionalTenants   = config.AzureAdditionalTenants
	keyAuthMode            = config.AuthMode
	keyWorkloadIdentity    = config.UseWorkloadIdentityAuth
	keyMultiEnvironment    = config.AllowMultiEnvManagement
	keyTargetNamespaces    = config.TargetNamespaces
	keyOperatorMode        = config.OperatorMode
	keyAuthorityHost       = config.AzureAuthorityHost
	keyARMEndpoint         = config.ResourceManagerEndpoint
	keyARMAudience         = config.ResourceManagerAudience
)

// modeWebhooks is the mode of an ASO that only answers webhooks (ASO documentation, "Multitenant deployment").
const modeWebhooks = "webhooks"

const (
	authModePodIdentity      = string(config.PodIdentityAuthMode)
	authModeWorkloadIdentity = string(config.WorkloadIdentityAuthMode)
)

// settings is the data of one credential Secret, or of ASO's own settings.
type settings map[string][]byte

func (s settings) text(key string) string { return string(s[key]) }

func (s settings) has(key string) bool { _, ok := s[key]; return ok }

// require returns an error that names every one of keys that is absent or empty.
func (s settings) require(keys ...string) error {
	var missing []string
	for _, key := range keys {
		if len(s[key]) == 0 {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	return nil
}

// flag reads a boolean as ASO does; an absent key is false.
func (s settings) flag(key string) (bool, error) {
	if len(s[key]) == 0 {
		return false, nil
	}
	value, err := strconv.ParseBool(s.text(key))
	if err != nil {
		return false, fmt.Errorf("%s must be true or false", key)
	}
	return value, nil
}

func (s settings) additionalTenants() []string {
	var tenants []string
	for _, tenant := range strings.Split(s.text(keyAdditionalTenants), ",") {
		if tenant = strings.TrimSpace(tenant); tenant != "" {
			tenants = append(tenants, tenant)
		}
	}
	return tenants
}

// serves reports whether an ASO with these settings acts on objects of a namespace; without a list it does on all.
func (s settings) serves(namespace string) bool {
	targets := config.ParseCommaCollection(s.text(keyTargetNamespaces))
	return len(targets) == 0 || slices.Contains(targets, namespace)
}

// cloud returns the cloud that the settings describe; what they leave out is the public cloud's.
func (s settings) cloud() cloud.Configuration {
	public := cloud.AzurePublic.Services[cloud.ResourceManager]
	configuration := cloud.Configuration{
		ActiveDirectoryAuthorityHost: cloud.AzurePublic.ActiveDirectoryAuthorityHost,
		Services:                     map[cloud.ServiceName]cloud.ServiceConfiguration{cloud.ResourceManager: public},
	}
	if host := s.text(keyAuthorityHost); host != "" {
		configuration.ActiveDirectoryAuthorityHost = host
	}
	resourceManager := configuration.Services[cloud.ResourceManager]
	if endpoint := s.text(keyARMEndpoint); endpoint != "" {
		resourceManager.Endpoint = endpoint
	}
	if audience := s.text(keyARMAudience); audience != "" {
		resourceManager.Audience = audience
	}
	configuration.Services[cloud.ResourceManager] = resourceManager
	return configuration
}

// trusts reports whether a token of provider-capz's own may be sent to a cloud's authority host: it must be one of Azure's, or that of
// ASO's own settings. A scoped Secret is written by whoever has the right to in its namespace, and could name a host of theirs.
func trusts(global settings, configuration cloud.Configuration) bool {
	host := configuration.ActiveDirectoryAuthorityHost
	_, known := cloudAt(host)
	return known || sameHost(host, global.cloud().ActiveDirectoryAuthorityHost)
}

// scopedCloud returns the cloud of a scoped Secret: its own when it names all three parts of one and global allows
// that, else global's. ASO refuses a Secret that names some of them only, or any without being allowed.
func scopedCloud(scoped, global settings) (cloud.Configuration, error) {
	named := 0
	for _, key := range []string{keyAuthorityHost, keyARMEndpoint, keyARMAudience} {
		if scoped.has(key) {
			named++
		}
	}
	switch named {
	case 0:
		return global.cloud(), nil
	case 3:
	default:
		return cloud.Configuration{}, fmt.Errorf("it must have all or none of %s, %s and %s",
			keyAuthorityHost, keyARMEndpoint, keyARMAudience)
	}
	allowed, err := global.flag(keyMultiEnvironment)
	if err != nil {
		return cloud.Configuration{}, err
	}
	if !allowed {
		return cloud.Configuration{}, fmt.Errorf("it names a cloud of its own, but %s is not set in %s",
			keyMultiEnvironment, SettingsSecret)
	}
	return scoped.cloud(), nil
}
