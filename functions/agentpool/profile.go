// Package agentpool has what the composers of both AKS families share about agent pools: AKS makes a cluster with its pools in it, and
// from then on each is an object of its own.
package agentpool

import (
	"bytes"
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Fields of agent pools, and of ManagedClusters.
var (
	spec           = field.At[map[string]any]("spec")
	statusVersion  = field.At[string]("status", "currentOrchestratorVersion")
	SpecProfiles   = field.At[[]any]("spec", "agentPoolProfiles")
	StatusProfiles = field.At[[]any]("status", "agentPoolProfiles")
)

// notInProfile are the fields of an agent pool that say where its object belongs and not what it is.
var notInProfile = []string{"azureName", "operatorSpec", "originalVersion", "owner"}

// Profile turns an agent pool into an entry of agentPoolProfiles of a ManagedCluster. The two have the same
// fields in every version of the AKS API, so whatever a user wrote is kept, known to this project or not.
func Profile(agentPool *unstructured.Unstructured) map[string]any {
	profile := map[string]any{}
	maps.Copy(profile, spec.Value(agentPool.DeepCopy()))
	for _, name := range notInProfile {
		delete(profile, name)
	}
	profile["name"] = aso.AzureName(agentPool)
	return profile
}

// Count returns the number of nodes that Azure has of a pool; nil while that is not known.
func Count(agentPool *unstructured.Unstructured) *int64 {
	if !aso.StatusCount.Has(agentPool) {
		return nil
	}
	count := aso.StatusCount.Value(agentPool)
	return &count
}

// Version returns the Kubernetes version that the nodes of a pool run, as Azure reports it; empty while it reports none. What the spec
// says is only what was asked for once, which AKS may have refused.
func Version(agentPool *unstructured.Unstructured) string { return statusVersion.Value(agentPool) }

// same reports whether both are the same, also where one came through protobuf.
func same[T any](a, b T) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}
