package selfmanaged

import (
	"cmp"
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// A poolStatus is what Cluster API reads of an AzureMachinePool, in both versions of the contract, and what CAPZ shows beside it. What was known
// once stays until something else is.
type poolStatus struct {
	Ready                     bool                                  `json:"ready"`
	Initialization            *v1beta1.InfrastructureInitialization `json:"initialization"`
	InfrastructureMachineKind string                                `json:"infrastructureMachineKind"`
	Replicas                  int32                                 `json:"replicas"`
	LastReconciledReplicas    *int32                                `json:"lastReconciledReplicas,omitempty"`
	Image                     *v1beta1.Image                        `json:"image,omitempty"`
	Version                   string                                `json:"version,omitempty"`
	ProvisioningState         *v1beta1.ProvisioningState            `json:"provisioningState,omitempty"`
	ProviderID                string                                `json:"providerID,omitempty"`
}

// readPoolStatus returns the status as it was known.
func readPoolStatus(in *composer.Request) *poolStatus {
	s := &poolStatus{}
	before := v1beta1.AzureMachinePool{}
	if capi.Read(in.XR, &before) == nil {
		known := before.Status
		s.Ready, s.Replicas, s.LastReconciledReplicas, s.Image, s.Version = known.Ready, known.Replicas, known.LastReconciledReplicas, known.Image, known.Version
		s.ProvisioningState, s.ProviderID = known.ProvisioningState, known.ProviderID
	} else {
		s.Ready = statusReady.Value(in.XR)
	}
	s.Initialization = &v1beta1.InfrastructureInitialization{Provisioned: ptr.To(s.Ready || statusProvisioned.Value(in.XR))}
	s.InfrastructureMachineKind = v1beta1.AzureMachinePoolMachineKind
	return s
}

// set takes over what has become of the scale set.
func (s *poolStatus) set(m *poolInputs, out *plan.Outcomes) {
	facts := m.facts
	if image := compute.PoolImage(m.xr, facts, m.cluster); image != nil {
		s.Image = image
	}
	s.Version = cmp.Or(facts.Machine.Version, s.Version)
	s.Replicas = facts.Pool.Ready
	if facts.Pool.Asked != nil {
		s.LastReconciledReplicas = facts.Pool.Asked
	}
	if state := facts.Pool.State; state != "" {
		s.ProvisioningState = ptr.To(v1beta1.ProvisioningState(state))
	} else if state, known := vmStates[facts.Created.State]; known {
		s.ProvisioningState = &state
	}
	if facts.Created.State == v1alpha1.Created {
		s.ProviderID = azuremachine.ScaleSetProviderID(m.cluster.Azure, m.xr)
	}
	// Cluster API takes a pool for provisioned only with its provider ID, which provider-capz copies into the spec.
	if out.Ready() && m.xr.Spec.ProviderID != "" && facts.Pool.Listed {
		s.Ready, s.Initialization.Provisioned = true, ptr.To(true)
	}
}

// waitsForInstances is the condition while the scale set is there and provider-capz has not listed its instances.
var waitsForInstances = composer.False(composer.ConditionReady, "WaitingForInstances", "waits for spec.providerID and spec.providerIDList, which provider-capz writes")

// condition returns the condition Ready.
func (s *poolStatus) condition(out *plan.Outcomes) composer.Condition {
	infrastructure := capi.InfrastructureStatus{Ready: s.Ready}
	return infrastructure.Condition(out, waitsForInstances)
}

// result returns the fields of the status.
func (s *poolStatus) result() map[string]any { return fieldsOf(s) }

// The conditions about instances, named as CAPZ names them.
const (
	conditionDesiredReplicas = "ScaleSetDesiredReplicas"
	conditionModelUpdated    = "ScaleSetModelUpdated"
)

// conditions says whether there are as many instances as there are to be, and whether all are of the present model.
func (m *poolInputs) conditions() []composer.Condition {
	pool := m.facts.Pool
	if m.facts.Created.State != v1alpha1.Created {
		return nil
	}
	replicas := composer.True(conditionDesiredReplicas, "Reached", "")
	if pool.Ready != pool.Replicas {
		reason := "ScaleSetScaleUp"
		if pool.Ready > pool.Replicas {
			reason = "ScaleSetScaleDown"
		}
		replicas = composer.False(conditionDesiredReplicas, reason, fmt.Sprintf("%d instances are ready, and %d are to be", pool.Ready, pool.Replicas))
	}
	model := composer.True(conditionModelUpdated, "Updated", "")
	if pool.Outdated > 0 {
		model = composer.False(conditionModelUpdated, "ScaleSetModelOutOfDate", fmt.Sprintf("%d instances are of an older model, and are replaced by spec.strategy", pool.Outdated))
	}
	return []composer.Condition{replicas, model}
}
