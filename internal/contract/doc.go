// Package contract keeps the part of Cluster API's provider contract that a composition function cannot: finalizers and
// the order of deletion, the fields of spec that a provider writes, the kubeconfig Secret, and pausing.
//
// It never writes status, which is the function's, nor anything on an Azure Service Operator (ASO) object but what
// deleting needs. See docs/contract.md.
package contract

import (
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// FieldOwner is the field manager of everything that provider-capz writes.
const FieldOwner = "provider-capz"

// What provider-capz puts on composite resources.
const (
	// Finalizer keeps a composite resource until its ASO objects are gone.
	Finalizer = "infrastructure.cluster.x-k8s.io/provider-capz"
	// BlockMoveAnnotation keeps clusterctl move waiting until everything of a paused Cluster stands still.
	BlockMoveAnnotation = clusterctlv1.BlockMoveAnnotation
	// CrossplanePausedAnnotation stops Crossplane when it is "true" (Crossplane documentation, "Pause annotation").
	CrossplanePausedAnnotation = "crossplane.io/paused"
	// PausedByAnnotation says that CrossplanePausedAnnotation is ours to remove.
	PausedByAnnotation = "infrastructure.cluster.x-k8s.io/paused-by"
	// AwaitsDeletionAnnotation lists objects that this composite resource deletes, as Kind.version.group/name with commas between:
	// what pools have left to it and, when it is deleted in the foreground, its own.
	AwaitsDeletionAnnotation = "infrastructure.cluster.x-k8s.io/awaits-deletion"
)

// What provider-capz puts on a kubeconfig Secret that holds a token.
const (
	// TokenExpiresAtAnnotation is when the token ends, RFC 3339.
	TokenExpiresAtAnnotation = "infrastructure.cluster.x-k8s.io/token-expires-at"
	// TokenRenewAtAnnotation is when it is replaced, RFC 3339: a restart must neither forget nor hurry it.
	TokenRenewAtAnnotation = "infrastructure.cluster.x-k8s.io/token-renew-at"
	// KubeconfigDigestAnnotation is the SHA-256 of the kubeconfig as written; another one means that it was altered.
	KubeconfigDigestAnnotation = "infrastructure.cluster.x-k8s.io/kubeconfig-sha256"
)

// crossplaneFinalizer is on every composite resource that Crossplane may still compose for.
const crossplaneFinalizer = "composite.apiextensions.crossplane.io"

// ASO's annotation that says what it may do in Azure, and its values (ASO documentation, "Annotations").
const (
	reconcilePolicyAnnotation = aso.AnnotationReconcilePolicy
	policyManage              = "manage"
	policySkip                = aso.PolicySkip
	policyDetachOnDelete      = "detach-on-delete"
)

// ReplicasManagedByAKS is the value of cluster.x-k8s.io/replicas-managed-by while AKS scales a pool by itself.
const ReplicasManagedByAKS = "aks"

// replicasManagedByCAPZ is the value that CAPZ writes in its place for its typed pools.
const replicasManagedByCAPZ = "true"
