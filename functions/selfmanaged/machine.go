package selfmanaged

import (
	"slices"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/compute"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/network"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Machine composes AzureMachine: one virtual machine, and what it alone uses. provider-capz creates the virtual machine itself, as its
// bootstrap data is secret, and tells in MachineFacts what has become of it.
type Machine struct{}

// Compose implements composer.Composer.
func (Machine) Compose(in *composer.Request) (*composer.Result, error) {
	status := readMachineStatus(in)
	m, err := readMachine(in)
	if err != nil {
		return &composer.Result{Status: status.result()}, err
	}
	resources := m.resources(in)
	out, err := m.outcomes(in, resources)
	if err != nil {
		return nil, err
	}
	status.set(in, m, out)
	conditions := append([]composer.Condition{
		m.credential.Readiness(out, status.condition(out)),
		out.Condition(),
		capi.PausedCondition(m.paused),
	}, slices.Concat(withDisks(out.KindConditions(in)), m.availabilitySetCondition(), m.identitiesCondition(in, resources), tagsConditions(in, resources))...)
	result := m.credential.Result(in, out, status.result(), conditions...)
	result.Ready = result.Ready && status.FailureReason == nil
	return result, nil
}

// machineInputs is what the composer reads.
type machineInputs struct {
	*ofCluster

	xr *v1beta1.AzureMachine
	// failed is why there will be no virtual machine; nil while there may be one.
	failed *failure
	// networkInterfaces and publicIP are the resources that the addresses come from.
	networkInterfaces []*plan.Resource
	publicIP          *plan.Resource
}

func readMachine(in *composer.Request) (*machineInputs, error) {
	m := &machineInputs{xr: &v1beta1.AzureMachine{}}
	var err error
	if m.ofCluster, err = readMember(in, m.xr, "Machine"); err != nil {
		return nil, err
	}
	m.failed = m.failure(in)
	return m, nil
}

// resources returns what the machine consists of, with what is known of it.
func (m *machineInputs) resources(in *composer.Request) []*plan.Resource {
	resources := append(compute.Resources(m.xr, m.facts, m.cluster, m.live(in)), m.role(m.xr, "virtual machine "+azuremachine.Name(m.xr))...)
	for _, r := range resources {
		switch {
		case r.Is(aso.VirtualMachine):
			r.Known = knownOf(m.facts.Created)
			m.failForSize(r)
		case r.Is(aso.NetworkInterface):
			m.networkInterfaces = append(m.networkInterfaces, r)
		case r.Is(aso.PublicIPAddress):
			m.publicIP = r
		}
	}
	if m.failed != nil {
		for _, r := range resources {
			r.After = append(r.After, plan.Precondition{OfObject: true, Description: "the Machine is replaced, as this one has failed"})
		}
	}
	return resources
}

// live returns what Azure has of the machine.
func (m *machineInputs) live(in *composer.Request) compute.Live {
	live := compute.Live{Failed: m.failed != nil}
	for _, observed := range in.Observed {
		if observed.GroupVersionKind().GroupKind() == aso.PublicIPAddress.GroupKind() {
			live.PublicIPZones, live.PublicIP = network.ZonesOf(observed)
		}
	}
	return live
}

// Fields of ASO objects that the composer reads.
var (
	statusIPAddress  = field.At[string]("status", "ipAddress")
	ipConfigurations = field.At[[]any]("status", "ipConfigurations")
)

// addresses returns the addresses of the machine, in the order of its network interfaces: its name, then of each the private and public ones.
func (m *machineInputs) addresses(in *composer.Request) []any {
	address := func(kind, value string) any { return map[string]any{"type": kind, "address": value} }
	all := []any{address("InternalDNS", azuremachine.Name(m.xr))}
	for _, r := range m.networkInterfaces {
		live := r.Live(in)
		if live == nil {
			continue
		}
		for _, c := range field.Maps(ipConfigurations.Value(live)) {
			if private := field.Text(c["privateIPAddress"]); private != "" {
				all = append(all, address("InternalIP", private))
			}
			if _, public := c["publicIPAddress"].(map[string]any); public && m.publicIP != nil {
				if ip := statusIPAddress.Value(m.publicIP.Live(in)); ip != "" {
					all = append(all, address("ExternalIP", ip))
				}
			}
		}
	}
	return all
}
