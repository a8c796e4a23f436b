package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
)

// Tags are tags of Azure resources, names to values.
// +kubebuilder:validation:MaxProperties=100
type Tags map[string]string

// AzureManagedControlPlaneTemplateMachineTemplate has no fields.
type AzureManagedControlPlaneTemplateMachineTemplate struct{}

// AzureManagedControlPlaneClassSpec is the part of a control plane that several clusters may have in common.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.subscriptionID) && self.subscriptionID != "") == (has(oldSelf.subscriptionID) && oldSelf.subscriptionID != "")`,message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".subscriptionID",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.networkPlugin) == has(oldSelf.networkPlugin)",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".networkPlugin",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.networkPolicy) == has(oldSelf.networkPolicy)",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".networkPolicy",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.networkDataplane) == has(oldSelf.networkDataplane)",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".networkDataplane",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.outboundType) == has(oldSelf.outboundType)",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".outboundType",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.loadBalancerSKU) == has(oldSelf.loadBalancerSKU)",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".loadBalancerSKU",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.dnsServiceIP) == has(oldSelf.dnsServiceIP)",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".dnsServiceIP",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.apiServerAccessProfile) && has(self.apiServerAccessProfile.enablePrivateCluster)) == (has(oldSelf.apiServerAccessProfile) && has(oldSelf.apiServerAccessProfile.enablePrivateCluster))",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".apiServerAccessProfile.enablePrivateCluster",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.apiServerAccessProfile) && has(self.apiServerAccessProfile.privateDNSZone)) == (has(oldSelf.apiServerAccessProfile) && has(oldSelf.apiServerAccessProfile.privateDNSZone))",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".apiServerAccessProfile.privateDNSZone",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.apiServerAccessProfile) && has(self.apiServerAccessProfile.enablePrivateClusterPublicFQDN)) == (has(oldSelf.apiServerAccessProfile) && has(oldSelf.apiServerAccessProfile.enablePrivateClusterPublicFQDN))",message="cannot be set or taken away later: it is decided when the cluster is created",fieldPath=".apiServerAccessProfile.enablePrivateClusterPublicFQDN",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!(has(self.virtualNetwork) && has(self.virtualNetwork.cidrBlock)) && !(has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.cidrBlock)) || (has(self.virtualNetwork) && has(self.virtualNetwork.cidrBlock) && self.virtualNetwork.cidrBlock != "" ? self.virtualNetwork.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/12' : '10.0.0.0/8')) == (has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.cidrBlock) && oldSelf.virtualNetwork.cidrBlock != "" ? oldSelf.virtualNetwork.cidrBlock : (oldSelf.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/12' : '10.0.0.0/8'))`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + (has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.cidrBlock) && oldSelf.virtualNetwork.cidrBlock != "" ? oldSelf.virtualNetwork.cidrBlock : (oldSelf.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/12' : '10.0.0.0/8')) + ' to ' + (has(self.virtualNetwork) && has(self.virtualNetwork.cidrBlock) && self.virtualNetwork.cidrBlock != "" ? self.virtualNetwork.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/12' : '10.0.0.0/8')) + ': it is decided when the cluster is created'`,fieldPath=".virtualNetwork.cidrBlock",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!(has(self.virtualNetwork) && has(self.virtualNetwork.subnet) && has(self.virtualNetwork.subnet.cidrBlock)) && !(has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.subnet) && has(oldSelf.virtualNetwork.subnet.cidrBlock)) || (has(self.virtualNetwork) && has(self.virtualNetwork.subnet) && has(self.virtualNetwork.subnet.cidrBlock) && self.virtualNetwork.subnet.cidrBlock != "" ? self.virtualNetwork.subnet.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/16' : '10.240.0.0/16')) == (has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.subnet) && has(oldSelf.virtualNetwork.subnet.cidrBlock) && oldSelf.virtualNetwork.subnet.cidrBlock != "" ? oldSelf.virtualNetwork.subnet.cidrBlock : (oldSelf.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/16' : '10.240.0.0/16'))`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + (has(oldSelf.virtualNetwork) && has(oldSelf.virtualNetwork.subnet) && has(oldSelf.virtualNetwork.subnet.cidrBlock) && oldSelf.virtualNetwork.subnet.cidrBlock != "" ? oldSelf.virtualNetwork.subnet.cidrBlock : (oldSelf.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/16' : '10.240.0.0/16')) + ' to ' + (has(self.virtualNetwork) && has(self.virtualNetwork.subnet) && has(self.virtualNetwork.subnet.cidrBlock) && self.virtualNetwork.subnet.cidrBlock != "" ? self.virtualNetwork.subnet.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/16' : '10.240.0.0/16')) + ': it is decided when the cluster is created'`,fieldPath=".virtualNetwork.subnet.cidrBlock",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!isCIDR((has(self.virtualNetwork) && has(self.virtualNetwork.cidrBlock) && self.virtualNetwork.cidrBlock != "" ? self.virtualNetwork.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/12' : '10.0.0.0/8'))) || !isCIDR((has(self.virtualNetwork) && has(self.virtualNetwork.subnet) && has(self.virtualNetwork.subnet.cidrBlock) && self.virtualNetwork.subnet.cidrBlock != "" ? self.virtualNetwork.subnet.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/16' : '10.240.0.0/16'))) || cidr((has(self.virtualNetwork) && has(self.virtualNetwork.cidrBlock) && self.virtualNetwork.cidrBlock != "" ? self.virtualNetwork.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/12' : '10.0.0.0/8'))).containsIP(cidr((has(self.virtualNetwork) && has(self.virtualNetwork.subnet) && has(self.virtualNetwork.subnet.cidrBlock) && self.virtualNetwork.subnet.cidrBlock != "" ? self.virtualNetwork.subnet.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/16' : '10.240.0.0/16'))).ip())`,message="must contain the range of the subnet",messageExpression=`(has(self.virtualNetwork) && has(self.virtualNetwork.cidrBlock) && self.virtualNetwork.cidrBlock != "" ? self.virtualNetwork.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/12' : '10.0.0.0/8')) + ' does not contain the range of the subnet, ' + (has(self.virtualNetwork) && has(self.virtualNetwork.subnet) && has(self.virtualNetwork.subnet.cidrBlock) && self.virtualNetwork.subnet.cidrBlock != "" ? self.virtualNetwork.subnet.cidrBlock : (self.?networkPluginMode.orValue("") == 'overlay' ? '10.224.0.0/16' : '10.240.0.0/16'))`,fieldPath=".virtualNetwork.cidrBlock"
// +kubebuilder:validation:XValidation:rule=`self.?networkPolicy.orValue("") != 'cilium' || self.?networkDataplane.orValue('cilium') == 'cilium'`,message="cilium needs networkDataplane cilium",messageExpression="'cilium needs networkDataplane cilium, which is ' + self.networkDataplane",fieldPath=".networkPolicy"
// +kubebuilder:validation:XValidation:rule=`self.?networkDataplane.orValue("") != 'cilium' || self.?networkPluginMode.orValue("") == 'overlay'`,message="cilium needs networkPluginMode overlay, which is not set",fieldPath=".networkDataplane"
// +kubebuilder:validation:XValidation:rule=`self.?networkDataplane.orValue("") != 'cilium' || self.?networkPolicy.orValue("") == 'cilium'`,message="cilium needs networkPolicy cilium",messageExpression="'cilium needs networkPolicy cilium, which is ' + (has(self.networkPolicy) ? self.networkPolicy : 'not set')",fieldPath=".networkDataplane"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.aadProfile) || has(self.aadProfile)",message="cannot be taken away again: AKS does not go back to clusters without Microsoft Entra ID",fieldPath=".aadProfile",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!self.?securityProfile.?azureKeyVaultKms.hasValue() || self.?identity.?type.orValue("") == 'UserAssigned'`,message="needs identity.type UserAssigned: the identity must have a right to the key before the cluster is there",fieldPath=".securityProfile.azureKeyVaultKms"
// +kubebuilder:validation:XValidation:rule="!self.?securityProfile.?workloadIdentity.hasValue() || self.?oidcIssuerProfile.?enabled.orValue(false)",message="needs oidcIssuerProfile.enabled true: Azure checks the tokens with the keys published there",fieldPath=".securityProfile.workloadIdentity"
// +kubebuilder:validation:XValidation:rule="!oldSelf.?securityProfile.?azureKeyVaultKms.hasValue() || self.?securityProfile.?azureKeyVaultKms.hasValue()",message="cannot be taken away again: to switch it off, set enabled to false",fieldPath=".securityProfile.azureKeyVaultKms",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!oldSelf.?securityProfile.?workloadIdentity.hasValue() || self.?securityProfile.?workloadIdentity.hasValue()",message="cannot be taken away again: to switch it off, set enabled to false",fieldPath=".securityProfile.workloadIdentity",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!oldSelf.?securityProfile.?imageCleaner.hasValue() || self.?securityProfile.?imageCleaner.hasValue()",message="cannot be taken away again: to switch it off, set enabled to false",fieldPath=".securityProfile.imageCleaner",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!oldSelf.?securityProfile.?defender.hasValue() || self.?securityProfile.?defender.hasValue()",message="cannot be taken away again: to switch it off, set securityMonitoring.enabled to false",fieldPath=".securityProfile.defender",reason="FieldValueForbidden"
type AzureManagedControlPlaneClassSpec struct {
	// machineTemplate is where a topology looks for machines of a control plane. AKS has none, so it has no effect.
	// +optional
	MachineTemplate *AzureManagedControlPlaneTemplateMachineTemplate `json:"machineTemplate,omitempty"`

	// resourceGroupName is the name of the resource group that the AKS cluster is in. One that exists in Azure is used and
	// not changed. Otherwise it is created, and deleted with the cluster. The default is the name of the Cluster. It cannot
	// be changed. Users write it.
	// Example: my-cluster
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ResourceGroupName string `json:"resourceGroupName,omitempty"`

	// version is the wanted Kubernetes version, with or without the leading v. Raise it to upgrade. It cannot be below
	// what Azure runs, see status.version. A version that AKS has refused can be taken back. Users write it, or the
	// Cluster's topology does.
	// Example: v1.33.6
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^v?(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)([-0-9a-zA-Z_.+]*)?$')",message="must be a Kubernetes version with three numbers, such as v1.33.6"
	Version string `json:"version"`

	// virtualNetwork is the network of the nodes. Left out, one with default names and ranges is used. One that exists in
	// Azure is used and not changed. Otherwise it is created, and deleted with the cluster. Users write it.
	// Example: {name: my-vnet, cidrBlock: 10.0.0.0/16, subnet: {name: nodes, cidrBlock: 10.0.0.0/20}}
	// +optional
	VirtualNetwork ManagedControlPlaneVirtualNetwork `json:"virtualNetwork,omitzero"`

	// subscriptionID is the Azure subscription of all resources. The default is that of the controller. It cannot be
	// changed. Users write it.
	// Example: 00000000-0000-0000-0000-000000000000
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the cluster is created'"
	SubscriptionID string `json:"subscriptionID,omitempty"`

	// location is the Azure region, as `az account list-locations` names it. It cannot be changed. A template may leave it to the
	// patches of a ClusterClass; otherwise it is required. Users write it.
	// Example: westeurope
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the cluster is created'"
	// +kubebuilder:validation:MaxLength=256
	Location string `json:"location,omitempty"`

	// additionalTags are tags that all resources in Azure get, in addition to the one that says which cluster owns
	// them. Users write them.
	// Example: {cost-centre: "4711"}
	// +optional
	AdditionalTags Tags `json:"additionalTags,omitempty"`

	// networkPlugin gives the pods their addresses. azure is Azure CNI, with kubenet the nodes route to the pods, and with
	// none you install your own plugin. It cannot be changed. Users write it.
	// Example: azure
	// +optional
	// +kubebuilder:validation:Enum=azure;kubenet;none
	// +kubebuilder:default=azure
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the cluster is created'"
	NetworkPlugin *string `json:"networkPlugin,omitempty"`

	// networkPluginMode overlay gives pods addresses of the Cluster's pod range instead of the subnet's. It requires
	// networkPlugin azure. Users write it.
	// Example: overlay
	// +optional
	// +kubebuilder:validation:Enum=overlay
	NetworkPluginMode *NetworkPluginMode `json:"networkPluginMode,omitempty"`

	// networkPolicy is what enforces NetworkPolicies. Left out, nothing does. It cannot be changed. Users write it.
	// Example: calico
	// +optional
	// +kubebuilder:validation:Enum=azure;calico;cilium
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the cluster is created'"
	NetworkPolicy *string `json:"networkPolicy,omitempty"`

	// networkDataplane is what forwards the packets of the pods. cilium needs networkPluginMode overlay and
	// networkPolicy cilium. It cannot be changed. Users write it.
	// Example: cilium
	// +optional
	// +kubebuilder:validation:Enum=azure;cilium
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the cluster is created'"
	NetworkDataplane *NetworkDataplaneType `json:"networkDataplane,omitempty"`

	// outboundType is how the nodes reach the internet. The default of AKS is a load balancer. It cannot be changed.
	// Users write it.
	// Example: userDefinedRouting
	// +optional
	// +kubebuilder:validation:Enum=loadBalancer;managedNATGateway;userAssignedNATGateway;userDefinedRouting
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the cluster is created'"
	OutboundType *ManagedControlPlaneOutboundType `json:"outboundType,omitempty"`

	// dnsServiceIP is the address of the DNS service in the cluster. It must be in the service range of the Cluster
	// (spec.clusterNetwork.services) and end with .10. The default is the tenth address of that range. It cannot be
	// changed. Users write it.
	// Example: 10.96.0.10
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="isIP(self) && self.endsWith('.10')",message="must be an IP address that ends with .10, such as 10.96.0.10: AKS takes no other"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the cluster is created'"
	DNSServiceIP *string `json:"dnsServiceIP,omitempty"`

	// loadBalancerSKU is the kind of load balancer that AKS creates. It cannot be changed. Users write it.
	// Example: Standard
	// +optional
	// +kubebuilder:validation:Enum=Basic;Standard
	// +kubebuilder:default=Standard
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the cluster is created'"
	LoadBalancerSKU *string `json:"loadBalancerSKU,omitempty"`

	// identityRef names the AzureClusterIdentity with the credential for Azure. Without a namespace, the namespace of
	// this object is used. An AzureClusterIdentity of another namespace must allow this namespace. Users write it.
	// Example: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, name: cluster-identity}
	IdentityRef *corev1.ObjectReference `json:"identityRef"`

	// aadProfile lets users sign in with Microsoft Entra ID. It cannot be removed again. Users write it.
	// Example: {managed: true, adminGroupObjectIDs: [00000000-0000-0000-0000-000000000000]}
	// +optional
	AADProfile *AADProfile `json:"aadProfile,omitempty"`

	// addonProfiles are AKS add-ons, such as azurepolicy. An entry cannot be removed: disable it. Users write them.
	// Example: [{name: azurepolicy, enabled: true}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	AddonProfiles []AddonProfile `json:"addonProfiles,omitempty"`

	// sku is the tier of AKS, which decides the price and the service level. Users write it.
	// Example: {tier: Standard}
	// +optional
	// +kubebuilder:default={tier: Free}
	SKU *AKSSku `json:"sku,omitempty"`

	// loadBalancerProfile is how the load balancer handles outbound traffic of the nodes. Users write it.
	// Example: {managedOutboundIPs: 2}
	// +optional
	LoadBalancerProfile *LoadBalancerProfile `json:"loadBalancerProfile,omitempty"`

	// apiServerAccessProfile limits from where the API server can be reached. Only authorizedIPRanges can be changed.
	// Users write it.
	// Example: {enablePrivateCluster: true}
	// +optional
	APIServerAccessProfile *APIServerAccessProfile `json:"apiServerAccessProfile,omitempty"`

	// autoscalerProfile tunes the cluster autoscaler, which acts on pools that have spec.scaling. Users write it.
	// Example: {expander: least-waste, scanInterval: 20s}
	// +optional
	AutoScalerProfile *AutoScalerProfile `json:"autoscalerProfile,omitempty"`

	// azureEnvironment is the Azure cloud that the cluster is in: AzurePublicCloud, AzureChinaCloud or AzureUSGovernmentCloud.
	// The default is that of ASO's own settings; any other needs ALLOW_MULTI_ENV_MANAGEMENT there. It cannot be changed. Users
	// write it.
	// Example: AzurePublicCloud
	// +optional
	// +kubebuilder:validation:MaxLength=256
	AzureEnvironment string `json:"azureEnvironment,omitempty"`

	// identity is the managed identity that AKS itself uses in Azure. Users write it.
	// Example: {type: SystemAssigned}
	// +optional
	Identity *Identity `json:"identity,omitempty"`

	// kubeletUserAssignedIdentity is the resource ID of the user-assigned identity of the nodes, with which they pull
	// images. By default AKS creates one. Users write it.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/kubelet
	// +optional
	KubeletUserAssignedIdentity string `json:"kubeletUserAssignedIdentity,omitempty"`

	// httpProxyConfig is the proxy that nodes and pods use. It cannot be changed. Users write it.
	// Example: {httpProxy: "http://proxy.example.org:3128", noProxy: [localhost]}
	// +optional
	HTTPProxyConfig *HTTPProxyConfig `json:"httpProxyConfig,omitempty"`

	// oidcIssuerProfile publishes the keys of the cluster's service account tokens, which workload identity needs. The default
	// is disabled. It cannot be disabled again. Users write it.
	// Example: {enabled: true}
	// +optional
	OIDCIssuerProfile *OIDCIssuerProfile `json:"oidcIssuerProfile,omitempty"`

	// disableLocalAccounts true makes Microsoft Entra ID the only way to sign in. Then aadProfile is required. It cannot
	// be changed once it is set. Users write it.
	// Example: true
	// +optional
	DisableLocalAccounts *bool `json:"disableLocalAccounts,omitempty"`

	// fleetsMember makes each cluster a member of an existing Azure Kubernetes Fleet Manager. Users write it.
	// Example: {group: production, managerName: my-fleet, managerResourceGroup: fleets}
	// +optional
	FleetsMember *FleetsMemberClassSpec `json:"fleetsMember,omitempty"`

	// extensions are AKS cluster extensions to install. Removing an entry uninstalls it. Users write them.
	// Example: [{name: flux, extensionType: microsoft.flux}]
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	Extensions []AKSExtension `json:"extensions,omitempty"`

	// autoUpgradeProfile lets AKS upgrade the cluster automatically. Users write it.
	// Example: {upgradeChannel: patch}
	// +optional
	AutoUpgradeProfile *ManagedClusterAutoUpgradeProfile `json:"autoUpgradeProfile,omitempty"`

	// securityProfile has the security features of AKS. A feature cannot be removed once it is set: disable it. Users
	// write it.
	// Example: {workloadIdentity: {enabled: true}}
	// +optional
	SecurityProfile *ManagedClusterSecurityProfile `json:"securityProfile,omitempty"`

	// asoManagedClusterPatches are JSON merge patches (RFC 7386), written as JSON or YAML text, that are applied in this
	// order to the ASO ManagedCluster made from the other fields. They can set what has no field here, and nothing
	// checks that the result works. They cannot change name, owner, azureName and credential, nor set what ASO writes. A
	// patch that fails is named, by its index from 0, in the condition ManagedClusterRunning. Users write them.
	// Example: ['{"spec": {"nodeOSUpgradeChannel": "SecurityPatch"}}']
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=65536
	ASOManagedClusterPatches []string `json:"asoManagedClusterPatches,omitempty"`

	// enablePreviewFeatures true uses a preview version of the ASO kinds, so that patches can set fields that only the
	// preview version has. Users write it.
	// Example: false
	// +optional
	// +kubebuilder:default=false
	EnablePreviewFeatures *bool `json:"enablePreviewFeatures,omitempty"`
}
