// Package names has the names that provider-capz puts on composite resources and on what it writes for them: its field manager, its
// finalizer and its annotations.
package names

import (
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
)

const (
	// FieldOwner is the field manager of everything that provider-capz writes.
	FieldOwner = "provider-capz"
	// Controller is the name under which Events are reported, and the beginning of the user agent in workload clusters.
	Controller = "provider-capz"
)

// On composite resources.
const (
	// Finalizer keeps a composite resource until its ASO objects are gone.
	Finalizer = "infrastructure.cluster.x-k8s.io/provider-capz"
	// BlockMoveAnnotation keeps clusterctl move waiting until nothing of a paused Cluster changes any more.
	BlockMoveAnnotation = clusterctlv1.BlockMoveAnnotation
	// CrossplanePausedAnnotation stops Crossplane when it is "true" (Crossplane documentation, "Pause annotation").
	CrossplanePausedAnnotation = "crossplane.io/paused"
	// PausedByAnnotation marks a CrossplanePausedAnnotation that provider-capz set, and will remove.
	PausedByAnnotation = "infrastructure.cluster.x-k8s.io/paused-by"
	// AwaitsDeletionAnnotation lists objects that this composite resource deletes, as Kind.version.group/name separated by commas:
	// those whose ownership pools have transferred to it and, when it is deleted in the foreground, its own.
	AwaitsDeletionAnnotation = "infrastructure.cluster.x-k8s.io/awaits-deletion"
)

// TriedAgainAnnotation on an ASO object says how often, and when last, provider-capz had ASO try again what Azure had refused.
const TriedAgainAnnotation = "infrastructure.cluster.x-k8s.io/tried-again"

// CredentialFinalizer keeps a Secret that Azure Service Operator signs in with for objects of composite resources until they are gone: without
// it they could not be deleted in Azure.
const CredentialFinalizer = "credential.infrastructure.cluster.x-k8s.io/in-use" //nolint:gosec // The name of a finalizer.

// TokenExpiresAtAnnotation on a kubeconfig Secret that holds a token says when that ends, RFC 3339.
const TokenExpiresAtAnnotation = "infrastructure.cluster.x-k8s.io/token-expires-at"
