package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LabelAgentPoolMode is the label of an AzureManagedMachinePool that repeats its spec.mode.
const LabelAgentPoolMode = "azuremanagedmachinepool.infrastructure.cluster.x-k8s.io/agentpoolmode"

// NodePoolMode is what a pool is for.
type NodePoolMode string

// The values of NodePoolMode.
const (
	NodePoolModeSystem NodePoolMode = "System"
	NodePoolModeUser   NodePoolMode = "User"
)

// The values of an AzureManagedMachinePool's spec.osType.
const (
	LinuxOS   = "Linux"
	WindowsOS = "Windows"
	// DefaultOSType is what a pool has that says nothing.
	DefaultOSType = LinuxOS
)

// AzureManagedMachinePoolSpec is what an AzureManagedMachinePool shall be.
//
// +kubebuilder:validation:XValidation:rule="has(self.sku)",message="is needed: it says which size the nodes have",fieldPath=".sku",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule="!has(self.subnetName) || self.subnetName.matches('^[a-zA-Z0-9][a-zA-Z0-9._-]{0,78}[a-zA-Z0-9]$')",message="must be 2 to 80 letters, digits, and the characters - _ . with a letter or digit at both ends, as Azure wants it",messageExpression=`'"' + self.subnetName + '" must be 2 to 80 letters, digits, and the characters - _ . with a letter or digit at both ends, as Azure wants it'`,fieldPath=".subnetName"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.enableEncryptionAtHost) || has(self.enableEncryptionAtHost) && self.enableEncryptionAtHost == oldSelf.enableEncryptionAtHost",message="cannot be changed: it is decided when the pool is created, so make a new pool",fieldPath=".enableEncryptionAtHost",reason="FieldValueForbidden"
type AzureManagedMachinePoolSpec struct {
	AzureManagedMachinePoolClassSpec `json:",inline"`

	// providerIDList has the ID of each node's virtual machine, sorted. provider-capz reads it from the nodes of the
	// workload cluster, and Cluster API finds the nodes of the pool by it. Users leave it out: a value set by hand is
	// overwritten.
	// Example: ["azure:///subscriptions/.../virtualMachineScaleSets/aks-pool0-12345678-vmss/virtualMachines/0"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5000
	ProviderIDList []string `json:"providerIDList,omitempty"`

	CompositeSpec `json:",inline"`
}

// AzureManagedMachinePoolStatus is what was found of an AzureManagedMachinePool.
type AzureManagedMachinePoolStatus struct {
	// ready becomes true when the agent pool is ready and its nodes are known, and then stays true: later problems show in
	// the conditions and in resources. Written by function-capz, read by Cluster API under both contracts.
	// +optional
	Ready bool `json:"ready"`

	// initialization tells Cluster API that the first provisioning is over. Written by function-capz.
	// +optional
	Initialization *InfrastructureInitialization `json:"initialization,omitempty"`

	// replicas is the number of nodes that the agent pool has in Azure. Written by function-capz.
	// Example: 3
	// +optional
	Replicas int32 `json:"replicas"`

	// errorReason is kept for objects that come from CAPZ. Nothing reads or writes it: the conditions say what is wrong.
	// +optional
	ErrorReason *string `json:"errorReason,omitempty"`

	// errorMessage is kept for objects that come from CAPZ. Nothing reads or writes it: the conditions say what is wrong.
	// +optional
	ErrorMessage *string `json:"errorMessage,omitempty"`

	// longRunningOperationStates is kept for objects that come from CAPZ, which remembered its Azure requests here. Nothing
	// reads or writes it.
	// +optional
	LongRunningOperationStates Futures `json:"longRunningOperationStates,omitempty"`

	// resources lists the ASO object that this one is composed of, and those that are still being deleted, each with its
	// own state. Written by function-capz.
	// +optional
	// +listType=atomic
	Resources []ResourceStatus `json:"resources,omitempty"`

	// v1beta2 holds the conditions that Cluster API reads. Written by function-capz.
	// +optional
	V1Beta2 *V1Beta2Status `json:"v1beta2,omitempty"`

	CompositeStatus `json:",inline"`
}

// AzureManagedMachinePool is one node pool of an AKS cluster described by fields of its own. A MachinePool names it in
// spec.template.spec.infrastructureRef and decides on its size and version. CAPZ has deprecated this kind in favour of
// AzureASOManagedMachinePool, which takes ASO objects as they are; here both are supported.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremanagedmachinepools,scope=Namespaced,categories=cluster-api,shortName=ammp
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:deprecatedversion:warning="CAPZ has deprecated AzureManagedMachinePool; its successor is infrastructure.cluster.x-k8s.io/v1beta1 AzureASOManagedMachinePool. crossplane-capz supports both"
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Provisioned",type="boolean",JSONPath=".status.initialization.provisioned",description="Whether everything has been ready in Azure once"
// +kubebuilder:printcolumn:name="Replicas",type="integer",JSONPath=".status.replicas",description="Nodes that the agent pool has in Azure"
// +kubebuilder:printcolumn:name="Mode",type="string",JSONPath=".spec.mode",description="System, or User"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].reason",description="One word on why Cluster API sees this object as ready or not"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].message",description="What is missing or wrong, in words"
// +kubebuilder:validation:XValidation:rule=`(has(self.spec.name) && self.spec.name != "") || self.metadata.name.matches('^[a-z][a-z0-9]*$') && size(self.metadata.name) <= (self.spec.?osType.orValue('Linux') == 'Windows' ? 6 : 12)`,message="is needed unless metadata.name is lower-case letters and digits, a letter first, and has at most 12 characters, or 6 with osType Windows: AKS takes no other name",fieldPath=".spec.name",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`((has(self.spec.name) && self.spec.name != "") ? self.spec.name : self.metadata.name) == ((has(oldSelf.spec.name) && oldSelf.spec.name != "") ? oldSelf.spec.name : oldSelf.metadata.name)`,message="cannot be changed: it is the name of the pool in Azure",fieldPath=".spec.name",reason="FieldValueForbidden"
type AzureManagedMachinePool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what shall exist in Azure. Users write it.
	// +optional
	Spec AzureManagedMachinePoolSpec `json:"spec,omitzero"`

	// status is what was found in Azure. Only controllers write it.
	// +optional
	Status AzureManagedMachinePoolStatus `json:"status,omitzero"`
}

// AzureManagedMachinePoolList is a list of AzureManagedMachinePool objects.
//
// +kubebuilder:object:root=true
type AzureManagedMachinePoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureManagedMachinePool `json:"items"`
}
