package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureClusterSpec is what an AzureCluster shall be.
//
// +kubebuilder:validation:XValidation:rule=`has(self.location) && self.location != ""`,message="is needed: it says which Azure region",fieldPath=".location",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`!has(oldSelf.location) || oldSelf.location == "" || has(self.location) && self.location == oldSelf.location`,message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf.location + ' to ' + (has(self.location) ? self.location : 'nothing') + ': it is decided when the cluster is created'",fieldPath=".location",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(oldSelf.subscriptionID) ? oldSelf.subscriptionID : "") == "" || (has(self.subscriptionID) ? self.subscriptionID : "") == (has(oldSelf.subscriptionID) ? oldSelf.subscriptionID : "")`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + (has(oldSelf.subscriptionID) ? oldSelf.subscriptionID : "") + ' to ' + ((has(self.subscriptionID) ? self.subscriptionID : "") == "" ? 'nothing' : (has(self.subscriptionID) ? self.subscriptionID : "")) + ': it is decided when the cluster is created'`,fieldPath=".subscriptionID",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`((has(self.azureEnvironment) ? self.azureEnvironment : "") == "" ? 'AzurePublicCloud' : self.azureEnvironment) == ((has(oldSelf.azureEnvironment) ? oldSelf.azureEnvironment : "") == "" ? 'AzurePublicCloud' : oldSelf.azureEnvironment)`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + ((has(oldSelf.azureEnvironment) ? oldSelf.azureEnvironment : "") == "" ? 'AzurePublicCloud' : oldSelf.azureEnvironment) + ' to ' + ((has(self.azureEnvironment) ? self.azureEnvironment : "") == "" ? 'AzurePublicCloud' : self.azureEnvironment) + ': it is decided when the cluster is created'`,fieldPath=".azureEnvironment",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.cloudProviderConfigOverrides) == has(oldSelf.cloudProviderConfigOverrides) && (!has(self.cloudProviderConfigOverrides) || self.cloudProviderConfigOverrides == oldSelf.cloudProviderConfigOverrides)",message="cannot be changed, set or taken away: it is decided when the cluster is created",fieldPath=".cloudProviderConfigOverrides",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(oldSelf.controlPlaneEndpoint) && has(oldSelf.controlPlaneEndpoint.host) ? oldSelf.controlPlaneEndpoint.host : "") == "" || (has(self.controlPlaneEndpoint) && has(self.controlPlaneEndpoint.host) ? self.controlPlaneEndpoint.host : "") == (has(oldSelf.controlPlaneEndpoint) && has(oldSelf.controlPlaneEndpoint.host) ? oldSelf.controlPlaneEndpoint.host : "")`,message="cannot be changed: it is where the cluster is reached",messageExpression=`'cannot be changed from ' + (has(oldSelf.controlPlaneEndpoint) && has(oldSelf.controlPlaneEndpoint.host) ? oldSelf.controlPlaneEndpoint.host : "") + ' to ' + ((has(self.controlPlaneEndpoint) && has(self.controlPlaneEndpoint.host) ? self.controlPlaneEndpoint.host : "") == "" ? 'nothing' : (has(self.controlPlaneEndpoint) && has(self.controlPlaneEndpoint.host) ? self.controlPlaneEndpoint.host : "")) + ': it is where the cluster is reached'`,fieldPath=".controlPlaneEndpoint.host",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.controlPlaneEndpoint) || (has(oldSelf.controlPlaneEndpoint.port) ? oldSelf.controlPlaneEndpoint.port : 0) == 0 || (has(self.controlPlaneEndpoint) && has(self.controlPlaneEndpoint.port) ? self.controlPlaneEndpoint.port : 0) == oldSelf.controlPlaneEndpoint.port",message="cannot be changed: it is where the cluster is reached",fieldPath=".controlPlaneEndpoint.port",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.bastionSpec) || !has(oldSelf.bastionSpec.azureBastion) || has(self.bastionSpec) && has(self.bastionSpec.azureBastion) && self.bastionSpec.azureBastion == oldSelf.bastionSpec.azureBastion",message="cannot be changed or taken away again: it is decided when it is added",fieldPath=".bastionSpec.azureBastion",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="has(self.identityRef)",message="is needed: it says with which credential Azure is reached",fieldPath=".identityRef",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule=`!has(self.identityRef) || (has(self.identityRef.kind) ? self.identityRef.kind : "") == 'AzureClusterIdentity'`,message="must be AzureClusterIdentity",fieldPath=".identityRef.kind"
// +kubebuilder:validation:XValidation:rule="!self.controlPlaneEnabled || (has(self.networkSpec) && has(self.networkSpec.apiServerLB) && has(self.networkSpec.apiServerLB.type) ? self.networkSpec.apiServerLB.type : 'Public') != 'Public' || !has(self.networkSpec) || !has(self.networkSpec.apiServerLB) || ((has(self.networkSpec.apiServerLB.frontendIPs) ? self.networkSpec.apiServerLB.frontendIPs.filter(f, has(f.publicIP)).size() : 0) == 1 || (has(self.networkSpec.apiServerLB.frontendIPs) ? size(self.networkSpec.apiServerLB.frontendIPs) : 0) == 0) && (has(self.networkSpec.apiServerLB.frontendIPsCount) ? self.networkSpec.apiServerLB.frontendIPsCount : 1) == 1",message="must have exactly one publicIP, and no frontendIPsCount but 1: type is Public",fieldPath=".networkSpec.apiServerLB.frontendIPs"
// +kubebuilder:validation:XValidation:rule=`!self.controlPlaneEnabled || (has(self.networkSpec) && has(self.networkSpec.apiServerLB) && has(self.networkSpec.apiServerLB.type) ? self.networkSpec.apiServerLB.type : 'Public') != 'Public' || (has(self.networkSpec) && has(self.networkSpec.apiServerLB) && has(self.networkSpec.apiServerLB.frontendIPs) ? self.networkSpec.apiServerLB.frontendIPs.filter(f, (has(f.privateIP) ? f.privateIP : "") != "").size() : 0) <= 1`,message="must have at most one privateIP beside the public address",fieldPath=".networkSpec.apiServerLB.frontendIPs"
// +kubebuilder:validation:XValidation:rule="!self.controlPlaneEnabled || (has(self.networkSpec) && has(self.networkSpec.apiServerLB) && has(self.networkSpec.apiServerLB.type) ? self.networkSpec.apiServerLB.type : 'Public') != 'Internal' || !(has(self.networkSpec) && has(self.networkSpec.apiServerLB) && has(self.networkSpec.apiServerLB.frontendIPs) && self.networkSpec.apiServerLB.frontendIPs.exists(f, has(f.publicIP)))",message="must have no publicIP: type is Internal",fieldPath=".networkSpec.apiServerLB.frontendIPs",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!self.controlPlaneEnabled || (has(self.networkSpec) && has(self.networkSpec.apiServerLB) && has(self.networkSpec.apiServerLB.type) ? self.networkSpec.apiServerLB.type : 'Public') != 'Internal' || (has(self.networkSpec) && has(self.networkSpec.apiServerLB) && has(self.networkSpec.apiServerLB.frontendIPs) ? size(self.networkSpec.apiServerLB.frontendIPs) : 0) == 0 || self.networkSpec.apiServerLB.frontendIPs.filter(f, (has(f.privateIP) ? f.privateIP : "") != "").size() == 1`,message="must have exactly one privateIP: type is Internal",fieldPath=".networkSpec.apiServerLB.frontendIPs"
// +kubebuilder:validation:XValidation:rule=`!self.controlPlaneEnabled || !(has(self.networkSpec) && has(self.networkSpec.subnets)) || (!has(self.networkSpec.apiServerLB) || !has(self.networkSpec.apiServerLB.frontendIPs) || self.networkSpec.apiServerLB.frontendIPs.all(f, (has(f.privateIP) ? f.privateIP : "") == "" || !isIP(f.privateIP) || self.networkSpec.subnets.exists(s, s.role == (self.networkSpec.subnets.exists(t, t.role == 'control-plane') ? 'control-plane' : 'cluster') && (!has(s.cidrBlocks) || size(s.cidrBlocks) == 0 || s.cidrBlocks.exists(c, isCIDR(c) && cidr(c).containsIP(f.privateIP))))))`,message="each privateIP must be in the range of the control plane subnet",fieldPath=".networkSpec.apiServerLB.frontendIPs"
// +kubebuilder:validation:XValidation:rule="!self.controlPlaneEnabled || !has(self.networkSpec) || !has(self.networkSpec.controlPlaneOutboundLB) || (has(self.networkSpec) && has(self.networkSpec.apiServerLB) && has(self.networkSpec.apiServerLB.type) ? self.networkSpec.apiServerLB.type : 'Public') == 'Internal'",message="goes with apiServerLB.type Internal only: otherwise the control plane reaches the internet by apiServerLB",fieldPath=".networkSpec.controlPlaneOutboundLB",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!self.controlPlaneEnabled || (has(self.networkSpec) && has(self.networkSpec.privateDNSZoneName) ? self.networkSpec.privateDNSZoneName : "") == "" || (has(self.networkSpec) && has(self.networkSpec.apiServerLB) && has(self.networkSpec.apiServerLB.type) ? self.networkSpec.apiServerLB.type : 'Public') == 'Internal'`,message="goes with apiServerLB.type Internal only: the name of a public address is public",fieldPath=".networkSpec.privateDNSZoneName"
type AzureClusterSpec struct {
	AzureClusterClassSpec `json:",inline"`

	// networkSpec is the network of the cluster: virtual network, subnets, load balancers, private DNS. Left out, a
	// network with default names and ranges is created, with a public address for the API server. Users write it.
	// Example: {vnet: {name: my-cluster-vnet}, subnets: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node}]}
	// +optional
	NetworkSpec NetworkSpec `json:"networkSpec,omitzero"`

	// resourceGroup is the resource group of all resources in Azure, except a virtual network and a private DNS zone with
	// their own. It is created if Azure does not have it, and then deleted with the cluster. The default is the name of this
	// object. It cannot be changed. Users write it.
	// Example: my-cluster
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ResourceGroup string `json:"resourceGroup,omitempty"`

	// bastionSpec adds Azure Bastion, through which users reach machines without a public address. Users write it.
	// Example: {azureBastion: {}}
	// +optional
	BastionSpec BastionSpec `json:"bastionSpec,omitzero"`

	// controlPlaneEnabled false leaves out what a control plane of virtual machines needs: API server load balancer, its
	// address, its subnet. Then somebody else runs the control plane, and you set controlPlaneEndpoint. It cannot be
	// changed. Users write it.
	// Example: true
	// +optional
	// +kubebuilder:default=true
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created"
	ControlPlaneEnabled bool `json:"controlPlaneEnabled"`

	// controlPlaneEndpoint is the address of the cluster's API server. provider-capz writes it: the DNS name of the API
	// server load balancer and its port. A value that you set stays; only missing parts are filled in. It cannot be
	// changed once it is set.
	// Example: {host: my-cluster-1a2b3c4d.westeurope.cloudapp.azure.com, port: 6443}
	// +optional
	ControlPlaneEndpoint APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	CompositeSpec `json:",inline"`
}

// AzureClusterClassSpec is the part of an AzureCluster that several clusters may have in common.
type AzureClusterClassSpec struct {
	// subscriptionID is the Azure subscription of all resources. The default is that of the controller. It cannot be
	// changed. Users write it.
	// Example: 00000000-0000-0000-0000-000000000000
	// +optional
	// +kubebuilder:validation:MaxLength=256
	SubscriptionID string `json:"subscriptionID,omitempty"`

	// location is the Azure region, as `az account list-locations` names it. It is required, except in a template, where
	// patches may fill it in. It cannot be changed. Users write it.
	// Example: westeurope
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Location string `json:"location"`

	// extendedLocation is the edge zone of the region for all resources. Users write it.
	// Example: {name: microsoftlosangeles1, type: EdgeZone}
	// +optional
	ExtendedLocation *ExtendedLocationSpec `json:"extendedLocation,omitempty"`

	// additionalTags are tags that all resources in Azure get, in addition to the one that says which cluster owns
	// them. Users write them.
	// Example: {cost-centre: "4711"}
	// +optional
	AdditionalTags Tags `json:"additionalTags,omitempty"`

	// identityRef names the AzureClusterIdentity with the credential for Azure. Without a namespace, the namespace of
	// this object is used. An AzureClusterIdentity of another namespace must allow this namespace. Users write it.
	// Example: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, name: cluster-identity}
	// +optional
	IdentityRef *corev1.ObjectReference `json:"identityRef,omitempty"`

	// azureEnvironment is the Azure cloud that the cluster is in: AzurePublicCloud, AzureChinaCloud, AzureGermanCloud or
	// AzureUSGovernmentCloud. Any other than that of ASO's own settings needs ALLOW_MULTI_ENV_MANAGEMENT there. The default is
	// AzurePublicCloud. It cannot be changed. Users write it.
	// Example: AzurePublicCloud
	// +optional
	// +kubebuilder:validation:MaxLength=256
	AzureEnvironment string `json:"azureEnvironment,omitempty"`

	// cloudProviderConfigOverrides are settings of the Azure cloud provider that go into the machines' azure.json. They
	// cannot be changed. Users write them.
	// Example: {rateLimits: [{name: loadBalancerRateLimit, config: {cloudProviderRateLimit: true}}]}
	// +optional
	CloudProviderConfigOverrides *CloudProviderConfigOverrides `json:"cloudProviderConfigOverrides,omitempty"`

	// failureDomains says whether zones of the region may have control plane machines. Zones that are not listed may.
	// Users write it.
	// Example: {"1": {controlPlane: true}, "3": {controlPlane: false}}
	// +optional
	FailureDomains FailureDomains `json:"failureDomains,omitempty"`
}

// FailureDomains are zones of a region by their names.
type FailureDomains map[string]FailureDomainSpec

// FailureDomainSpec says what a zone of a region is for.
type FailureDomainSpec struct {
	// controlPlane true says that the zone may have control plane machines.
	// Example: true
	// +optional
	ControlPlane bool `json:"controlPlane,omitempty"`

	// attributes are handed on to Cluster API as they are.
	// Example: {power: separate}
	// +optional
	Attributes map[string]string `json:"attributes,omitempty"`
}

// ExtendedLocationSpec is a place outside the data centres of a region.
type ExtendedLocationSpec struct {
	// name of the place.
	// Example: microsoftlosangeles1
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// type of the place.
	// Example: EdgeZone
	// +kubebuilder:validation:Enum=EdgeZone
	Type string `json:"type"`
}

// CloudProviderConfigOverrides are settings of the Azure cloud provider.
type CloudProviderConfigOverrides struct {
	// rateLimits limit how many requests the cloud provider sends for each type of resource.
	// Example: [{name: defaultRateLimit, config: {cloudProviderRateLimit: true, cloudProviderRateLimitQPS: "3"}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	RateLimits []RateLimitSpec `json:"rateLimits,omitempty"`

	// backOffs say how the cloud provider retries failed requests.
	// Example: {cloudProviderBackoff: true, cloudProviderBackoffRetries: 6}
	// +optional
	BackOffs BackOffConfig `json:"backOffs,omitzero"`
}

// BackOffConfig says how the cloud provider tries again what failed.
type BackOffConfig struct {
	// cloudProviderBackoff true enables retries.
	// Example: true
	// +optional
	CloudProviderBackoff bool `json:"cloudProviderBackoff,omitempty"`

	// cloudProviderBackoffRetries is the number of retries.
	// Example: 6
	// +optional
	CloudProviderBackoffRetries int `json:"cloudProviderBackoffRetries,omitempty"`

	// cloudProviderBackoffExponent is the factor by which the wait grows each time.
	// Example: "1.5"
	// +optional
	CloudProviderBackoffExponent *resource.Quantity `json:"cloudProviderBackoffExponent,omitempty"`

	// cloudProviderBackoffDuration is the first wait, in seconds.
	// Example: 5
	// +optional
	CloudProviderBackoffDuration int `json:"cloudProviderBackoffDuration,omitempty"`

	// cloudProviderBackoffJitter is the random part of each wait.
	// Example: "1"
	// +optional
	CloudProviderBackoffJitter *resource.Quantity `json:"cloudProviderBackoffJitter,omitempty"`
}

// RateLimitSpec limits the requests of the cloud provider for one sort of resource.
type RateLimitSpec struct {
	// name of the setting in azure.json, which is named after the type of resource.
	// Example: loadBalancerRateLimit
	// +kubebuilder:validation:Enum=defaultRateLimit;routeRateLimit;subnetsRateLimit;interfaceRateLimit;routeTableRateLimit;loadBalancerRateLimit;publicIPAddressRateLimit;securityGroupRateLimit;virtualMachineRateLimit;storageAccountRateLimit;diskRateLimit;snapshotRateLimit;virtualMachineScaleSetRateLimit;virtualMachineSizesRateLimit;availabilitySetRateLimit
	Name string `json:"name"`

	// config is the limit.
	// Example: {cloudProviderRateLimit: true, cloudProviderRateLimitQPS: "3", cloudProviderRateLimitBucket: 10}
	// +optional
	Config RateLimitConfig `json:"config,omitzero"`
}

// RateLimitConfig is a limit of requests, by a bucket of tokens.
type RateLimitConfig struct {
	// cloudProviderRateLimit true enables the limit.
	// Example: true
	// +optional
	CloudProviderRateLimit bool `json:"cloudProviderRateLimit,omitempty"`

	// cloudProviderRateLimitQPS is how many read requests are allowed per second.
	// Example: "3"
	// +optional
	CloudProviderRateLimitQPS *resource.Quantity `json:"cloudProviderRateLimitQPS,omitempty"`

	// cloudProviderRateLimitBucket is how many read requests are allowed at once.
	// Example: 10
	// +optional
	CloudProviderRateLimitBucket int `json:"cloudProviderRateLimitBucket,omitempty"`

	// cloudProviderRateLimitQPSWrite is how many write requests are allowed per second.
	// Example: "1"
	// +optional
	CloudProviderRateLimitQPSWrite *resource.Quantity `json:"cloudProviderRateLimitQPSWrite,omitempty"`

	// cloudProviderRateLimitBucketWrite is how many write requests are allowed at once.
	// Example: 5
	// +optional
	CloudProviderRateLimitBucketWrite int `json:"cloudProviderRateLimitBucketWrite,omitempty"`
}

// BastionSpec says how people reach the machines.
type BastionSpec struct {
	// azureBastion is an Azure Bastion in the virtual network. Once created, it can be neither changed nor removed. Users
	// write it.
	// Example: {sku: Standard, enableTunneling: true}
	// +optional
	AzureBastion *AzureBastion `json:"azureBastion,omitempty"`
}

// BastionHostSkuName is the tier of an Azure Bastion.
type BastionHostSkuName string

// The values of BastionHostSkuName.
const (
	BasicBastionHostSku    BastionHostSkuName = "Basic"
	StandardBastionHostSku BastionHostSkuName = "Standard"
)

// AzureBastion is an Azure Bastion in the virtual network of the cluster.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.enableTunneling) ? self.enableTunneling : false) || (has(self.sku) ? self.sku : 'Basic') == 'Standard'",message="must be Standard with enableTunneling",messageExpression="'must be Standard with enableTunneling, but is ' + (has(self.sku) ? self.sku : 'Basic')",fieldPath=".sku"
type AzureBastion struct {
	// name in Azure. The default is the cluster's name with -azure-bastion.
	// Example: my-cluster-azure-bastion
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`

	// subnet is its subnet. Azure requires the name AzureBastionSubnet, which is the default, and a range of at least /27.
	// The default range is 10.255.255.224/27.
	// Example: {name: AzureBastionSubnet, role: bastion, cidrBlocks: [10.0.2.0/27]}
	// +optional
	Subnet SubnetSpec `json:"subnet,omitzero"`

	// publicIP is its public address. The default name is the cluster's with -azure-bastion-pip.
	// Example: {name: my-bastion-ip}
	// +optional
	PublicIP PublicIPSpec `json:"publicIP,omitzero"`

	// sku is its tier. enableTunneling requires Standard.
	// Example: Basic
	// +optional
	// +kubebuilder:validation:Enum=Basic;Standard
	// +kubebuilder:default=Basic
	Sku BastionHostSkuName `json:"sku,omitempty"`

	// enableTunneling true allows your own ssh and kubectl through it, as `az network bastion tunnel` does.
	// Example: true
	// +optional
	// +kubebuilder:default=false
	EnableTunneling bool `json:"enableTunneling,omitempty"`
}

// AzureClusterStatus is what was found of an AzureCluster.
type AzureClusterStatus struct {
	// failureDomains are the zones of the region that offer virtual machines. Cluster API chooses one for each machine. It
	// is a list, as Cluster API's contract v1beta2 requires; CAPZ has a map here. Written by function-capz, or by you if the
	// infrastructure is managed externally.
	// Example: [{name: "1", controlPlane: true}, {name: "2", controlPlane: true}]
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	FailureDomains []FailureDomain `json:"failureDomains,omitempty"`

	// ready becomes true when everything is ready in Azure and the address of the API server is known, and then stays true:
	// later problems show in the conditions and in resources. Written by function-capz, read by Cluster API under its v1beta1
	// contract; under v1beta2 it reads initialization instead.
	// +optional
	Ready bool `json:"ready"`

	// initialization tells Cluster API that the first provisioning is over. Written by function-capz.
	// +optional
	Initialization *InfrastructureInitialization `json:"initialization,omitempty"`

	// controlPlaneEndpoint is the address of the API server as it follows from the load balancer's address in Azure. Written
	// by function-capz; provider-capz copies it to spec.
	// Example: {host: my-cluster-1a2b3c4d.westeurope.cloudapp.azure.com, port: 6443}
	// +optional
	ControlPlaneEndpoint APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	// longRunningOperationStates is kept for objects that come from CAPZ, which remembered its Azure requests here. Nothing
	// reads or writes it.
	// +optional
	LongRunningOperationStates Futures `json:"longRunningOperationStates,omitempty"`

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

// FailureDomain is a zone of the region.
type FailureDomain struct {
	// name of the zone.
	// Example: "1"
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// controlPlane true says that the zone may have control plane machines.
	// Example: true
	// +optional
	ControlPlane *bool `json:"controlPlane,omitempty"`

	// attributes are those of spec.failureDomains.
	// Example: {power: separate}
	// +optional
	Attributes map[string]string `json:"attributes,omitempty"`
}

// AzureCluster is the infrastructure that the machines of a self-managed cluster share: resource group, virtual network,
// subnets with their security groups, route tables and NAT gateways, load balancers, public addresses, private DNS, Azure
// Bastion. A Cluster names it in spec.infrastructureRef; the control plane is a KubeadmControlPlane whose machines are
// AzureMachines. For a control plane that Azure runs, see AzureASOManagedControlPlane.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureclusters,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Cluster",type="string",JSONPath=".metadata.labels.cluster\\.x-k8s\\.io/cluster-name",description="Cluster that this object belongs to"
// +kubebuilder:printcolumn:name="Provisioned",type="boolean",JSONPath=".status.initialization.provisioned",description="Whether everything has been ready in Azure once"
// +kubebuilder:printcolumn:name="Location",type="string",priority=1,JSONPath=".spec.location",description="Azure region"
// +kubebuilder:printcolumn:name="Resource Group",type="string",priority=1,JSONPath=".spec.resourceGroup",description="Resource group in Azure"
// +kubebuilder:printcolumn:name="SubscriptionID",type="string",priority=1,JSONPath=".spec.subscriptionID",description="Azure subscription"
// +kubebuilder:printcolumn:name="Endpoint",type="string",JSONPath=".spec.controlPlaneEndpoint.host",description="Host of the workload cluster's API server"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].reason",description="One word on why Cluster API sees this object as ready or not"
// +kubebuilder:printcolumn:name="Message",type="string",priority=1,JSONPath=".status.v1beta2.conditions[?(@.type=='Ready')].message",description="What is missing or wrong, in words"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z0-9]([a-z0-9-]{0,42}[a-z0-9])$')",message="must be 2 to 44 lower-case letters, digits and dashes, with no dash at either end: names in Azure begin with it",messageExpression="self.metadata.name + ' must be 2 to 44 lower-case letters, digits and dashes, with no dash at either end: names in Azure begin with it'",fieldPath=".metadata.name"
// +kubebuilder:validation:XValidation:rule=`((has(self.spec.resourceGroup) ? self.spec.resourceGroup : "") == "" ? self.metadata.name : self.spec.resourceGroup) == ((has(oldSelf.spec.resourceGroup) ? oldSelf.spec.resourceGroup : "") == "" ? oldSelf.metadata.name : oldSelf.spec.resourceGroup)`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + ((has(oldSelf.spec.resourceGroup) ? oldSelf.spec.resourceGroup : "") == "" ? oldSelf.metadata.name : oldSelf.spec.resourceGroup) + ' to ' + ((has(self.spec.resourceGroup) ? self.spec.resourceGroup : "") == "" ? self.metadata.name : self.spec.resourceGroup) + ': it is decided when the cluster is created'`,fieldPath=".spec.resourceGroup",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!(has(self.status) && has(self.status.resources) && self.status.resources.exists(r, r.resource.kind == 'VirtualNetwork' && (has(r.ownership) ? r.ownership : "") == 'owned')) || (!has(oldSelf.spec.networkSpec) || !has(oldSelf.spec.networkSpec.subnets) || oldSelf.spec.networkSpec.subnets.all(o, (!has(self.spec.networkSpec) || !has(self.spec.networkSpec.subnets) || self.spec.networkSpec.subnets.all(s, s.name != o.name || (has(s.cidrBlocks) ? s.cidrBlocks : []) == (has(o.cidrBlocks) ? o.cidrBlocks : [])))))`,message="cidrBlocks cannot be changed: the virtual network was made for the cluster, and machines may be in the subnet",fieldPath=".spec.networkSpec.subnets",reason="FieldValueForbidden"
type AzureCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what shall exist in Azure. Users write it.
	// +optional
	Spec AzureClusterSpec `json:"spec,omitzero"`

	// status is what was found in Azure. Only controllers write it.
	// +optional
	Status AzureClusterStatus `json:"status,omitzero"`
}

// AzureClusterList is a list of AzureCluster objects.
//
// +kubebuilder:object:root=true
type AzureClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureCluster `json:"items"`
}
