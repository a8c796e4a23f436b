package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AzureASOManagedMachinePoolSpec is what an AzureASOManagedMachinePool shall be.
type AzureASOManagedMachinePoolSpec struct {
	// providerIDList has the ID of each node's virtual machine, sorted. provider-capz reads it from the nodes of the
	// workload cluster, and Cluster API finds the nodes of the pool by it. Users leave it out: a value set by hand is
	// overwritten.
	// Example: ["azure:///subscriptions/.../virtualMachineScaleSets/aks-pool0-12345678-vmss/virtualMachines/0"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5000
	ProviderIDList []string `json:"providerIDList,omitempty"`

	// The item rules refuse only what no API server would accept as an ASO object: CAPZ fails on it as well.

	// resources are the ASO objects that make up the pool, complete with apiVersion, kind, metadata.name and spec. One of
	// them, the first if there are several, is the ManagedClustersAgentPool of containerservice.azure.com with the nodes
	// of the pool. Other kinds are allowed in addition. Any ASO API version may be used. Fields that this project does
	// not know are passed on unchanged. Into the ManagedClustersAgentPool function-capz writes the MachinePool's version
	// (spec.orchestratorVersion) and replicas (spec.count, unless spec.enableAutoScaling lets AKS decide it). Another
	// value set by hand is an error that names the field. Removing an entry deletes it in Azure. Users write this field.
	// Example: [{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedClustersAgentPool, metadata: {name: my-cluster-pool0}, spec: {azureName: pool0, mode: System, owner: {name: my-cluster}, vmSize: Standard_D2s_v5}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:items:XPreserveUnknownFields
	// +kubebuilder:validation:items:XEmbeddedResource
	// +kubebuilder:validation:items:XValidation:rule="has(self.apiVersion) && has(self.kind)",message="needs an apiVersion and a kind: they are those of the ASO object"
	// +kubebuilder:validation:items:XValidation:rule="has(self.metadata) && has(self.metadata.name) && self.metadata.name != ''",message="needs a metadata.name: it is the name of the ASO object"
	// +kubebuilder:validation:MaxItems=256
	Resources []runtime.RawExtension `json:"resources,omitempty"`

	CompositeSpec `json:",inline"`
}

// AzureASOManagedMachinePoolStatus is what was found of an AzureASOManagedMachinePool.
type AzureASOManagedMachinePoolStatus struct {
	// ready becomes true when every resource is ready and spec.providerIDList has the nodes (or the pool has none), and
	// then stays true: later problems show in the conditions and in resources. Written by function-capz, read by Cluster
	// API.
	// +optional
	Ready bool `json:"ready"`

	// initialization tells Cluster API that the first provisioning is over. Written by function-capz.
	// +optional
	Initialization *InfrastructureInitialization `json:"initialization,omitempty"`

	// replicas is the number of nodes that the agent pool has in Azure now. Written by function-capz; Cluster API waits
	// until it is what the MachinePool asks for.
	// Example: 2
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

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

// AzureASOManagedMachinePool is one node pool of an AKS cluster: an ASO ManagedClustersAgentPool. A MachinePool names it in
// spec.template.spec.infrastructureRef and decides on its version and, unless AKS scales it, its size.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureasomanagedmachinepools,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Provisioned",type="boolean",JSONPath=".status.initialization.provisioned",description="Whether everything has been ready in Azure once"
// +kubebuilder:printcolumn:name="Replicas",type="integer",JSONPath=".status.replicas",description="Nodes that the agent pool has in Azure"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].reason",description="One word on why Cluster API sees this object as ready or not"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].message",description="What is missing or wrong, in words"
type AzureASOManagedMachinePool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what shall exist in Azure. Users write it.
	// +optional
	Spec AzureASOManagedMachinePoolSpec `json:"spec,omitzero"`

	// status is what was found in Azure. Only controllers write it.
	// +optional
	Status AzureASOManagedMachinePoolStatus `json:"status,omitzero"`
}

// AzureASOManagedMachinePoolList is a list of AzureASOManagedMachinePool objects.
//
// +kubebuilder:object:root=true
type AzureASOManagedMachinePoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureASOManagedMachinePool `json:"items"`
}
