package azuremachine

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

func machine(name, os string) *v1beta1.AzureMachine {
	m := &v1beta1.AzureMachine{}
	m.Name, m.Spec.OSDisk.OSType = name, os
	return m
}

func TestName(t *testing.T) {
	of := func(name, os, providerID string) *v1beta1.AzureMachine {
		m := machine(name, os)
		if providerID != "" {
			m.Spec.ProviderID = &providerID
		}
		return m
	}
	const id = "azure:///subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm"
	cases := map[string]struct {
		of   *v1beta1.AzureMachine
		want string
	}{
		"Linux":                       {of("blue-control-plane-abcde", "Linux", ""), "blue-control-plane-abcde"},
		"Windows":                     {of("blue-win-12345", "Windows", ""), "blue-win-12345"},
		"Windows, too long":           {of("blue-md-win-abcde-xyz12", "Windows", ""), "blue-md-w-xyz12"},
		"Windows, cut at a dash":      {of("blue-pool-abcde-xyz12", "Windows", ""), "blue-pool-xyz12"},
		"as it was made":              {of("blue-md-0-abcde", "Linux", id), "vm"},
		"a provider ID that is none":  {of("blue-md-0-abcde", "Linux", "x"), "blue-md-0-abcde"},
		"a provider ID of a cluster":  {of("a", "Linux", "azure:///subscriptions/s"), "s"},
		"an empty one":                {of("a", "Linux", "azure://"), "a"},
		"Windows, of fifteen letters": {of("abcdefghijklmno", "Windows", ""), "abcdefghijklmno"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Name(c.of); got != c.want {
				t.Errorf("want %s, got %s", c.want, got)
			}
		})
	}
}

func TestProviderID(t *testing.T) {
	for name, c := range map[string]struct{ group, want string }{
		"a group by name": {"My-Group", "my-group"},
		"the default":     {"", "c1"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := &v1beta1.AzureCluster{}
			cluster.Name, cluster.Spec.SubscriptionID, cluster.Spec.ResourceGroup = "c1", "s", c.group
			want := "azure:///subscriptions/s/resourceGroups/" + c.want + "/providers/Microsoft.Compute/virtualMachines/m"
			if got := ProviderID(cluster, machine("m", "Linux")); got != want {
				t.Errorf("want %s, got %s", want, got)
			}
		})
	}
}

func TestAvailabilitySet(t *testing.T) {
	worker := v1alpha1.FactsOfMachine{Owner: v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerMachineDeployment, Name: "md-0"}}
	cases := map[string]struct {
		change  func(*v1beta1.AzureCluster, *v1beta1.AzureMachine, *v1alpha1.FactsOfMachine)
		domains []string
		want    string
	}{
		"worker": {want: "blue_md-0-as"},
		"control plane": {change: func(_ *v1beta1.AzureCluster, _ *v1beta1.AzureMachine, f *v1alpha1.FactsOfMachine) {
			f.ControlPlane = true
		}, want: "blue_control-plane-as"},
		"of a MachineSet": {change: func(_ *v1beta1.AzureCluster, _ *v1beta1.AzureMachine, f *v1alpha1.FactsOfMachine) {
			f.Owner = v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerMachineSet, Name: "ms"}
		}, want: "blue_ms-as"},
		"alone": {change: func(_ *v1beta1.AzureCluster, _ *v1beta1.AzureMachine, f *v1alpha1.FactsOfMachine) {
			f.Owner = v1alpha1.FactsOfOwner{}
		}},
		"in a zone": {change: func(_ *v1beta1.AzureCluster, _ *v1beta1.AzureMachine, f *v1alpha1.FactsOfMachine) {
			f.FailureDomain = "1"
		}},
		"in a zone by its spec": {change: func(_ *v1beta1.AzureCluster, m *v1beta1.AzureMachine, _ *v1alpha1.FactsOfMachine) {
			m.Spec.FailureDomain = ptr.To("1")
		}},
		"where there are zones": {domains: []string{"1"}},
		"spot": {change: func(_ *v1beta1.AzureCluster, m *v1beta1.AzureMachine, _ *v1alpha1.FactsOfMachine) {
			m.Spec.SpotVMOptions = &v1beta1.SpotVMOptions{}
		}},
		"in a scale set": {change: func(_ *v1beta1.AzureCluster, m *v1beta1.AzureMachine, _ *v1alpha1.FactsOfMachine) {
			m.Spec.VirtualMachineScaleSetID = ptr.To("x")
		}},
		"in an edge zone": {change: func(c *v1beta1.AzureCluster, _ *v1beta1.AzureMachine, _ *v1alpha1.FactsOfMachine) {
			c.Spec.ExtendedLocation = &v1beta1.ExtendedLocationSpec{}
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cluster, m, facts := &v1beta1.AzureCluster{}, machine("m", "Linux"), worker
			if c.change != nil {
				c.change(cluster, m, &facts)
			}
			if got := AvailabilitySet("blue", cluster, m, facts, c.domains); got != c.want {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
}

func TestExtensions(t *testing.T) {
	names := func(m *v1beta1.AzureMachine, cloud, architecture string) (all string) {
		for _, e := range Extensions(m, cloud, architecture) {
			all += e.Name + " " + e.Version + ";"
		}
		return all
	}
	m := machine("m", "Linux")
	m.Spec.VMExtensions = []v1beta1.VMExtension{{Name: "a", Version: "1"}}
	if got := names(m, "", "x64"); got != "a 1;" {
		t.Errorf("unless asked for there is no extension of CAPZ: %s", got)
	}
	m.Spec.DisableVMBootstrapExtension = ptr.To(false)
	for _, c := range []struct{ os, cloud, architecture, want string }{
		{"Linux", "", "x64", "a 1;CAPZ.Linux.Bootstrapping 1.0;"},
		{"Linux", "AzurePublicCloud", "Arm64", "a 1;CAPZ.Linux.Bootstrapping 1.1;"},
		{"Windows", "AzurePublicCloud", "x64", "a 1;CAPZ.Windows.Bootstrapping 1.0;"},
		{"Linux", "AzureChinaCloud", "x64", "a 1;"},
	} {
		m.Spec.OSDisk.OSType = c.os
		if got := names(m, c.cloud, c.architecture); got != c.want {
			t.Errorf("%v: got %s", c, got)
		}
	}
	if len(m.Spec.VMExtensions) != 1 {
		t.Error("the spec has been changed")
	}
	m.Spec.DisableExtensionOperations = ptr.To(true)
	if got := names(m, "", "x64"); got != "" {
		t.Errorf("no extensions are allowed: %s", got)
	}
	if got := ProtectedSettingsSecret("vm", "CAPZ.Linux.Bootstrapping"); got != "vm-capz-linux-bootstrapping-protected-settings" {
		t.Errorf("the Secret is %s", got)
	}
}
