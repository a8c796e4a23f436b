package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureManagedControlPlaneTemplateResourceSpec is the spec of the objects made from an AzureManagedControlPlaneTemplate.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.virtualNetwork) && has(self.virtualNetwork.subnet) && has(self.virtualNetwork.subnet.name) ? self.virtualNetwork.subnet.name : "") == (has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.subnet) && has(oldSelf.virtualNetwork.subnet.name) ? oldSelf.virtualNetwork.subnet.name : "")`,message="cannot be changed: it is decided when the cluster is created",fieldPath=".virtualNetwork.subnet.name",reason="FieldValueForbidden"
type AzureManagedControlPlaneTemplateResourceSpec struct {
	AzureManagedControlPlaneClassSpec `json:",inline"`

	TemplateCompositeSpec `json:",inline"`
}

// AzureManagedControlPlaneTemplateResource is the object that an AzureManagedControlPlaneTemplate describes.
type AzureManagedControlPlaneTemplateResource struct {
	// metadata has the labels and annotations of the objects made from this template.
	// +optional
	ObjectMeta ObjectMeta `json:"metadata,omitzero"`

	// spec becomes the spec of the AzureManagedControlPlane made from this template, after the patches of the ClusterClass.
	// Users write it.
	Spec AzureManagedControlPlaneTemplateResourceSpec `json:"spec"`
}

// AzureManagedControlPlaneTemplateSpec is what an AzureManagedControlPlaneTemplate holds.
type AzureManagedControlPlaneTemplateSpec struct {
	// template is the AzureManagedControlPlane that a topology makes, as far as it is the same for every cluster. Users write
	// it.
	Template AzureManagedControlPlaneTemplateResource `json:"template"`

	CompositeSpec `json:",inline"`
}

// AzureManagedControlPlaneTemplate is the pattern from which a ClusterClass makes one AzureManagedControlPlane per
// Cluster. A ClusterClass names it in spec.controlPlane.templateRef. CAPZ has deprecated this kind in favour of
// AzureASOManagedControlPlaneTemplate; here both are supported.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremanagedcontrolplanetemplates,scope=Namespaced,categories=cluster-api,shortName=amcpt
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:deprecatedversion:warning="CAPZ has deprecated AzureManagedControlPlaneTemplate; its successor is infrastructure.cluster.x-k8s.io/v1beta1 AzureASOManagedControlPlaneTemplate. crossplane-capz supports both"
// +kubebuilder:validation:XValidation:rule="!self.metadata.name.contains('microsoft') && !self.metadata.name.contains('windows')",message="must have neither microsoft nor windows in it: Azure keeps them for itself",fieldPath=".metadata.name"
type AzureManagedControlPlaneTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec AzureManagedControlPlaneTemplateSpec `json:"spec,omitzero"`

	// status has Crossplane's conditions only: a template composes nothing.
	// +optional
	Status CompositeStatus `json:"status,omitzero"`
}

// AzureManagedControlPlaneTemplateList is a list of AzureManagedControlPlaneTemplate objects.
//
// +kubebuilder:object:root=true
type AzureManagedControlPlaneTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureManagedControlPlaneTemplate `json:"items"`
}
