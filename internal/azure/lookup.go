// Package azure finds and makes the credential with which Azure Service Operator (ASO) acts for an object, so that what
// is done beside ASO needs no credential of its own.
package azure

import (
	"context"
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Where ASO looks for credentials (ASO documentation, "Credential scope").
const (
	// CredentialFromAnnotation on an object names a Secret in its namespace.
	CredentialFromAnnotation = "serviceoperator.azure.com/credential-from"
	// OperatorNamespaceAnnotation is put by ASO on the objects that it manages: where it runs.
	OperatorNamespaceAnnotation = "serviceoperator.azure.com/operator-namespace"

	// NamespaceSecret has the credential for the objects of its namespace that name none.
	NamespaceSecret = "aso-credential" //nolint:gosec // The name of a Secret.
)

// Credentials makes the credentials that ASO uses.
type Credentials struct {
	// Operators reads ASO's settings, and credentials.
	Operators Operators
	// TokenFile is the token of a workload identity; empty means DefaultTokenFile.
	TokenFile string
	// Transport sends requests to Entra; nil means azidentity's own.
	Transport policy.Transporter
}

// For returns the credential that ASO uses for obj: of the Secret that its annotation credential-from names, else of
// the Secret aso-credential in its namespace, else of ASO's own settings. The cloud is the one of ASO's settings
// unless the Secret has its own.
//
// It returns an error that names the Secret, and never what is in it, when there is none or it is not complete.
func (c *Credentials) For(ctx context.Context, obj client.Object) (azcore.TokenCredential, error) {
	account, err := c.Account(ctx, obj)
	if err != nil {
		return nil, err
	}
	return account.Credential, nil
}

// Account is For with what else is needed to act in Azure as ASO does for obj.
func (c *Credentials) Account(ctx context.Context, obj client.Object) (Account, error) {
	global, err := c.Operators.of(ctx, obj)
	if err != nil {
		return Account{}, err
	}
	scoped, err := c.scoped(ctx, obj)
	if err != nil {
		return Account{}, err
	}
	if scoped == nil {
		return c.fromGlobal(obj, global)
	}
	name := scoped.Namespace + "/" + scoped.Name
	var globalSettings settings
	if global != nil {
		globalSettings = global.Data
	}
	configuration, err := scopedCloud(scoped.Data, globalSettings)
	if err != nil {
		return Account{}, fmt.Errorf("credential Secret %s: %w", name, err)
	}
	source := credentialSource{settings: scoped.Data, cloud: configuration, tokenFile: c.tokenFile(), transport: c.Transport}
	source.trusted = trusts(globalSettings, configuration)
	credential, err := scopedCredential(source)
	if err != nil {
		return Account{}, fmt.Errorf("credential Secret %s: %w", name, withoutValues(err))
	}
	return accountOf(source, credential), nil
}

func (c *Credentials) fromGlobal(obj client.Object, global *corev1.Secret) (Account, error) {
	if global == nil {
		return Account{}, fmt.Errorf("no credential: neither annotation %s, nor Secret %s/%s, nor Secret %s where ASO runs",
			CredentialFromAnnotation, obj.GetNamespace(), NamespaceSecret, SettingsSecret)
	}
	s := settings(global.Data)
	source := credentialSource{settings: s, cloud: s.cloud(), tokenFile: c.tokenFile(), transport: c.Transport, trusted: true}
	credential, err := globalCredential(source)
	if err != nil {
		return Account{}, fmt.Errorf("credential Secret %s/%s: %w", global.Namespace, global.Name, withoutValues(err))
	}
	return accountOf(source, credential), nil
}

// scoped returns the Secret that is meant for obj or its namespace; nil when there is none.
func (c *Credentials) scoped(ctx context.Context, obj client.Object) (*corev1.Secret, error) {
	name, named := SecretOf(obj)
	if !named {
		return optional(ctx, c.Operators.Secrets, client.ObjectKey{Namespace: obj.GetNamespace(), Name: name})
	}
	if name == "" {
		return nil, fmt.Errorf("annotation %s is %q; it must be the name of a Secret in the same namespace",
			CredentialFromAnnotation, obj.GetAnnotations()[CredentialFromAnnotation])
	}
	// ASO stops at a named Secret that does not exist, so falling back would use an identity that nobody chose.
	secret, err := optional(ctx, c.Operators.Secrets, client.ObjectKey{Namespace: obj.GetNamespace(), Name: name})
	if err == nil && secret == nil {
		return nil, fmt.Errorf("annotation %s names Secret %s/%s, which does not exist",
			CredentialFromAnnotation, obj.GetNamespace(), name)
	}
	return secret, err
}

// SecretOf returns the name of the Secret in the namespace of obj that ASO signs in with for it, if it is there, and whether obj
// names it: ASO has no other then. The name is empty where obj names none that could be.
func SecretOf(obj metav1.Object) (name string, named bool) {
	name, named = obj.GetAnnotations()[CredentialFromAnnotation]
	switch {
	case !named:
		return NamespaceSecret, false
	case strings.Contains(name, "/"):
		return "", true
	}
	return name, true
}

func (c *Credentials) tokenFile() string {
	if c.TokenFile != "" {
		return c.TokenFile
	}
	return DefaultTokenFile
}
