package identity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-service-operator/v2/pkg/common/config"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

// The keys of the Secret that an AzureClusterIdentity refers to.
const (
	clientSecretKey = "clientSecret"
	certificateKey  = "certificate"
	passwordKey     = "password"
)

// A mistake is what only a person can correct.
type mistake struct{ reason, message string }

func (m *mistake) Error() string { return m.message }

func wrong(format string, args ...any) error {
	return &mistake{v1beta1.CredentialFailed, fmt.Sprintf(format, args...)}
}

// notAllowed returns the mistake that the composite resource has no right to the identity: certainly, not for want of an answer.
func notAllowed(format string, args ...any) error {
	return &mistake{v1beta1.IdentityNotAllowed, fmt.Sprintf(format, args...)}
}

// missing returns a mistake as one for which there is no credential.
func missing(err error) error {
	var m *mistake
	if errors.As(err, &m) && m.reason == v1beta1.CredentialFailed {
		return &mistake{v1beta1.CredentialMissing, m.message}
	}
	return err
}

func isNotAllowed(err error) bool {
	var m *mistake
	return errors.As(err, &m) && m.reason == v1beta1.IdentityNotAllowed
}

func isMistake(err error) bool {
	var m *mistake
	return errors.As(err, &m)
}

// A source is what a credential is made from.
type source struct {
	// secrets reads from the API server itself.
	secrets client.Reader
	// operators are the ASOs that the credential is for.
	operators azure.Operators
	identity  *v1beta1.AzureClusterIdentity
}

// data returns what ASO reads from a credential Secret, for the subscription and in the cloud of a composite resource.
func (s source) data(ctx context.Context, carrier *carrier) (map[string][]byte, error) {
	endpoints, err := s.cloudSettings(ctx, carrier.Namespace, carrier.Spec.AzureEnvironment)
	if err != nil {
		return nil, err
	}
	data, err := s.own(ctx, carrier.Spec.SubscriptionID)
	if err != nil {
		return nil, err
	}
	maps.Copy(data, endpoints)
	return data, nil
}

// own returns what a credential Secret has in each cloud.
func (s source) own(ctx context.Context, subscription string) (map[string][]byte, error) {
	spec := s.identity.Spec
	data := map[string][]byte{
		config.AzureSubscriptionID: []byte(subscription),
		config.AzureTenantID:       []byte(spec.TenantID),
		config.AzureClientID:       []byte(spec.ClientID),
	}
	switch spec.Type {
	case v1beta1.WorkloadIdentity:
		data[config.AuthMode] = []byte(config.WorkloadIdentityAuthMode)
		return data, nil
	case v1beta1.UserAssignedMSI:
		data[config.AuthMode] = []byte(config.PodIdentityAuthMode)
		return data, nil
	case v1beta1.UserAssignedIdentityCredential:
		if spec.UserAssignedIdentityCredentialsPath == "" {
			return data, wrong("spec.userAssignedIdentityCredentialsPath of %s is empty; it must be the path of the credential file in ASO's container", s.name())
		}
		data[config.AzureUserAssignedIdentityCredentials] = []byte(spec.UserAssignedIdentityCredentialsPath)
		return data, nil
	case v1beta1.ServicePrincipal, v1beta1.ManualServicePrincipal:
		return data, s.clientSecret(ctx, data)
	case v1beta1.ServicePrincipalCertificate:
		return data, s.certificate(ctx, data)
	}
	return data, wrong("spec.type of %s is %s, which is not supported", s.name(), spec.Type)
}

func (s source) name() string {
	return fmt.Sprintf("AzureClusterIdentity %s/%s", s.identity.Namespace, s.identity.Name)
}

func (s source) clientSecret(ctx context.Context, data map[string][]byte) error {
	secret, err := s.secret(ctx)
	if err != nil {
		return err
	}
	if len(secret.Data[clientSecretKey]) == 0 {
		return wrong("Secret %s/%s, to which %s refers, has no key %s", secret.Namespace, secret.Name, s.name(), clientSecretKey)
	}
	data[config.AzureClientSecret] = secret.Data[clientSecretKey]
	return nil
}

// certificate takes a file before a Secret. Only what is a certificate with its key is taken from a file: who may write an
// AzureClusterIdentity must not thereby read the other files of this container.
func (s source) certificate(ctx context.Context, data map[string][]byte) error {
	if path := s.identity.Spec.CertPath; path != "" {
		content, err := os.ReadFile(path)
		if err != nil || !opens(content, nil) {
			return wrong("spec.certPath of %s is %s, which is not the path in provider-capz's container of a certificate with its RSA key, in PEM or PKCS#12",
				s.name(), path)
		}
		data[config.AzureClientCertificate], data[config.AzureClientCertificatePassword] = content, []byte{}
		return nil
	}
	secret, err := s.secret(ctx)
	if err != nil {
		return err
	}
	certificate, password := secret.Data[certificateKey], secret.Data[passwordKey]
	if !opens(certificate, password) {
		return wrong("key %s of Secret %s/%s, to which %s refers, is not a certificate with its RSA key, in PEM or PKCS#12, that key %s opens",
			certificateKey, secret.Namespace, secret.Name, s.name(), passwordKey)
	}
	// Empty rather than nil, which a patch would drop.
	data[config.AzureClientCertificate], data[config.AzureClientCertificatePassword] = certificate, append([]byte{}, password...)
	return nil
}

// opens reports whether ASO could use a certificate. Why it could not is not reported: the parser may quote what it was given.
func opens(certificate, password []byte) bool {
	certificates, key, err := azidentity.ParseCertificates(certificate, password)
	if err != nil {
		return false
	}
	_, err = azidentity.NewClientCertificateCredential("tenant", "client", certificates, key, nil) // Its key must be RSA's, and fit.
	return err == nil
}

// certificateEnd returns when the certificate in a credential Secret's data ends, the earliest if there are several; zero where there is none.
func certificateEnd(data map[string][]byte) (end time.Time) {
	if len(data[config.AzureClientCertificate]) == 0 {
		return end
	}
	certificates, _, err := azidentity.ParseCertificates(data[config.AzureClientCertificate], data[config.AzureClientCertificatePassword])
	if err != nil {
		return end
	}
	for _, c := range certificates {
		if end.IsZero() || c.NotAfter.Before(end) {
			end = c.NotAfter
		}
	}
	return end
}

// secretKeyOf returns the key of the Secret that an AzureClusterIdentity refers to; empty when it needs none.
func secretKeyOf(identity *v1beta1.AzureClusterIdentity) client.ObjectKey {
	ref := identity.Spec.ClientSecret
	if ref.Name == "" {
		return client.ObjectKey{}
	}
	if ref.Namespace == "" {
		ref.Namespace = identity.Namespace
	}
	return client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}
}

func (s source) secret(ctx context.Context) (*corev1.Secret, error) {
	key := secretKeyOf(s.identity)
	if key.Name == "" {
		return nil, wrong("spec.clientSecret.name of %s is empty; type %s needs a Secret", s.name(), s.identity.Spec.Type)
	}
	secret := &corev1.Secret{}
	err := s.secrets.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		return nil, wrong("Secret %s, to which %s refers, does not exist", key, s.name())
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", key, err)
	}
	return secret, nil
}
