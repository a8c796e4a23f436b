package azure

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/msi-dataplane/pkg/dataplane"
)

// DefaultTokenFile is where ASO mounts the token that a workload identity is exchanged for.
const DefaultTokenFile = "/var/run/secrets/tokens/azure-identity" //nolint:gosec // A path.

// A credentialSource is what one kind of credential is made from.
type credentialSource struct {
	settings  settings
	cloud     cloud.Configuration
	tokenFile string
	transport policy.Transporter
	// trusted says that what is provider-capz's own may be sent to the cloud's authority host.
	trusted bool
}

// scopedCredential makes the credential of a Secret in the object's namespace, which must have a subscription, tenant
// and client. The kinds are tried in ASO's order: client secret, certificate, credential file, then AUTH_MODE.
func scopedCredential(src credentialSource) (azcore.TokenCredential, error) {
	s := src.settings
	if err := s.require(keySubscriptionID, keyTenantID, keyClientID); err != nil {
		return nil, err
	}
	switch {
	case s.has(keyClientSecret):
		return src.clientSecret()
	case s.has(keyClientCertificate):
		return src.clientCertificate()
	case s.has(keyUserAssignedFile):
		return src.userAssignedFile()
	}
	switch mode := s.text(keyAuthMode); mode {
	case authModePodIdentity:
		return src.managedIdentity()
	case authModeWorkloadIdentity, "":
		return src.workloadIdentity()
	default:
		return nil, fmt.Errorf("its %s must be %s or %s", keyAuthMode, authModePodIdentity, authModeWorkloadIdentity)
	}
}

// globalCredential makes the credential of ASO's own settings, in ASO's order: workload identity, certificate,
// credential file, client secret, then the managed identity of the machine. Without a subscription ASO has none.
func globalCredential(src credentialSource) (azcore.TokenCredential, error) {
	s := src.settings
	if err := s.require(keySubscriptionID); err != nil {
		return nil, err
	}
	workload, err := s.flag(keyWorkloadIdentity)
	if err != nil {
		return nil, err
	}
	switch {
	case workload:
		return src.workloadIdentity()
	case s.text(keyClientCertificate) != "":
		return src.clientCertificate()
	case s.text(keyUserAssignedFile) != "":
		return src.userAssignedFile()
	case s.text(keyClientSecret) != "":
		return src.clientSecret()
	}
	return src.managedIdentity()
}

func (c credentialSource) options() azcore.ClientOptions {
	return azcore.ClientOptions{Cloud: c.cloud, Transport: c.transport}
}

func (c credentialSource) clientSecret() (azcore.TokenCredential, error) {
	s := c.settings
	return azidentity.NewClientSecretCredential(s.text(keyTenantID), s.text(keyClientID), s.text(keyClientSecret),
		&azidentity.ClientSecretCredentialOptions{
			ClientOptions: c.options(), AdditionallyAllowedTenants: s.additionalTenants(),
		})
}

// clientCertificate takes PEM or PKCS#12, as azidentity does.
func (c credentialSource) clientCertificate() (azcore.TokenCredential, error) {
	s := c.settings
	certificates, key, err := azidentity.ParseCertificates(s[keyClientCertificate], s[keyCertificatePassword])
	if err != nil {
		// The parser's message may quote what it was given, which is a private key.
		return nil, fmt.Errorf("its %s is neither PEM nor PKCS#12 that %s opens",
			keyClientCertificate, keyCertificatePassword)
	}
	return azidentity.NewClientCertificateCredential(s.text(keyTenantID), s.text(keyClientID), certificates, key,
		&azidentity.ClientCertificateCredentialOptions{
			ClientOptions: c.options(), AdditionallyAllowedTenants: s.additionalTenants(),
		})
}

// userAssignedFile reads the file that a first-party service gets from the managed identity data plane. It is read
// anew for each credential, so a rotated file needs no watch.
func (c credentialSource) userAssignedFile() (azcore.TokenCredential, error) {
	content, err := os.ReadFile(c.settings.text(keyUserAssignedFile))
	identity := dataplane.UserAssignedIdentityCredentials{}
	if err == nil {
		err = json.Unmarshal(content, &identity)
	}
	var credential azcore.TokenCredential
	if err == nil {
		credential, err = dataplane.GetCredential(c.options(), identity)
	}
	if err != nil {
		// One message for all: who may write a Secret must not thereby learn which files there are, or what is in them.
		return nil, fmt.Errorf("its %s is not the path in provider-capz's container of the JSON of a user-assigned identity", keyUserAssignedFile)
	}
	return credential, nil
}

func (c credentialSource) managedIdentity() (azcore.TokenCredential, error) {
	if err := c.mayUseOwn(); err != nil {
		return nil, err
	}
	options := &azidentity.ManagedIdentityCredentialOptions{ClientOptions: c.options()}
	if id := c.settings.text(keyClientID); id != "" {
		options.ID = azidentity.ClientID(id)
	}
	return azidentity.NewManagedIdentityCredential(options)
}

// mayUseOwn is an error when an identity of provider-capz's own would be shown to a host that is not trusted.
func (c credentialSource) mayUseOwn() error {
	if c.trusted {
		return nil
	}
	return fmt.Errorf("its %s is neither an Azure cloud's nor that of %s, so no identity of this cluster is shown to it; "+
		"it must be one of those, or the Secret have a client secret or certificate of its own", keyAuthorityHost, SettingsSecret)
}

func (c credentialSource) workloadIdentity() (azcore.TokenCredential, error) {
	if err := c.mayUseOwn(); err != nil {
		return nil, err
	}
	s := c.settings
	return azidentity.NewWorkloadIdentityCredential(&azidentity.WorkloadIdentityCredentialOptions{
		ClientOptions:              c.options(),
		ClientID:                   s.text(keyClientID),
		TenantID:                   s.text(keyTenantID),
		TokenFilePath:              c.tokenFile,
		AdditionallyAllowedTenants: s.additionalTenants(),
	})
}

// Explain returns what a person can act on in an error of getting a token: Entra's own code and description where it
// answered, without the trace of the exchange, and nothing else that was answered.
func Explain(err error) string {
	failed := &azidentity.AuthenticationFailedError{}
	switch {
	case !errors.As(err, &failed):
		return err.Error()
	case failed.RawResponse == nil:
		return unquoted(failed.Error())
	}
	return entraError(failed.RawResponse)
}
