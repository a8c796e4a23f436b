package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureClusterSpec is what an AzureCluster shall be.
type AzureClusterSpec struct {
	AzureClusterClassSpec `json:",inline"`

	// networkSpec is the network of the cluster: virtual network, subnets, load balancers, private DNS. Left out, one with
	// default names and ranges is made, with a public address for the API server. Users write it.
	// Example: {vnet: {name: my-cluster-vnet}, subnets: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node}]}
	// +optional
	NetworkSpec NetworkSpec `json:"networkSpec,omitzero"`

	// resourceGroup is the resource group of everything in Azure, but for a virtual network and a private DNS zone that name
	// their own. It is made if Azure does not have it, and deleted with the cluster then. The default is the name of this
	// object. It cannot be changed. Users write it.
	// Example: my-cluster
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ResourceGroup string `json:"resourceGroup,omitempty"`

	// bastionSpec adds Azure Bastion, by which people reach the machines without a public address. Users write it.
	// Example: {azureBastion: {}}
	// +optional
	BastionSpec BastionSpec `json:"bastionSpec,omitzero"`

	// controlPlaneEnabled false leaves out what a control plane of virtual machines needs: API server load balancer, its
	// address, its subnet. Then somebody else runs the control plane, and you write controlPlaneEndpoint. Users write it.
	// Example: true
	// +optional
	// +kubebuilder:default=true
	ControlPlaneEnabled bool `json:"controlPlaneEnabled"`

	// controlPlaneEndpoint is the address of the cluster's API server. provider-capz writes it: the DNS name of the API
	// server load balancer and its port. What you write yourself stays, and only what it lacks is filled in. It cannot be
	// changed once it is set.
	// Example: {host: my-cluster-1a2b3c4d.westeurope.cloudapp.azure.com, port: 6443}
	// +optional
	ControlPlaneEndpoint APIEndpoint `json:"controlPlaneEndpoint,omitzero"`

	CompositeSpec `json:",inline"`
}

// AzureClusterClassSpec is the part of an AzureCluster that several clusters may have in common.
type AzureClusterClassSpec struct {
	// subscriptionID is the Azure subscription that everything is in. The default is that of the controller. It cannot be
	// changed. Users write it.
	// Example: 00000000-0000-0000-0000-000000000000
	// +optional
	// +kubebuilder:validation:MaxLength=256
	SubscriptionID string `json:"subscriptionID,omitempty"`

	// location is the Azure region, as `az account list-locations` names it. It cannot be changed. Users write it.
	// Example: westeurope
	// +kubebuilder:validation:MaxLength=256
	Location string `json:"location"`

	// extendedLocation is the edge zone of the region that everything is in. Users write it.
	// Example: {name: microsoftlosangeles1, type: EdgeZone}
	// +optional
	ExtendedLocation *ExtendedLocationSpec `json:"extendedLocation,omitempty"`

	// additionalTags are tags that all resources in Azure get, beside the one that tells which cluster owns them. Users
	// write them.
	// Example: {cost-centre: "4711"}
	// +optional
	AdditionalTags Tags `json:"additionalTags,omitempty"`

	// identityRef names the AzureClusterIdentity with the credential for Azure. Without a namespace it is in that of this
	// object; one elsewhere must allow this namespace. Users write it.
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

	// failureDomains says for zones of the region if they may have control plane machines. A zone that is not listed may,
	// as may all when this is left out. Users write it.
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
	// rateLimits limit how many requests the cloud provider makes for each sort of resource.
	// Example: [{name: defaultRateLimit, config: {cloudProviderRateLimit: true, cloudProviderRateLimitQPS: "3"}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	RateLimits []RateLimitSpec `json:"rateLimits,omitempty"`

	// backOffs say how the cloud provider tries again what failed.
	// Example: {cloudProviderBackoff: true, cloudProviderBackoffRetries: 6}
	// +optional
	BackOffs BackOffConfig `json:"backOffs,omitzero"`
}

// BackOffConfig says how the cloud provider tries again what failed.
type BackOffConfig struct {
	// cloudProviderBackoff true has it try again.
	// Example: true
	// +optional
	CloudProviderBackoff bool `json:"cloudProviderBackoff,omitempty"`

	// cloudProviderBackoffRetries is how often.
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

	// cloudProviderBackoffJitter is the part of each wait that is left to chance.
	// Example: "1"
	// +optional
	CloudProviderBackoffJitter *resource.Quantity `json:"cloudProviderBackoffJitter,omitempty"`
}

// RateLimitSpec limits the requests of the cloud provider for one sort of resource.
type RateLimitSpec struct {
	// name of the setting in azure.json, which is named after the sort of resource.
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
	// cloudProviderRateLimit true has the limit take effect.
	// Example: true
	// +optional
	CloudProviderRateLimit bool `json:"cloudProviderRateLimit,omitempty"`

	// cloudProviderRateLimitQPS is how many reading requests a second there may be.
	// Example: "3"
	// +optional
	CloudProviderRateLimitQPS *resource.Quantity `json:"cloudProviderRateLimitQPS,omitempty"`

	// cloudProviderRateLimitBucket is how many reading requests there may be at once.
	// Example: 10
	// +optional
	CloudProviderRateLimitBucket int `json:"cloudProviderRateLimitBucket,omitempty"`

	// cloudProviderRateLimitQPSWrite is how many writing requests a second there may be.
	// Example: "1"
	// +optional
	CloudProviderRateLimitQPSWrite *resource.Quantity `json:"cloudProviderRateLimitQPSWrite,omitempty"`

	// cloudProviderRateLimitBucketWrite is how many writing requests there may be at once.
	// Example: 5
	// +optional
	CloudProviderRateLimitBucketWrite int `json:"cloudProviderRateLimitBucketWrite,omitempty"`
}

// BastionSpec says how people reach the machines.
type BastionSpec struct {
	// azureBastion is an Azure Bastion in the virtual network. Once there, it can be neither changed nor taken away. Users
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
type AzureBastion struct {
	// name in Azure. The default is the cluster's name with -azure-bastion.
	// Example: my-cluster-azure-bastion
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`

	// subnet is where it is. Azure wants the name AzureBastionSubnet, which is the default, and a range of at least /27; the
	// default is 10.255.255.224/27.
	// Example: {name: AzureBastionSubnet, role: bastion, cidrBlocks: [10.0.2.0/27]}
	// +optional
	Subnet SubnetSpec `json:"subnet,omitzero"`

	// publicIP is its public address. The default name is the cluster's with -azure-bastion-pip.
	// Example: {name: my-bastion-ip}
	// +optional
	PublicIP PublicIPSpec `json:"publicIP,omitzero"`

	// sku is its tier. Standard is needed for enableTunneling.
	// Example: Basic
	// +optional
	// +kubebuilder:validation:Enum=Basic;Standard
	// +kubebuilder:default=Basic
	Sku BastionHostSkuName `json:"sku,omitempty"`

	// enableTunneling true lets ssh and kubectl of your own go through it, as `az network bastion tunnel` does.
	// Example: true
	// +optional
	// +kubebuilder:default=false
	EnableTunneling bool `json:"enableTunneling,omitempty"`
}

// AzureClusterStatus is what was found of an AzureCluster.
type AzureClusterStatus struct {
	// failureDomains are the zones of the region that have virtual machines to offer, from which Cluster API picks one for
	// each machine. It is a list, as Cluster API's contract v1beta2 wants it; CAPZ has a map here. Written by function-capz;
	// by you if the infrastructure is managed externally.
	// Example: [{name: "1", controlPlane: true}, {name: "2", controlPlane: true}]
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	FailureDomains []FailureDomain `json:"failureDomains,omitempty"`

	// ready becomes true when everything is ready in Azure and the address of the API server is known, and then stays true:
	// later trouble shows in the conditions and in resources. Written by function-capz, read by Cluster API under its v1beta1
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

	// resources lists every ASO object that this one stands for, and those that are still being deleted, each with its own
	// state: one that fails does not hide the others. Written by function-capz.
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
