// Package identity gives every AKS cluster with an AzureClusterIdentity its credential: it makes, from the identity that the
// control plane refers to, the Secret <cluster>-aso-secret, which is what Azure Service Operator (ASO) can read.
//
// No credential is ever in a log, an Event or an error. See docs/identity.md.
package identity

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// The kinds that the reconcilers watch.
var (
	typedKind    = v1beta1.GroupVersion.WithKind("AzureManagedControlPlane")
	asoKind      = v1beta1.GroupVersion.WithKind("AzureASOManagedControlPlane")
	identityKind = v1beta1.GroupVersion.WithKind("AzureClusterIdentity")
)

// controlPlaneKinds are the kinds that use identities.
var controlPlaneKinds = []schema.GroupVersionKind{typedKind, asoKind}

// Kinds returns the composite kinds that the reconcilers watch from the start.
func Kinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{typedKind, asoKind, identityKind}
}

// Reasons of Events.
const (
	// credentialFailed is about a credential that cannot be made.
	credentialFailed = "CredentialFailed" //nolint:gosec // A word.
	// credentialFound is about one that need not be made.
	credentialFound = "CredentialFound" //nolint:gosec // A word.
	// identityInUse is about an AzureClusterIdentity that is being deleted.
	identityInUse = "InUse"
)
