package contract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// TestSetup adds the controllers of all families, as provider-capz does when all kinds are served.
func TestSetup(t *testing.T) {
	later, err := SetupWithManager(t.Context(), fixture.Manager(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []schema.GroupVersionKind
	for _, setup := range later {
		kinds = append(kinds, setup.Kinds...)
		if err := setup.Add(); err != nil {
			t.Error(err)
		}
	}
	want := []schema.GroupVersionKind{
		fixture.TypedCluster, fixture.TypedControlPlane, fixture.TypedMachinePool,
		composite.AzureCluster.GroupVersionKind, composite.AzureMachine.GroupVersionKind, composite.AzureMachinePool.GroupVersionKind, compute.PoolMachineKind,
		composite.AzureMachineTemplate.GroupVersionKind, composite.AzureCluster.GroupVersionKind,
		compute.PoolMachineKind, composite.AzureMachinePool.GroupVersionKind, composite.AzureCluster.GroupVersionKind,
		aso.LoadBalancer.GroupVersionKind(), aso.NetworkInterface.GroupVersionKind(), aso.VirtualMachine.GroupVersionKind(), aso.VirtualMachineScaleSet.GroupVersionKind(),
		aso.ManagedCluster.GroupVersionKind(), aso.ManagedClustersAgentPool.GroupVersionKind(),
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds: -want, +got:\n%s", diff)
	}
}
