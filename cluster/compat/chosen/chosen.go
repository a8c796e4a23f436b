// Package chosen has this project's choice of instances that go from a scale set answer in CAPZ's types, so that CAPZ's own tests can ask it.
package chosen

import (
	"k8s.io/utils/ptr"
	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/rollout"
)

// StrategyOf reads CAPZ's strategy for a pool of so many replicas.
func StrategyOf(of infrav1exp.MachineRollingUpdateDeployment, replicas int) (rollout.Strategy, error) {
	return rollout.StrategyOf(&v1beta1.MachineRollingUpdateDeployment{
		MaxSurge: of.MaxSurge, MaxUnavailable: of.MaxUnavailable, DeletePolicy: v1beta1.AzureMachinePoolDeletePolicy(of.DeletePolicy),
	}, replicas)
}

// InstanceOf reads CAPZ's object of an instance.
func InstanceOf(name string, m infrav1exp.AzureMachinePoolMachine) rollout.Instance {
	_, marked := m.Annotations[clusterv1.DeleteMachineAnnotation]
	return rollout.Instance{
		Name: name, Created: m.CreationTimestamp.Time, State: v1beta1.ProvisioningState(ptr.Deref(m.Status.ProvisioningState, "")),
		Ready: m.Status.Ready, Latest: m.Status.LatestModelApplied, Chosen: marked, Leaving: !m.DeletionTimestamp.IsZero(),
	}
}

// Machines returns which of the machines, by name, go next.
func Machines(of infrav1exp.MachineRollingUpdateDeployment, replicas int, machines map[string]infrav1exp.AzureMachinePoolMachine, replacing bool) ([]infrav1exp.AzureMachinePoolMachine, error) {
	strategy, err := StrategyOf(of, replicas)
	if err != nil {
		return nil, err
	}
	var instances []rollout.Instance
	for name, m := range machines {
		instances = append(instances, InstanceOf(name, m))
	}
	going := []infrav1exp.AzureMachinePoolMachine{}
	for _, name := range strategy.Choose(instances, replicas, replacing) {
		going = append(going, machines[name])
	}
	return going, nil
}
