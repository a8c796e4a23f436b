package defaulting

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

func TestMachine(t *testing.T) {
	const (
		size  = "vmSize: s, osDisk: {osType: Linux}"
		boot  = "diagnostics: {boot: {storageAccountType: Managed}}"
		oneIP = "networkInterfaces: [{privateIPConfigs: 1}]"
		rest  = size + ", " + boot + ", " + oneIP
	)
	cases := map[string]struct{ given, want string }{
		"nothing": {"{" + size + "}", "{" + rest + "}"},
		"fields of former times": {
			"{" + size + ", subnetName: x, acceleratedNetworking: true}",
			"{" + size + ", " + boot + ", networkInterfaces: [{subnetName: x, acceleratedNetworking: true, privateIPConfigs: 1}]}",
		},
		"fields of former times again": {
			"{" + size + ", subnetName: x, acceleratedNetworking: true, networkInterfaces: [{subnetName: x, acceleratedNetworking: true, privateIPConfigs: 1}], identity: SystemAssigned, roleAssignmentName: r, systemAssignedIdentityRole: {name: r}}",
			"{" + size + ", " + boot + ", networkInterfaces: [{subnetName: x, acceleratedNetworking: true, privateIPConfigs: 1}], identity: SystemAssigned, systemAssignedIdentityRole: {name: r}}",
		},
		"both, which is refused": {
			"{" + size + ", subnetName: x, networkInterfaces: [{privateIPConfigs: 3}, {subnetName: m}]}",
			"{" + size + ", " + boot + ", subnetName: x, networkInterfaces: [{privateIPConfigs: 3}, {subnetName: m, privateIPConfigs: 1}]}",
		},
		"disks": {
			"{" + rest + ", dataDisks: [{nameSuffix: a, diskSizeGB: 4}, {nameSuffix: b, diskSizeGB: 4, lun: 0, cachingType: ReadOnly}, {nameSuffix: c, diskSizeGB: 4, managedDisk: {storageAccountType: UltraSSD_LRS}}]}",
			"{" + rest + ", dataDisks: [{nameSuffix: a, diskSizeGB: 4, lun: 1, cachingType: ReadWrite}, {nameSuffix: b, diskSizeGB: 4, lun: 0, cachingType: ReadOnly}, {nameSuffix: c, diskSizeGB: 4, lun: 2, cachingType: None, managedDisk: {storageAccountType: UltraSSD_LRS}}]}",
		},
		"spot":            {"{" + rest + ", spotVMOptions: {}}", "{" + rest + ", spotVMOptions: {evictionPolicy: Deallocate}}"},
		"spot as given":   {"{" + rest + ", spotVMOptions: {evictionPolicy: Delete}}", "{" + rest + ", spotVMOptions: {evictionPolicy: Delete}}"},
		"spot, ephemeral": {"{vmSize: s, osDisk: {osType: Linux, diffDiskSettings: {option: Local}}, " + boot + ", " + oneIP + ", spotVMOptions: {}}", "{vmSize: s, osDisk: {osType: Linux, diffDiskSettings: {option: Local}}, " + boot + ", " + oneIP + ", spotVMOptions: {evictionPolicy: Delete}}"},
		"role":            {"{" + rest + ", identity: SystemAssigned, roleAssignmentName: r}", "{" + rest + ", identity: SystemAssigned, systemAssignedIdentityRole: {name: r}}"},
		"two names of a role, which is refused": {
			"{" + rest + ", identity: SystemAssigned, roleAssignmentName: r, systemAssignedIdentityRole: {name: q}}",
			"{" + rest + ", identity: SystemAssigned, roleAssignmentName: r, systemAssignedIdentityRole: {name: q}}",
		},
		"no role":     {"{" + rest + ", identity: UserAssigned, roleAssignmentName: r}", "{" + rest + ", identity: UserAssigned, roleAssignmentName: r}"},
		"diagnostics": {"{" + size + ", " + oneIP + ", diagnostics: {boot: {storageAccountType: Disabled}}}", "{" + size + ", " + oneIP + ", diagnostics: {boot: {storageAccountType: Disabled}}}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { filled(t, tc.given, tc.want, Machine) })
	}
}

// TestMachineTemplate shows that what a machine decides for itself is not decided in its template.
func TestMachineTemplate(t *testing.T) {
	filled(t, "{vmSize: s, osDisk: {osType: Linux}, identity: SystemAssigned, spotVMOptions: {}, dataDisks: [{nameSuffix: a, diskSizeGB: 4}]}",
		"{vmSize: s, osDisk: {osType: Linux}, identity: SystemAssigned, spotVMOptions: {}, networkInterfaces: [{privateIPConfigs: 1}], dataDisks: [{nameSuffix: a, diskSizeGB: 4, lun: 0, cachingType: ReadWrite}]}",
		MachineTemplate)
}

func TestMachinePool(t *testing.T) {
	const (
		osDisk = "osDisk: {osType: Linux}"
		rest   = "diagnostics: {boot: {storageAccountType: Managed}}, networkInterfaces: [{privateIPConfigs: 1}]"
	)
	cases := map[string]struct{ given, want string }{
		"nothing": {"{location: l, template: {vmSize: s, " + osDisk + "}}", "{location: l, template: {vmSize: s, " + osDisk + ", " + rest + "}}"},
		"no disk": {"{location: l, template: {vmSize: s}}", "{location: l, template: {vmSize: s, " + osDisk + ", " + rest + "}}"},
		"an empty osType": {
			"{location: l, template: {vmSize: s, osDisk: {osType: '', diskSizeGB: 64}}}",
			"{location: l, template: {vmSize: s, osDisk: {osType: Linux, diskSizeGB: 64}, " + rest + "}}",
		},
		"fields of former times": {
			"{location: l, identity: SystemAssigned, roleAssignmentName: r, template: {vmSize: s, " + osDisk + ", subnetName: x, acceleratedNetworking: true}}",
			"{location: l, identity: SystemAssigned, systemAssignedIdentityRole: {name: r}, template: {vmSize: s, " + osDisk +
				", diagnostics: {boot: {storageAccountType: Managed}}, networkInterfaces: [{subnetName: x, acceleratedNetworking: true, privateIPConfigs: 1}]}}",
		},
		"what CAPZ leaves to Azure": {
			"{location: l, template: {vmSize: s, " + osDisk + ", spotVMOptions: {}, dataDisks: [{nameSuffix: a, diskSizeGB: 4}], " + rest + "}}",
			"{location: l, template: {vmSize: s, " + osDisk + ", spotVMOptions: {}, dataDisks: [{nameSuffix: a, diskSizeGB: 4}], " + rest + "}}",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { filled(t, tc.given, tc.want, MachinePool) })
	}
}

func TestRoleOfIdentity(t *testing.T) {
	given, want := &v1beta1.SystemAssignedIdentityRole{Name: "x"}, &v1beta1.SystemAssignedIdentityRole{
		Name: "x", Scope: "/subscriptions/s/", DefinitionID: "/subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c",
	}
	RoleOfIdentity(given, "")
	if given.Scope != "" {
		t.Errorf("without a subscription the scope is %s", given.Scope)
	}
	RoleOfIdentity(given, "s")
	if diff := cmp.Diff(want, given); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	RoleOfIdentity(nil, "s")
}
