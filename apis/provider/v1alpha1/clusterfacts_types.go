package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ClusterFactsFormat is the format of spec.objects that this version writes and reads.
const ClusterFactsFormat = 2

// ClusterFactsSpec is what decides how the composite resources of a Cluster are composed, beside their own fields.
type ClusterFactsSpec struct {
	// format says which fields of which objects are in objects. If function-capz does not know the format, it reads the objects
	// themselves.
	// +kubebuilder:validation:Minimum=1
	Format int32 `json:"format"`

	// clusterUID is the UID of the Cluster. Facts of another Cluster of the same name are not used.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	ClusterUID string `json:"clusterUID,omitempty"`

	// objects are the Cluster with its infrastructure and control plane or, in a separate object, one of its MachinePools and the
	// composite resource that it refers to. Each has only the fields that other composite resources of the Cluster are composed from.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10000
	// +kubebuilder:validation:items:Type=object
	// +kubebuilder:validation:items:XPreserveUnknownFields
	Objects []runtime.RawExtension `json:"objects,omitempty"`

	// served are kinds of Azure Service Operator that this management cluster has, as Kind.version.group: those that most clusters
	// need, and those that the objects mention. For any other kind function-capz asks Crossplane, which takes long.
	// Example: [ResourceGroup.v1api20200601.resources.azure.com]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=10000
	// +kubebuilder:validation:items:MaxLength=400
	Served []string `json:"served,omitempty"`

	// operatorNamespace is the namespace of the only Azure Service Operator whose settings cover the Cluster's namespace. New objects
	// are given to it. It is empty if there is none or more than one; then any of them may take new objects.
	// Example: azureserviceoperator-system
	// +optional
	// +kubebuilder:validation:MaxLength=63
	OperatorNamespace string `json:"operatorNamespace,omitempty"`

	// failureDomains are the availability zones of the location of an AzureCluster in which its subscription may have virtual machines,
	// sorted. It is empty if the location has none.
	// Example: ["1", "2", "3"]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=63
	FailureDomains []string `json:"failureDomains,omitempty"`

	// failureDomainsKnown says that the zones are known from Azure. Until then failureDomains is empty, and for an AzureCluster without
	// spec.failureDomains nothing is created whose zones could not be changed later.
	// +optional
	FailureDomainsKnown bool `json:"failureDomainsKnown,omitempty"`

	// availabilitySets are those that AzureMachines of the Cluster are in, by name. No machine owns one, so the AzureCluster has them.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=10000
	AvailabilitySets []AvailabilitySetFacts `json:"availabilitySets,omitempty"`

	// resourceHealth is the answer of Azure Resource Health about the AKS cluster. It is absent if provider-capz does not ask, see
	// spec.resourceHealth of the ProviderConfig, and until there is an answer.
	// +optional
	ResourceHealth *ResourceHealthFacts `json:"resourceHealth,omitempty"`
}

// AvailabilitySetFacts is an availability set that machines are in.
type AvailabilitySetFacts struct {
	// name of the availability set in Azure.
	// Example: my-cluster_md-0-as
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// faultDomains is how many fault domains Azure has for an availability set in the location; 0 while that is not known.
	// Example: 3
	// +optional
	// +kubebuilder:validation:Minimum=0
	FaultDomains int32 `json:"faultDomains,omitempty"`
}

// The states that Azure Resource Health has for a resource (Azure REST API reference, "Availability Statuses", AvailabilityStateValues).
const (
	ResourceAvailable   = "Available"
	ResourceUnavailable = "Unavailable"
	ResourceDegraded    = "Degraded"
	ResourceUnknown     = "Unknown"
)

// How much of an answer of Azure Resource Health facts have.
const (
	LongestHealthState   = 63
	LongestHealthMessage = 2048
)

// ResourceHealthFacts is what Azure Resource Health says of a resource, or why that is not known.
type ResourceHealthFacts struct {
	// state is Azure's availabilityState: Available, Unavailable, Degraded or Unknown. It is absent if Azure has given
	// none.
	// Example: Unavailable
	// +optional
	// +kubebuilder:validation:MaxLength=63
	State string `json:"state,omitempty"`

	// reason is Azure's reasonType of a state other than Available or, without a state, the code of the reason why Azure
	// has given none.
	// Example: Unplanned
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Reason string `json:"reason,omitempty"`

	// message is Azure's summary of a state other than Available or, without a state, why Azure has given none.
	// Example: At this time the API server of the cluster cannot be reached.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Message string `json:"message,omitempty"`
}

// ClusterFacts has what provider-capz tells function-capz of a Cluster: one object of the Cluster's name, and one for each of its
// MachinePools. Crossplane composes again whatever depends on an object each time that anything of the object changes, and Clusters
// and MachinePools change often, mostly in ways that no composition depends on; these change only when something has to be composed
// anew. Only provider-capz writes them. They go with their Cluster, and are made anew when they are deleted; without them
// everything is composed all the same, with more work.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=clusterfacts,singular=clusterfacts,scope=Namespaced,categories={capz}
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp",description="Time since creation"
type ClusterFacts struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what is told.
	Spec ClusterFactsSpec `json:"spec"`
}

// ClusterFactsList is a list of ClusterFacts.
//
// +kubebuilder:object:root=true
type ClusterFactsList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterFacts `json:"items"`
}
