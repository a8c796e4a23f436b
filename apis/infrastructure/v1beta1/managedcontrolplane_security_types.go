package v1beta1

// ManagedControlPlaneIdentityType is the kind of managed identity with which AKS works in Azure.
type ManagedControlPlaneIdentityType string

// The values of ManagedControlPlaneIdentityType.
const (
	ManagedControlPlaneIdentityTypeSystemAssigned ManagedControlPlaneIdentityType = "SystemAssigned"
	ManagedControlPlaneIdentityTypeUserAssigned   ManagedControlPlaneIdentityType = "UserAssigned"
)

// Identity is the managed identity with which AKS itself works in Azure.
type Identity struct {
	// type is SystemAssigned for one that AKS creates, UserAssigned for your own.
	// Example: UserAssigned
	// +optional
	// +kubebuilder:validation:Enum=SystemAssigned;UserAssigned
	// +kubebuilder:default=SystemAssigned
	Type ManagedControlPlaneIdentityType `json:"type,omitempty"`

	// userAssignedIdentityResourceID is the resource ID of the identity, with type UserAssigned only.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/aks
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	UserAssignedIdentityResourceID string `json:"userAssignedIdentityResourceID,omitempty"`
}

// AADProfile has people sign in with Microsoft Entra ID.
//
// +kubebuilder:validation:XValidation:rule="size(self.adminGroupObjectIDs) > 0 || size(oldSelf.adminGroupObjectIDs) == 0",message="cannot become empty: nobody would be an administrator",fieldPath=".adminGroupObjectIDs",reason="FieldValueForbidden"
type AADProfile struct {
	// managed true lets AKS maintain the integration, and lets Azure role assignments decide what users may do. It cannot
	// be set to false again.
	// Example: true
	// +kubebuilder:validation:XValidation:rule="self || !oldSelf",message="cannot be set to false again: AKS does not take the integration back",reason="FieldValueForbidden"
	Managed bool `json:"managed"`

	// adminGroupObjectIDs are the object IDs of the groups whose members are administrators of the cluster.
	// Example: [00000000-0000-0000-0000-000000000000]
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	AdminGroupObjectIDs []string `json:"adminGroupObjectIDs"`
}

// OIDCIssuerProfile publishes the keys of the cluster's service account tokens.
type OIDCIssuerProfile struct {
	// enabled true publishes them. It cannot be set to false again.
	// Example: true
	// +optional
	// +kubebuilder:default=false
	Enabled *bool `json:"enabled,omitempty"`
}

// ManagedClusterSecurityProfile has the security features of AKS.
type ManagedClusterSecurityProfile struct {
	// azureKeyVaultKms encrypts the cluster's Secrets with your own key. It needs identity type UserAssigned.
	// Example: {enabled: true, keyID: "https://my-vault.vault.azure.net/keys/etcd/1234"}
	// +optional
	AzureKeyVaultKms *AzureKeyVaultKms `json:"azureKeyVaultKms,omitempty"`

	// defender enables Microsoft Defender for the cluster.
	// Example: {logAnalyticsWorkspaceResourceID: "/subscriptions/.../workspaces/mine", securityMonitoring: {enabled: true}}
	// +optional
	Defender *ManagedClusterSecurityProfileDefender `json:"defender,omitempty"`

	// imageCleaner removes unused images from the nodes.
	// Example: {enabled: true, intervalHours: 48}
	// +optional
	ImageCleaner *ManagedClusterSecurityProfileImageCleaner `json:"imageCleaner,omitempty"`

	// workloadIdentity lets pods sign in to Azure with their service account. It needs oidcIssuerProfile.
	// Example: {enabled: true}
	// +optional
	WorkloadIdentity *ManagedClusterSecurityProfileWorkloadIdentity `json:"workloadIdentity,omitempty"`
}

// KeyVaultNetworkAccessTypes is from where a key vault is reached.
type KeyVaultNetworkAccessTypes string

// The values of KeyVaultNetworkAccessTypes.
const (
	KeyVaultNetworkAccessTypesPrivate KeyVaultNetworkAccessTypes = "Private"
	KeyVaultNetworkAccessTypesPublic  KeyVaultNetworkAccessTypes = "Public"
)

// AzureKeyVaultKms encrypts the cluster's Secrets with a key of an Azure Key Vault.
//
// +kubebuilder:validation:XValidation:rule=`self.?keyVaultNetworkAccess.orValue('Public') != 'Private' || self.?keyVaultResourceID.orValue("") != ""`,message="is needed with keyVaultNetworkAccess Private: AKS makes a private link to it",fieldPath=".keyVaultResourceID",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`self.?keyVaultNetworkAccess.orValue('Public') == 'Private' || self.?keyVaultResourceID.orValue("") == ""`,message="goes with keyVaultNetworkAccess Private only",messageExpression="self.keyVaultResourceID + ' goes with keyVaultNetworkAccess Private only, but that is Public'",fieldPath=".keyVaultResourceID"
type AzureKeyVaultKms struct {
	// enabled says whether they are encrypted.
	// Example: true
	Enabled bool `json:"enabled"`

	// keyID is the address of the key, with its version.
	// Example: https://my-vault.vault.azure.net/keys/etcd/0123456789abcdef0123456789abcdef
	KeyID string `json:"keyID"`

	// keyVaultNetworkAccess is Public if the vault can be reached from everywhere, Private if only private endpoints
	// reach it.
	// Example: Private
	// +optional
	// +kubebuilder:default=Public
	// +kubebuilder:validation:Enum=Private;Public
	KeyVaultNetworkAccess *KeyVaultNetworkAccessTypes `json:"keyVaultNetworkAccess,omitempty"`

	// keyVaultResourceID is the resource ID of the vault. It is required with Private access and not allowed with
	// Public.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/keys/providers/Microsoft.KeyVault/vaults/my-vault
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	KeyVaultResourceID *string `json:"keyVaultResourceID,omitempty"`
}

// ManagedClusterSecurityProfileDefender has Microsoft Defender watch the cluster.
type ManagedClusterSecurityProfileDefender struct {
	// logAnalyticsWorkspaceResourceID is the resource ID of the Log Analytics workspace to which findings are sent.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/logs/providers/Microsoft.OperationalInsights/workspaces/mine
	LogAnalyticsWorkspaceResourceID string `json:"logAnalyticsWorkspaceResourceID"`

	// securityMonitoring switches it on and off.
	// Example: {enabled: true}
	SecurityMonitoring ManagedClusterSecurityProfileDefenderSecurityMonitoring `json:"securityMonitoring"`
}

// ManagedClusterSecurityProfileDefenderSecurityMonitoring switches Microsoft Defender on and off.
type ManagedClusterSecurityProfileDefenderSecurityMonitoring struct {
	// enabled switches it on.
	// Example: true
	Enabled bool `json:"enabled"`
}

// ManagedClusterSecurityProfileImageCleaner removes images from the nodes that nothing uses.
type ManagedClusterSecurityProfileImageCleaner struct {
	// enabled switches it on.
	// Example: true
	Enabled bool `json:"enabled"`

	// intervalHours is the time between two runs, in hours. The default of AKS is 24.
	// Example: 48
	// +optional
	// +kubebuilder:validation:Minimum=24
	// +kubebuilder:validation:Maximum=2160
	IntervalHours *int `json:"intervalHours,omitempty"`
}

// ManagedClusterSecurityProfileWorkloadIdentity lets pods sign in to Azure with their service account.
type ManagedClusterSecurityProfileWorkloadIdentity struct {
	// enabled says whether they can.
	// Example: true
	Enabled bool `json:"enabled"`
}
