package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// XAKSClusterSpec is what an XAKSCluster shall be, and its claim. Crossplane adds its own fields, such as claimRef and the
// claim's writeConnectionSecretToRef.
type XAKSClusterSpec struct {
	AKSClusterParameters `json:",inline"`
}

// XAKSCluster is what Crossplane makes of an AKSClusterClaim: an AKS cluster for an application team. In its own namespace
// the team has the AKSClusterClaim alone; the XAKSCluster is cluster scoped and made, changed and deleted with it.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=xaksclusters,scope=Cluster,shortName=xaks
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 46",message="metadata.name has more than 40 characters, but must have at most 40 in a claim because names in Azure are made from it"
// +kubebuilder:printcolumn:name="Version",type="string",JSONPath=".status.version",description="Kubernetes version that the control plane runs"
// +kubebuilder:printcolumn:name="Nodes",type="string",JSONPath=".status.nodes.summary",description="Nodes that are ready, of those that there shall be"
// +kubebuilder:printcolumn:name="Endpoint",type="string",JSONPath=".status.endpoint",description="Address of the API server"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.message",description="What is being waited for or what is wrong, in words"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.version) || has(oldSelf.spec) && has(oldSelf.spec.version) && self.spec.version == oldSelf.spec.version || !has(oldSelf.status) || !has(oldSelf.status.version) || !self.spec.version.matches('^v?1[.][0-9]{1,3}[.][0-9]{1,3}$') || !oldSelf.status.version.matches('^v?1[.][0-9]{1,3}[.][0-9]{1,3}$') || int(self.spec.version.split('.')[1]) > int(oldSelf.status.version.split('.')[1]) || int(self.spec.version.split('.')[1]) == int(oldSelf.status.version.split('.')[1]) && int(self.spec.version.split('.')[2]) >= int(oldSelf.status.version.split('.')[2])",message="must not be older than what Azure runs because AKS cannot go back to an older version",messageExpression="self.spec.version + ' must be ' + oldSelf.status.version + ' or newer, which Azure runs, because AKS cannot go back to an older version'",fieldPath=".spec.version"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.version) || has(oldSelf.spec) && has(oldSelf.spec.version) && self.spec.version == oldSelf.spec.version || !has(oldSelf.status) || !has(oldSelf.status.version) || !self.spec.version.matches('^v?1[.][0-9]{1,3}[.][0-9]{1,3}$') || !oldSelf.status.version.matches('^v?1[.][0-9]{1,3}[.][0-9]{1,3}$') || int(self.spec.version.split('.')[1]) <= int(oldSelf.status.version.split('.')[1]) + 1",message="must be at most one minor version above what Azure runs because Kubernetes is upgraded minor version by minor version",messageExpression="self.spec.version + ' must be at most one minor version above ' + oldSelf.status.version + ', which Azure runs, because Kubernetes is upgraded minor version by minor version'",fieldPath=".spec.version"
type XAKSCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the cluster that is wanted.
	// +optional
	Spec XAKSClusterSpec `json:"spec,omitzero"`

	// status is what was found. Only controllers write it.
	// +optional
	Status AKSClusterStatus `json:"status,omitzero"`
}

// XAKSClusterList is a list of XAKSCluster objects.
//
// +kubebuilder:object:root=true
type XAKSClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []XAKSCluster `json:"items"`
}
