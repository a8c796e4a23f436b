package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureManagedClusterTemplateResourceSpec is the spec of the objects made from an AzureManagedClusterTemplate.
type AzureManagedClusterTemplateResourceSpec struct {
	TemplateCompositeSpec `json:",inline"`
}

// AzureManagedClusterTemplateResource is the object that an AzureManagedClusterTemplate describes.
type AzureManagedClusterTemplateResource struct {
	// metadata has the labels and annotations of the objects made from this template.
	// +optional
	ObjectMeta ObjectMeta `json:"metadata,omitzero"`

	// spec becomes the spec of the AzureManagedCluster made from this template, after the patches of the ClusterClass.
	// Users write it.
	Spec AzureManagedClusterTemplateResourceSpec `json:"spec"`
}

// AzureManagedClusterTemplateSpec is what an AzureManagedClusterTemplate holds.
type AzureManagedClusterTemplateSpec struct {
	// template is the AzureManagedCluster that a topology makes, as far as it is the same for every cluster. Users write
	// it.
	Template AzureManagedClusterTemplateResource `json:"template"`

	CompositeSpec `json:",inline"`
}

// AzureManagedClusterTemplate is the pattern from which a ClusterClass makes one AzureManagedCluster per
// Cluster. A ClusterClass names it in spec.infrastructure.templateRef. CAPZ has deprecated this kind in favour of
// AzureASOManagedClusterTemplate; here both are supported.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremanagedclustertemplates,scope=Namespaced,categories=cluster-api,shortName=amct
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:deprecatedversion:warning="CAPZ has deprecated AzureManagedClusterTemplate; its successor is infrastructure.cluster.x-k8s.io/v1beta1 AzureASOManagedClusterTemplate. crossplane-capz supports both"
type AzureManagedClusterTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec AzureManagedClusterTemplateSpec `json:"spec,omitzero"`

	// status has Crossplane's conditions only: a template composes nothing.
	// +optional
	Status CompositeStatus `json:"status,omitzero"`
}

// AzureManagedClusterTemplateList is a list of AzureManagedClusterTemplate objects.
//
// +kubebuilder:object:root=true
type AzureManagedClusterTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureManagedClusterTemplate `json:"items"`
}
