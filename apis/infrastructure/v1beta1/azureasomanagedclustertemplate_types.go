package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AzureASOManagedClusterTemplateResourceSpec is the spec of the objects made from an AzureASOManagedClusterTemplate.
type AzureASOManagedClusterTemplateResourceSpec struct {
	// resources are the ASO objects that become spec.resources, or parts of them that the patches of the ClusterClass
	// complete. No field of an entry is required here, not even its kind. Users write them.
	// Example: [{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, spec: {location: westeurope}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:items:XPreserveUnknownFields
	// +kubebuilder:validation:MaxItems=256
	Resources []runtime.RawExtension `json:"resources,omitempty"`

	TemplateCompositeSpec `json:",inline"`
}

// AzureASOManagedClusterTemplateResource is the object that an AzureASOManagedClusterTemplate describes.
type AzureASOManagedClusterTemplateResource struct {
	// metadata has the labels and annotations of the objects made from this template.
	// +optional
	ObjectMeta ObjectMeta `json:"metadata,omitzero"`

	// spec becomes the spec of the AzureASOManagedCluster made from this template, after the patches of the
	// ClusterClass. Users write it.
	// +optional
	Spec AzureASOManagedClusterTemplateResourceSpec `json:"spec,omitzero"`
}

// AzureASOManagedClusterTemplateSpec is what an AzureASOManagedClusterTemplate holds.
type AzureASOManagedClusterTemplateSpec struct {
	// template is the AzureASOManagedCluster that a topology makes, as far as it is the same for every cluster.
	// Users write it.
	Template AzureASOManagedClusterTemplateResource `json:"template"`

	CompositeSpec `json:",inline"`
}

// AzureASOManagedClusterTemplate is the pattern from which a ClusterClass makes one AzureASOManagedCluster per Cluster. A
// ClusterClass names it in spec.infrastructure.templateRef.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureasomanagedclustertemplates,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type AzureASOManagedClusterTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec AzureASOManagedClusterTemplateSpec `json:"spec,omitzero"`

	// status has Crossplane's conditions only: a template composes nothing.
	// +optional
	Status CompositeStatus `json:"status,omitzero"`
}

// AzureASOManagedClusterTemplateList is a list of AzureASOManagedClusterTemplate objects.
//
// +kubebuilder:object:root=true
type AzureASOManagedClusterTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureASOManagedClusterTemplate `json:"items"`
}
