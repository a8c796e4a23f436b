// Package identity gives every Cluster with an AzureClusterIdentity its credential: it makes, from the identity to which one of its
// composite resources refers, the Secret <cluster>-aso-secret, which is what Azure Service Operator (ASO) can read.
//
// No credential is ever in a log, an Event or an error. See docs/identity.md.
package identity

import (
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

var identityKind = composite.AzureClusterIdentity.GroupVersionKind

// carriers returns the kinds whose composite resources refer to an AzureClusterIdentity, and carry the credential of their Cluster.
func carriers() []composite.Kind {
	return composite.Select(func(k composite.Kind) bool { return k.Credential })
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
