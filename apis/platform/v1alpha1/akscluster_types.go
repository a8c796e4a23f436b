package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AKSClusterSpec is what an AKSCluster shall be.
type AKSClusterSpec struct {
	AKSClusterParameters `json:",inline"`

	// writeConnectionSecretToRef names the Secret in this namespace that gets the kubeconfig of the cluster, under key
	// kubeconfig, and the address of the API server, under key endpoint. It is kept up to date. Left out, there is no
	// such Secret. An existing Secret of that name that is not this cluster's is not changed, and an Event says so.
	// Example: {name: shop-connection}
	// +optional
	// +kubebuilder:title="Connection Secret"
	WriteConnectionSecretToRef *SecretReference `json:"writeConnectionSecretToRef,omitempty"`

	// crossplane says which Composition expands this object and lists what was composed. A platform team may offer several
	// Compositions to choose from with crossplane.compositionRef.name. The generated definitions leave this field out, since
	// Crossplane brings its schema.
	// +optional
	Crossplane *runtime.RawExtension `json:"crossplane,omitempty"`
}

// SecretReference names a Secret in the same namespace.
type SecretReference struct {
	// name of the Secret. It cannot end in -kubeconfig, because Cluster API uses such names for its own Secrets.
	// Example: shop-connection
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="!self.endsWith('-kubeconfig')",message="must not end in -kubeconfig because Cluster API has Secrets of its own of such names"
	// +kubebuilder:title="Name"
	Name string `json:"name"`
}

// AKSCluster is an AKS cluster for an application team: a namespaced Crossplane composite resource. AKSClusterClaim has the
// same fields for those who prefer Crossplane's claims.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=aksclusters,scope=Namespaced,shortName=aks,categories=platform
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 40",message="metadata.name has more than 40 characters, but must have at most 40 because names in Azure are made from it"
// +kubebuilder:printcolumn:name="Version",type="string",JSONPath=".status.version",description="Kubernetes version that the control plane runs"
// +kubebuilder:printcolumn:name="Nodes",type="string",JSONPath=".status.nodes.summary",description="Nodes that are ready, of those that there shall be"
// +kubebuilder:printcolumn:name="Endpoint",type="string",JSONPath=".status.endpoint",description="Address of the API server"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.message",description="What is being waited for or what is wrong, in words"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.version) || has(oldSelf.spec) && has(oldSelf.spec.version) && self.spec.version == oldSelf.spec.version || !has(oldSelf.status) || !has(oldSelf.status.version) || !self.spec.version.matches('^v?1[.][0-9]{1,3}[.][0-9]{1,3}$') || !oldSelf.status.version.matches('^v?1[.][0-9]{1,3}[.][0-9]{1,3}$') || int(self.spec.version.split('.')[1]) > int(oldSelf.status.version.split('.')[1]) || int(self.spec.version.split('.')[1]) == int(oldSelf.status.version.split('.')[1]) && int(self.spec.version.split('.')[2]) >= int(oldSelf.status.version.split('.')[2])",message="must not be older than what Azure runs because AKS cannot go back to an older version",messageExpression="self.spec.version + ' must be ' + oldSelf.status.version + ' or newer, which Azure runs, because AKS cannot go back to an older version'",fieldPath=".spec.version"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.version) || has(oldSelf.spec) && has(oldSelf.spec.version) && self.spec.version == oldSelf.spec.version || !has(oldSelf.status) || !has(oldSelf.status.version) || !self.spec.version.matches('^v?1[.][0-9]{1,3}[.][0-9]{1,3}$') || !oldSelf.status.version.matches('^v?1[.][0-9]{1,3}[.][0-9]{1,3}$') || int(self.spec.version.split('.')[1]) <= int(oldSelf.status.version.split('.')[1]) + 1",message="must be at most one minor version above what Azure runs because Kubernetes is upgraded minor version by minor version",messageExpression="self.spec.version + ' must be at most one minor version above ' + oldSelf.status.version + ', which Azure runs, because Kubernetes is upgraded minor version by minor version'",fieldPath=".spec.version"
type AKSCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the cluster that you want.
	// +optional
	Spec AKSClusterSpec `json:"spec,omitzero"`

	// status is what was found. Only controllers write it.
	// +optional
	Status AKSClusterStatus `json:"status,omitzero"`
}

// AKSClusterList is a list of AKSCluster objects.
//
// +kubebuilder:object:root=true
type AKSClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AKSCluster `json:"items"`
}
