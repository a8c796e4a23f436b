package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// AzureASOManagedControlPlane is one AKS cluster: an ASO ManagedCluster and its parts, such as maintenance windows. A Cluster
// names it in spec.controlPlaneRef. Node pools are AzureASOManagedMachinePools.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureasomanagedcontrolplanes,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:deprecatedversion:warning="infrastructure.cluster.x-k8s.io/v1alpha1 AzureASOManagedControlPlane has the same fields at v1beta1: change apiVersion to infrastructure.cluster.x-k8s.io/v1beta1"
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Initialized",type="boolean",JSONPath=".status.initialization.controlPlaneInitialized",description="Whether the AKS cluster has been ready once"
// +kubebuilder:printcolumn:name="Version",type="string",JSONPath=".status.version",description="Kubernetes version that Azure runs now"
// +kubebuilder:printcolumn:name="Endpoint",type="string",JSONPath=".status.controlPlaneEndpoint.host",description="Host of the workload cluster's API server"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].reason",description="One word on why Cluster API sees this object as ready or not"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].message",description="What is missing or wrong, in words"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.version) || has(oldSelf.spec.version) && self.spec.version == oldSelf.spec.version || !has(oldSelf.status) || !has(oldSelf.status.version) || !self.spec.version.matches('^v?[0-9]{1,5}[.][0-9]{1,5}([.][0-9]{1,5})?$') || !oldSelf.status.version.matches('^v?[0-9]{1,5}[.][0-9]{1,5}([.][0-9]{1,5})?$') || int(self.spec.version.findAll('[0-9]+')[0]) * 1000000000000 + int(self.spec.version.findAll('[0-9]+')[1]) * 1000000 + (self.spec.version.findAll('[0-9]+').size() > 2 ? int(self.spec.version.findAll('[0-9]+')[2]) : 999999) >= int(oldSelf.status.version.findAll('[0-9]+')[0]) * 1000000000000 + int(oldSelf.status.version.findAll('[0-9]+')[1]) * 1000000 + (oldSelf.status.version.findAll('[0-9]+').size() > 2 ? int(oldSelf.status.version.findAll('[0-9]+')[2]) : 999999)",message="is older than the version that Azure runs",messageExpression="self.spec.version + ' is older than ' + oldSelf.status.version + ', which Azure runs, and Kubernetes cannot be downgraded'",fieldPath=".spec.version"
type AzureASOManagedControlPlane struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what shall exist in Azure. Users write it.
	// +optional
	Spec v1beta1.AzureASOManagedControlPlaneSpec `json:"spec,omitzero"`

	// status is what was found in Azure. Only controllers write it.
	// +optional
	Status v1beta1.AzureASOManagedControlPlaneStatus `json:"status,omitzero"`
}

// AzureASOManagedControlPlaneList is a list of AzureASOManagedControlPlane objects.
//
// +kubebuilder:object:root=true
type AzureASOManagedControlPlaneList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureASOManagedControlPlane `json:"items"`
}
