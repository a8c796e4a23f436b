package azuremachine

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

const (
	// ProviderIDPrefix starts the provider ID of a Node in Azure; the rest is the ID of its virtual machine.
	ProviderIDPrefix = "azure://"
	// Windows is the spec.osDisk.osType of a machine with Windows; all others have Linux.
	Windows = "Windows"
	// longestComputerName is that of Windows (NetBIOS).
	longestComputerName = 15
	// The name of a Windows machine that would be longer is made of so much of its beginning and of its end.
	windowsNameHead, windowsNameTail = 9, 5
)

// Name returns the name of the virtual machine: the one in the provider ID, once there is one; else that of the AzureMachine, shortened
// where Windows takes no longer one.
func Name(m *v1beta1.AzureMachine) string {
	if id := aso.ParseID(strings.TrimPrefix(ptr.Deref(m.Spec.ProviderID, ""), ProviderIDPrefix)); id != nil && id.Name != "" {
		return id.Name
	}
	if IsWindows(m) && len(m.Name) > longestComputerName {
		return strings.TrimSuffix(m.Name[:windowsNameHead], "-") + "-" + m.Name[len(m.Name)-windowsNameTail:]
	}
	return m.Name
}

// ProviderID returns by what the Node of a machine of a cluster will be known: the ID of its virtual machine.
func ProviderID(c *v1beta1.AzureCluster, m *v1beta1.AzureMachine) string {
	return providerIDOf(c, "virtualMachines", Name(m))
}

func providerIDOf(c *v1beta1.AzureCluster, kind, name string) string {
	return ProviderIDIn(c.Spec.SubscriptionID, cmp.Or(c.Spec.ResourceGroup, c.Name), kind, name)
}

// ProviderIDIn returns the ID of a resource of Microsoft.Compute by its types and names, as the cloud controller manager writes it of machines: with the
// resource group in lower case.
func ProviderIDIn(subscription, group string, typesAndNames ...string) string {
	return fmt.Sprintf(ProviderIDPrefix+"/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute/%s",
		subscription, strings.ToLower(group), strings.Join(typesAndNames, "/"))
}

// IsWindows reports whether the machine has Windows.
func IsWindows(m *v1beta1.AzureMachine) bool { return m.Spec.OSDisk.OSType == Windows }

// NetworkInterfaceName returns the name of a network interface: of counts how many the machine has, n is the number of this one.
func NetworkInterfaceName(machine string, n, of int) string {
	if of > 1 {
		return fmt.Sprintf("%s-nic-%d", machine, n)
	}
	return machine + "-nic"
}

// PublicIPName returns the name of the public IP address of a machine.
func PublicIPName(machine string) string { return "pip-" + machine }

// OSDiskName returns the name of the disk with the operating system, DataDiskName that of another one.
func OSDiskName(machine string) string { return machine + "_OSDisk" }

// DataDiskName returns the name of a data disk.
func DataDiskName(machine, suffix string) string { return machine + "_" + suffix }
