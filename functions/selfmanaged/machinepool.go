package selfmanaged

import (
	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// MachinePool composes AzureMachinePool: one scale set, and the role of its identity. provider-capz creates the scale set itself, as its
// bootstrap data is secret, has its instances follow the model, and tells in MachineFacts what has become of it. Nothing is composed for an
// instance.
type MachinePool struct{}

// Compose implements composer.Composer.
func (MachinePool) Compose(in *composer.Request) (*composer.Result, error) {
	status := readPoolStatus(in)
	m, err := readPool(in)
	if err != nil {
		return &composer.Result{Status: status.result()}, err
	}
	out, err := m.outcomes(in, m.resources())
	if err != nil {
		return nil, err
	}
	status.set(m, out)
	conditions := append([]composer.Condition{
		m.credential.Readiness(out, status.condition(out)),
		out.Condition(),
		capi.PausedCondition(m.paused),
	}, append(out.KindConditions(in), m.conditions()...)...)
	return m.credential.Result(in, out, status.result(), conditions...), nil
}

// poolInputs is what the composer reads.
type poolInputs struct {
	*ofCluster

	xr *v1beta1.AzureMachinePool
}

func readPool(in *composer.Request) (*poolInputs, error) {
	xr := &v1beta1.AzureMachinePool{}
	of, err := readMember(in, xr, "MachinePool")
	return &poolInputs{ofCluster: of, xr: xr}, err
}

// resources returns what the pool consists of, with what is known of it.
func (m *poolInputs) resources() []*plan.Resource {
	resources := append(compute.PoolResources(m.xr, m.facts, m.cluster), m.role(azuremachine.OfPool(m.xr), "scale set "+azuremachine.ScaleSetName(m.xr))...)
	for _, r := range resources {
		if r.Is(aso.VirtualMachineScaleSet) {
			r.Known = m.known()
		}
	}
	return resources
}

// known returns what provider-capz tells of the scale set; nil when it has had nothing to do with it.
func (m *poolInputs) known() *aso.State {
	if refused := m.facts.Pool.Refused; refused.Reason != "" && m.facts.Created.State == v1alpha1.Created {
		return &aso.State{Reason: refused.Reason, Message: refused.Message, Failed: refused.State == v1alpha1.CreationFailed}
	}
	return knownOf(m.facts.Created)
}
