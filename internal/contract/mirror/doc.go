// Package mirror copies between Cluster API and the ASO objects of composite resources what the contract asks for in fields that a
// composition function cannot write: the endpoint, the provider IDs of machines, the number of replicas, and what Cluster API decides
// about ASO objects that users have written.
package mirror

import "github.com/crossplane-capz/crossplane-capz/internal/field"

// Composite resources.
var (
	specProviderIDList = field.At[[]any]("spec", "providerIDList")
	specName           = field.At[string]("spec", "name")
	specScaling        = field.At[map[string]any]("spec", "scaling")
	specVersion        = field.At[string]("spec", "version")
)

// ASO objects.
var (
	spec                       = field.At[map[string]any]("spec")
	currentKubernetesVersion   = field.At[string]("status", "currentKubernetesVersion")
	currentOrchestratorVersion = field.At[string]("status", "currentOrchestratorVersion")
	nodeResourceGroup          = field.At[string]("status", "nodeResourceGroup")
)
