package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// AzureASOManagedControlPlaneTemplate is the pattern from which a ClusterClass makes one AzureASOManagedControlPlane per
// Cluster. A ClusterClass names it in spec.controlPlane.templateRef.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureasomanagedcontrolplanetemplates,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:deprecatedversion:warning="infrastructure.cluster.x-k8s.io/v1alpha1 AzureASOManagedControlPlaneTemplate has the same fields at v1beta1: change apiVersion to infrastructure.cluster.x-k8s.io/v1beta1"
type AzureASOManagedControlPlaneTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec v1beta1.AzureASOManagedControlPlaneTemplateSpec `json:"spec,omitzero"`

	// status has Crossplane's conditions only: a template composes nothing.
	// +optional
	Status v1beta1.CompositeStatus `json:"status,omitzero"`
}

// AzureASOManagedControlPlaneTemplateList is a list of AzureASOManagedControlPlaneTemplate objects.
//
// +kubebuilder:object:root=true
type AzureASOManagedControlPlaneTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureASOManagedControlPlaneTemplate `json:"items"`
}
