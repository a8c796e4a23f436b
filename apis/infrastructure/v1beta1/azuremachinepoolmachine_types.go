package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureMachinePoolMachineKind is the kind of the objects that stand for instances of a scale set. They are no composite resources: each
// would cost a composition that composes nothing.
const AzureMachinePoolMachineKind = "AzureMachinePoolMachine"

// AzureMachinePoolMachineSpec says which instance of a scale set an AzureMachinePoolMachine stands for.
//
// +kubebuilder:validation:XValidation:rule=`oldSelf.providerID == "" || self.providerID == oldSelf.providerID`,message="cannot be changed: it says which instance this is",fieldPath=".providerID",reason="FieldValueForbidden"
type AzureMachinePoolMachineSpec struct {
	// providerID is the ID by which Cluster API finds the Node of the instance. Written by provider-capz.
	// Example: azure:///subscriptions/.../resourceGroups/my-cluster/providers/Microsoft.Compute/virtualMachineScaleSets/my-cluster-mp-0/virtualMachines/0
	// +kubebuilder:validation:MaxLength=2048
	ProviderID string `json:"providerID"`

	// instanceID is the instance's ID in the scale set: a number, or the name of the virtual machine with orchestrationMode
	// Flexible. Written by provider-capz.
	// Example: "0"
	// +optional
	// +kubebuilder:validation:MaxLength=256
	InstanceID string `json:"instanceID,omitempty"`
}

// FormerCondition is a condition as Cluster API had them in its version v1beta1.
type FormerCondition struct {
	// type of the condition.
	// Example: NodeHealthy
	Type string `json:"type"`

	// status is True, False or Unknown.
	// Example: "True"
	Status string `json:"status"`

	// severity is Error, Warning or Info, of one that is not True.
	// Example: Warning
	// +optional
	Severity string `json:"severity,omitempty"`

	// lastTransitionTime is when the status last changed.
	// Example: 2026-11-20T20:15:00Z
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitzero"`

	// reason is one word on why.
	// Example: NodeNotFound
	// +optional
	Reason string `json:"reason,omitempty"`

	// message says the same in words.
	// Example: the Node is not there yet
	// +optional
	Message string `json:"message,omitempty"`
}

// AzureMachinePoolMachineStatus is what was found of an instance of a scale set.
type AzureMachinePoolMachineStatus struct {
	// nodeRef is the Node of the instance, once it is one. Written by provider-capz.
	// Example: {apiVersion: v1, kind: Node, name: my-cluster-mp-0000000}
	// +optional
	NodeRef *corev1.ObjectReference `json:"nodeRef,omitempty"`

	// version is the Kubernetes version that the Node runs. Written by provider-capz.
	// Example: v1.33.6
	// +optional
	Version string `json:"version"`

	// provisioningState is Azure's provisioning state of the instance: Creating, Updating, Succeeded, Failed, Deleting,
	// Canceled or Migrating. Written by provider-capz.
	// Example: Succeeded
	// +optional
	ProvisioningState *ProvisioningState `json:"provisioningState,omitempty"`

	// instanceName is the name of the instance in the scale set. Written by provider-capz.
	// Example: my-cluster-mp-0_0
	// +optional
	InstanceName string `json:"instanceName"`

	// failureReason is kept for objects that come from CAPZ. Nothing reads or writes it: the conditions say what is wrong.
	// +optional
	FailureReason *string `json:"failureReason,omitempty"`

	// failureMessage is kept for objects that come from CAPZ. Nothing reads or writes it: the conditions say what is wrong.
	// +optional
	FailureMessage *string `json:"failureMessage,omitempty"`

	// conditions are kept for objects that come from CAPZ. Nothing reads or writes them: Cluster API reads v1beta2.conditions.
	// +optional
	// +listType=atomic
	Conditions []FormerCondition `json:"conditions,omitempty"`

	// longRunningOperationStates is kept for objects that come from CAPZ, which remembered its Azure requests here. Nothing
	// reads or writes it.
	// +optional
	LongRunningOperationStates Futures `json:"longRunningOperationStates,omitempty"`

	// latestModelApplied is true if the instance has the image, the size and the zones of the scale set's current model.
	// Other instances are replaced. Written by provider-capz.
	// Example: true
	// +optional
	LatestModelApplied bool `json:"latestModelApplied,omitempty"`

	// ready is true while Azure has the instance and its Node is Ready. Written by provider-capz, read by Cluster API under its
	// v1beta1 contract.
	// Example: true
	// +optional
	Ready bool `json:"ready"`

	// initialization tells Cluster API that the instance has been ready once. Written by provider-capz, read by Cluster API
	// under its v1beta2 contract.
	// +optional
	Initialization *InfrastructureInitialization `json:"initialization,omitempty"`

	// v1beta2 holds the conditions that Cluster API reads. Written by provider-capz.
	// +optional
	V1Beta2 *V1Beta2Status `json:"v1beta2,omitempty"`
}

// AzureMachinePoolMachine is one instance of the scale set of an AzureMachinePool. provider-capz makes one for each that Azure has,
// and Cluster API a Machine for each of these. Delete the Machine to have the instance drained and deleted. It is no composite
// resource, so that a large pool costs Crossplane nothing.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremachinepoolmachines,scope=Namespaced,categories=cluster-api,shortName=ampm
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Version",type="string",JSONPath=".status.version",description="Kubernetes version of the Node"
// +kubebuilder:printcolumn:name="Ready",type="boolean",JSONPath=".status.ready",description="Whether the instance is there and its Node is Ready"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.provisioningState",description="How far Azure is with the instance"
// +kubebuilder:printcolumn:name="Latest",type="boolean",JSONPath=".status.latestModelApplied",description="Whether it is of the scale set's present model"
// +kubebuilder:printcolumn:name="VMSS VM ID",type="string",priority=1,JSONPath=".spec.providerID",description="ID of the instance"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since creation"
type AzureMachinePoolMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says which instance this is. provider-capz writes it.
	// +optional
	Spec AzureMachinePoolMachineSpec `json:"spec,omitzero"`

	// status is what was found of the instance. Only controllers write it.
	// +optional
	Status AzureMachinePoolMachineStatus `json:"status,omitzero"`
}

// AzureMachinePoolMachineList is a list of AzureMachinePoolMachine objects.
//
// +kubebuilder:object:root=true
type AzureMachinePoolMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureMachinePoolMachine `json:"items"`
}
