package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AzureASOManagedClusterSpec is what an AzureASOManagedCluster shall be.
type AzureASOManagedClusterSpec struct {
	// The item rules refuse only what no API server would accept as an ASO object: CAPZ fails on it as well.

	// resources are the ASO objects that this cluster depends on, complete with apiVersion, kind, metadata.name and
	// spec: a ResourceGroup, and any virtual networks, identities and so on. Any ASO kind and API version is allowed.
	// Fields that this project does not know are passed on unchanged. The namespace is always that of this object. An
	// object that refers to another one here, by spec.owner.name or a ...Reference by name, is created when that one is
	// ready. Removing an entry deletes it in Azure. Users write this field.
	// Example: [{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: my-cluster}, spec: {location: westeurope}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:items:XPreserveUnknownFields
	// +kubebuilder:validation:items:XEmbeddedResource
	// +kubebuilder:validation:items:XValidation:rule="has(self.apiVersion) && has(self.kind)",message="needs an apiVersion and a kind: they are those of the ASO object"
	// +kubebuilder:validation:items:XValidation:rule="has(self.metadata) && has(self.metadata.name) && self.metadata.name != ''",message="needs a metadata.name: it is the name of the ASO object"
	// +kubebuilder:validation:MaxItems=256
	Resources []runtime.RawExtension `json:"resources,omitempty"`

	// controlPlaneEndpoint is the address of the cluster's API server. provider-capz copies it from the control plane's
	// status, and Cluster API copies it on into the Cluster. Users leave it out: a value set by hand is overwritten.
	// Example: {host: my-cluster-1a2b3c4d.hcp.westeurope.azmk8s.io, port: 443}
	// +optional
	ControlPlaneEndpoint APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	CompositeSpec `json:",inline"`
}

// AzureASOManagedClusterStatus is what was found of an AzureASOManagedCluster.
type AzureASOManagedClusterStatus struct {
	// ready becomes true when every resource is ready and spec.controlPlaneEndpoint is set, and then stays true: later
	// problems show in the conditions and in resources. Written by function-capz, read by Cluster API under its v1beta1
	// contract; under v1beta2 it reads initialization instead.
	// +optional
	Ready bool `json:"ready"`

	// initialization tells Cluster API that the first provisioning is over. Written by function-capz.
	// +optional
	Initialization *InfrastructureInitialization `json:"initialization,omitempty"`

	// resources lists every ASO object that belongs to this one, in the order of spec.resources and then those that are
	// still being deleted, each with its own state. A failed one does not hide the others. Written by function-capz.
	// +optional
	// +listType=atomic
	Resources []ResourceStatus `json:"resources,omitempty"`

	// v1beta2 holds the conditions that Cluster API reads. Written by function-capz.
	// +optional
	V1Beta2 *V1Beta2Status `json:"v1beta2,omitempty"`

	CompositeStatus `json:",inline"`
}

// AzureASOManagedCluster is the infrastructure of one AKS cluster without the AKS cluster itself: the resource group, and
// the networks, identities and so on that the cluster depends on, each written as an ASO object. A Cluster names it in
// spec.infrastructureRef.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureasomanagedclusters,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Provisioned",type="boolean",JSONPath=".status.initialization.provisioned",description="Whether everything has been ready in Azure once"
// +kubebuilder:printcolumn:name="Endpoint",type="string",JSONPath=".spec.controlPlaneEndpoint.host",description="Host of the workload cluster's API server"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].reason",description="One word on why Cluster API sees this object as ready or not"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].message",description="What is missing or wrong, in words"
type AzureASOManagedCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what shall exist in Azure. Users write it.
	// +optional
	Spec AzureASOManagedClusterSpec `json:"spec,omitzero"`

	// status is what was found in Azure. Only controllers write it.
	// +optional
	Status AzureASOManagedClusterStatus `json:"status,omitzero"`
}

// AzureASOManagedClusterList is a list of AzureASOManagedCluster objects.
//
// +kubebuilder:object:root=true
type AzureASOManagedClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureASOManagedCluster `json:"items"`
}
