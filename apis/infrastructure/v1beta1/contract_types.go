package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// APIEndpoint is the address under which a workload cluster's Kubernetes API server answers.
//
// No rule ties host to port or limits the port: CAPZ accepts any value here and then overwrites it with the address that
// Azure reports, so a rule could only refuse manifests that work.
type APIEndpoint struct {
	// host is the DNS name or IP address of the API server, without scheme or port.
	// Example: my-cluster-1a2b3c4d.hcp.westeurope.azmk8s.io
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Host string `json:"host,omitempty"`

	// port is the TCP port of the API server. AKS always answers on 443.
	// Example: 443
	// +optional
	Port int32 `json:"port,omitempty"`
}

// IsZero tells whether the endpoint still lacks its host or its port.
func (e APIEndpoint) IsZero() bool {
	return e.Host == "" || e.Port == 0
}

// ResourceReference names one Azure Service Operator (ASO) object in the namespace of the object that lists it.
type ResourceReference struct {
	// group is the ASO object's API group.
	// Example: containerservice.azure.com
	Group string `json:"group"`

	// version is the ASO API version under which spec.resources lists the object.
	// Example: v1api20250801
	Version string `json:"version"`

	// kind is the ASO object's kind.
	// Example: ManagedCluster
	Kind string `json:"kind"`

	// name is the ASO object's metadata.name; its name in Azure (spec.azureName) may differ.
	// Example: my-cluster
	Name string `json:"name"`
}

// ResourceStatus tells how one composed ASO object is doing.
type ResourceStatus struct {
	// resource says which ASO object this entry is about. No two entries name the same group, kind and name.
	Resource ResourceReference `json:"resource"`

	// ready is true when ASO reports Ready=True for the object's current generation, that is, when Azure has accepted
	// and finished what the manifest asks for now.
	Ready bool `json:"ready"`

	// reason says in one word why the object is in this state. It is ASO's reason if ASO has given one, which for a
	// refusal is Azure's error code. Otherwise it says what the object waits for. Examples: Succeeded, Reconciling,
	// WaitingForOwner, QuotaExceeded
	// +optional
	Reason string `json:"reason,omitempty"`

	// message is an explanation, with Azure's own error text if Azure has refused the object.
	// Example: Preflight validation check for resource(s) failed: insufficient regional vCPU quota left
	// +optional
	Message string `json:"message,omitempty"`

	// ownership says whose the resource is, on kinds that can use existing resources: owned if it was created for the
	// cluster; external if it was in Azure before, so it is neither changed nor deleted; user if somebody else has
	// applied the ASO object, so it is only read. It is empty while that is not known, and on kinds with the ASO objects
	// in spec.resources.
	// Example: external
	// +optional
	Ownership string `json:"ownership,omitempty"`
}

// V1Beta2Status holds what Cluster API reads in the layout of its v1beta2 API.
type V1Beta2Status struct {
	// conditions are the conditions for Cluster API, written by function-capz. Cluster API prefers them to
	// status.conditions and mirrors Ready (Available for a control plane) into the conditions of the Cluster. Types in
	// use: Ready, ResourcesReady, Paused and, on a control plane, Available. While something is wrong, the reason is
	// that of the worst problem, and the message has a line for each resource that is not ready.
	// Example: {type: Ready, status: "False", reason: QuotaExceeded, message: "ManagedCluster my-cluster: ..."}
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// InfrastructureInitialization is how an infrastructure object tells Cluster API that its first provisioning is over.
type InfrastructureInitialization struct {
	// provisioned becomes true when everything in the object has been ready in Azure once, and then stays true: later
	// problems show in the conditions and in status.resources. Written by function-capz, read by Cluster API (contract
	// v1beta2).
	// +optional
	Provisioned *bool `json:"provisioned,omitempty"`
}

// ControlPlaneInitialization is how a control plane tells Cluster API that its API server answered for the first time.
type ControlPlaneInitialization struct {
	// controlPlaneInitialized becomes true when the AKS cluster is ready and its API server's address is known, and then
	// stays true. Written by function-capz, read by Cluster API (contract v1beta2).
	// +optional
	ControlPlaneInitialized *bool `json:"controlPlaneInitialized,omitempty"`
}

// ObjectMeta is the part of metadata that a template hands to the objects made from it.
type ObjectMeta struct {
	// labels are put on every object that a ClusterClass topology makes from this template.
	// Example: {"team": "payments"}
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are put on every object that a ClusterClass topology makes from this template.
	// Example: {"example.org/cost-centre": "4711"}
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}
