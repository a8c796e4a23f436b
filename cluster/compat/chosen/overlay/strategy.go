// Package machinepool takes the place of CAPZ's package of that name while its tests run: see chosen.TestCAPZsOwnCases.
package machinepool

import (
	"context"

	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/chosen"
)

type (
	// Surger is what CAPZ's tests call how many instances more there may be.
	Surger interface {
		Surge(replicas int) (int, error)
	}

	// DeleteSelector is what they call the choice.
	DeleteSelector interface {
		SelectMachinesToDelete(ctx context.Context, replicas int32, machines map[string]infrav1exp.AzureMachinePoolMachine, replacing bool) ([]infrav1exp.AzureMachinePoolMachine, error)
	}

	rollingUpdateStrategy struct {
		infrav1exp.MachineRollingUpdateDeployment
	}
)

// NewMachinePoolDeploymentStrategy returns the strategy that CAPZ's tests ask.
func NewMachinePoolDeploymentStrategy(of infrav1exp.AzureMachinePoolDeploymentStrategy) *rollingUpdateStrategy {
	s := &rollingUpdateStrategy{}
	if of.RollingUpdate != nil {
		s.MachineRollingUpdateDeployment = *of.RollingUpdate
	}
	return s
}

// Type returns the only type that there is.
func (*rollingUpdateStrategy) Type() infrav1exp.AzureMachinePoolDeploymentStrategyType {
	return infrav1exp.RollingUpdateAzureMachinePoolDeploymentStrategyType
}

// Surge returns how many instances more there may be.
func (s *rollingUpdateStrategy) Surge(replicas int) (int, error) {
	of, err := chosen.StrategyOf(s.MachineRollingUpdateDeployment, replicas)
	return of.Surge, err
}

//nolint:unused // Of an interface of the package that this file is compiled into.
func (s *rollingUpdateStrategy) maxUnavailable(replicas int) (int, error) {
	of, err := chosen.StrategyOf(s.MachineRollingUpdateDeployment, replicas)
	return of.Unavailable, err
}

// SelectMachinesToDelete returns which machines go next.
func (s *rollingUpdateStrategy) SelectMachinesToDelete(_ context.Context, replicas int32, machines map[string]infrav1exp.AzureMachinePoolMachine, replacing bool) ([]infrav1exp.AzureMachinePoolMachine, error) {
	return chosen.Machines(s.MachineRollingUpdateDeployment, int(replicas), machines, replacing)
}
