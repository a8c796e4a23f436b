package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureMachineTemplateResourceSpec is the spec of the objects made from an AzureMachineTemplate.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.roleAssignmentName) ? self.roleAssignmentName : "") == ""`,message="cannot be set: each machine has one of its own",fieldPath=".roleAssignmentName"
// +kubebuilder:validation:XValidation:rule=`(has(self.systemAssignedIdentityRole) && has(self.systemAssignedIdentityRole.name) ? self.systemAssignedIdentityRole.name : "") == ""`,message="cannot be set: each machine has one of its own",fieldPath=".systemAssignedIdentityRole.name"
// +kubebuilder:validation:XValidation:rule=`!has(self.systemAssignedIdentityRole) || (has(self.systemAssignedIdentityRole.definitionID) ? self.systemAssignedIdentityRole.definitionID : "") != ""`,message="is needed",fieldPath=".systemAssignedIdentityRole.definitionID",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`!has(self.systemAssignedIdentityRole) || (has(self.systemAssignedIdentityRole.scope) ? self.systemAssignedIdentityRole.scope : "") != ""`,message="is needed",fieldPath=".systemAssignedIdentityRole.scope",reason="FieldValueRequired"
type AzureMachineTemplateResourceSpec struct {
	AzureMachineClassSpec `json:",inline"`

	// providerID has no effect in a template. It is accepted because CAPZ accepts it.
	// Example: azure:///subscriptions/.../virtualMachines/mine
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	ProviderID *string `json:"providerID,omitempty"`

	TemplateCompositeSpec `json:",inline"`
}

// AzureMachineTemplateResource is the object that an AzureMachineTemplate describes.
type AzureMachineTemplateResource struct {
	// metadata has the labels and annotations of the objects made from this template.
	// +optional
	ObjectMeta ObjectMeta `json:"metadata,omitzero"`

	// spec becomes the spec of the AzureMachines made from this template. It cannot be changed: create a new template, and
	// let the control plane or MachineDeployment name it. Users write it.
	Spec AzureMachineTemplateResourceSpec `json:"spec"`
}

// AzureMachineTemplateSpec is what an AzureMachineTemplate holds.
type AzureMachineTemplateSpec struct {
	// template is the AzureMachine that is made for each Machine. Users write it.
	Template AzureMachineTemplateResource `json:"template"`

	CompositeSpec `json:",inline"`
}

// Architecture is the kind of processor of a node.
type Architecture string

// The values of Architecture.
const (
	ArchitectureAmd64 Architecture = "amd64"
	ArchitectureArm64 Architecture = "arm64"
)

// OperatingSystem is the operating system of a node.
type OperatingSystem string

// The values of OperatingSystem.
const (
	OperatingSystemLinux   OperatingSystem = "linux"
	OperatingSystemWindows OperatingSystem = "windows"
)

// NodeInfo is what a node made from a template will be.
type NodeInfo struct {
	// architecture is the kind of processor.
	// Example: amd64
	// +optional
	// +kubebuilder:validation:Enum=amd64;arm64
	Architecture Architecture `json:"architecture,omitempty"`

	// operatingSystem is its operating system.
	// Example: linux
	// +optional
	// +kubebuilder:validation:Enum=linux;windows
	OperatingSystem OperatingSystem `json:"operatingSystem,omitempty"`
}

// AzureMachineTemplateStatus is what was found of the machines of an AzureMachineTemplate.
type AzureMachineTemplateStatus struct {
	// capacity is what a machine made from this template offers. The cluster autoscaler reads it to know what a
	// MachineDeployment without machines could provide. Written by function-capz.
	// Example: {cpu: "2", memory: 8Gi}
	// +optional
	Capacity corev1.ResourceList `json:"capacity,omitempty"`

	// nodeInfo describes a node made from this template. The cluster autoscaler reads it. Written by function-capz.
	// Example: {architecture: amd64, operatingSystem: linux}
	// +optional
	NodeInfo *NodeInfo `json:"nodeInfo,omitempty"`

	CompositeStatus `json:",inline"`
}

// AzureMachineTemplate is the pattern from which a control plane, a MachineDeployment or a ClusterClass makes one AzureMachine
// per Machine.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremachinetemplates,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type AzureMachineTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec AzureMachineTemplateSpec `json:"spec,omitzero"`

	// status is what is known of the machines that will be made. Only controllers write it.
	// +optional
	Status AzureMachineTemplateStatus `json:"status,omitzero"`
}

// AzureMachineTemplateList is a list of AzureMachineTemplate objects.
//
// +kubebuilder:object:root=true
type AzureMachineTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureMachineTemplate `json:"items"`
}
