package schema

import (
	"context"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// decidedMachine is the reason why a field of an AzureMachine cannot be changed.
const decidedMachine = ": it is decided when the machine is created, so replace the Machine"

// TestAzureMachineRules are the rules about an AzureMachine and its template as they are.
func TestAzureMachineRules(t *testing.T) {
	const (
		identityID = "azure://" + resourceID + "Microsoft.ManagedIdentity/userAssignedIdentities/i"
		diskID     = resourceID + "Microsoft.Compute/diskEncryptionSets/d"
	)
	disk := func(rest string) string { return "{osDisk: {" + rest + "}}" }
	data := func(rest string) string { return "{dataDisks: [{nameSuffix: a, diskSizeGB: 4, " + rest + "}]}" }
	confidential := func(kind, profile string) string {
		return "{osDisk: {managedDisk: {storageAccountType: Premium_LRS, securityProfile: {securityEncryptionType: " + kind + "}}}, securityProfile: {" + profile + "}}"
	}
	const guestState, withDisk = "VMGuestStateOnly", "DiskWithVMGuestState"
	runRules(t, map[string]rule{
		"Size":             {kind: azureMachine, no: "{vmSize: null}", yes: "{}", want: "spec.vmSize: Required value: is needed: it says which size the virtual machine has", template: noRule},
		"NoImage":          {kind: azureMachine, no: "{image: {}}", yes: "{image: null}", want: "spec.image: Invalid value: must have exactly one of id, sharedGallery, marketplace and computeGallery", template: sameRule},
		"TwoImages":        {kind: azureMachine, no: "{image: {id: a, computeGallery: {gallery: a, name: b, version: c}}}", yes: "{image: {computeGallery: {gallery: a, name: b, version: c}}}", want: "spec.image: Invalid value: must have exactly one of id, sharedGallery, marketplace and computeGallery", template: sameRule},
		"EmptyImage":       {kind: azureMachine, no: `{image: {id: ""}}`, yes: "{image: {id: a}}", want: "spec.image.id: Invalid value: must not be empty", template: sameRule},
		"Gallery":          {kind: azureMachine, no: "{image: {computeGallery: {gallery: a, name: b, version: c, subscriptionID: s}}}", yes: "{image: {computeGallery: {gallery: a, name: b, version: c, subscriptionID: s, resourceGroup: g}}}", want: "spec.image.computeGallery.resourceGroup: Required value: is needed with subscriptionID: both say whose gallery it is", template: sameRule},
		"GalleryGroup":     {kind: azureMachine, no: "{image: {computeGallery: {gallery: a, name: b, version: c, resourceGroup: s}}}", yes: "{}", want: "spec.image.computeGallery.subscriptionID: Required value: is needed with resourceGroup: both say whose gallery it is", template: sameRule},
		"OSType":           {kind: azureMachine, no: disk("osType: BeOS"), yes: disk("osType: Windows"), want: `spec.osDisk.osType: Invalid value: "BeOS": must be Linux or Windows`, template: sameRule},
		"OSDiskSize":       {kind: azureMachine, no: disk("diskSizeGB: 0"), yes: disk("diskSizeGB: 1"), want: "spec.osDisk.diskSizeGB: Invalid value: 0: must be from 1 to 2048", template: sameRule},
		"OSDiskMost":       {kind: azureMachine, no: disk("diskSizeGB: 2049"), yes: disk("diskSizeGB: 2048"), want: "spec.osDisk.diskSizeGB: Invalid value: 2049: must be from 1 to 2048", template: sameRule},
		"Storage":          {kind: azureMachine, no: disk("managedDisk: {}"), yes: disk("managedDisk: {storageAccountType: Premium_LRS}"), want: "spec.osDisk.managedDisk.storageAccountType: Invalid value: must be one of Premium_LRS, PremiumV2_LRS, Premium_ZRS, Standard_LRS, StandardSSD_LRS, StandardSSD_ZRS and UltraSSD_LRS", template: sameRule},
		"UltraOSDisk":      {kind: azureMachine, no: disk("managedDisk: {storageAccountType: UltraSSD_LRS}"), yes: data("managedDisk: {storageAccountType: UltraSSD_LRS}, cachingType: None"), want: "spec.osDisk.managedDisk.storageAccountType: Invalid value: must not be UltraSSD_LRS: ultra disks are for data only", template: sameRule},
		"UltraCache":       {kind: azureMachine, no: data("managedDisk: {storageAccountType: UltraSSD_LRS}, cachingType: ReadOnly"), yes: "{}", want: "spec.dataDisks[0].cachingType: Invalid value: must be None with storageAccountType UltraSSD_LRS, but is ReadOnly", template: sameRule},
		"EphemeralKey":     {kind: azureMachine, no: disk("diffDiskSettings: {option: Local}, managedDisk: {storageAccountType: Standard_LRS, diskEncryptionSet: {id: " + diskID + "}}"), yes: disk("diffDiskSettings: {option: Local, placement: NvmeDisk}"), want: "spec.osDisk.managedDisk.diskEncryptionSet: Invalid value: does not go with diffDiskSettings: a disk on the machine itself has no key of yours", template: sameRule},
		"ConfidentialKey":  {kind: azureMachine, no: disk("managedDisk: {storageAccountType: Standard_LRS, securityProfile: {securityEncryptionType: " + guestState + ", diskEncryptionSet: {id: a}}}"), yes: disk("managedDisk: {storageAccountType: Standard_LRS, securityProfile: {securityEncryptionType: " + withDisk + ", diskEncryptionSet: {id: a}}}"), want: "spec.osDisk.managedDisk.securityProfile.diskEncryptionSet: Invalid value: goes with securityEncryptionType DiskWithVMGuestState only", template: sameRule},
		"ConfidentialType": {kind: azureMachine, no: confidential(guestState, "securityType: TrustedLaunch, uefiSettings: {vTpmEnabled: true}"), yes: confidential(guestState, "securityType: ConfidentialVM, uefiSettings: {vTpmEnabled: true}"), want: "spec.securityProfile.securityType: Invalid value: must be ConfidentialVM with osDisk.managedDisk.securityProfile.securityEncryptionType", template: sameRule},
		"ConfidentialTPM":  {kind: azureMachine, no: confidential(guestState, "securityType: ConfidentialVM, uefiSettings: {}"), yes: "{}", want: "spec.securityProfile.uefiSettings.vTpmEnabled: Invalid value: must be true with osDisk.managedDisk.securityProfile.securityEncryptionType", template: sameRule},
		"ConfidentialHost": {kind: azureMachine, no: confidential(withDisk, "encryptionAtHost: true, securityType: ConfidentialVM, uefiSettings: {vTpmEnabled: true, secureBootEnabled: true}"), yes: confidential(withDisk, "securityType: ConfidentialVM, uefiSettings: {vTpmEnabled: true, secureBootEnabled: true}"), want: "spec.securityProfile.encryptionAtHost: Invalid value: does not go with osDisk.managedDisk.securityProfile.securityEncryptionType DiskWithVMGuestState, which encrypts the disk by itself", template: sameRule},
		"ConfidentialBoot": {kind: azureMachine, no: confidential(withDisk, "securityType: ConfidentialVM, uefiSettings: {vTpmEnabled: true}"), yes: "{}", want: "spec.securityProfile.uefiSettings.secureBootEnabled: Invalid value: must be true with osDisk.managedDisk.securityProfile.securityEncryptionType DiskWithVMGuestState", template: sameRule},
		"DataDiskSize":     {kind: azureMachine, no: "{dataDisks: [{nameSuffix: a, diskSizeGB: 3}]}", yes: "{dataDisks: [{nameSuffix: a, diskSizeGB: 4}]}", want: "spec.dataDisks[0].diskSizeGB: Invalid value: 3: must be from 4 to 32767", template: sameRule},
		"DataDiskMost":     {kind: azureMachine, no: "{dataDisks: [{nameSuffix: a, diskSizeGB: 32768}]}", yes: "{dataDisks: [{nameSuffix: a, diskSizeGB: 32767}]}", want: "spec.dataDisks[0].diskSizeGB: Invalid value: 32768: must be from 4 to 32767", template: sameRule},
		"Suffix":           {kind: azureMachine, no: `{dataDisks: [{nameSuffix: "", diskSizeGB: 4}]}`, yes: "{}", want: `spec.dataDisks[0].nameSuffix: Invalid value: "": must not be empty`, template: sameRule},
		"SuffixTwice":      {kind: azureMachine, no: "{dataDisks: [{nameSuffix: a, diskSizeGB: 4}, {nameSuffix: a, diskSizeGB: 4}]}", yes: "{dataDisks: [{nameSuffix: a, diskSizeGB: 4}, {nameSuffix: b, diskSizeGB: 4}]}", want: "spec.dataDisks: Invalid value: must each have a nameSuffix of its own", template: sameRule},
		"LUN":              {kind: azureMachine, no: data("lun: 64"), yes: data("lun: 63"), want: "spec.dataDisks[0].lun: Invalid value: 64: must be from 0 to 63", template: sameRule},
		"LUNTwice":         {kind: azureMachine, no: "{dataDisks: [{nameSuffix: a, diskSizeGB: 4, lun: 0}, {nameSuffix: b, diskSizeGB: 4, lun: 0}]}", yes: "{dataDisks: [{nameSuffix: a, diskSizeGB: 4, lun: 0}, {nameSuffix: b, diskSizeGB: 4, lun: 1}]}", want: "spec.dataDisks: Invalid value: must each have a lun of its own", template: sameRule},
		"SSHKey":           {kind: azureMachine, no: "{sshPublicKey: ssh-rsa A}", yes: "{sshPublicKey: c3NoLXJzYSBBQUFB}", want: `spec.sshPublicKey: Invalid value: "ssh-rsa A": must be base64, of a line as in authorized_keys`, template: sameRule},
		"NoIdentity":       {kind: azureMachine, no: "{identity: UserAssigned}", yes: "{identity: UserAssigned, userAssignedIdentities: [{providerID: " + identityID + "}]}", want: "spec.userAssignedIdentities: Required value: is needed with identity UserAssigned: it says which", template: sameRule},
		"OtherIdentity":    {kind: azureMachine, no: "{identity: None, userAssignedIdentities: [{providerID: " + identityID + "}]}", yes: "{}", want: "spec.userAssignedIdentities: Invalid value: goes with identity UserAssigned only, but identity is None", template: sameRule},
		"IdentityForm":     {kind: azureMachine, no: "{identity: UserAssigned, userAssignedIdentities: [{providerID: i}]}", yes: "{}", want: `spec.userAssignedIdentities[0].providerID: Invalid value: "i": must be the resource ID of a managed identity, such as azure:///subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.ManagedIdentity/userAssignedIdentities/NAME`, template: sameRule},
		"Role":             {kind: azureMachine, no: "{systemAssignedIdentityRole: {scope: a, definitionID: b}}", yes: "{identity: SystemAssigned, systemAssignedIdentityRole: {scope: a, definitionID: b}}", want: "spec.systemAssignedIdentityRole: Forbidden: goes with identity SystemAssigned only, but identity is None", template: sameRule},
		"RoleName":         {kind: azureMachine, no: "{identity: SystemAssigned, systemAssignedIdentityRole: {name: x}}", yes: "{identity: SystemAssigned, systemAssignedIdentityRole: {name: 11111111-1111-1111-1111-111111111111}}", want: `spec.systemAssignedIdentityRole.name: Invalid value: "x": must be a GUID, such as 11111111-1111-1111-1111-111111111111`},
		"RoleNames":        {kind: azureMachine, no: "{roleAssignmentName: a, identity: SystemAssigned, systemAssignedIdentityRole: {name: 11111111-1111-1111-1111-111111111111}}", yes: "{roleAssignmentName: a}", want: "spec.roleAssignmentName: Invalid value: does not go with systemAssignedIdentityRole.name, which is the same"},
		"Account":          {kind: azureMachine, no: "{diagnostics: {boot: {storageAccountType: UserManaged}}}", yes: "{diagnostics: {boot: {storageAccountType: UserManaged, userManaged: {storageAccountURI: https://a}}}}", want: "spec.diagnostics.boot.userManaged: Required value: is needed with storageAccountType UserManaged: it says which account", template: sameRule},
		"OtherAccount":     {kind: azureMachine, no: "{diagnostics: {boot: {storageAccountType: Managed, userManaged: {storageAccountURI: https://a}}}}", yes: "{}", want: "spec.diagnostics.boot.userManaged: Invalid value: goes with storageAccountType UserManaged only, but that is Managed", template: sameRule},
		"SubnetTwice":      {kind: azureMachine, no: "{subnetName: a, networkInterfaces: [{subnetName: b}]}", yes: "{subnetName: a}", want: "spec.subnetName: Invalid value: does not go with networkInterfaces: say it there, for each of them", template: sameRule},
		"AcceleratedTwice": {kind: azureMachine, no: "{acceleratedNetworking: true, networkInterfaces: [{subnetName: b}]}", yes: "{acceleratedNetworking: true}", want: "spec.acceleratedNetworking: Invalid value: does not go with networkInterfaces: say it there, for each of them", template: sameRule},
		"IPConfigs":        {kind: azureMachine, no: "{networkInterfaces: [{privateIPConfigs: -1}]}", yes: "{networkInterfaces: [{privateIPConfigs: 110}]}", want: "spec.networkInterfaces[0].privateIPConfigs: Invalid value: -1: must be at least 1", template: sameRule},
		"Extensions":       {kind: azureMachine, no: `{disableExtensionOperations: true, vmExtensions: [{name: a, publisher: b, version: "1"}]}`, yes: `{disableExtensionOperations: false, vmExtensions: [{name: a, publisher: b, version: "1"}]}`, want: "spec.vmExtensions: Forbidden: must be empty with disableExtensionOperations: nobody can install them then", template: sameRule},
		"Reservation":      {kind: azureMachine, no: "{capacityReservationGroupID: a}", yes: "{capacityReservationGroupID: " + resourceID + "Microsoft.Compute/capacityReservationGroups/a}", want: `spec.capacityReservationGroupID: Invalid value: "a": must be the resource ID of a capacity reservation group, such as /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Compute/capacityReservationGroups/NAME`, template: sameRule},
		"ScaleSet":         {kind: azureMachine, no: "{virtualMachineScaleSetID: " + resourceID + "Microsoft.Compute/virtualMachines/a}", yes: "{virtualMachineScaleSetID: " + resourceID + "Microsoft.Compute/virtualMachineScaleSets/a}", want: `spec.virtualMachineScaleSetID: Invalid value: "` + resourceID + `Microsoft.Compute/virtualMachines/a": must be the resource ID of a scale set, such as /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Compute/virtualMachineScaleSets/NAME`, template: sameRule},
	})
}

// TestAzureMachineTemplateRules are the rules that only the template has.
func TestAzureMachineTemplateRules(t *testing.T) {
	const at, spec = "spec.template.spec.", "{vmSize: s, osDisk: {}, "
	for name, tc := range map[string]struct{ spec, want string }{
		"Good":     {spec: spec + "identity: SystemAssigned, systemAssignedIdentityRole: {scope: a, definitionID: b}}"},
		"NoRole":   {spec: spec + "identity: SystemAssigned}"},
		"Name":     {spec: spec + "roleAssignmentName: a}", want: at + "roleAssignmentName: Invalid value: cannot be set: each machine has one of its own"},
		"RoleName": {spec: spec + "identity: SystemAssigned, systemAssignedIdentityRole: {name: 11111111-1111-1111-1111-111111111111, scope: a, definitionID: b}}", want: at + "systemAssignedIdentityRole.name: Invalid value: cannot be set: each machine has one of its own"},
		"Scope":    {spec: spec + "identity: SystemAssigned, systemAssignedIdentityRole: {definitionID: b}}", want: at + "systemAssignedIdentityRole.scope: Required value: is needed"},
		"Role":     {spec: spec + "identity: SystemAssigned, systemAssignedIdentityRole: {scope: b}}", want: at + "systemAssignedIdentityRole.definitionID: Required value: is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			u := object(t, azureMachine+"Template", "{template: {spec: "+tc.spec+"}}")
			checkReason(t, tc.spec, server.client.Create(context.Background(), u, client.DryRunAll), tc.want)
		})
	}
}

// TestAzureMachineUpdates are the rules about what of an AzureMachine can be changed.
func TestAzureMachineUpdates(t *testing.T) {
	const setOrTaken = ": Forbidden: cannot be changed, set or taken away" + decidedMachine
	rules := map[string]rule{
		"Later": {kind: azureMachine, existing: "{}", no: "{osDisk: {diskSizeGB: 1}}", yes: "{additionalTags: {a: b}, providerID: a, disableVMBootstrapExtension: true, diagnostics: {}, vmExtensions: [{name: a, publisher: b, version: \"1\"}]}", want: "spec.osDisk: Forbidden: cannot be changed" + decidedMachine},
	}
	identity := func(name string) string {
		return "{identity: UserAssigned, userAssignedIdentities: [{providerID: " + resourceID + "Microsoft.ManagedIdentity/userAssignedIdentities/" + name + "}]}"
	}
	group := func(name string) string {
		return "{capacityReservationGroupID: " + resourceID + "Microsoft.Compute/capacityReservationGroups/" + name + "}"
	}
	for field, values := range map[string]struct{ existing, no, want string }{
		"vmSize":                      {"{vmSize: a}", "{vmSize: b}", ": Forbidden: cannot be changed from a to b" + decidedMachine},
		"failureDomain":               {"{}", `{failureDomain: "1"}`, ": Forbidden: cannot be changed from nothing to 1" + decidedMachine},
		"dnsServers":                  {"{dnsServers: [10.0.0.4]}", "{dnsServers: [10.0.0.5]}", ": Forbidden: cannot be changed" + decidedMachine},
		"additionalCapabilities":      {"{}", "{additionalCapabilities: {ultraSSDEnabled: true}}", setOrTaken},
		"image":                       {"{image: {id: a}}", "{image: {id: b}}", setOrTaken},
		"image/added":                 {"{}", "{image: {id: b}}", setOrTaken},
		"identity":                    {"{}", "{identity: SystemAssigned}", ": Forbidden: cannot be changed from None to SystemAssigned" + decidedMachine},
		"userAssignedIdentities":      {identity("a"), identity("b"), ": Forbidden: cannot be changed" + decidedMachine},
		"systemAssignedIdentityRole":  {"{identity: SystemAssigned, systemAssignedIdentityRole: {scope: a}}", "{systemAssignedIdentityRole: {scope: b}}", setOrTaken},
		"roleAssignmentName":          {"{roleAssignmentName: a}", "{roleAssignmentName: b}", ": Forbidden: cannot be changed from a to b" + decidedMachine},
		"dataDisks":                   {"{dataDisks: [{nameSuffix: a, diskSizeGB: 4}]}", "{dataDisks: [{nameSuffix: a, diskSizeGB: 5}]}", ": Forbidden: cannot be changed" + decidedMachine},
		"sshPublicKey":                {"{sshPublicKey: eA==}", "{sshPublicKey: eQ==}", ": Forbidden: cannot be changed" + decidedMachine},
		"allocatePublicIP":            {"{}", "{allocatePublicIP: true}", ": Forbidden: cannot be changed" + decidedMachine},
		"enableIPForwarding":          {"{enableIPForwarding: true}", "{enableIPForwarding: null}", ": Forbidden: cannot be changed" + decidedMachine},
		"acceleratedNetworking":       {"{acceleratedNetworking: true}", "{acceleratedNetworking: false}", ": Forbidden: can only be taken away" + decidedMachine},
		"diagnostics":                 {"{diagnostics: {}}", "{diagnostics: null}", ": Forbidden: cannot be changed" + decidedMachine},
		"spotVMOptions":               {"{}", "{spotVMOptions: {}}", setOrTaken},
		"securityProfile":             {"{securityProfile: {encryptionAtHost: true}}", "{securityProfile: {encryptionAtHost: false}}", setOrTaken},
		"capacityReservationGroupID":  {group("a"), group("b"), ": Forbidden: cannot be changed from " + resourceID + "Microsoft.Compute/capacityReservationGroups/a to " + resourceID + "Microsoft.Compute/capacityReservationGroups/b" + decidedMachine},
		"disableExtensionOperations":  {"{}", "{disableExtensionOperations: true}", setOrTaken},
		"disableVMBootstrapExtension": {"{disableVMBootstrapExtension: true}", "{disableVMBootstrapExtension: false}", ": Forbidden: cannot be changed" + decidedMachine},
		"networkInterfaces":           {"{networkInterfaces: [{subnetName: a}]}", "{networkInterfaces: [{subnetName: b}]}", ": Forbidden: cannot be changed" + decidedMachine},
	} {
		name, _, _ := strings.Cut(field, "/")
		rules[field] = rule{kind: azureMachine, existing: values.existing, no: values.no, yes: "{additionalTags: {a: b}}", want: "spec." + name + values.want}
	}
	runRules(t, rules)
}

// TestAzureMachineTemplateMayBeTried shows that no rule of the schema is in the way of what a topology tries with a template.
func TestAzureMachineTemplateMayBeTried(t *testing.T) {
	u := object(t, azureMachine+"Template", "{template: {spec: {vmSize: a, osDisk: {diskSizeGB: 30}, sshPublicKey: eA==}}}")
	create(t, u)
	applied := object(t, azureMachine+"Template", "{template: {spec: {vmSize: b, osDisk: {diskSizeGB: 31}}}}")
	err := server.client.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(applied), client.DryRunAll, client.FieldOwner("capi-topology"), client.ForceOwnership)
	if err != nil {
		t.Error(err)
	}
}
