package selfmanaged

import (
	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/compute"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/iam"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
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
	resources := m.resources()
	observations, err := plan.Observe(in, resources)
	if err != nil {
		return nil, err
	}
	p := m.plan(in, resources)
	out, err := p.Make(in, observations)
	if err != nil {
		return nil, err
	}
	status.set(m, out)
	conditions := append([]composer.Condition{
		m.credential.Readiness(out, status.condition(out)),
		out.Condition(),
		capi.PausedCondition(p.Paused),
	}, append(out.KindConditions(in), m.conditions()...)...)
	return m.credential.Result(in, out, status.result(), conditions...), nil
}

// poolInputs is what the composer reads.
type poolInputs struct {
	*ofCluster

	xr    *v1beta1.AzureMachinePool
	facts v1alpha1.MachineFacts
}

func readPool(in *composer.Request) (*poolInputs, error) {
	m := &poolInputs{xr: &v1beta1.AzureMachinePool{}}
	if err := capi.Read(in.XR, m.xr); err != nil {
		return nil, err
	}
	var err error
	if m.ofCluster, err = readClusterOfMachine(in); err != nil {
		return nil, err
	}
	if m.facts, err = readFacts(in.XR, "MachinePool"); err != nil {
		return nil, err
	}
	m.setGate()
	return m, nil
}

// resources returns what the pool consists of, with what is known of it.
func (m *poolInputs) resources() []*plan.Resource {
	resources := compute.PoolResources(m.xr, m.facts, m.cluster)
	cluster := typed.Cluster{Namespace: m.cluster.Namespace, Name: m.cluster.Name, Subscription: m.cluster.Azure.Spec.SubscriptionID}
	if role := iam.RoleAssignment(azuremachine.OfPool(m.xr), cluster, m.facts.PrincipalID); role != nil {
		resources = append(resources, role)
	}
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
