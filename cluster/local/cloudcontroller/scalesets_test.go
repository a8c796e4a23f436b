package cloudcontroller

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInstanceOf(t *testing.T) {
	const set = "/subscriptions/s/resourceGroups/Group/providers/Microsoft.Compute/virtualMachineScaleSets/pool"
	cases := map[string]struct{ mode, node, want string }{
		"First":         {"Uniform", "pool000000", set + "/virtualMachines/0"},
		"Base36":        {"Uniform", "pool00003l", set + "/virtualMachines/129"},
		"UpperCase":     {"Uniform", "POOL00000A", set + "/virtualMachines/10"},
		"AnotherPrefix": {"Uniform", "other000000", ""},
		"LongerPrefix":  {"Uniform", "pool-2000000", ""},
		"NoNumber":      {"Uniform", "pool00-000", ""},
		"Flexible":      {"Flexible", "pool000000", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &scaleSet{ID: set}
			s.Properties.OrchestrationMode = tc.mode
			s.Properties.VirtualMachineProfile.OSProfile.ComputerNamePrefix = "pool"
			got, ok := s.instanceOf(tc.node)
			if got != tc.want || ok != (tc.want != "") {
				t.Errorf("%q, %t, want %q", got, ok, tc.want)
			}
			m := &machine{ID: got}
			if ok && (m.providerID() != "azure:///subscriptions/s/resourceGroups/group"+got[len("/subscriptions/s/resourceGroups/Group"):] || !m.isInstance()) {
				t.Errorf("provider ID %s, an instance: %t", m.providerID(), m.isInstance())
			}
		})
	}
}

func TestJoinConfigurations(t *testing.T) {
	configurations := func(pools ...any) map[string]any {
		properties := map[string]any{}
		if len(pools) > 0 {
			properties["loadBalancerBackendAddressPools"] = pools
		}
		return map[string]any{"properties": map[string]any{"networkProfileConfiguration": map[string]any{"networkInterfaceConfigurations": []any{
			map[string]any{"properties": map[string]any{"ipConfigurations": []any{map[string]any{"properties": properties}}}},
		}}}}
	}
	cases := map[string]struct {
		body, want map[string]any
		changed    bool
	}{
		"New":     {configurations(), configurations(ref("pool")), true},
		"There":   {configurations(ref("pool")), configurations(ref("pool")), false},
		"Another": {configurations(ref("a")), configurations(ref("a"), ref("pool")), true},
		"None":    {map[string]any{}, map[string]any{}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if changed := joinConfigurations(tc.body, "pool", "properties", "networkProfileConfiguration"); changed != tc.changed {
				t.Errorf("changed: %t, want %t", changed, tc.changed)
			}
			if diff := cmp.Diff(tc.want, tc.body); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
