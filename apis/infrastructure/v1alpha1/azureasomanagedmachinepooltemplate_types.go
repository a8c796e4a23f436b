package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// AzureASOManagedMachinePoolTemplate is the pattern from which a ClusterClass makes one AzureASOManagedMachinePool per node
// pool. A ClusterClass names it in spec.workers.machinePools[].infrastructure.templateRef.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureasomanagedmachinepooltemplates,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:deprecatedversion:warning="infrastructure.cluster.x-k8s.io/v1alpha1 AzureASOManagedMachinePoolTemplate has the same fields at v1beta1: change apiVersion to infrastructure.cluster.x-k8s.io/v1beta1"
type AzureASOManagedMachinePoolTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec v1beta1.AzureASOManagedMachinePoolTemplateSpec `json:"spec,omitzero"`

	// status has Crossplane's conditions only: a template composes nothing.
	// +optional
	Status v1beta1.CompositeStatus `json:"status,omitzero"`
}

// AzureASOManagedMachinePoolTemplateList is a list of AzureASOManagedMachinePoolTemplate objects.
//
// +kubebuilder:object:root=true
type AzureASOManagedMachinePoolTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureASOManagedMachinePoolTemplate `json:"items"`
}
