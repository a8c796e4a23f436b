package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IdentityType is the kind of credential of an AzureClusterIdentity.
// +kubebuilder:validation:Enum=ServicePrincipal;UserAssignedMSI;ManualServicePrincipal;ServicePrincipalCertificate;WorkloadIdentity;UserAssignedIdentityCredential
type IdentityType string

// The values of IdentityType.
const (
	// ServicePrincipal signs in with a client secret.
	ServicePrincipal IdentityType = "ServicePrincipal"
	// ManualServicePrincipal is another name for ServicePrincipal.
	ManualServicePrincipal IdentityType = "ManualServicePrincipal"
	// ServicePrincipalCertificate signs in with a certificate.
	ServicePrincipalCertificate IdentityType = "ServicePrincipalCertificate"
	// WorkloadIdentity signs in with the token of a Kubernetes service account.
	WorkloadIdentity IdentityType = "WorkloadIdentity"
	// UserAssignedMSI signs in as a managed identity of the machine that the controllers run on.
	UserAssignedMSI IdentityType = "UserAssignedMSI"
	// UserAssignedIdentityCredential signs in with the credentials of a managed identity that are in a file.
	UserAssignedIdentityCredential IdentityType = "UserAssignedIdentityCredential"
)

// AllowedNamespaces says from which namespaces an AzureClusterIdentity may be used. Without list and selector that is any.
type AllowedNamespaces struct {
	// list has the names of the namespaces.
	// Example: [team-a, team-b]
	// +optional
	// +nullable
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	// +kubebuilder:title="Names"
	NamespaceList []string `json:"list,omitzero"`

	// selector chooses namespaces by their labels, in addition to those in list.
	// Example: {matchLabels: {azure: allowed}}
	// +optional
	// +nullable
	// +kubebuilder:title="Labels"
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}

// AzureClusterIdentitySpec is a credential for Azure and who may use it.
//
// +kubebuilder:validation:XValidation:rule=`self.?resourceID.orValue("") == "" || self.type == 'UserAssignedMSI'`,message="goes with type UserAssignedMSI only",messageExpression="self.resourceID + ' goes with type UserAssignedMSI only, but type is ' + self.type",fieldPath=".resourceID",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`self.?userAssignedIdentityCredentialsPath.orValue("") == "" || self.type == 'UserAssignedIdentityCredential'`,message="goes with type UserAssignedIdentityCredential only",messageExpression="self.userAssignedIdentityCredentialsPath + ' goes with type UserAssignedIdentityCredential only, but type is ' + self.type",fieldPath=".userAssignedIdentityCredentialsPath",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`self.?userAssignedIdentityCredentialsCloudType.orValue("") == "" || self.type == 'UserAssignedIdentityCredential'`,message="goes with type UserAssignedIdentityCredential only",messageExpression="self.userAssignedIdentityCredentialsCloudType + ' goes with type UserAssignedIdentityCredential only, but type is ' + self.type",fieldPath=".userAssignedIdentityCredentialsCloudType",reason="FieldValueForbidden"
type AzureClusterIdentitySpec struct {
	// type is the kind of credential. It cannot be changed. Users write it.
	// Example: WorkloadIdentity
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: make another AzureClusterIdentity",messageExpression="'cannot be changed from ' + oldSelf + ': make another AzureClusterIdentity'"
	// +kubebuilder:title="Kind of credential"
	Type IdentityType `json:"type"`

	// resourceID is the resource ID of the managed identity, with type UserAssignedMSI only. It has no effect: clientID
	// selects the identity.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/capz
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:title="Azure resource ID of the managed identity"
	ResourceID string `json:"resourceID,omitempty"`

	// clientID is the client ID of the service principal or managed identity. Users write it.
	// Example: 00000000-0000-0000-0000-000000000000
	// +kubebuilder:title="Client ID"
	ClientID string `json:"clientID"`

	// clientSecret names the Secret with the credential: key clientSecret for a client secret; keys certificate and, if it
	// has one, password for a certificate. Without a namespace, the namespace of this object is used. Users write it.
	// Example: {name: cluster-identity-secret, namespace: default}
	// +optional
	// +kubebuilder:title="Secret with the credential"
	ClientSecret corev1.SecretReference `json:"clientSecret,omitzero"`

	// certPath is a file of provider-capz with the certificate, with type ServicePrincipalCertificate. It takes
	// precedence over clientSecret. Users write it.
	// Example: /etc/capz/identity.pem
	// +optional
	// +kubebuilder:title="Certificate file"
	CertPath string `json:"certPath,omitempty"`

	// userAssignedIdentityCredentialsPath is a file with the credentials of a managed identity as JSON, with type
	// UserAssignedIdentityCredential only. Users write it.
	// Example: /etc/capz/identity.json
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:title="Credentials file"
	UserAssignedIdentityCredentialsPath string `json:"userAssignedIdentityCredentialsPath,omitempty"`

	// userAssignedIdentityCredentialsCloudType is the Azure cloud of those credentials: public, china or usgovernment. It must
	// be the cloud of the clusters that use them. Left out, this is not checked. Users write it.
	// Example: public
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:title="Azure cloud of the credentials file"
	UserAssignedIdentityCredentialsCloudType string `json:"userAssignedIdentityCredentialsCloudType,omitempty"`

	// tenantID is the Microsoft Entra tenant that the credential belongs to. Users write it.
	// Example: 00000000-0000-0000-0000-000000000000
	// +kubebuilder:title="Tenant ID"
	TenantID string `json:"tenantID"`

	// allowedNamespaces says from which namespaces clusters may use this identity. Left out, from none. {} means from any. Users write
	// it.
	// Example: {list: [team-a]}
	// +optional
	// +nullable
	// +kubebuilder:title="Namespaces that may use it"
	AllowedNamespaces *AllowedNamespaces `json:"allowedNamespaces,omitempty"`

	CompositeSpec `json:",inline"`
}

// AzureClusterIdentityStatus is what was found of an AzureClusterIdentity.
type AzureClusterIdentityStatus struct {
	// v1beta2 holds the conditions that Cluster API reads. Written by function-capz.
	// +optional
	V1Beta2 *V1Beta2Status `json:"v1beta2,omitempty"`

	CompositeStatus `json:",inline"`
}

// AzureClusterIdentity is a credential for Azure that clusters use by spec.identityRef. It has nothing in Azure itself:
// provider-capz makes from it the Secret that ASO signs in with.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureclusteridentities,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Type",type="string",JSONPath=".spec.type",description="Kind of credential"
type AzureClusterIdentity struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the credential and who may use it. Users write it.
	// +optional
	Spec AzureClusterIdentitySpec `json:"spec,omitzero"`

	// status is what was found. Only controllers write it.
	// +optional
	Status AzureClusterIdentityStatus `json:"status,omitzero"`
}

// AzureClusterIdentityList is a list of AzureClusterIdentity objects.
//
// +kubebuilder:object:root=true
type AzureClusterIdentityList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureClusterIdentity `json:"items"`
}
