package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AzureASOManagedControlPlaneTemplateResourceSpec is the spec of the objects made from an AzureASOManagedControlPlaneTemplate.
type AzureASOManagedControlPlaneTemplateResourceSpec struct {
	// resources are the ASO objects that become spec.resources, or parts of them that the patches of the ClusterClass
	// complete. No field of an entry is required here, not even its kind. Users write them.
	// Example: [{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, spec: {location: westeurope}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:items:XPreserveUnknownFields
	// +kubebuilder:validation:MaxItems=256
	Resources []runtime.RawExtension `json:"resources,omitempty"`

	// version is the Kubernetes version of the control plane made from this template. A topology overwrites it with the
	// Cluster's spec.topology.version, so it is usually left out.
	// Example: v1.33.6
	// +optional
	Version string `json:"version,omitempty"`

	// identityRef names the AzureClusterIdentity with the credential for Azure of every cluster made from this template, as
	// spec.identityRef of an AzureASOManagedControlPlane does. Users write it.
	// Example: {kind: AzureClusterIdentity, name: cluster-identity, namespace: identities}
	// +optional
	IdentityRef *corev1.ObjectReference `json:"identityRef,omitempty"`

	// subscriptionID is the Azure subscription of every cluster made from this template. It is used together with
	// identityRef. A patch of the ClusterClass may give each cluster its own. Users write it.
	// Example: 00000000-0000-0000-0000-000000000000
	// +optional
	// +kubebuilder:validation:MaxLength=256
	SubscriptionID string `json:"subscriptionID,omitempty"`

	// azureEnvironment is the Azure cloud of every cluster made from this template. It is used together with identityRef.
	// Users write it.
	// Example: AzureUSGovernmentCloud
	// +optional
	// +kubebuilder:validation:Enum=AzurePublicCloud;AzureUSGovernmentCloud;AzureChinaCloud
	AzureEnvironment string `json:"azureEnvironment,omitempty"`

	TemplateCompositeSpec `json:",inline"`
}

// AzureASOManagedControlPlaneTemplateResource is the object that an AzureASOManagedControlPlaneTemplate describes.
type AzureASOManagedControlPlaneTemplateResource struct {
	// metadata has the labels and annotations of the objects made from this template.
	// +optional
	ObjectMeta ObjectMeta `json:"metadata,omitzero"`

	// spec becomes the spec of the AzureASOManagedControlPlane made from this template, after the patches of the
	// ClusterClass. Users write it.
	// +optional
	Spec AzureASOManagedControlPlaneTemplateResourceSpec `json:"spec,omitzero"`
}

// AzureASOManagedControlPlaneTemplateSpec is what an AzureASOManagedControlPlaneTemplate holds.
type AzureASOManagedControlPlaneTemplateSpec struct {
	// template is the AzureASOManagedControlPlane that a topology makes, as far as it is the same for every cluster.
	// Users write it.
	Template AzureASOManagedControlPlaneTemplateResource `json:"template"`

	CompositeSpec `json:",inline"`
}

// AzureASOManagedControlPlaneTemplate is the pattern from which a ClusterClass makes one AzureASOManagedControlPlane per
// Cluster. A ClusterClass names it in spec.controlPlane.templateRef.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureasomanagedcontrolplanetemplates,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type AzureASOManagedControlPlaneTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec AzureASOManagedControlPlaneTemplateSpec `json:"spec,omitzero"`

	// status has Crossplane's conditions only: a template composes nothing.
	// +optional
	Status CompositeStatus `json:"status,omitzero"`
}

// AzureASOManagedControlPlaneTemplateList is a list of AzureASOManagedControlPlaneTemplate objects.
//
// +kubebuilder:object:root=true
type AzureASOManagedControlPlaneTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureASOManagedControlPlaneTemplate `json:"items"`
}
