// Package kubeconfig writes the kubeconfig Secrets of the contract from those that ASO writes. See docs/kubeconfig.md.
package kubeconfig

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Annotations of a kubeconfig Secret that holds a token, beside names.TokenExpiresAtAnnotation.
const (
	// tokenRenewAtAnnotation is when it is replaced, RFC 3339: a restart must neither miss that time nor bring it forward.
	tokenRenewAtAnnotation = "infrastructure.cluster.x-k8s.io/token-renew-at"
	// digestAnnotation is the SHA-256 of the kubeconfig as written; another one means that it was altered.
	digestAnnotation = "infrastructure.cluster.x-k8s.io/kubeconfig-sha256"
)

// ManagedClusters.
var (
	adminCredentials           = field.At[map[string]any]("spec", "operatorSpec", "secrets", "adminCredentials")
	userCredentials            = field.At[map[string]any]("spec", "operatorSpec", "secrets", "userCredentials")
	specDisableLocalAccounts   = field.At[bool]("spec", "disableLocalAccounts")
	statusDisableLocalAccounts = field.At[bool]("status", "disableLocalAccounts")
	specAADManaged             = field.At[bool]("spec", "aadProfile", "managed")
	statusAADManaged           = field.At[bool]("status", "aadProfile", "managed")
)

// withEntra reports whether AKS integrates the cluster with Entra ID. ASO writes the kubeconfig before the status that says so.
func withEntra(managedCluster *unstructured.Unstructured) bool {
	return specAADManaged.Value(managedCluster) || statusAADManaged.Value(managedCluster)
}

// localAccountsDisabled reports whether the cluster accepts Entra tokens only: then no admin credential exists, and the
// user's has an exec plugin, which Cluster API does not run.
func localAccountsDisabled(managedCluster *unstructured.Unstructured) bool {
	return withEntra(managedCluster) &&
		(specDisableLocalAccounts.Value(managedCluster) || statusDisableLocalAccounts.Value(managedCluster))
}
