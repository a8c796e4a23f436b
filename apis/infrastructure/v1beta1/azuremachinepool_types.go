package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// LabelMachinePool is the label of an AzureMachinePoolMachine that has the name of its AzureMachinePool.
const LabelMachinePool = "azuremachinepool.infrastructure.cluster.x-k8s.io/machine-pool"

// AzureMachinePoolSpec is what an AzureMachinePool shall be.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.location) ? self.location : "") == (has(oldSelf.location) ? oldSelf.location : "")`,message="cannot be changed: it is decided when the scale set is created, so make a new pool",fieldPath=".location",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.orchestrationMode) ? self.orchestrationMode : 'Uniform') == (has(oldSelf.orchestrationMode) ? oldSelf.orchestrationMode : 'Uniform')",message="cannot be changed: it is decided when the scale set is created, so make a new pool",messageExpression="'cannot be changed from ' + (has(oldSelf.orchestrationMode) ? oldSelf.orchestrationMode : 'Uniform') + ' to ' + (has(self.orchestrationMode) ? self.orchestrationMode : 'Uniform') + ': it is decided when the scale set is created, so make a new pool'",fieldPath=".orchestrationMode",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.identity) ? self.identity : 'None') != 'UserAssigned' || (has(self.userAssignedIdentities) ? size(self.userAssignedIdentities) : 0) > 0",message="is needed with identity UserAssigned: it says which",fieldPath=".userAssignedIdentities",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule="(has(self.identity) ? self.identity : 'None') == 'UserAssigned' || (has(self.userAssignedIdentities) ? size(self.userAssignedIdentities) : 0) == 0",message="goes with identity UserAssigned only",messageExpression="'goes with identity UserAssigned only, but identity is ' + (has(self.identity) ? self.identity : 'None')",fieldPath=".userAssignedIdentities"
// +kubebuilder:validation:XValidation:rule="(has(self.identity) ? self.identity : 'None') == 'SystemAssigned' || !has(self.systemAssignedIdentityRole)",message="goes with identity SystemAssigned only",messageExpression="'goes with identity SystemAssigned only, but identity is ' + (has(self.identity) ? self.identity : 'None')",fieldPath=".systemAssignedIdentityRole",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.roleAssignmentName) ? self.roleAssignmentName : "") == "" || (has(self.systemAssignedIdentityRole) && has(self.systemAssignedIdentityRole.name) ? self.systemAssignedIdentityRole.name : "") == ""`,message="does not go with systemAssignedIdentityRole.name, which is the same",fieldPath=".roleAssignmentName"
// +kubebuilder:validation:XValidation:rule=`(has(oldSelf.systemAssignedIdentityRole) && has(oldSelf.systemAssignedIdentityRole.name) ? oldSelf.systemAssignedIdentityRole.name : "") == "" || !has(self.systemAssignedIdentityRole) || (has(self.systemAssignedIdentityRole.name) ? self.systemAssignedIdentityRole.name : "") == oldSelf.systemAssignedIdentityRole.name`,message="cannot be changed: the role assignment of the scale set has this name",fieldPath=".systemAssignedIdentityRole.name",reason="FieldValueForbidden"
type AzureMachinePoolSpec struct {
	// location is the region that the scale set is in: that of the AzureCluster. It cannot be changed. Users write it.
	// Example: westeurope
	// +kubebuilder:validation:MaxLength=256
	Location string `json:"location"`

	// template is the virtual machine of the scale set, which has one instance for each replica of the MachinePool. With
	// a changed image, size or zone, instances are replaced as strategy says. Other changes only apply to new instances.
	// Users write it.
	Template AzureMachinePoolMachineTemplate `json:"template"`

	// additionalTags are tags of the scale set and its instances, in addition to those of the AzureCluster, over which they
	// take precedence. Users write them.
	// Example: {cost-centre: "4711"}
	// +optional
	AdditionalTags Tags `json:"additionalTags,omitempty"`

	// providerID is the resource ID of the scale set. provider-capz writes it. Users leave it out.
	// Example: azure:///subscriptions/.../resourceGroups/my-cluster/providers/Microsoft.Compute/virtualMachineScaleSets/my-cluster-mp-0
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	ProviderID string `json:"providerID,omitempty"`

	// providerIDList has the ID of each instance, sorted. Cluster API finds the Nodes of the pool by it. provider-capz writes
	// it. Users leave it out.
	// Example: ["azure:///subscriptions/.../virtualMachineScaleSets/my-cluster-mp-0/virtualMachines/0"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5000
	ProviderIDList []string `json:"providerIDList,omitempty"`

	// identity is the managed identity of the instances: None, SystemAssigned for one that Azure creates, which gets a
	// role (systemAssignedIdentityRole), or UserAssigned for those in userAssignedIdentities. Users write it.
	// Example: UserAssigned
	// +optional
	// +kubebuilder:default=None
	Identity VMIdentity `json:"identity,omitempty"`

	// systemAssignedIdentityRole is the role of the identity that Azure creates, with identity SystemAssigned. The default
	// is Contributor of the subscription. Users write it.
	// Example: {scope: /subscriptions/.../resourceGroups/my-cluster, definitionID: /subscriptions/.../roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c}
	// +optional
	SystemAssignedIdentityRole *SystemAssignedIdentityRole `json:"systemAssignedIdentityRole,omitempty"`

	// userAssignedIdentities are the identities that the instances have, with identity UserAssigned. Users write them.
	// Example: [{providerID: "azure:///subscriptions/.../providers/Microsoft.ManagedIdentity/userAssignedIdentities/cloud-provider"}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	UserAssignedIdentities []UserAssignedIdentity `json:"userAssignedIdentities,omitempty"`

	// roleAssignmentName is the former place of systemAssignedIdentityRole.name, and is moved there. Users write it.
	// Example: 11111111-1111-1111-1111-111111111111
	// +optional
	// +kubebuilder:validation:MaxLength=256
	RoleAssignmentName string `json:"roleAssignmentName,omitempty"`

	// strategy says how instances with an older image, size or zone are replaced. Users write it.
	// Example: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 1, deletePolicy: Oldest}}
	// +optional
	// +kubebuilder:default={type: "RollingUpdate", rollingUpdate: {maxSurge: 1, maxUnavailable: 0, deletePolicy: Oldest}}
	Strategy AzureMachinePoolDeploymentStrategy `json:"strategy,omitzero"`

	// orchestrationMode is Uniform for instances that are all the same, or Flexible for independent virtual machines,
	// which requires Kubernetes 1.26. It cannot be changed. Users write it.
	// Example: Flexible
	// +optional
	// +kubebuilder:default=Uniform
	OrchestrationMode OrchestrationMode `json:"orchestrationMode,omitempty"`

	// platformFaultDomainCount is the number of fault domains over which Azure distributes the instances. The default is
	// Azure's, and 1 with orchestrationMode Flexible. Users write it.
	// Example: 5
	// +optional
	PlatformFaultDomainCount *int32 `json:"platformFaultDomainCount,omitempty"`

	// zoneBalance true makes Azure keep the zones strictly balanced, and refuse what would not be. It only applies if the
	// MachinePool has more than one failure domain. Users write it.
	// Example: true
	// +optional
	ZoneBalance *bool `json:"zoneBalance,omitempty"`

	CompositeSpec `json:",inline"`
}

// OrchestrationMode is how Azure keeps the instances of a scale set.
// +kubebuilder:validation:Enum=Flexible;Uniform
type OrchestrationMode string

// The values of OrchestrationMode.
const (
	OrchestrationFlexible OrchestrationMode = "Flexible"
	OrchestrationUniform  OrchestrationMode = "Uniform"
)

// AzureMachinePoolMachineTemplate is the virtual machine of which a scale set has many.
//
// +kubebuilder:validation:XValidation:rule=`self.vmSize != ""`,message="is needed: it says which size the virtual machines have",fieldPath=".vmSize",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.disableVMBootstrapExtension) || has(self.disableVMBootstrapExtension) && self.disableVMBootstrapExtension == oldSelf.disableVMBootstrapExtension",message="cannot be changed once it is set: make a new pool",fieldPath=".disableVMBootstrapExtension",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.networkInterfaces) ? size(self.networkInterfaces) : 0) == 0 || (has(self.subnetName) ? self.subnetName : "") == ""`,message="does not go with networkInterfaces: say it there, for each of them",fieldPath=".subnetName"
type AzureMachinePoolMachineTemplate struct {
	// vmSize is the size of the instances, as `az vm list-sizes` names it. A change replaces them. Users write it.
	// Example: Standard_D2s_v5
	// +kubebuilder:validation:MaxLength=256
	VMSize string `json:"vmSize"`

	// image is the image of the instances: one of id, marketplace, computeGallery and sharedGallery. The default is the image
	// that Cluster API's community publishes for the Kubernetes version. A change replaces them. Users write it.
	// Example: {computeGallery: {gallery: my-gallery, name: my-image, version: latest}}
	// +optional
	// +nullable
	Image *Image `json:"image,omitempty"`

	// osDisk is the disk of the operating system. Users write it.
	// Example: {osType: Linux, diskSizeGB: 128, managedDisk: {storageAccountType: Premium_LRS}}
	OSDisk OSDisk `json:"osDisk"`

	// dataDisks are further disks, empty at first, of each instance. They are deleted with it. Users write them.
	// Example: [{nameSuffix: data, diskSizeGB: 256, lun: 0}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	DataDisks []DataDisk `json:"dataDisks,omitempty"`

	// sshPublicKey is the public key for logging in to a Linux instance as capi: a line as in authorized_keys, encoded in
	// base64. Left out, or empty, a key is generated whose private half nobody has. Users write it.
	// Example: c3NoLXJzYSBBQUFBQjNOemFDMXljMkVBQUFBREFRQUJBQUFCQVFDLi4uIG1lCg==
	// +optional
	// +kubebuilder:validation:MaxLength=16384
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$')",message="must be base64, of a line as in authorized_keys"
	SSHPublicKey string `json:"sshPublicKey,omitempty"`

	// acceleratedNetworking is the former place of networkInterfaces[0].acceleratedNetworking, and is moved there. Users write
	// it.
	// Example: true
	// +optional
	// +nullable
	AcceleratedNetworking *bool `json:"acceleratedNetworking,omitempty"`

	// additionalCapabilities enable what a virtual machine does not have by default. Users write them.
	// Example: {ultraSSDEnabled: true}
	// +optional
	AdditionalCapabilities *AdditionalCapabilities `json:"additionalCapabilities,omitempty"`

	// diagnostics say what Azure stores of an instance's boot. By default Azure stores its console output. Users write
	// it.
	// Example: {boot: {storageAccountType: Managed}}
	// +optional
	Diagnostics *Diagnostics `json:"diagnostics,omitempty"`

	// terminateNotificationTimeout is how many minutes before the deletion of an instance Azure notifies it, 5 to 15. Left
	// out, Azure does not. Users write it.
	// Example: 10
	// +optional
	// +kubebuilder:validation:Minimum=5
	// +kubebuilder:validation:Maximum=15
	TerminateNotificationTimeout *int `json:"terminateNotificationTimeout,omitempty"`

	// securityProfile has the security features of the instances. Users write it.
	// Example: {encryptionAtHost: true}
	// +optional
	SecurityProfile *SecurityProfile `json:"securityProfile,omitempty"`

	// spotVMOptions, even empty, use spare capacity at a lower price, which Azure may evict at any time. Users write them.
	// Example: {maxPrice: "0.05", evictionPolicy: Delete}
	// +optional
	SpotVMOptions *SpotVMOptions `json:"spotVMOptions,omitempty"`

	// subnetName is the former place of networkInterfaces[0].subnetName, and is moved there. Users write it.
	// Example: node-subnet
	// +optional
	// +kubebuilder:validation:MaxLength=256
	SubnetName string `json:"subnetName,omitempty"`

	// vmExtensions are extensions that Azure installs on the instances. Users write them.
	// Example: [{name: CustomScript, publisher: Microsoft.Azure.Extensions, version: "2.1", settings: {commandToExecute: "uptime"}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	VMExtensions []VMExtension `json:"vmExtensions,omitempty"`

	// disableVMBootstrapExtension false installs the extension that reports whether the bootstrapping of an instance has
	// finished. The default is true. It cannot be changed once it is set. Users write it.
	// Example: false
	// +optional
	DisableVMBootstrapExtension *bool `json:"disableVMBootstrapExtension,omitempty"`

	// networkInterfaces are the network interfaces of each instance; the first is the primary one. By default it has one in
	// the subnet for nodes. Users write them.
	// Example: [{subnetName: node-subnet, privateIPConfigs: 110}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	NetworkInterfaces []NetworkInterface `json:"networkInterfaces,omitempty"`
}

// AzureMachinePoolDeploymentStrategyType is the sort of an AzureMachinePoolDeploymentStrategy.
// +kubebuilder:validation:Enum=RollingUpdate
type AzureMachinePoolDeploymentStrategyType string

// RollingUpdate replaces instances one after the other.
const RollingUpdate AzureMachinePoolDeploymentStrategyType = "RollingUpdate"

// AzureMachinePoolDeploymentStrategy says how instances of an older model are replaced.
type AzureMachinePoolDeploymentStrategy struct {
	// type is RollingUpdate, the only type.
	// Example: RollingUpdate
	// +optional
	// +kubebuilder:default=RollingUpdate
	Type AzureMachinePoolDeploymentStrategyType `json:"type,omitempty"`

	// rollingUpdate says how many instances are replaced at once, and which first.
	// Example: {maxSurge: 25%, maxUnavailable: 1, deletePolicy: Oldest}
	// +optional
	RollingUpdate *MachineRollingUpdateDeployment `json:"rollingUpdate,omitempty"`
}

// AzureMachinePoolDeletePolicy says which of several instances that may go goes first.
// +kubebuilder:validation:Enum=Random;Newest;Oldest
type AzureMachinePoolDeletePolicy string

// The values of AzureMachinePoolDeletePolicy.
const (
	DeleteRandom AzureMachinePoolDeletePolicy = "Random"
	DeleteNewest AzureMachinePoolDeletePolicy = "Newest"
	DeleteOldest AzureMachinePoolDeletePolicy = "Oldest"
)

// MachineRollingUpdateDeployment says how many instances are replaced at once, and which first. Where both numbers come out as 0,
// instances are replaced one at a time.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.maxSurge) && self.maxSurge == 0 && (!has(self.maxUnavailable) || self.maxUnavailable == 0))",message="must not be 0 while maxUnavailable is 0 too: no instance could ever be replaced",fieldPath=".maxSurge"
type MachineRollingUpdateDeployment struct {
	// maxUnavailable is how many fewer instances than replicas of the MachinePool may be ready meanwhile: a number, or a
	// percentage of the replicas, rounded down.
	// Example: 1
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern="^[0-9]{1,3}%$"
	// +kubebuilder:validation:XValidation:rule="type(self) != int || self >= 0",message="must be a number that is not negative, or a part in percent such as 25%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`

	// maxSurge is how many more instances than replicas of the MachinePool are allowed meanwhile: a number, or a percentage of
	// the replicas, rounded up.
	// Example: 25%
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern="^[0-9]{1,3}%$"
	// +kubebuilder:validation:XValidation:rule="type(self) != int || self >= 0",message="must be a number that is not negative, or a part in percent such as 25%"
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`

	// deletePolicy says which of several candidates is deleted first: the Oldest, the Newest, or a Random one.
	// Example: Oldest
	// +optional
	// +kubebuilder:default=Oldest
	DeletePolicy AzureMachinePoolDeletePolicy `json:"deletePolicy,omitempty"`
}

// AzureMachinePoolStatus is what was found of an AzureMachinePool.
type AzureMachinePoolStatus struct {
	// ready tells Cluster API that the scale set exists. It becomes true when everything has been ready in Azure once, and
	// then stays true: later problems show in the conditions and in resources. Written by function-capz.
	// +optional
	Ready bool `json:"ready"`

	// initialization tells Cluster API that the first provisioning is over. Written by function-capz.
	// +optional
	Initialization *InfrastructureInitialization `json:"initialization,omitempty"`

	// replicas is how many instances are ready. Written by function-capz.
	// Example: 3
	// +optional
	Replicas int32 `json:"replicas"`

	// lastReconciledReplicas is the number of instances that the scale set was last set to. Written by function-capz.
	// Example: 3
	// +optional
	LastReconciledReplicas *int32 `json:"lastReconciledReplicas,omitempty"`

	// instances is kept for objects that come from CAPZ. Nothing reads or writes it: each instance has an
	// AzureMachinePoolMachine.
	// +optional
	// +listType=atomic
	Instances []AzureMachinePoolInstanceStatus `json:"instances,omitempty"`

	// image is the image of new instances, also if the spec names none. Written by function-capz.
	// Example: {computeGallery: {gallery: ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019, name: capi-ubun2-2404, version: 1.33.6}}
	// +optional
	Image *Image `json:"image,omitempty"`

	// version is the Kubernetes version of new instances. Written by function-capz.
	// Example: v1.33.6
	// +optional
	Version string `json:"version"`

	// provisioningState is Azure's provisioning state of the scale set: Creating, Updating, Succeeded, Failed, Deleting,
	// Canceled, Migrating; or Deleted, if Azure no longer has it. Written by function-capz.
	// Example: Succeeded
	// +optional
	ProvisioningState *ProvisioningState `json:"provisioningState,omitempty"`

	// providerID is the ID of the scale set as it follows from that in Azure. Written by function-capz; provider-capz copies it
	// to spec.
	// Example: azure:///subscriptions/.../resourceGroups/my-cluster/providers/Microsoft.Compute/virtualMachineScaleSets/my-cluster-mp-0
	// +optional
	ProviderID string `json:"providerID,omitempty"`

	// failureReason is kept for objects that come from CAPZ. Nothing reads or writes it: the conditions say what is wrong.
	// +optional
	FailureReason *string `json:"failureReason,omitempty"`

	// failureMessage is kept for objects that come from CAPZ. Nothing reads or writes it: the conditions say what is wrong.
	// +optional
	FailureMessage *string `json:"failureMessage,omitempty"`

	// longRunningOperationStates is kept for objects that come from CAPZ, which remembered its Azure requests here. Nothing
	// reads or writes it.
	// +optional
	LongRunningOperationStates Futures `json:"longRunningOperationStates,omitempty"`

	// infrastructureMachineKind tells Cluster API the kind of object that each instance has: AzureMachinePoolMachine. Written
	// by function-capz.
	// Example: AzureMachinePoolMachine
	// +optional
	InfrastructureMachineKind string `json:"infrastructureMachineKind,omitempty"`

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

// AzureMachinePoolInstanceStatus is what CAPZ once told of an instance here.
type AzureMachinePoolInstanceStatus struct {
	// version is the Kubernetes version.
	// Example: v1.33.6
	// +optional
	Version string `json:"version"`

	// provisioningState is Azure's provisioning state of the instance.
	// Example: Succeeded
	// +optional
	ProvisioningState *ProvisioningState `json:"provisioningState"`

	// providerID is its ID.
	// Example: azure:///subscriptions/.../virtualMachineScaleSets/my-cluster-mp-0/virtualMachines/0
	// +optional
	ProviderID string `json:"providerID"`

	// instanceID is its ID in the scale set.
	// Example: "0"
	// +optional
	InstanceID string `json:"instanceID"`

	// instanceName is its name.
	// Example: my-cluster-mp-0_0
	// +optional
	InstanceName string `json:"instanceName"`

	// latestModelApplied is true if it has the current model of the scale set.
	// Example: true
	LatestModelApplied bool `json:"latestModelApplied"`
}

// AzureMachinePool is a scale set of virtual machines, nodes of a self-managed cluster that are all alike. A MachinePool names it
// in spec.template.spec.infrastructureRef and decides on its size, version and zones. Each instance has an
// AzureMachinePoolMachine and a Machine, by which it is drained before it goes.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremachinepools,scope=Namespaced,categories=cluster-api,shortName=amp
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Provisioned",type="boolean",JSONPath=".status.initialization.provisioned",description="Whether everything has been ready in Azure once"
// +kubebuilder:printcolumn:name="Replicas",type="integer",JSONPath=".status.replicas",description="Instances that are ready"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.provisioningState",description="How far Azure is with the scale set"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].reason",description="One word on why Cluster API sees this object as ready or not"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].message",description="What is missing or wrong, in words"
// +kubebuilder:printcolumn:name="MachinePool",type="string",priority=1,JSONPath=".metadata.ownerReferences[?(@.kind==\"MachinePool\")].name",description="MachinePool that this object belongs to"
// +kubebuilder:printcolumn:name="VMSS ID",type="string",priority=1,JSONPath=".spec.providerID",description="ID of the scale set"
// +kubebuilder:printcolumn:name="VM Size",type="string",priority=1,JSONPath=".spec.template.vmSize",description="Size of the virtual machines"
type AzureMachinePool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what shall exist in Azure. Users write it.
	// +optional
	Spec AzureMachinePoolSpec `json:"spec,omitzero"`

	// status is what was found in Azure. Only controllers write it.
	// +optional
	Status AzureMachinePoolStatus `json:"status,omitzero"`
}

// AzureMachinePoolList is a list of AzureMachinePool objects.
//
// +kubebuilder:object:root=true
type AzureMachinePoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureMachinePool `json:"items"`
}
