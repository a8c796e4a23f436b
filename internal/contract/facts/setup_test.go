package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// TestSetups adds the controllers of all families, as provider-capz does when all kinds are served.
func TestSetups(t *testing.T) {
	mgr := fixture.Manager(t)
	var kinds [][]string
	for _, setup := range Setups(t.Context(), mgr, contract.Options{}) {
		var names []string
		for _, kind := range setup.Kinds {
			names = append(names, kind.Kind)
		}
		kinds = append(kinds, names)
		if err := setup.Add(); err != nil {
			t.Error(err)
		}
	}
	want := [][]string{
		{"AzureASOManagedCluster", "AzureASOManagedControlPlane", "AzureASOManagedMachinePool", "ClusterFacts"},
		{"AzureManagedCluster", "AzureManagedControlPlane", "AzureManagedMachinePool", "ClusterFacts"},
		{"AzureCluster", "AzureMachine", "ClusterFacts"},
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds: -want, +got:\n%s", diff)
	}
}
