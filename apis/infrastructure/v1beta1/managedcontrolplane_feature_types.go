package v1beta1

// AddonProfile is one AKS add-on.
type AddonProfile struct {
	// name that AKS has for the add-on.
	// Example: azurepolicy
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// config are the settings of the add-on.
	// Example: {logAnalyticsWorkspaceResourceID: "/subscriptions/.../workspaces/mine"}
	// +optional
	// +kubebuilder:validation:MaxProperties=100
	Config map[string]string `json:"config,omitempty"`

	// enabled switches it on.
	// Example: true
	Enabled bool `json:"enabled"`
}

// AzureManagedControlPlaneSkuTier is a tier of AKS.
// +kubebuilder:validation:Enum=Free;Paid;Standard
type AzureManagedControlPlaneSkuTier string

// The values of AzureManagedControlPlaneSkuTier.
const (
	FreeManagedControlPlaneTier AzureManagedControlPlaneSkuTier = "Free"
	// PaidManagedControlPlaneTier is the former name of Standard.
	PaidManagedControlPlaneTier     AzureManagedControlPlaneSkuTier = "Paid"
	StandardManagedControlPlaneTier AzureManagedControlPlaneSkuTier = "Standard"
)

// AKSSku is the tier of AKS.
type AKSSku struct {
	// tier is Free, or Standard for a guaranteed service level. Paid is the former name of Standard and means the same.
	// Example: Standard
	// +kubebuilder:default=Free
	Tier AzureManagedControlPlaneSkuTier `json:"tier"`
}

// UpgradeChannel is how far AKS upgrades a cluster by itself.
type UpgradeChannel string

// The values of UpgradeChannel.
const (
	UpgradeChannelNodeImage UpgradeChannel = "node-image"
	UpgradeChannelNone      UpgradeChannel = "none"
	UpgradeChannelPatch     UpgradeChannel = "patch"
	UpgradeChannelRapid     UpgradeChannel = "rapid"
	UpgradeChannelStable    UpgradeChannel = "stable"
)

// ManagedClusterAutoUpgradeProfile has AKS upgrade the cluster by itself.
type ManagedClusterAutoUpgradeProfile struct {
	// upgradeChannel is the target: patch stays in the minor version, stable is the newest patch of the second newest minor
	// version, rapid is the newest version, node-image only updates the nodes' images, and none does nothing. It cannot be
	// removed once it is set: set it to none.
	// Example: patch
	// +optional
	// +kubebuilder:validation:Enum=node-image;none;patch;rapid;stable
	UpgradeChannel *UpgradeChannel `json:"upgradeChannel,omitempty"`
}

// FleetsMember makes the cluster a member of an Azure Kubernetes Fleet Manager.
type FleetsMember struct {
	// name of the membership in Azure. The default is the name of the Cluster. It cannot be changed.
	// Example: my-cluster
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`,message="must be lower-case letters, digits and dashes, with no dash at either end, as Azure wants it"
	Name string `json:"name,omitempty"`

	FleetsMemberClassSpec `json:",inline"`
}

// FleetsMemberClassSpec is the part of a fleet membership that several clusters may have in common.
type FleetsMemberClassSpec struct {
	// group is the update group of the fleet that the cluster is in.
	// Example: production
	// +optional
	// +kubebuilder:default=default
	Group string `json:"group,omitempty"`

	// managerName is the name of the fleet.
	// Example: my-fleet
	ManagerName string `json:"managerName"`

	// managerResourceGroup is the resource group of the fleet.
	// Example: fleets
	ManagerResourceGroup string `json:"managerResourceGroup"`
}

// AKSAssignedIdentity is the kind of identity that AKS gives to an extension.
// +kubebuilder:validation:Enum=SystemAssigned;UserAssigned
type AKSAssignedIdentity string

// The values of AKSAssignedIdentity.
const (
	AKSAssignedIdentitySystemAssigned AKSAssignedIdentity = "SystemAssigned"
	AKSAssignedIdentityUserAssigned   AKSAssignedIdentity = "UserAssigned"
)

// ExtensionIdentity is the kind of identity of an extension as an Azure resource.
// +kubebuilder:validation:Enum=SystemAssigned
type ExtensionIdentity string

// ExtensionIdentitySystemAssigned is the only ExtensionIdentity.
const ExtensionIdentitySystemAssigned ExtensionIdentity = "SystemAssigned"

// ExtensionScopeType is whether an extension is for the whole cluster.
// +kubebuilder:validation:Enum=Cluster;Namespace
type ExtensionScopeType string

// The values of ExtensionScopeType.
const (
	ExtensionScopeCluster   ExtensionScopeType = "Cluster"
	ExtensionScopeNamespace ExtensionScopeType = "Namespace"
)

// AKSExtension is an extension of AKS that shall be installed.
//
// +kubebuilder:validation:XValidation:rule="!has(self.version) || !self.?autoUpgradeMinorVersion.orValue(true)",message="goes with autoUpgradeMinorVersion false only: otherwise Azure chooses it",messageExpression="self.version + ' goes with autoUpgradeMinorVersion false only: otherwise Azure chooses the version'",fieldPath=".version",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(self.releaseTrain) || self.?autoUpgradeMinorVersion.orValue(true)",message="goes with autoUpgradeMinorVersion true only",messageExpression="self.releaseTrain + ' goes with autoUpgradeMinorVersion true only: without upgrades there is nothing to follow'",fieldPath=".releaseTrain",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.scope) == has(oldSelf.scope) && (!has(self.scope) || self.scope == oldSelf.scope)",message="cannot be changed: it is decided when the extension is installed",fieldPath=".scope",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.identity) == has(oldSelf.identity) && (!has(self.identity) || self.identity == oldSelf.identity)",message="cannot be changed: it is decided when the extension is installed",fieldPath=".identity",reason="FieldValueForbidden"
type AKSExtension struct {
	// name of the extension in Azure.
	// Example: flux
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// aksAssignedIdentityType is the kind of identity with which the extension works in Azure.
	// Example: SystemAssigned
	// +optional
	AKSAssignedIdentityType AKSAssignedIdentity `json:"aksAssignedIdentityType,omitempty"`

	// autoUpgradeMinorVersion true lets Azure upgrade the extension; then version cannot be set. With false it stays at
	// version; then releaseTrain cannot be set.
	// Example: true
	// +optional
	// +kubebuilder:default=true
	AutoUpgradeMinorVersion *bool `json:"autoUpgradeMinorVersion,omitempty"`

	// configurationSettings are the settings of the extension.
	// Example: {helm-controller.enabled: "true"}
	// +optional
	// +kubebuilder:validation:MaxProperties=100
	ConfigurationSettings map[string]string `json:"configurationSettings,omitempty"`

	// extensionType is the name under which the extension was published. It cannot be changed.
	// Example: microsoft.flux
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the extension is installed",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the extension is installed'"
	// +kubebuilder:validation:MaxLength=256
	ExtensionType *string `json:"extensionType"`

	// plan is the plan that was bought for an extension from the Azure Marketplace. It cannot be changed.
	// Example: {name: my-plan, product: my-product, publisher: my-publisher}
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the extension is installed",reason="FieldValueForbidden"
	Plan *ExtensionPlan `json:"plan,omitempty"`

	// releaseTrain is the series of versions along which Azure upgrades. It cannot be changed.
	// Example: Stable
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the extension is installed",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the extension is installed'"
	// +kubebuilder:validation:MaxLength=256
	ReleaseTrain *string `json:"releaseTrain,omitempty"`

	// scope is where in the cluster the extension is installed. It cannot be changed.
	// Example: {scopeType: Cluster, releaseNamespace: flux-system}
	// +optional
	Scope *ExtensionScope `json:"scope,omitempty"`

	// version of the extension, only with autoUpgradeMinorVersion false. It cannot be changed.
	// Example: 1.2.3
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the extension is installed",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the extension is installed'"
	// +kubebuilder:validation:MaxLength=256
	Version *string `json:"version,omitempty"`

	// identity is the kind of identity that the extension has as an Azure resource. It cannot be changed.
	// Example: SystemAssigned
	// +optional
	Identity ExtensionIdentity `json:"identity,omitempty"`
}

// ExtensionPlan is what was bought of an extension from the Azure Marketplace.
type ExtensionPlan struct {
	// name of the plan. The default is the name of the control plane and product with a dash between.
	// Example: my-plan
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`

	// product that the plan belongs to.
	// Example: my-product
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Product string `json:"product,omitempty"`

	// promotionCode that the publisher gave out.
	// Example: SPRING
	// +optional
	// +kubebuilder:validation:MaxLength=256
	PromotionCode string `json:"promotionCode,omitempty"`

	// publisher of the product.
	// Example: my-publisher
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Publisher string `json:"publisher,omitempty"`

	// version of the plan.
	// Example: 1.0.0
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Version string `json:"version,omitempty"`
}

// ExtensionScope is where in the cluster an extension goes.
//
// +kubebuilder:validation:XValidation:rule=`self.scopeType != 'Cluster' || self.?releaseNamespace.orValue("") != ""`,message="is needed with scopeType Cluster: the extension is installed there",fieldPath=".releaseNamespace",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`self.scopeType != 'Cluster' || self.?targetNamespace.orValue("") == ""`,message="goes with scopeType Namespace only",messageExpression="self.targetNamespace + ' goes with scopeType Namespace only, but that is Cluster'",fieldPath=".targetNamespace",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`self.scopeType != 'Namespace' || self.?targetNamespace.orValue("") != ""`,message="is needed with scopeType Namespace: the extension is for it",fieldPath=".targetNamespace",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`self.scopeType != 'Namespace' || self.?releaseNamespace.orValue("") == ""`,message="goes with scopeType Cluster only",messageExpression="self.releaseNamespace + ' goes with scopeType Cluster only, but that is Namespace'",fieldPath=".releaseNamespace",reason="FieldValueForbidden"
type ExtensionScope struct {
	// scopeType is Cluster for an extension for the whole cluster, Namespace for one in a single namespace.
	// Example: Cluster
	ScopeType ExtensionScopeType `json:"scopeType"`

	// releaseNamespace is the namespace in which an extension of scope Cluster is installed. It is required for this
	// scope.
	// Example: flux-system
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ReleaseNamespace string `json:"releaseNamespace,omitempty"`

	// targetNamespace is the namespace for an extension of scope Namespace. It is required for this scope.
	// Example: team-a
	// +optional
	// +kubebuilder:validation:MaxLength=256
	TargetNamespace string `json:"targetNamespace,omitempty"`
}
