package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AzureASOManagedControlPlaneSpec is what an AzureASOManagedControlPlane shall be.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.identityRef) || has(self.identityRef)",message="cannot be taken away again: what the cluster has in Azure would be left without its credential; name another AzureClusterIdentity instead",fieldPath=".identityRef",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!has(self.identityRef) || has(oldSelf.identityRef) || self.?subscriptionID.orValue("") != ""`,message="is needed with an identityRef that is set later: it must be the subscription that the cluster is in already",fieldPath=".subscriptionID",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`self.?subscriptionID.orValue("") == "" || has(self.identityRef)`,message="goes with identityRef only: without one the credential of the ASO objects says which subscription it is",fieldPath=".subscriptionID"
// +kubebuilder:validation:XValidation:rule=`oldSelf.?subscriptionID.orValue("") == "" || self.?subscriptionID.orValue("") == oldSelf.subscriptionID`,message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf.subscriptionID + ': it is decided when the cluster is created'",fieldPath=".subscriptionID",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(self.azureEnvironment) || has(self.identityRef)",message="goes with identityRef only: without one the credential of the ASO objects says which Azure cloud it is",fieldPath=".azureEnvironment"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.identityRef) || has(self.azureEnvironment) == has(oldSelf.azureEnvironment) && (!has(self.azureEnvironment) || self.azureEnvironment == oldSelf.azureEnvironment)",message="cannot be changed: it is decided when the cluster gets its identityRef",messageExpression="'cannot be changed from ' + (has(oldSelf.azureEnvironment) ? oldSelf.azureEnvironment : 'nothing') + ' to ' + (has(self.azureEnvironment) ? self.azureEnvironment : 'nothing') + ': it is decided when the cluster gets its identityRef'",fieldPath=".azureEnvironment",reason="FieldValueForbidden"
type AzureASOManagedControlPlaneSpec struct {
	// The rule on version refuses only what AKS refuses as well: AKS takes x.y and x.y.z, and nothing else.

	// version is the wanted Kubernetes version, with or without the leading v, and with or without the patch version. Empty
	// or absent, the ManagedCluster's spec.kubernetesVersion is used, or else AKS chooses. function-capz sets
	// spec.kubernetesVersion of the ManagedCluster from it, and refuses a different value there. Raise it to upgrade; it
	// cannot be below what Azure runs, see status.version. Users write it, or the Cluster's topology does.
	// Example: v1.33.6
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^v?[0-9]+[.][0-9]+([.][0-9]+)?$')",message="must be a Kubernetes version that AKS knows the form of, such as v1.33.6 or v1.33"
	Version string `json:"version,omitempty"`

	// The item rules refuse only what no API server would accept as an ASO object: CAPZ fails on it as well.

	// resources are the ASO objects that make up the control plane, complete with apiVersion, kind, metadata.name and
	// spec. One of them, the first if there are several, is the ManagedCluster of containerservice.azure.com that becomes
	// the AKS cluster. Any ASO kind and API version is allowed. Fields that this project does not know are passed on
	// unchanged. Into the ManagedCluster function-capz writes the version, the Cluster's pod and service address ranges,
	// the first agent pools and where the kubeconfig goes. Another value set by hand is an error that names the field.
	// Removing an entry deletes it in Azure. Users write this field.
	// Example: [{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: my-cluster}, spec: {location: westeurope, owner: {name: my-cluster}}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:items:XPreserveUnknownFields
	// +kubebuilder:validation:items:XEmbeddedResource
	// +kubebuilder:validation:items:XValidation:rule="has(self.apiVersion) && has(self.kind)",message="needs an apiVersion and a kind: they are those of the ASO object"
	// +kubebuilder:validation:items:XValidation:rule="has(self.metadata) && has(self.metadata.name) && self.metadata.name != ''",message="needs a metadata.name: it is the name of the ASO object"
	// +kubebuilder:validation:MaxItems=256
	Resources []runtime.RawExtension `json:"resources,omitempty"`

	// identityRef names the AzureClusterIdentity with the credential for Azure. CAPZ has no such field. Without a namespace,
	// the namespace of this object is used. An AzureClusterIdentity of another namespace must allow this namespace.
	// provider-capz makes Secret <cluster>-aso-secret from it, and function-capz names the Secret in the annotation
	// serviceoperator.azure.com/credential-from of every ASO object of the Cluster that has no such annotation. Left out,
	// ASO chooses a credential. It may be changed, and set later together with subscriptionID, but not removed. Users write
	// it.
	// Example: {kind: AzureClusterIdentity, name: cluster-identity}
	// +optional
	// +kubebuilder:validation:XValidation:rule="has(self.name) && self.name != ''",message="must name an AzureClusterIdentity",fieldPath=".name",reason="FieldValueRequired"
	// +kubebuilder:validation:XValidation:rule="!has(self.kind) || self.kind == '' || self.kind == 'AzureClusterIdentity'",message="must be AzureClusterIdentity",fieldPath=".kind"
	IdentityRef *corev1.ObjectReference `json:"identityRef,omitempty"`

	// subscriptionID is the Azure subscription of all resources of the Cluster that have no credential of their own. It is
	// used together with identityRef, whose credential does not name the subscription. CAPZ has no such field. The default for
	// a new object is that of the controller. It cannot be changed. Users write it.
	// Example: 00000000-0000-0000-0000-000000000000
	// +optional
	// +kubebuilder:validation:MaxLength=256
	SubscriptionID string `json:"subscriptionID,omitempty"`

	// azureEnvironment is the Azure cloud of that subscription. The default is that of ASO's own settings; any other needs
	// ALLOW_MULTI_ENV_MANAGEMENT there. It is used together with identityRef, whose credential does not name the cloud. CAPZ
	// has no such field here. It cannot be changed. Users write it.
	// Example: AzureUSGovernmentCloud
	// +optional
	// +kubebuilder:validation:Enum=AzurePublicCloud;AzureUSGovernmentCloud;AzureChinaCloud
	AzureEnvironment string `json:"azureEnvironment,omitempty"`

	CompositeSpec `json:",inline"`
}

// StatusVersion is a Kubernetes version that a control plane runs.
type StatusVersion struct {
	// version is the Kubernetes version, with a leading v.
	// Example: v1.33.6
	Version string `json:"version"`

	// replicas is the number of control plane machines that run it. Left out for AKS, which does not count them.
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
}

// AzureASOManagedControlPlaneStatus is what was found of an AzureASOManagedControlPlane.
type AzureASOManagedControlPlaneStatus struct {
	// ready becomes true when the AKS cluster is ready and its API server's address is known, and then stays true: later
	// problems show in the conditions and in resources. It is the same as initialized. Written by function-capz.
	// +optional
	Ready bool `json:"ready"`

	// initialized becomes true when the API server can be used for the first time, and then stays true. Written by
	// function-capz, read by Cluster API under its v1beta1 contract; under v1beta2 it reads initialization instead.
	// +optional
	Initialized bool `json:"initialized"`

	// initialization tells Cluster API that the API server has been usable once. Written by function-capz.
	// +optional
	Initialization *ControlPlaneInitialization `json:"initialization,omitempty"`

	// controlPlaneEndpoint is the address of the API server as Azure reports it: the private one if the cluster has one,
	// else the public one. Written by function-capz; provider-capz copies it to the AzureASOManagedCluster.
	// Example: {host: my-cluster-1a2b3c4d.hcp.westeurope.azmk8s.io, port: 443}
	// +optional
	ControlPlaneEndpoint APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	// version is the Kubernetes version that Azure runs now, which lags behind spec.version during an upgrade. Written by
	// function-capz.
	// Example: v1.33.6
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Version string `json:"version,omitempty"`

	// versions says the same as a list, oldest first, which is where Cluster API's v1beta2 contract looks for it. In a
	// topology without pools so far, it has the wanted version with no replicas, because Cluster API creates no pools
	// for a control plane without a version. Written by function-capz.
	// Example: [{version: v1.33.6}]
	// +optional
	// +listType=map
	// +listMapKey=version
	Versions []StatusVersion `json:"versions,omitempty"`

	// externalManagedControlPlane is always true: Azure runs the API server, so no Machine stands for it, and Cluster API
	// must not expect one. Written by function-capz.
	// +optional
	ExternalManagedControlPlane *bool `json:"externalManagedControlPlane,omitempty"`

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

// AzureASOManagedControlPlane is one AKS cluster: an ASO ManagedCluster and its parts, such as maintenance windows. A Cluster
// names it in spec.controlPlaneRef. Node pools are AzureASOManagedMachinePools.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureasomanagedcontrolplanes,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
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
	Spec AzureASOManagedControlPlaneSpec `json:"spec,omitzero"`

	// status is what was found in Azure. Only controllers write it.
	// +optional
	Status AzureASOManagedControlPlaneStatus `json:"status,omitzero"`
}

// AzureASOManagedControlPlaneList is a list of AzureASOManagedControlPlane objects.
//
// +kubebuilder:object:root=true
type AzureASOManagedControlPlaneList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureASOManagedControlPlane `json:"items"`
}
