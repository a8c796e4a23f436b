package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureMachineSpec is what an AzureMachine shall be.
//
// +kubebuilder:validation:XValidation:rule=`has(self.vmSize) && self.vmSize != ""`,message="is needed: it says which size the virtual machine has",fieldPath=".vmSize",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`(has(self.vmSize) ? self.vmSize : "") == (has(oldSelf.vmSize) ? oldSelf.vmSize : "")`,message="cannot be changed: it is decided when the machine is created, so replace the Machine",messageExpression=`'cannot be changed from ' + (has(oldSelf.vmSize) ? oldSelf.vmSize : 'nothing') + ' to ' + (has(self.vmSize) ? self.vmSize : 'nothing') + ': it is decided when the machine is created, so replace the Machine'`,fieldPath=".vmSize",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.failureDomain) ? self.failureDomain : "") == (has(oldSelf.failureDomain) ? oldSelf.failureDomain : "")`,message="cannot be changed: it is decided when the machine is created, so replace the Machine",messageExpression=`'cannot be changed from ' + (has(oldSelf.failureDomain) ? oldSelf.failureDomain : 'nothing') + ' to ' + (has(self.failureDomain) ? self.failureDomain : 'nothing') + ': it is decided when the machine is created, so replace the Machine'`,fieldPath=".failureDomain",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.dnsServers) ? self.dnsServers : []) == (has(oldSelf.dnsServers) ? oldSelf.dnsServers : [])",message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".dnsServers",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.additionalCapabilities) == has(oldSelf.additionalCapabilities) && (!has(self.additionalCapabilities) || self.additionalCapabilities == oldSelf.additionalCapabilities)",message="cannot be changed, set or taken away: it is decided when the machine is created, so replace the Machine",fieldPath=".additionalCapabilities",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.image) == has(oldSelf.image) && (!has(self.image) || self.image == oldSelf.image)",message="cannot be changed, set or taken away: it is decided when the machine is created, so replace the Machine",fieldPath=".image",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.identity) ? self.identity : 'None') == (has(oldSelf.identity) ? oldSelf.identity : 'None')",message="cannot be changed: it is decided when the machine is created, so replace the Machine",messageExpression="'cannot be changed from ' + (has(oldSelf.identity) ? oldSelf.identity : 'None') + ' to ' + (has(self.identity) ? self.identity : 'None') + ': it is decided when the machine is created, so replace the Machine'",fieldPath=".identity",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.userAssignedIdentities) ? self.userAssignedIdentities : []) == (has(oldSelf.userAssignedIdentities) ? oldSelf.userAssignedIdentities : [])",message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".userAssignedIdentities",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.systemAssignedIdentityRole) == has(oldSelf.systemAssignedIdentityRole) && (!has(self.systemAssignedIdentityRole) || self.systemAssignedIdentityRole == oldSelf.systemAssignedIdentityRole)",message="cannot be changed, set or taken away: it is decided when the machine is created, so replace the Machine",fieldPath=".systemAssignedIdentityRole",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.roleAssignmentName) ? self.roleAssignmentName : "") == (has(oldSelf.roleAssignmentName) ? oldSelf.roleAssignmentName : "")`,message="cannot be changed: it is decided when the machine is created, so replace the Machine",messageExpression=`'cannot be changed from ' + ((has(oldSelf.roleAssignmentName) ? oldSelf.roleAssignmentName : "") == "" ? 'nothing' : (has(oldSelf.roleAssignmentName) ? oldSelf.roleAssignmentName : "")) + ' to ' + ((has(self.roleAssignmentName) ? self.roleAssignmentName : "") == "" ? 'nothing' : (has(self.roleAssignmentName) ? self.roleAssignmentName : "")) + ': it is decided when the machine is created, so replace the Machine'`,fieldPath=".roleAssignmentName",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="self.osDisk == oldSelf.osDisk",message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".osDisk",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.dataDisks) ? self.dataDisks : []) == (has(oldSelf.dataDisks) ? oldSelf.dataDisks : [])",message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".dataDisks",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.sshPublicKey) ? self.sshPublicKey : "") == (has(oldSelf.sshPublicKey) ? oldSelf.sshPublicKey : "")`,message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".sshPublicKey",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.allocatePublicIP) ? self.allocatePublicIP : false) == (has(oldSelf.allocatePublicIP) ? oldSelf.allocatePublicIP : false)",message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".allocatePublicIP",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.enableIPForwarding) ? self.enableIPForwarding : false) == (has(oldSelf.enableIPForwarding) ? oldSelf.enableIPForwarding : false)",message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".enableIPForwarding",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(self.acceleratedNetworking) || has(oldSelf.acceleratedNetworking) && self.acceleratedNetworking == oldSelf.acceleratedNetworking",message="can only be taken away: it is decided when the machine is created, so replace the Machine",fieldPath=".acceleratedNetworking",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.diagnostics) || has(self.diagnostics) && self.diagnostics == oldSelf.diagnostics",message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".diagnostics",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.spotVMOptions) == has(oldSelf.spotVMOptions) && (!has(self.spotVMOptions) || self.spotVMOptions == oldSelf.spotVMOptions)",message="cannot be changed, set or taken away: it is decided when the machine is created, so replace the Machine",fieldPath=".spotVMOptions",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.securityProfile) == has(oldSelf.securityProfile) && (!has(self.securityProfile) || self.securityProfile == oldSelf.securityProfile)",message="cannot be changed, set or taken away: it is decided when the machine is created, so replace the Machine",fieldPath=".securityProfile",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.capacityReservationGroupID) ? self.capacityReservationGroupID : "") == (has(oldSelf.capacityReservationGroupID) ? oldSelf.capacityReservationGroupID : "")`,message="cannot be changed: it is decided when the machine is created, so replace the Machine",messageExpression=`'cannot be changed from ' + ((has(oldSelf.capacityReservationGroupID) ? oldSelf.capacityReservationGroupID : "") == "" ? 'nothing' : (has(oldSelf.capacityReservationGroupID) ? oldSelf.capacityReservationGroupID : "")) + ' to ' + ((has(self.capacityReservationGroupID) ? self.capacityReservationGroupID : "") == "" ? 'nothing' : (has(self.capacityReservationGroupID) ? self.capacityReservationGroupID : "")) + ': it is decided when the machine is created, so replace the Machine'`,fieldPath=".capacityReservationGroupID",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.virtualMachineScaleSetID) ? self.virtualMachineScaleSetID : "") == (has(oldSelf.virtualMachineScaleSetID) ? oldSelf.virtualMachineScaleSetID : "")`,message="cannot be changed: it is decided when the machine is created, so replace the Machine",messageExpression=`'cannot be changed from ' + ((has(oldSelf.virtualMachineScaleSetID) ? oldSelf.virtualMachineScaleSetID : "") == "" ? 'nothing' : (has(oldSelf.virtualMachineScaleSetID) ? oldSelf.virtualMachineScaleSetID : "")) + ' to ' + ((has(self.virtualMachineScaleSetID) ? self.virtualMachineScaleSetID : "") == "" ? 'nothing' : (has(self.virtualMachineScaleSetID) ? self.virtualMachineScaleSetID : "")) + ': it is decided when the machine is created, so replace the Machine'`,fieldPath=".virtualMachineScaleSetID",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.disableExtensionOperations) == has(oldSelf.disableExtensionOperations) && (!has(self.disableExtensionOperations) || self.disableExtensionOperations == oldSelf.disableExtensionOperations)",message="cannot be changed, set or taken away: it is decided when the machine is created, so replace the Machine",fieldPath=".disableExtensionOperations",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.disableVMBootstrapExtension) || has(self.disableVMBootstrapExtension) && self.disableVMBootstrapExtension == oldSelf.disableVMBootstrapExtension",message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".disableVMBootstrapExtension",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(oldSelf.networkInterfaces) ? size(oldSelf.networkInterfaces) : 0) == 0 || has(self.networkInterfaces) && self.networkInterfaces == oldSelf.networkInterfaces",message="cannot be changed: it is decided when the machine is created, so replace the Machine",fieldPath=".networkInterfaces",reason="FieldValueForbidden"
type AzureMachineSpec struct {
	AzureMachineClassSpec `json:",inline"`

	// providerID is the ID by which Cluster API finds the Node of this machine. provider-capz writes it. Users leave it out.
	// Example: azure:///subscriptions/.../resourceGroups/my-cluster/providers/Microsoft.Compute/virtualMachines/my-cluster-md-0-x7k2p
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	ProviderID *string `json:"providerID,omitempty"`

	CompositeSpec `json:",inline"`
}

// AzureMachineClassSpec is what an AzureMachine and an AzureMachineTemplate have in common.
//
// +kubebuilder:validation:XValidation:rule="(has(self.identity) ? self.identity : 'None') != 'UserAssigned' || (has(self.userAssignedIdentities) ? size(self.userAssignedIdentities) : 0) > 0",message="is needed with identity UserAssigned: it says which",fieldPath=".userAssignedIdentities",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule="(has(self.identity) ? self.identity : 'None') == 'UserAssigned' || (has(self.userAssignedIdentities) ? size(self.userAssignedIdentities) : 0) == 0",message="goes with identity UserAssigned only",messageExpression="'goes with identity UserAssigned only, but identity is ' + (has(self.identity) ? self.identity : 'None')",fieldPath=".userAssignedIdentities"
// +kubebuilder:validation:XValidation:rule="(has(self.identity) ? self.identity : 'None') == 'SystemAssigned' || !has(self.systemAssignedIdentityRole)",message="goes with identity SystemAssigned only",messageExpression="'goes with identity SystemAssigned only, but identity is ' + (has(self.identity) ? self.identity : 'None')",fieldPath=".systemAssignedIdentityRole",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.roleAssignmentName) ? self.roleAssignmentName : "") == "" || (has(self.systemAssignedIdentityRole) && has(self.systemAssignedIdentityRole.name) ? self.systemAssignedIdentityRole.name : "") == ""`,message="does not go with systemAssignedIdentityRole.name, which is the same",fieldPath=".roleAssignmentName"
// +kubebuilder:validation:XValidation:rule=`(has(self.networkInterfaces) ? size(self.networkInterfaces) : 0) == 0 || (has(self.subnetName) ? self.subnetName : "") == ""`,message="does not go with networkInterfaces: say it there, for each of them",fieldPath=".subnetName"
// +kubebuilder:validation:XValidation:rule="(has(self.networkInterfaces) ? size(self.networkInterfaces) : 0) == 0 || !has(self.acceleratedNetworking)",message="does not go with networkInterfaces: say it there, for each of them",fieldPath=".acceleratedNetworking"
// +kubebuilder:validation:XValidation:rule="!(has(self.disableExtensionOperations) ? self.disableExtensionOperations : false) || (has(self.vmExtensions) ? size(self.vmExtensions) : 0) == 0",message="must be empty with disableExtensionOperations: nobody can install them then",fieldPath=".vmExtensions",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.osDisk.managedDisk) && has(self.osDisk.managedDisk.securityProfile) && has(self.osDisk.managedDisk.securityProfile.securityEncryptionType) ? self.osDisk.managedDisk.securityProfile.securityEncryptionType : "") == "" || !has(self.securityProfile) || (has(self.securityProfile.securityType) ? self.securityProfile.securityType : "") == 'ConfidentialVM'`,message="must be ConfidentialVM with osDisk.managedDisk.securityProfile.securityEncryptionType",fieldPath=".securityProfile.securityType"
// +kubebuilder:validation:XValidation:rule=`(has(self.osDisk.managedDisk) && has(self.osDisk.managedDisk.securityProfile) && has(self.osDisk.managedDisk.securityProfile.securityEncryptionType) ? self.osDisk.managedDisk.securityProfile.securityEncryptionType : "") == "" || !has(self.securityProfile) || (has(self.securityProfile.uefiSettings) && has(self.securityProfile.uefiSettings.vTpmEnabled) ? self.securityProfile.uefiSettings.vTpmEnabled : false)`,message="must be true with osDisk.managedDisk.securityProfile.securityEncryptionType",fieldPath=".securityProfile.uefiSettings.vTpmEnabled"
// +kubebuilder:validation:XValidation:rule=`(has(self.osDisk.managedDisk) && has(self.osDisk.managedDisk.securityProfile) && has(self.osDisk.managedDisk.securityProfile.securityEncryptionType) ? self.osDisk.managedDisk.securityProfile.securityEncryptionType : "") != 'DiskWithVMGuestState' || !(has(self.securityProfile) && has(self.securityProfile.encryptionAtHost) ? self.securityProfile.encryptionAtHost : false)`,message="does not go with osDisk.managedDisk.securityProfile.securityEncryptionType DiskWithVMGuestState, which encrypts the disk by itself",fieldPath=".securityProfile.encryptionAtHost"
// +kubebuilder:validation:XValidation:rule=`(has(self.osDisk.managedDisk) && has(self.osDisk.managedDisk.securityProfile) && has(self.osDisk.managedDisk.securityProfile.securityEncryptionType) ? self.osDisk.managedDisk.securityProfile.securityEncryptionType : "") != 'DiskWithVMGuestState' || !has(self.securityProfile) || (has(self.securityProfile.uefiSettings) && has(self.securityProfile.uefiSettings.secureBootEnabled) ? self.securityProfile.uefiSettings.secureBootEnabled : false)`,message="must be true with osDisk.managedDisk.securityProfile.securityEncryptionType DiskWithVMGuestState",fieldPath=".securityProfile.uefiSettings.secureBootEnabled"
type AzureMachineClassSpec struct {
	// vmSize is the size of the virtual machine, as `az vm list-sizes` names it. It is required, except in a template, where
	// patches may fill it in. It cannot be changed. Users write it.
	// Example: Standard_D2s_v5
	// +optional
	// +kubebuilder:validation:MaxLength=256
	VMSize string `json:"vmSize"`

	// failureDomain is the zone of the region that the machine is in. That of the Machine, which Cluster API chooses,
	// takes precedence. It cannot be changed. Users write it.
	// Example: "1"
	// +optional
	// +kubebuilder:validation:MaxLength=256
	FailureDomain *string `json:"failureDomain,omitempty"`

	// image is the image of the machine: one of id, marketplace, computeGallery and sharedGallery. The default is the image
	// that Cluster API's community publishes for the Kubernetes version. It cannot be changed. Users write it.
	// Example: {computeGallery: {gallery: my-gallery, name: my-image, version: latest}}
	// +optional
	// +nullable
	Image *Image `json:"image,omitempty"`

	// identity is the managed identity of the machine: None, SystemAssigned for one that Azure creates, which gets a role
	// (systemAssignedIdentityRole), or UserAssigned for those in userAssignedIdentities. It cannot be changed. Users write it.
	// Example: UserAssigned
	// +optional
	// +kubebuilder:default=None
	Identity VMIdentity `json:"identity,omitempty"`

	// userAssignedIdentities are the identities that the machine has, with identity UserAssigned. They cannot be changed.
	// Users write them.
	// Example: [{providerID: "azure:///subscriptions/.../providers/Microsoft.ManagedIdentity/userAssignedIdentities/cloud-provider"}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	UserAssignedIdentities []UserAssignedIdentity `json:"userAssignedIdentities,omitempty"`

	// systemAssignedIdentityRole is the role of the identity that Azure creates, with identity SystemAssigned. The default
	// is Contributor of the subscription. It cannot be changed. Users write it.
	// Example: {scope: /subscriptions/.../resourceGroups/my-cluster, definitionID: /subscriptions/.../roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c}
	// +optional
	SystemAssignedIdentityRole *SystemAssignedIdentityRole `json:"systemAssignedIdentityRole,omitempty"`

	// roleAssignmentName is the former place of systemAssignedIdentityRole.name, and is moved there. Users write it.
	// Example: 11111111-1111-1111-1111-111111111111
	// +optional
	// +kubebuilder:validation:MaxLength=256
	RoleAssignmentName string `json:"roleAssignmentName,omitempty"`

	// osDisk is the disk of the operating system. It cannot be changed. Users write it.
	// Example: {osType: Linux, diskSizeGB: 128, managedDisk: {storageAccountType: Premium_LRS}}
	OSDisk OSDisk `json:"osDisk"`

	// dataDisks are further disks, empty at first. They are deleted with the machine. They cannot be changed. Users write
	// them.
	// Example: [{nameSuffix: etcddisk, diskSizeGB: 256, lun: 0}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(d, self.exists_one(o, o.nameSuffix == d.nameSuffix))",message="must each have a nameSuffix of its own"
	// +kubebuilder:validation:XValidation:rule="self.all(d, !has(d.lun) || self.exists_one(o, has(o.lun) && o.lun == d.lun))",message="must each have a lun of its own"
	DataDisks []DataDisk `json:"dataDisks,omitempty"`

	// sshPublicKey is the public key for logging in to a Linux machine as capi: a line as in authorized_keys, encoded in
	// base64. Left out, or empty, a key is generated whose private half nobody has. It cannot be changed. Users write
	// it.
	// Example: c3NoLXJzYSBBQUFBQjNOemFDMXljMkVBQUFBREFRQUJBQUFCQVFDLi4uIG1lCg==
	// +optional
	// +kubebuilder:validation:MaxLength=16384
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$')",message="must be base64, of a line as in authorized_keys"
	SSHPublicKey string `json:"sshPublicKey,omitempty"`

	// additionalTags are tags of the virtual machine and what belongs to it, in addition to those of the AzureCluster, over
	// which they take precedence. Users write them.
	// Example: {cost-centre: "4711"}
	// +optional
	AdditionalTags Tags `json:"additionalTags,omitempty"`

	// additionalCapabilities enable what a virtual machine does not have by default. They cannot be changed. Users write
	// them.
	// Example: {ultraSSDEnabled: true}
	// +optional
	AdditionalCapabilities *AdditionalCapabilities `json:"additionalCapabilities,omitempty"`

	// allocatePublicIP true gives the machine a public address. It cannot be changed. Users write it.
	// Example: false
	// +optional
	AllocatePublicIP bool `json:"allocatePublicIP,omitempty"`

	// enableIPForwarding true lets the machine forward traffic for others, which some network plugins and IPv6 need. It
	// cannot be changed. Users write it.
	// Example: true
	// +optional
	EnableIPForwarding bool `json:"enableIPForwarding,omitempty"`

	// acceleratedNetworking is the former place of networkInterfaces[0].acceleratedNetworking, and is moved there. Users
	// write it.
	// Example: true
	// +optional
	// +nullable
	AcceleratedNetworking *bool `json:"acceleratedNetworking,omitempty"`

	// diagnostics say what Azure stores of the machine's boot. By default Azure stores its console output. It cannot be
	// changed once it is set. Users write it.
	// Example: {boot: {storageAccountType: Managed}}
	// +optional
	Diagnostics *Diagnostics `json:"diagnostics,omitempty"`

	// spotVMOptions, even empty, use spare capacity at a lower price, which Azure may evict at any time. They cannot be
	// changed. Users write them.
	// Example: {maxPrice: "0.05", evictionPolicy: Delete}
	// +optional
	SpotVMOptions *SpotVMOptions `json:"spotVMOptions,omitempty"`

	// securityProfile has the security features of the virtual machine. It cannot be changed. Users write it.
	// Example: {encryptionAtHost: true}
	// +optional
	SecurityProfile *SecurityProfile `json:"securityProfile,omitempty"`

	// subnetName is the former place of networkInterfaces[0].subnetName, and is moved there. Users write it.
	// Example: node-subnet
	// +optional
	// +kubebuilder:validation:MaxLength=256
	SubnetName string `json:"subnetName,omitempty"`

	// dnsServers are the addresses of the DNS servers that the machine uses. The default is Azure's. They cannot be
	// changed. Users write them.
	// Example: [10.0.0.53]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=256
	DNSServers []string `json:"dnsServers,omitempty"`

	// disableExtensionOperations true prevents the installation of extensions, which some images do not support. Then
	// vmExtensions must be empty. It cannot be changed. Users write it.
	// Example: false
	// +optional
	DisableExtensionOperations *bool `json:"disableExtensionOperations,omitempty"`

	// disableVMBootstrapExtension false installs the extension that reports whether the bootstrapping of the machine has
	// finished. The default is true. It cannot be changed once it is set. Users write it.
	// Example: false
	// +optional
	DisableVMBootstrapExtension *bool `json:"disableVMBootstrapExtension,omitempty"`

	// vmExtensions are extensions that Azure installs on the machine. New ones are added to an existing machine. Users
	// write them.
	// Example: [{name: CustomScript, publisher: Microsoft.Azure.Extensions, version: "2.1", settings: {commandToExecute: "uptime"}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	VMExtensions []VMExtension `json:"vmExtensions,omitempty"`

	// networkInterfaces are the network interfaces of the machine; the first is the primary one. By default it has one in
	// the subnet of its role. They cannot be changed. Users write them.
	// Example: [{subnetName: node-subnet, privateIPConfigs: 110}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	NetworkInterfaces []NetworkInterface `json:"networkInterfaces,omitempty"`

	// capacityReservationGroupID is the resource ID of the capacity reservation group from which the machine takes its
	// capacity. It cannot be changed. Users write it.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/capacity/providers/Microsoft.Compute/capacityReservationGroups/mine
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('(?i)^/subscriptions/[^/]+/resourcegroups/[^/]+/providers/microsoft[.]compute/capacityreservationgroups/[^/]+$')",message="must be the resource ID of a capacity reservation group, such as /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Compute/capacityReservationGroups/NAME"
	CapacityReservationGroupID *string `json:"capacityReservationGroupID,omitempty"`

	// virtualMachineScaleSetID is the resource ID of an existing scale set in mode Flexible, to which the machine is added.
	// It cannot be changed. Users write it.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/my-cluster/providers/Microsoft.Compute/virtualMachineScaleSets/mine
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('(?i)^/subscriptions/[^/]+/resourcegroups/[^/]+/providers/microsoft[.]compute/virtualmachinescalesets/[^/]+$')",message="must be the resource ID of a scale set, such as /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Compute/virtualMachineScaleSets/NAME"
	VirtualMachineScaleSetID *string `json:"virtualMachineScaleSetID,omitempty"`
}

// NetworkInterface is a network interface of a machine.
type NetworkInterface struct {
	// subnetName is the subnet that it is in. The default is that of the machine's role.
	// Example: node-subnet
	// +optional
	// +kubebuilder:validation:MaxLength=256
	SubnetName string `json:"subnetName,omitempty"`

	// privateIPConfigs is how many private addresses it has. Azure CNI needs one for each pod. The default is 1.
	// Example: 110
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0",message="must be at least 1"
	PrivateIPConfigs int `json:"privateIPConfigs,omitempty"`

	// acceleratedNetworking true lets its traffic bypass the host's network stack. Azure refuses it with a size that does not
	// support it. The default is true if the size supports it.
	// Example: true
	// +optional
	// +nullable
	AcceleratedNetworking *bool `json:"acceleratedNetworking,omitempty"`
}

// SpotEvictionPolicy says what becomes of a machine that Azure takes back.
// +kubebuilder:validation:Enum=Deallocate;Delete
type SpotEvictionPolicy string

// The values of SpotEvictionPolicy.
const (
	// SpotEvictionPolicyDeallocate stops the machine and keeps its disks.
	SpotEvictionPolicyDeallocate SpotEvictionPolicy = "Deallocate"
	// SpotEvictionPolicyDelete deletes it.
	SpotEvictionPolicyDelete SpotEvictionPolicy = "Delete"
)

// SpotVMOptions are those of a machine from spare capacity.
type SpotVMOptions struct {
	// maxPrice is the highest price per hour, in US dollars. The default is the price of a regular machine.
	// Example: "0.05"
	// +optional
	MaxPrice *resource.Quantity `json:"maxPrice,omitempty"`

	// evictionPolicy says what happens to a machine that Azure evicts. The default is Deallocate, and Delete with an
	// ephemeral OS disk.
	// Example: Delete
	// +optional
	EvictionPolicy *SpotEvictionPolicy `json:"evictionPolicy,omitempty"`
}

// VMIdentity is the sort of managed identity of a machine.
// +kubebuilder:validation:Enum=None;SystemAssigned;UserAssigned
type VMIdentity string

// The values of VMIdentity.
const (
	VMIdentityNone           VMIdentity = "None"
	VMIdentitySystemAssigned VMIdentity = "SystemAssigned"
	VMIdentityUserAssigned   VMIdentity = "UserAssigned"
)

// UserAssignedIdentity is a managed identity that is there already.
type UserAssignedIdentity struct {
	// providerID is its resource ID, with azure:// before it or not.
	// Example: azure:///subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/cloud-provider
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('(?i)^(azure://)?/subscriptions/[^/]+/resourcegroups/[^/]+/providers/microsoft[.]managedidentity/userassignedidentities/[^/]+$')",message="must be the resource ID of a managed identity, such as azure:///subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.ManagedIdentity/userAssignedIdentities/NAME"
	ProviderID string `json:"providerID"`
}

// SystemAssignedIdentityRole is the role of the identity that Azure makes for a machine.
type SystemAssignedIdentityRole struct {
	// name of the role assignment, which is a GUID. By default one is generated.
	// Example: 11111111-1111-1111-1111-111111111111
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$')`,message="must be a GUID, such as 11111111-1111-1111-1111-111111111111"
	Name string `json:"name,omitempty"`

	// definitionID is the resource ID of the role definition. The default is that of Contributor.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.Authorization/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	DefinitionID string `json:"definitionID,omitempty"`

	// scope is the resource ID of what the role is for. The default is the subscription.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/my-cluster
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Scope string `json:"scope,omitempty"`
}

// AdditionalCapabilities are what a virtual machine does not have by itself.
type AdditionalCapabilities struct {
	// ultraSSDEnabled true lets the machine use ultra disks. The default is true if one of dataDisks is one.
	// Example: true
	// +optional
	UltraSSDEnabled *bool `json:"ultraSSDEnabled,omitempty"`
}

// VMExtension is an extension that Azure installs on a machine.
type VMExtension struct {
	// name of the extension, and its type.
	// Example: CustomScript
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// publisher of the extension.
	// Example: Microsoft.Azure.Extensions
	// +kubebuilder:validation:MaxLength=256
	Publisher string `json:"publisher"`

	// version of the extension.
	// Example: "2.1"
	// +kubebuilder:validation:MaxLength=256
	Version string `json:"version"`

	// settings that are not secret.
	// Example: {commandToExecute: "uptime"}
	// +optional
	Settings Tags `json:"settings,omitempty"`

	// protectedSettings reach the machine encrypted, and cannot be read in Azure. In this object they are in clear
	// text.
	// Example: {commandToExecute: "uptime"}
	// +optional
	ProtectedSettings Tags `json:"protectedSettings,omitempty"`
}

// ProvisioningState is how far Azure is with a resource.
type ProvisioningState string

// The values of ProvisioningState.
const (
	Creating  ProvisioningState = "Creating"
	Deleting  ProvisioningState = "Deleting"
	Failed    ProvisioningState = "Failed"
	Migrating ProvisioningState = "Migrating"
	Succeeded ProvisioningState = "Succeeded"
	Updating  ProvisioningState = "Updating"
	Canceled  ProvisioningState = "Canceled"
	// Deleted says that Azure has it no more; Azure itself knows no such state.
	Deleted ProvisioningState = "Deleted"
)

// AzureMachineStatus is what was found of an AzureMachine.
type AzureMachineStatus struct {
	// ready becomes true when the virtual machine and what belongs to it are ready, and then stays true: later problems show
	// in the conditions and in resources. Written by function-capz, read by Cluster API under its v1beta1 contract; under
	// v1beta2 it reads initialization instead.
	// +optional
	Ready bool `json:"ready"`

	// initialization tells Cluster API that the first provisioning is over. Written by function-capz.
	// +optional
	Initialization *InfrastructureInitialization `json:"initialization,omitempty"`

	// addresses are those of the machine: its name, and the addresses of its network interfaces. Written by function-capz.
	// Example: [{type: InternalDNS, address: my-cluster-md-0-x7k2p}, {type: InternalIP, address: 10.1.0.4}]
	// +optional
	// +listType=atomic
	Addresses []corev1.NodeAddress `json:"addresses,omitempty"`

	// failureDomain is the zone of the region that the machine is in. Written by function-capz.
	// Example: "1"
	// +optional
	FailureDomain string `json:"failureDomain,omitempty"`

	// providerID is the ID of the virtual machine as it follows from that in Azure. Written by function-capz; provider-capz
	// copies it to spec.
	// Example: azure:///subscriptions/.../resourceGroups/my-cluster/providers/Microsoft.Compute/virtualMachines/my-cluster-md-0-x7k2p
	// +optional
	ProviderID string `json:"providerID,omitempty"`

	// vmState is Azure's provisioning state of the virtual machine: Creating, Updating, Succeeded, Failed, Deleting,
	// Canceled, Migrating; or Deleted, if Azure no longer has it. Written by function-capz.
	// Example: Succeeded
	// +optional
	VMState *ProvisioningState `json:"vmState,omitempty"`

	// failureReason says in one word why the machine will never work, so that it has to be replaced. Written by function-capz.
	// Example: UpdateError
	// +optional
	FailureReason *string `json:"failureReason,omitempty"`

	// failureMessage says the same in words, with Azure's own error text. Written by function-capz.
	// Example: the virtual machine is not in Azure any more
	// +optional
	FailureMessage *string `json:"failureMessage,omitempty"`

	// longRunningOperationStates is kept for objects that come from CAPZ, which remembered its Azure requests here. Nothing
	// reads or writes it.
	// +optional
	LongRunningOperationStates Futures `json:"longRunningOperationStates,omitempty"`

	// resources lists every ASO object that this one is composed of, and those that are still being deleted, each with its
	// own state. A failed one does not hide the others. Written by function-capz.
	// +optional
	// +listType=atomic
	Resources []ResourceStatus `json:"resources,omitempty"`

	// v1beta2 holds the conditions that Cluster API reads. Written by function-capz.
	// +optional
	V1Beta2 *V1Beta2Status `json:"v1beta2,omitempty"`

	CompositeStatus `json:",inline"`
}

// AzureMachine is one virtual machine of a self-managed cluster, with its network interfaces, disks and public address. A
// Machine names it in spec.infrastructureRef; control planes and MachineDeployments make it from an AzureMachineTemplate.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremachines,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Provisioned",type="boolean",JSONPath=".status.initialization.provisioned",description="Whether everything has been ready in Azure once"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.vmState",description="How far Azure is with the virtual machine"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].reason",description="One word on why Cluster API sees this object as ready or not"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].message",description="What is missing or wrong, in words"
// +kubebuilder:printcolumn:name="Machine",type="string",priority=1,JSONPath=".metadata.ownerReferences[?(@.kind==\"Machine\")].name",description="Machine that this object belongs to"
// +kubebuilder:printcolumn:name="VM ID",type="string",priority=1,JSONPath=".spec.providerID",description="ID of the virtual machine"
// +kubebuilder:printcolumn:name="VM Size",type="string",priority=1,JSONPath=".spec.vmSize",description="Size of the virtual machine"
type AzureMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what shall exist in Azure. Users write it.
	// +optional
	Spec AzureMachineSpec `json:"spec,omitzero"`

	// status is what was found in Azure. Only controllers write it.
	// +optional
	Status AzureMachineStatus `json:"status,omitzero"`
}

// AzureMachineList is a list of AzureMachine objects.
//
// +kubebuilder:object:root=true
type AzureMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureMachine `json:"items"`
}
