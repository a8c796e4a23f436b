package access

import "github.com/crossplane-capz/crossplane-capz/internal/field"

// The fields of composite resources that several packages read.
var (
	SpecControlPlaneEndpoint   = field.At[map[string]any]("spec", "controlPlaneEndpoint")
	SpecResources              = field.At[[]any]("spec", "resources")
	StatusControlPlaneEndpoint = field.At[map[string]any]("status", "controlPlaneEndpoint")
	StatusInitialized          = field.At[bool]("status", "initialized")
	StatusResources            = field.At[[]any]("status", "resources")
	StatusReplicas             = field.At[int64]("status", "replicas")
	StatusProviderID           = field.At[string]("status", "providerID")
	StatusVersion              = field.At[string]("status", "version")
	StatusAutoUpgradeVersion   = field.At[string]("status", "autoUpgradeVersion")

	// SpecResourceRefs is where Crossplane notes what a composite resource is composed of; ComposedRefs reads it.
	SpecResourceRefs = field.At[[]any]("spec", "crossplane", "resourceRefs")
)
