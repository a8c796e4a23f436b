package azuremachine

import (
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

const (
	// longestWindowsPool is how long the name of a scale set with Windows may be: the names of its instances have six characters more.
	longestWindowsPool = 9
	windowsPoolHead    = "win-"
)

// ScaleSetName returns the name of the scale set of a pool: the one in its provider ID, once there is one; else that of the
// AzureMachinePool, shortened where Windows takes no longer one.
func ScaleSetName(p *v1beta1.AzureMachinePool) string {
	if id := aso.ParseID(strings.TrimPrefix(p.Spec.ProviderID, ProviderIDPrefix)); id != nil && id.Name != "" {
		return id.Name
	}
	if p.Spec.Template.OSDisk.OSType == Windows && len(p.Name) > longestWindowsPool {
		return windowsPoolHead + p.Name[len(p.Name)-windowsNameTail:]
	}
	return p.Name
}

// ScaleSetProviderID returns the ID of the scale set of a pool of a cluster, as those of its instances begin.
func ScaleSetProviderID(c *v1beta1.AzureCluster, p *v1beta1.AzureMachinePool) string {
	return providerIDOf(c, "virtualMachineScaleSets", ScaleSetName(p))
}

// InstanceObject returns the name of the AzureMachinePoolMachine of an instance, by the last part of its ID.
func InstanceObject(pool, instanceID string) string {
	return pool + "-" + strings.ReplaceAll(instanceID, "_", "-")
}

// OfPool returns a machine as all instances of a pool are, with the name of the scale set. The pool must have its defaults.
func OfPool(p *v1beta1.AzureMachinePool) *v1beta1.AzureMachine {
	m := &v1beta1.AzureMachine{ObjectMeta: *p.ObjectMeta.DeepCopy()}
	m.Name = ScaleSetName(p)
	t := p.Spec.Template.DeepCopy()
	m.Spec.AzureMachineClassSpec = v1beta1.AzureMachineClassSpec{
		VMSize: t.VMSize, Image: t.Image, OSDisk: t.OSDisk, DataDisks: t.DataDisks, SSHPublicKey: t.SSHPublicKey,
		Identity: p.Spec.Identity, UserAssignedIdentities: p.Spec.UserAssignedIdentities, SystemAssignedIdentityRole: p.Spec.SystemAssignedIdentityRole,
		AdditionalTags: p.Spec.AdditionalTags, AdditionalCapabilities: t.AdditionalCapabilities, Diagnostics: t.Diagnostics,
		SecurityProfile: t.SecurityProfile, SpotVMOptions: t.SpotVMOptions, NetworkInterfaces: t.NetworkInterfaces,
		VMExtensions: t.VMExtensions, DisableVMBootstrapExtension: t.DisableVMBootstrapExtension,
	}
	return m
}
