package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AzureASOManagedMachinePoolTemplateResourceSpec is the spec of the objects made from an AzureASOManagedMachinePoolTemplate.
type AzureASOManagedMachinePoolTemplateResourceSpec struct {
	// resources are the ASO objects that become spec.resources, or parts of them that the patches of the ClusterClass
	// complete. No field of an entry is required here, not even its kind. Users write them.
	// Example: [{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedClustersAgentPool, spec: {mode: User}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:items:XPreserveUnknownFields
	// +kubebuilder:validation:MaxItems=256
	Resources []runtime.RawExtension `json:"resources,omitempty"`

	// version is accepted because CAPZ's definition of this template has the field; it has no effect. The version of a
	// pool is the MachinePool's spec.template.spec.version.
	// Example: v1.33.6
	// +optional
	Version string `json:"version,omitempty"`

	// providerIDList belongs to the objects made from this template and is written there by provider-capz. Leave it out.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5000
	ProviderIDList []string `json:"providerIDList,omitempty"`

	TemplateCompositeSpec `json:",inline"`
}

// AzureASOManagedMachinePoolTemplateResource is the object that an AzureASOManagedMachinePoolTemplate describes.
type AzureASOManagedMachinePoolTemplateResource struct {
	// metadata has the labels and annotations of the objects made from this template.
	// +optional
	ObjectMeta ObjectMeta `json:"metadata,omitzero"`

	// spec becomes the spec of the AzureASOManagedMachinePool made from this template, after the patches of the
	// ClusterClass. Users write it.
	// +optional
	Spec AzureASOManagedMachinePoolTemplateResourceSpec `json:"spec,omitzero"`
}

// AzureASOManagedMachinePoolTemplateSpec is what an AzureASOManagedMachinePoolTemplate holds.
type AzureASOManagedMachinePoolTemplateSpec struct {
	// template is the AzureASOManagedMachinePool that a topology makes, as far as it is the same for every cluster.
	// Users write it.
	Template AzureASOManagedMachinePoolTemplateResource `json:"template"`

	CompositeSpec `json:",inline"`
}

// AzureASOManagedMachinePoolTemplate is the pattern from which a ClusterClass makes one AzureASOManagedMachinePool per node
// pool. A ClusterClass names it in spec.workers.machinePools[].infrastructure.templateRef.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureasomanagedmachinepooltemplates,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type AzureASOManagedMachinePoolTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec AzureASOManagedMachinePoolTemplateSpec `json:"spec,omitzero"`

	// status has Crossplane's conditions only: a template composes nothing.
	// +optional
	Status CompositeStatus `json:"status,omitzero"`
}

// AzureASOManagedMachinePoolTemplateList is a list of AzureASOManagedMachinePoolTemplate objects.
//
// +kubebuilder:object:root=true
type AzureASOManagedMachinePoolTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureASOManagedMachinePoolTemplate `json:"items"`
}
