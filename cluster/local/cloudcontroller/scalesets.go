package cloudcontroller

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// instanceDigits is how many digits of base 36 follow the prefix of a scale set in the name of an instance's Node.
const instanceDigits = 6

// A scaleSet is a virtual machine scale set as Azure shows it.
type scaleSet struct {
	ID         string `json:"id"`
	Properties struct {
		OrchestrationMode     string `json:"orchestrationMode"`
		VirtualMachineProfile struct {
			OSProfile struct {
				ComputerNamePrefix string `json:"computerNamePrefix"`
			} `json:"osProfile"`
		} `json:"virtualMachineProfile"`
	} `json:"properties"`
}

// instanceOf returns which instance of a uniform scale set has a Node of that name.
func (s *scaleSet) instanceOf(node string) (string, bool) {
	prefix := s.Properties.VirtualMachineProfile.OSProfile.ComputerNamePrefix
	if strings.EqualFold(s.Properties.OrchestrationMode, "Flexible") || len(node) != len(prefix)+instanceDigits || !strings.EqualFold(node[:len(prefix)], prefix) {
		return "", false
	}
	number, err := strconv.ParseUint(node[len(prefix):], 36, 64)
	if err != nil {
		return "", false
	}
	return s.ID + "/virtualMachines/" + strconv.FormatUint(number, 10), true
}

// inScaleSets returns the machine of a Node among the instances of scale sets; nil when it is none of them. Those of a uniform one have numbers,
// those of a flexible one are virtual machines whose names are not those of their Nodes.
func (a *azure) inScaleSets(ctx context.Context, node string) (*machine, error) {
	var sets struct {
		Value []scaleSet `json:"value"`
	}
	if _, err := a.get(ctx, a.inGroup("Microsoft.Compute/virtualMachineScaleSets"), computeVersion, &sets); err != nil {
		return nil, err
	}
	if len(sets.Value) == 0 {
		return nil, nil
	}
	for _, set := range sets.Value {
		id, ok := set.instanceOf(node)
		if !ok {
			continue
		}
		m := &machine{}
		if found, err := a.get(ctx, id, computeVersion, m); err != nil || found {
			m.Properties.HardwareProfile.VMSize = m.SKU.Name
			return m, err
		}
	}
	var machines struct {
		Value []machine `json:"value"`
	}
	if _, err := a.get(ctx, a.inGroup("Microsoft.Compute/virtualMachines"), computeVersion, &machines); err != nil {
		return nil, err
	}
	for _, m := range machines.Value {
		if strings.EqualFold(m.Properties.OSProfile.ComputerName, node) {
			return &m, nil
		}
	}
	return nil, nil
}

// joinAsInstance puts the first address of an instance of a uniform scale set into a pool: in the model, for those to come, and in the instance.
func (a *azure) joinAsInstance(ctx context.Context, instance, pool string) error {
	set, _, _ := strings.Cut(instance, "/virtualMachines/")
	return errors.Join(
		a.changeIn(ctx, set, computeVersion, func(body map[string]any) bool {
			return joinConfigurations(body, pool, "properties", "virtualMachineProfile", "networkProfile")
		}),
		a.changeIn(ctx, instance, computeVersion, func(body map[string]any) bool {
			return joinConfigurations(body, pool, "properties", "networkProfileConfiguration")
		}),
	)
}

// joinConfigurations does that in the configurations of network interfaces at a path, and reports whether it was not there.
func joinConfigurations(body map[string]any, pool string, path ...string) bool {
	for _, name := range path {
		body, _ = body[name].(map[string]any)
	}
	configurations, _ := body["networkInterfaceConfigurations"].([]any)
	if len(configurations) == 0 {
		return false
	}
	first, _ := configurations[0].(map[string]any)
	return joinPool(first, pool)
}

// isInstance reports whether a machine is an instance of a uniform scale set.
func (m *machine) isInstance() bool {
	return strings.Contains(strings.ToLower(m.ID), "/virtualmachinescalesets/")
}
