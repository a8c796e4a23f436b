package defaulting

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// The values of managedDisk.storageAccountType and cachingType that defaults depend on.
const (
	UltraSSD         = "UltraSSD_LRS"
	CachingNone      = "None"
	CachingReadWrite = "ReadWrite"
	diffDiskLocal    = "Local"
)

// contributor is the role definition of Contributor (Azure documentation, "Azure built-in roles").
const contributor = "b24988ac-6180-42a0-ab88-20f7382dd24c"

// Machine fills in the spec of an AzureMachine, but for its SSH key and the name of its role assignment, which nothing determines.
func Machine(spec *v1beta1.AzureMachineClassSpec) {
	MachineTemplate(spec)
	if spec.Identity == v1beta1.VMIdentitySystemAssigned {
		if spec.SystemAssignedIdentityRole == nil {
			spec.SystemAssignedIdentityRole = &v1beta1.SystemAssignedIdentityRole{}
		}
		if role := spec.SystemAssignedIdentityRole; role.Name == "" || role.Name == spec.RoleAssignmentName {
			role.Name, spec.RoleAssignmentName = cmp.Or(role.Name, spec.RoleAssignmentName), ""
		}
	}
	if spot := spec.SpotVMOptions; spot != nil && spot.EvictionPolicy == nil {
		spot.EvictionPolicy = ptr.To(v1beta1.SpotEvictionPolicyDeallocate)
		if disk := spec.OSDisk.DiffDiskSettings; disk != nil && disk.Option == diffDiskLocal {
			spot.EvictionPolicy = ptr.To(v1beta1.SpotEvictionPolicyDelete)
		}
	}
	spec.Diagnostics = cmp.Or(spec.Diagnostics, &v1beta1.Diagnostics{})
	spec.Diagnostics.Boot = cmp.Or(spec.Diagnostics.Boot, &v1beta1.BootDiagnostics{StorageAccountType: v1beta1.ManagedDiagnosticsStorage})
}

// MachineTemplate fills in the spec of the AzureMachines that are made from an AzureMachineTemplate, as CAPZ does there; the rest is
// filled in when they are made.
func MachineTemplate(spec *v1beta1.AzureMachineClassSpec) {
	dataDisks(spec.DataDisks)
	networkInterfaces(spec)
}

// RoleOfIdentity fills in which role the identity that Azure makes for a machine has, in the subscription of its cluster.
func RoleOfIdentity(role *v1beta1.SystemAssignedIdentityRole, subscription string) {
	if role == nil || subscription == "" {
		return
	}
	role.Scope = cmp.Or(role.Scope, "/subscriptions/"+subscription+"/")
	role.DefinitionID = cmp.Or(role.DefinitionID, "/subscriptions/"+subscription+"/providers/Microsoft.Authorization/roleDefinitions/"+contributor)
}

// dataDisks gives each disk a number of its own, and what the host caches.
func dataDisks(disks []v1beta1.DataDisk) {
	taken := map[int32]bool{}
	for i := range disks {
		if disks[i].Lun != nil {
			taken[*disks[i].Lun] = true
		}
	}
	next := int32(0)
	for i := range disks {
		d := &disks[i]
		if d.Lun == nil {
			for taken[next] {
				next++
			}
			d.Lun, taken[next] = ptr.To(next), true
		}
		usual := CachingReadWrite
		if d.ManagedDisk != nil && d.ManagedDisk.StorageAccountType == UltraSSD {
			usual = CachingNone
		}
		d.CachingType = cmp.Or(d.CachingType, usual)
	}
}

// networkInterfaces moves what is in the fields of former times, unless both are set, which is refused. If both say the same, a manifest with
// the fields of former times was applied again.
func networkInterfaces(spec *v1beta1.AzureMachineClassSpec) {
	if len(spec.NetworkInterfaces) > 0 {
		first := spec.NetworkInterfaces[0]
		if spec.SubnetName == first.SubnetName {
			spec.SubnetName = ""
		}
		if ptr.Equal(spec.AcceleratedNetworking, first.AcceleratedNetworking) {
			spec.AcceleratedNetworking = nil
		}
	} else {
		spec.NetworkInterfaces = []v1beta1.NetworkInterface{{SubnetName: spec.SubnetName, AcceleratedNetworking: spec.AcceleratedNetworking}}
		spec.SubnetName, spec.AcceleratedNetworking = "", nil
	}
	for i := range spec.NetworkInterfaces {
		spec.NetworkInterfaces[i].PrivateIPConfigs = cmp.Or(spec.NetworkInterfaces[i].PrivateIPConfigs, 1)
	}
}
