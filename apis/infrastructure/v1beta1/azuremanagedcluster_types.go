package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureManagedClusterSpec is what an AzureManagedCluster shall be.
type AzureManagedClusterSpec struct {
	// controlPlaneEndpoint is the address of the cluster's API server. provider-capz copies it from the control plane's
	// status, and Cluster API copies it on into the Cluster. Users leave it out: a value set by hand is overwritten.
	// Example: {host: my-cluster-1a2b3c4d.hcp.westeurope.azmk8s.io, port: 443}
	// +optional
	ControlPlaneEndpoint APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	CompositeSpec `json:",inline"`
}

// AzureManagedClusterStatus is what was found of an AzureManagedCluster.
type AzureManagedClusterStatus struct {
	// ready becomes true when spec.controlPlaneEndpoint is set, and then stays true. Written by function-capz, read by
	// Cluster API under its v1beta1 contract; under v1beta2 it reads initialization instead.
	// +optional
	Ready bool `json:"ready"`

	// initialization tells Cluster API that the first provisioning is over. Written by function-capz.
	// +optional
	Initialization *InfrastructureInitialization `json:"initialization,omitempty"`

	// resources is empty: everything in Azure belongs to the AzureManagedControlPlane. Written by function-capz.
	// +optional
	// +listType=atomic
	Resources []ResourceStatus `json:"resources,omitempty"`

	// v1beta2 holds the conditions that Cluster API reads. Written by function-capz.
	// +optional
	V1Beta2 *V1Beta2Status `json:"v1beta2,omitempty"`

	CompositeStatus `json:",inline"`
}

// AzureManagedCluster goes with an AzureManagedControlPlane, as Cluster API wants an infrastructure object for each Cluster. It
// has nothing in Azure and hands over the control plane's address. A Cluster names it in spec.infrastructureRef. CAPZ has
// deprecated this kind in favour of AzureASOManagedCluster; here both are supported.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremanagedclusters,scope=Namespaced,categories=cluster-api,shortName=amc
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:deprecatedversion:warning="CAPZ has deprecated AzureManagedCluster; its successor is infrastructure.cluster.x-k8s.io/v1beta1 AzureASOManagedCluster. crossplane-capz supports both"
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Provisioned",type="boolean",JSONPath=".status.initialization.provisioned",description="Whether the address has been known once"
// +kubebuilder:printcolumn:name="Endpoint",type="string",JSONPath=".spec.controlPlaneEndpoint.host",description="Host of the workload cluster's API server"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].reason",description="One word on why Cluster API sees this object as ready or not"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].message",description="What is missing or wrong, in words"
type AzureManagedCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec has nothing for users to write.
	// +optional
	Spec AzureManagedClusterSpec `json:"spec,omitzero"`

	// status is what was found. Only controllers write it.
	// +optional
	Status AzureManagedClusterStatus `json:"status,omitzero"`
}

// AzureManagedClusterList is a list of AzureManagedCluster objects.
//
// +kubebuilder:object:root=true
type AzureManagedClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureManagedCluster `json:"items"`
}
