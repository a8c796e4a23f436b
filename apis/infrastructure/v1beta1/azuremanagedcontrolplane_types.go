package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureManagedControlPlaneSpec is what an AzureManagedControlPlane shall be.
//
// +kubebuilder:validation:XValidation:rule="has(self.location)",message="is needed: it says which Azure region",fieldPath=".location",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`(has(oldSelf.resourceGroupName) ? oldSelf.resourceGroupName : "") == "" || (has(self.resourceGroupName) ? self.resourceGroupName : "") == (has(oldSelf.resourceGroupName) ? oldSelf.resourceGroupName : "")`,message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf.resourceGroupName + ' to ' + (has(self.resourceGroupName) ? self.resourceGroupName : 'nothing') + ': it is decided when the cluster is created'",fieldPath=".resourceGroupName",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.sshPublicKey) == has(oldSelf.sshPublicKey)",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".sshPublicKey",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.httpProxyConfig) == has(oldSelf.httpProxyConfig) && (!has(self.httpProxyConfig) || self.httpProxyConfig == oldSelf.httpProxyConfig)",message="cannot be changed: it is decided when the cluster is created",fieldPath=".httpProxyConfig",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.azureEnvironment) == has(oldSelf.azureEnvironment) && (!has(self.azureEnvironment) || self.azureEnvironment == oldSelf.azureEnvironment)",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + (has(oldSelf.azureEnvironment) ? oldSelf.azureEnvironment : 'nothing') + ' to ' + (has(self.azureEnvironment) ? self.azureEnvironment : 'nothing') + ': it is decided when the cluster is created'",fieldPath=".azureEnvironment",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.resourceGroup) && oldSelf.virtualNetwork.resourceGroup != "" ? oldSelf.virtualNetwork.resourceGroup : (has(oldSelf.resourceGroupName) ? oldSelf.resourceGroupName : "")) == "" || (has(self.virtualNetwork) && has(self.virtualNetwork.resourceGroup) && self.virtualNetwork.resourceGroup != "" ? self.virtualNetwork.resourceGroup : (has(oldSelf.resourceGroupName) ? oldSelf.resourceGroupName : "")) == (has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.resourceGroup) && oldSelf.virtualNetwork.resourceGroup != "" ? oldSelf.virtualNetwork.resourceGroup : (has(oldSelf.resourceGroupName) ? oldSelf.resourceGroupName : ""))`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + (has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.resourceGroup) && oldSelf.virtualNetwork.resourceGroup != "" ? oldSelf.virtualNetwork.resourceGroup : (has(oldSelf.resourceGroupName) ? oldSelf.resourceGroupName : "")) + ' to ' + (has(self.virtualNetwork) && has(self.virtualNetwork.resourceGroup) && self.virtualNetwork.resourceGroup != "" ? self.virtualNetwork.resourceGroup : (has(oldSelf.resourceGroupName) ? oldSelf.resourceGroupName : "")) + ': it is decided when the cluster is created'`,fieldPath=".virtualNetwork.resourceGroup",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`self.?networkPluginMode.orValue("") != 'overlay' || self.?networkPlugin.orValue("") != 'kubenet'`,message="overlay is a mode of networkPlugin azure, but that is kubenet",fieldPath=".networkPluginMode"
// +kubebuilder:validation:XValidation:rule=`self.?networkPluginMode.orValue("") != 'overlay' || oldSelf.?networkPluginMode.orValue("") == 'overlay' || !has(oldSelf.networkPolicy)`,message="overlay cannot be set on a cluster that has a networkPolicy",messageExpression="'overlay cannot be set on a cluster that has a networkPolicy, which is ' + oldSelf.networkPolicy",fieldPath=".networkPluginMode",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(self.disableLocalAccounts) || has(self.aadProfile)",message="needs aadProfile: without it nobody could sign in",fieldPath=".disableLocalAccounts"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.disableLocalAccounts) || has(self.disableLocalAccounts) && self.disableLocalAccounts == oldSelf.disableLocalAccounts",message="cannot be changed: it is decided when it is first set",fieldPath=".disableLocalAccounts",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`self.?identity.?type.orValue("") != 'UserAssigned' || self.?identity.?userAssignedIdentityResourceID.orValue("") != ""`,message="is needed with type UserAssigned: it says which identity",fieldPath=".identity.userAssignedIdentityResourceID",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`self.?identity.?type.orValue('UserAssigned') == 'UserAssigned' || self.?identity.?userAssignedIdentityResourceID.orValue("") == ""`,message="goes with type UserAssigned only",messageExpression="self.identity.userAssignedIdentityResourceID + ' goes with type UserAssigned only, but type is ' + self.identity.type",fieldPath=".identity.userAssignedIdentityResourceID"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.addonProfiles) || oldSelf.addonProfiles.all(o, has(self.addonProfiles) && self.addonProfiles.exists(a, a.name == o.name))",message="add-ons cannot be taken away: to switch one off, set enabled to false",fieldPath=".addonProfiles",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!oldSelf.?autoUpgradeProfile.?upgradeChannel.hasValue() || self.?autoUpgradeProfile.?upgradeChannel.hasValue()",message="cannot be taken away again: to end upgrades, set none",fieldPath=".autoUpgradeProfile.upgradeChannel",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!oldSelf.?oidcIssuerProfile.?enabled.orValue(false) || self.?oidcIssuerProfile.?enabled.orValue(false)",message="cannot be set to false again: AKS does not take an OIDC issuer away",fieldPath=".oidcIssuerProfile.enabled",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!has(self.fleetsMember) || !has(oldSelf.fleetsMember) || !has(oldSelf.fleetsMember.name) || oldSelf.fleetsMember.name == "" || has(self.fleetsMember.name) && self.fleetsMember.name == oldSelf.fleetsMember.name`,message="cannot be changed: it is the name of the membership in Azure",messageExpression="'cannot be changed from ' + oldSelf.fleetsMember.name + ' to ' + (has(self.fleetsMember.name) ? self.fleetsMember.name : 'nothing') + ': it is the name of the membership in Azure'",fieldPath=".fleetsMember.name",reason="FieldValueForbidden"
type AzureManagedControlPlaneSpec struct {
	AzureManagedControlPlaneClassSpec `json:",inline"`

	// nodeResourceGroupName is the name of the resource group that AKS creates for the nodes, their disks and load
	// balancers. The default is MC_<resource group>_<name of this object>_<location>. It cannot be changed. Users write it.
	// Example: my-cluster-nodes
	// +optional
	// +kubebuilder:validation:MaxLength=256
	NodeResourceGroupName string `json:"nodeResourceGroupName,omitempty"`

	// controlPlaneEndpoint is the address of the cluster's API server. provider-capz copies it from the status, and Cluster
	// API copies it on into the Cluster. Users leave it out: a value set by hand is overwritten.
	// Example: {host: my-cluster-1a2b3c4d.hcp.westeurope.azmk8s.io, port: 443}
	// +optional
	ControlPlaneEndpoint APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	// sshPublicKey is the public key for logging in to the nodes as azureuser: a line as in authorized_keys, encoded in
	// base64. Left out, the nodes accept no key. Empty, a key is generated whose private half nobody has. It cannot be
	// changed. Users write it.
	// Example: c3NoLXJzYSBBQUFBQjNOemFDMXljMkVBQUFBREFRQUJBQUFCQVFDLi4uIG1lCg==
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created"
	// +kubebuilder:validation:MaxLength=16384
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$')",message="must be base64, of a line as in authorized_keys"
	SSHPublicKey *string `json:"sshPublicKey,omitempty"`

	// dnsPrefix starts the host name of the API server; Azure adds the rest. The default is the name of this object. It
	// cannot be changed. Users write it.
	// Example: my-cluster
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9][a-zA-Z0-9-]{0,52}[a-zA-Z0-9]$')",message="must be 2 to 54 letters, digits and dashes, with no dash at either end: it becomes a part of a host name"
	DNSPrefix *string `json:"dnsPrefix,omitempty"`

	// fleetsMember makes the cluster a member of an Azure Kubernetes Fleet Manager that is there already. Taking it away
	// ends the membership. Users write it.
	// Example: {group: production, managerName: my-fleet, managerResourceGroup: fleets}
	// +optional
	FleetsMember *FleetsMember `json:"fleetsMember,omitempty"`

	CompositeSpec `json:",inline"`
}

// AzureManagedControlPlaneStatus is what was found of an AzureManagedControlPlane.
type AzureManagedControlPlaneStatus struct {
	// autoUpgradeVersion is the Kubernetes version to which AKS has upgraded the cluster automatically, as
	// spec.autoUpgradeProfile says; spec.version may be lower. Written by function-capz.
	// Example: v1.33.6
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=256
	AutoUpgradeVersion string `json:"autoUpgradeVersion,omitempty"`

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

	// controlPlaneEndpoint is the address of the API server as Azure reports it: the public one, or the private one if
	// there is no public one. Written by function-capz; provider-capz copies it to spec and to the AzureManagedCluster.
	// Example: {host: my-cluster-1a2b3c4d.hcp.westeurope.azmk8s.io, port: 443}
	// +optional
	ControlPlaneEndpoint APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	// longRunningOperationStates is kept for objects that come from CAPZ, which remembered its Azure requests here. Nothing
	// reads or writes it.
	// +optional
	LongRunningOperationStates Futures `json:"longRunningOperationStates,omitempty"`

	// oidcIssuerProfile says who issues the cluster's tokens for workload identity. Written by function-capz.
	// +optional
	OIDCIssuerProfile *OIDCIssuerProfileStatus `json:"oidcIssuerProfile,omitempty"`

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

	// resources lists every ASO object that this one is composed of, and those that are still being deleted, each with its
	// own state. A failed one does not hide the others. Written by function-capz.
	// +optional
	// +listType=atomic
	Resources []ResourceStatus `json:"resources,omitempty"`

	// v1beta2 holds the conditions that Cluster API reads. Written by function-capz.
	// +optional
	V1Beta2 *V1Beta2Status `json:"v1beta2,omitempty"`

	CompositeStatus `json:",inline"`
}

// OIDCIssuerProfileStatus is what was found of the OIDC issuer.
type OIDCIssuerProfileStatus struct {
	// issuerURL is the address under which the keys for checking the cluster's service account tokens are published.
	// Written by function-capz.
	// Example: https://westeurope.oic.prod-aks.azure.com/00000000-0000-0000-0000-000000000000/11111111-1111-1111-1111-111111111111/
	// +optional
	IssuerURL *string `json:"issuerURL,omitempty"`
}

// Future is how CAPZ noted an Azure request that was still running.
type Future struct {
	// type of the request: PUT, PATCH or DELETE.
	Type string `json:"type"`

	// resourceGroup of the resource.
	// +optional
	ResourceGroup string `json:"resourceGroup,omitempty"`

	// serviceName is the part of CAPZ that made the request.
	ServiceName string `json:"serviceName"`

	// name of the resource.
	Name string `json:"name"`

	// data is what CAPZ needed to ask for the outcome, encoded in base64.
	Data string `json:"data"`
}

// Futures are requests noted by CAPZ.
// +listType=atomic
type Futures []Future

// AzureManagedControlPlane is one AKS cluster described by fields of its own: resource group, virtual network, subnet,
// managed cluster, private endpoints, fleet membership and extensions. A Cluster names it in spec.controlPlaneRef. Node pools
// are AzureManagedMachinePools. CAPZ has deprecated this kind in favour of AzureASOManagedControlPlane, which takes ASO
// objects as they are; here both are supported.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azuremanagedcontrolplanes,scope=Namespaced,categories=cluster-api,shortName=amcp
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:deprecatedversion:warning="CAPZ has deprecated AzureManagedControlPlane; its successor is infrastructure.cluster.x-k8s.io/v1beta1 AzureASOManagedControlPlane. crossplane-capz supports both"
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Initialized",type="boolean",JSONPath=".status.initialization.controlPlaneInitialized",description="Whether the AKS cluster has been ready once"
// +kubebuilder:printcolumn:name="Version",type="string",JSONPath=".status.version",description="Kubernetes version that Azure runs now"
// +kubebuilder:printcolumn:name="Endpoint",type="string",JSONPath=".status.controlPlaneEndpoint.host",description="Host of the workload cluster's API server"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].reason",description="One word on why Cluster API sees this object as ready or not"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].message",description="What is missing or wrong, in words"
// +kubebuilder:validation:XValidation:rule="!self.metadata.name.contains('microsoft') && !self.metadata.name.contains('windows')",message="must have neither microsoft nor windows in it: Azure keeps them for itself",fieldPath=".metadata.name"
// +kubebuilder:validation:XValidation:rule="(has(self.spec.dnsPrefix) ? self.spec.dnsPrefix : self.metadata.name) == (has(oldSelf.spec.dnsPrefix) ? oldSelf.spec.dnsPrefix : oldSelf.metadata.name)",message="cannot be changed: it is decided when the cluster is created",fieldPath=".spec.dnsPrefix",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.spec.virtualNetwork) && has(self.spec.virtualNetwork.name) && self.spec.virtualNetwork.name != "" ? self.spec.virtualNetwork.name : self.metadata.name) == (has(oldSelf.spec.virtualNetwork) && has(oldSelf.spec.virtualNetwork.name) && oldSelf.spec.virtualNetwork.name != "" ? oldSelf.spec.virtualNetwork.name : oldSelf.metadata.name)`,message="cannot be changed: it is decided when the cluster is created",fieldPath=".spec.virtualNetwork.name",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.spec.virtualNetwork) && has(self.spec.virtualNetwork.subnet) && has(self.spec.virtualNetwork.subnet.name) && self.spec.virtualNetwork.subnet.name != "" ? self.spec.virtualNetwork.subnet.name : self.metadata.name) == (has(oldSelf.spec.virtualNetwork) && has(oldSelf.spec.virtualNetwork.subnet) && has(oldSelf.spec.virtualNetwork.subnet.name) && oldSelf.spec.virtualNetwork.subnet.name != "" ? oldSelf.spec.virtualNetwork.subnet.name : oldSelf.metadata.name)`,message="cannot be changed: it is decided when the cluster is created",fieldPath=".spec.virtualNetwork.subnet.name",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(oldSelf.spec.nodeResourceGroupName) && oldSelf.spec.nodeResourceGroupName != "" ? oldSelf.spec.nodeResourceGroupName : !has(oldSelf.spec.resourceGroupName) ? "" : 'MC_' + oldSelf.spec.resourceGroupName + '_' + self.metadata.name + '_' + oldSelf.spec.location) == "" || (has(self.spec.nodeResourceGroupName) && self.spec.nodeResourceGroupName != "" ? self.spec.nodeResourceGroupName : !has(oldSelf.spec.resourceGroupName) ? "" : 'MC_' + oldSelf.spec.resourceGroupName + '_' + self.metadata.name + '_' + oldSelf.spec.location) == (has(oldSelf.spec.nodeResourceGroupName) && oldSelf.spec.nodeResourceGroupName != "" ? oldSelf.spec.nodeResourceGroupName : !has(oldSelf.spec.resourceGroupName) ? "" : 'MC_' + oldSelf.spec.resourceGroupName + '_' + self.metadata.name + '_' + oldSelf.spec.location)`,message="cannot be changed: it is decided when the cluster is created",fieldPath=".spec.nodeResourceGroupName",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="self.spec.version == oldSelf.spec.version || !has(oldSelf.status) || has(oldSelf.status.version) || !has(oldSelf.status.autoUpgradeVersion) || !self.spec.version.matches('^v?(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)([-0-9a-zA-Z_.+]*)?$') || !oldSelf.status.autoUpgradeVersion.matches('^v?(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)([-0-9a-zA-Z_.+]*)?$') || int(self.spec.version.findAll('[0-9]+')[0]) * 1000000000000 + int(self.spec.version.findAll('[0-9]+')[1]) * 1000000 + int(self.spec.version.findAll('[0-9]+')[2]) >= int(oldSelf.status.autoUpgradeVersion.findAll('[0-9]+')[0]) * 1000000000000 + int(oldSelf.status.autoUpgradeVersion.findAll('[0-9]+')[1]) * 1000000 + int(oldSelf.status.autoUpgradeVersion.findAll('[0-9]+')[2])",message="is older than the version that AKS has upgraded the cluster to",messageExpression="self.spec.version + ' is older than ' + oldSelf.status.autoUpgradeVersion + ', to which AKS has upgraded the cluster, and Kubernetes cannot be downgraded'",fieldPath=".spec.version"
// +kubebuilder:validation:XValidation:rule="self.spec.version == oldSelf.spec.version || !has(oldSelf.status) || !has(oldSelf.status.version) || !self.spec.version.matches('^v?(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)([-0-9a-zA-Z_.+]*)?$') || !oldSelf.status.version.matches('^v?(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)([-0-9a-zA-Z_.+]*)?$') || int(self.spec.version.findAll('[0-9]+')[0]) * 1000000000000 + int(self.spec.version.findAll('[0-9]+')[1]) * 1000000 + int(self.spec.version.findAll('[0-9]+')[2]) > int(oldSelf.status.version.findAll('[0-9]+')[0]) * 1000000000000 + int(oldSelf.status.version.findAll('[0-9]+')[1]) * 1000000 + int(oldSelf.status.version.findAll('[0-9]+')[2]) || int(self.spec.version.findAll('[0-9]+')[0]) * 1000000000000 + int(self.spec.version.findAll('[0-9]+')[1]) * 1000000 + int(self.spec.version.findAll('[0-9]+')[2]) == int(oldSelf.status.version.findAll('[0-9]+')[0]) * 1000000000000 + int(oldSelf.status.version.findAll('[0-9]+')[1]) * 1000000 + int(oldSelf.status.version.findAll('[0-9]+')[2]) && (self.spec.version.matches('^v?[0-9]+[.][0-9]+[.][0-9]+$') || !oldSelf.status.version.matches('^v?[0-9]+[.][0-9]+[.][0-9]+$'))",message="is older than the version that Azure runs",messageExpression="self.spec.version + ' is older than ' + oldSelf.status.version + ', which Azure runs, and Kubernetes cannot be downgraded'",fieldPath=".spec.version"
type AzureManagedControlPlane struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what shall exist in Azure. Users write it.
	// +optional
	Spec AzureManagedControlPlaneSpec `json:"spec,omitzero"`

	// status is what was found in Azure. Only controllers write it.
	// +optional
	Status AzureManagedControlPlaneStatus `json:"status,omitzero"`
}

// AzureManagedControlPlaneList is a list of AzureManagedControlPlane objects.
//
// +kubebuilder:object:root=true
type AzureManagedControlPlaneList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureManagedControlPlane `json:"items"`
}
