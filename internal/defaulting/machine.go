package defaulting

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// The values of managedDisk.storageAccountType, cachingType and osType that defaults depend on.
const (
	UltraSSD         = "UltraSSD_LRS"
	CachingNone      = "None"
	CachingReadWrite = "ReadWrite"
	diffDiskLocal    = "Local"
	linux            = "Linux"
)

// contributor is the role definition of Contributor (Azure documentation, "Azure built-in roles").
const contributor = "b24988ac-6180-42a0-ab88-20f7382dd24c"

// Machine fills in the spec of an AzureMachine, but for its SSH key and the name of its role assignment, which nothing determines.
func Machine(spec *v1beta1.AzureMachineClassSpec) {
	MachineTemplate(spec)
	role(spec.Identity, &spec.SystemAssignedIdentityRole, &spec.RoleAssignmentName)
	if spot := spec.SpotVMOptions; spot != nil && spot.EvictionPolicy == nil {
		spot.EvictionPolicy = ptr.To(v1beta1.SpotEvictionPolicyDeallocate)
		if disk := spec.OSDisk.DiffDiskSettings; disk != nil && disk.Option == diffDiskLocal {
			spot.EvictionPolicy = ptr.To(v1beta1.SpotEvictionPolicyDelete)
		}
	}
	diagnostics(&spec.Diagnostics)
}

// MachinePool fills in the spec of an AzureMachinePool, but for its SSH key and the name of its role assignment, which nothing determines.
func MachinePool(spec *v1beta1.AzureMachinePoolSpec) {
	t := &spec.Template
	role(spec.Identity, &spec.SystemAssignedIdentityRole, &spec.RoleAssignmentName)
	diagnostics(&t.Diagnostics)
	networkInterfaces(&t.NetworkInterfaces, &t.SubnetName, &t.AcceleratedNetworking)
	t.OSDisk.OSType = cmp.Or(t.OSDisk.OSType, linux)
}

// role moves the name of a role assignment from the field of former times, with the identity that Azure makes.
func role(identity v1beta1.VMIdentity, role **v1beta1.SystemAssignedIdentityRole, former *string) {
	if identity != v1beta1.VMIdentitySystemAssigned {
		return
	}
	*role = cmp.Or(*role, &v1beta1.SystemAssignedIdentityRole{})
	if (*role).Name == "" || (*role).Name == *former {
		(*role).Name, *former = cmp.Or((*role).Name, *former), ""
	}
}

// diagnostics has Azure keep what a machine writes to its console.
func diagnostics(of **v1beta1.Diagnostics) {
	*of = cmp.Or(*of, &v1beta1.Diagnostics{})
	(*of).Boot = cmp.Or((*of).Boot, &v1beta1.BootDiagnostics{StorageAccountType: v1beta1.ManagedDiagnosticsStorage})
}

// MachineTemplate fills in the spec of the AzureMachines that are made from an AzureMachineTemplate, as CAPZ does there; the rest is
// filled in when they are made.
func MachineTemplate(spec *v1beta1.AzureMachineClassSpec) {
	dataDisks(spec.DataDisks)
	networkInterfaces(&spec.NetworkInterfaces, &spec.SubnetName, &spec.AcceleratedNetworking)
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
	DiskNumbers(disks)
	for i := range disks {
		d := &disks[i]
		usual := CachingReadWrite
		if d.ManagedDisk != nil && d.ManagedDisk.StorageAccountType == UltraSSD {
			usual = CachingNone
		}
		d.CachingType = cmp.Or(d.CachingType, usual)
	}
}

// DiskNumbers gives each disk a number of its own. Those of a pool have none in its spec, as CAPZ leaves them out there; Azure wants one of each.
func DiskNumbers(disks []v1beta1.DataDisk) {
	taken := map[int32]bool{}
	for i := range disks {
		if disks[i].Lun != nil {
			taken[*disks[i].Lun] = true
		}
	}
	next := int32(0)
	for i := range disks {
		if disks[i].Lun != nil {
			continue
		}
		for taken[next] {
			next++
		}
		disks[i].Lun, taken[next] = ptr.To(next), true
	}
}

// networkInterfaces moves what is in the fields of former times, unless both are set, which is refused. If both say the same, a manifest with
// the fields of former times was applied again.
func networkInterfaces(all *[]v1beta1.NetworkInterface, formerSubnet *string, formerAccelerated **bool) {
	if len(*all) > 0 {
		first := (*all)[0]
		if *formerSubnet == first.SubnetName {
			*formerSubnet = ""
		}
		if ptr.Equal(*formerAccelerated, first.AcceleratedNetworking) {
			*formerAccelerated = nil
		}
	} else {
		*all = []v1beta1.NetworkInterface{{SubnetName: *formerSubnet, AcceleratedNetworking: *formerAccelerated}}
		*formerSubnet, *formerAccelerated = "", nil
	}
	for i := range *all {
		(*all)[i].PrivateIPConfigs = cmp.Or((*all)[i].PrivateIPConfigs, 1)
	}
}
