// Package identity gives every typed AKS cluster its credential: it makes, from the AzureClusterIdentity that the control
// plane refers to, the Secret <cluster>-aso-secret, which is what Azure Service Operator (ASO) can read.
//
// No credential is ever in a log, an Event or an error. See docs/identity.md.
package identity

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// The kinds that the reconciler watches.
var (
	controlPlaneKind = v1beta1.GroupVersion.WithKind("AzureManagedControlPlane")
	identityKind     = v1beta1.GroupVersion.WithKind("AzureClusterIdentity")
)

// Kinds returns the composite kinds that the reconciler watches from the start.
func Kinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{controlPlaneKind, identityKind}
}

// SecretName returns the name of the Secret with the credential that ASO uses for a Cluster.
func SecretName(cluster string) string { return cluster + secretSuffix }

const secretSuffix = "-aso-secret"

// Reasons of Events.
const (
	// credentialFailed is about a credential that cannot be made.
	credentialFailed = "CredentialFailed" //nolint:gosec // A word.
	// credentialFound is about one that need not be made.
	credentialFound = "CredentialFound" //nolint:gosec // A word.
)
