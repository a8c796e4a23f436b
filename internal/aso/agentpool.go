package aso

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Fields of agent pools that say how many nodes they have, and whether AKS decides that.
var (
	SpecCount               = field.At[int64]("spec", "count")
	SpecEnableAutoScaling   = field.At[bool]("spec", "enableAutoScaling")
	StatusCount             = field.At[int64]("status", "count")
	statusEnableAutoScaling = field.At[bool]("status", "enableAutoScaling")
)

// SettledCount returns how many nodes an agent pool has that AKS does not scale; not settled while AKS does, or ASO has not read the pool
// since AKS was told not to: until then the number may be from before.
func SettledCount(agentPool *unstructured.Unstructured) (count int64, settled bool) {
	if agentPool == nil || SpecEnableAutoScaling.Value(agentPool) || statusEnableAutoScaling.Value(agentPool) || !StateOf(agentPool).Ready {
		return 0, false
	}
	return StatusCount.Value(agentPool), StatusCount.Has(agentPool)
}
