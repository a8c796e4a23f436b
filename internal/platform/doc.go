// Package platform does for the kinds for application teams what a composition function cannot: it keeps an AKSCluster or
// XAKSCluster until its Cluster is gone, and hands the kubeconfig to the team in a Secret. It never writes spec or status.
// See docs/platform.md.
package platform

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Finalizer keeps a composite resource until its Cluster is gone: Crossplane itself lets it go at once.
const Finalizer = "platform.capz.crossplane.io/provider-capz"

// ClusterLabel is on connection Secrets; its value is the name of the cluster.
const ClusterLabel = "platform.capz.crossplane.io/cluster"

// Keys of a connection Secret.
const (
	KubeconfigKey = "kubeconfig"
	EndpointKey   = "endpoint"
)

// The kinds at the version that Crossplane composes.
var (
	namespacedKind = v1alpha1.GroupVersion.WithKind("AKSCluster")
	claimedKind    = v1alpha1.GroupVersion.WithKind("XAKSCluster")
	claimKind      = v1alpha1.GroupVersion.WithKind("AKSClusterClaim")
)

// The fields that are read of composite resources and of claims.
var (
	specClaimRefNamespace    = field.At[string]("spec", "claimRef", "namespace")
	specClaimRefName         = field.At[string]("spec", "claimRef", "name")
	specResourceRefName      = field.At[string]("spec", "resourceRef", "name")
	specConnectionSecretName = field.At[string]("spec", "writeConnectionSecretToRef", "name")
)

func newObject(kind schema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u
}

// Kinds returns the kinds that the reconcilers watch from the start.
func Kinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{namespacedKind, claimedKind, claimKind}
}
