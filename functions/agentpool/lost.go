package agentpool

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// Doubt returns the answer of AKS by which it no longer has a ManagedCluster that was made; empty while there is no doubt. An update may
// leave the pools out, which have objects of their own. AKS refuses that only where there is no cluster to update ("Required parameter
// agentPoolProfiles is missing (null).").
func Doubt(observed *unstructured.Unstructured) string {
	if observed == nil || len(SpecProfiles.Value(observed)) > 0 {
		return ""
	}
	state := aso.StateOf(observed)
	if state.Ready || !strings.Contains(state.Message, "parameter agentPoolProfiles is missing") {
		return ""
	}
	return aso.Answer(observed)
}
