package v1beta1

// NetworkPluginMode is how a network plugin gives out addresses.
type NetworkPluginMode string

// NetworkPluginModeOverlay takes the addresses of pods from a range of their own, which the network does not know.
const NetworkPluginModeOverlay NetworkPluginMode = "overlay"

// NetworkDataplaneType is what carries the packets of pods.
type NetworkDataplaneType string

// The values of NetworkDataplaneType.
const (
	NetworkDataplaneTypeAzure  NetworkDataplaneType = "azure"
	NetworkDataplaneTypeCilium NetworkDataplaneType = "cilium"
)

// ManagedControlPlaneOutboundType is the way from the nodes to the internet.
type ManagedControlPlaneOutboundType string

// The values of ManagedControlPlaneOutboundType.
const (
	ManagedControlPlaneOutboundTypeLoadBalancer           ManagedControlPlaneOutboundType = "loadBalancer"
	ManagedControlPlaneOutboundTypeManagedNATGateway      ManagedControlPlaneOutboundType = "managedNATGateway"
	ManagedControlPlaneOutboundTypeUserAssignedNATGateway ManagedControlPlaneOutboundType = "userAssignedNATGateway"
	ManagedControlPlaneOutboundTypeUserDefinedRouting     ManagedControlPlaneOutboundType = "userDefinedRouting"
)

// The values of spec.loadBalancerSKU.
const (
	LoadBalancerSKUStandard = "Standard"
	LoadBalancerSKUBasic    = "Basic"
)

// ManagedControlPlaneVirtualNetwork is a virtual network and the subnet in it that the nodes use.
type ManagedControlPlaneVirtualNetwork struct {
	// resourceGroup is the resource group of the network and its subnet. The default is that of the cluster. It cannot be
	// changed. Users write it.
	// Example: networks
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ResourceGroup string `json:"resourceGroup,omitempty"`

	// name of the virtual network in Azure. The default is the name of the control plane. It cannot be changed. Users write
	// it.
	// Example: my-vnet
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`

	ManagedControlPlaneVirtualNetworkClassSpec `json:",inline"`
}

// ManagedControlPlaneVirtualNetworkClassSpec is the part of a virtual network that several clusters may have in common.
type ManagedControlPlaneVirtualNetworkClassSpec struct {
	// cidrBlock is the address range of the network in CIDR notation. The default is 10.0.0.0/8, and 10.224.0.0/12 with
	// networkPluginMode overlay. It cannot be changed. Users write it.
	// Example: 10.0.0.0/16
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self == "" || isCIDR(self)`,message="must be an address range in CIDR notation, such as 10.0.0.0/8"
	CIDRBlock string `json:"cidrBlock,omitempty"`

	// subnet is the part of the network that the nodes are in. Users write it.
	// Example: {name: nodes, cidrBlock: 10.0.0.0/20}
	// +optional
	Subnet ManagedControlPlaneSubnet `json:"subnet,omitzero"`
}

// ManagedControlPlaneSubnet is a subnet for nodes.
//
// +kubebuilder:validation:XValidation:rule="!has(self.cidrBlock) || !isCIDR(self.cidrBlock) || !has(self.privateEndpoints) || self.privateEndpoints.all(e, !has(e.privateIPAddresses) || e.privateIPAddresses.all(a, !isIP(a) || cidr(self.cidrBlock).containsIP(a)))",message="each of their privateIPAddresses must be in the range of the subnet",fieldPath=".privateEndpoints"
type ManagedControlPlaneSubnet struct {
	// name of the subnet in Azure. The default is the name of the control plane. It cannot be changed. Users write it.
	// Example: nodes
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`

	// cidrBlock is the address range of the subnet in CIDR notation, within that of the network. The default is
	// 10.240.0.0/16, and 10.224.0.0/16 with networkPluginMode overlay. It cannot be changed. Users write it.
	// Example: 10.0.0.0/20
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self == "" || isCIDR(self)`,message="must be an address range in CIDR notation, such as 10.240.0.0/16"
	CIDRBlock string `json:"cidrBlock,omitempty"`

	// serviceEndpoints let the subnet reach Azure services through Azure's own network. Users write them.
	// Example: [{service: Microsoft.Storage, locations: [westeurope]}]
	// +optional
	ServiceEndpoints ServiceEndpoints `json:"serviceEndpoints,omitempty"`

	// privateEndpoints give other Azure resources an address in the subnet. Removing an entry deletes it. Users write
	// them.
	// Example: [{name: registry, privateLinkServiceConnections: [{privateLinkServiceID: "/subscriptions/.../registries/mine", groupIDs: [registry]}]}]
	// +optional
	PrivateEndpoints PrivateEndpoints `json:"privateEndpoints,omitempty"`
}

// ServiceEndpoints are service endpoints, one per service.
// +listType=map
// +listMapKey=service
// +kubebuilder:validation:MaxItems=100
type ServiceEndpoints []ServiceEndpointSpec

// ServiceEndpointSpec lets a subnet reach one Azure service by Azure's own network.
type ServiceEndpointSpec struct {
	// service is the name that Azure has for the service.
	// Example: Microsoft.Storage
	// +kubebuilder:validation:MaxLength=256
	Service string `json:"service"`

	// locations are the regions for which this applies; "*" means all.
	// Example: [westeurope]
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=64
	Locations []string `json:"locations"`
}

// PrivateEndpoints are private endpoints, each with a name of its own.
// +kubebuilder:validation:MaxItems=100
// +listType=map
// +listMapKey=name
type PrivateEndpoints []PrivateEndpointSpec

// PrivateEndpointSpec gives another Azure resource an address in the subnet.
//
// +kubebuilder:validation:XValidation:rule="size(self.?privateLinkServiceConnections.orValue([])) > 0",message="at least one is needed: it says what the private endpoint leads to",fieldPath=".privateLinkServiceConnections",reason="FieldValueRequired"
type PrivateEndpointSpec struct {
	// name of the private endpoint in Azure.
	// Example: registry
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-a-zA-Z0-9_.]+$')",message="must be letters, digits, and the characters - _ . as Azure wants it"
	Name string `json:"name"`

	// location is the region of the private endpoint. The default is that of the cluster.
	// Example: westeurope
	// +optional
	Location string `json:"location,omitempty"`

	// privateLinkServiceConnections are the resources that it leads to. At least one is required.
	// Example: [{privateLinkServiceID: "/subscriptions/.../registries/mine", groupIDs: [registry]}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	PrivateLinkServiceConnections []PrivateLinkServiceConnection `json:"privateLinkServiceConnections,omitempty"`

	// customNetworkInterfaceName is the name of its network interface. By default Azure chooses one.
	// Example: registry-nic
	// +optional
	CustomNetworkInterfaceName string `json:"customNetworkInterfaceName,omitempty"`

	// privateIPAddresses are its addresses, each in the subnet. By default Azure chooses them.
	// Example: [10.0.0.5]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:items:XValidation:rule="isIP(self)",message="must be an IP address"
	PrivateIPAddresses []string `json:"privateIPAddresses,omitempty"`

	// applicationSecurityGroups are the resource IDs of the application security groups that it is in.
	// Example: ["/subscriptions/.../providers/Microsoft.Network/applicationSecurityGroups/mine"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	ApplicationSecurityGroups []string `json:"applicationSecurityGroups,omitempty"`

	// manualApproval true asks the owner of the other resource to approve the connection, which is necessary if this
	// cluster's credential has no right to. The default is false.
	// Example: false
	// +optional
	ManualApproval bool `json:"manualApproval,omitempty"`
}

// PrivateLinkServiceConnection leads from a private endpoint to another resource.
//
// +kubebuilder:validation:XValidation:rule=`self.?privateLinkServiceID.orValue("") != ""`,message="is needed: it says what the connection leads to",fieldPath=".privateLinkServiceID",reason="FieldValueRequired"
type PrivateLinkServiceConnection struct {
	// name of the connection. The default is privateLinkServiceID's last part.
	// Example: registry
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^[-a-zA-Z0-9_.]+$')`,message="must be letters, digits, and the characters - _ . as Azure wants it"
	Name string `json:"name,omitempty"`

	// privateLinkServiceID is the resource ID of the other resource.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/mine
	// +optional
	// +kubebuilder:validation:MaxLength=640
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('(?i)subscriptions/.+/resourceGroups/.+/providers/.+/.+/.+')`,message="must be a resource ID, such as /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Storage/storageAccounts/NAME"
	PrivateLinkServiceID string `json:"privateLinkServiceID,omitempty"`

	// groupIDs are the wanted parts of the other resource, if it has several.
	// Example: [registry]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	GroupIDs []string `json:"groupIDs,omitempty"`

	// requestMessage is shown to the owner of the other resource with the request for approval.
	// Example: for the nodes of my-cluster
	// +optional
	// +kubebuilder:validation:MaxLength=140
	RequestMessage string `json:"requestMessage,omitempty"`
}

// LoadBalancerProfile is how the load balancer takes traffic of the nodes out. At most one of managedOutboundIPs,
// outboundIPPrefixes and outboundIPs may be set.
//
// +kubebuilder:validation:XValidation:rule="(has(self.managedOutboundIPs) ? 1 : 0) + (size(self.?outboundIPPrefixes.orValue([])) > 0 ? 1 : 0) + (size(self.?outboundIPs.orValue([])) > 0 ? 1 : 0) <= 1",message="must have at most one of managedOutboundIPs, outboundIPPrefixes and outboundIPs: each says where the addresses come from"
type LoadBalancerProfile struct {
	// managedOutboundIPs is how many public addresses AKS creates for it, 1 to 100.
	// Example: 2
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	ManagedOutboundIPs *int `json:"managedOutboundIPs,omitempty"`

	// outboundIPPrefixes are the resource IDs of your own public IP prefixes, which are used instead.
	// Example: ["/subscriptions/.../providers/Microsoft.Network/publicIPPrefixes/mine"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	OutboundIPPrefixes []string `json:"outboundIPPrefixes,omitempty"`

	// outboundIPs are the resource IDs of your own public IP addresses, which are used instead.
	// Example: ["/subscriptions/.../providers/Microsoft.Network/publicIPAddresses/mine"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	OutboundIPs []string `json:"outboundIPs,omitempty"`

	// allocatedOutboundPorts is how many ports each node has for outbound connections, 0 to 64000. With 0, the default,
	// Azure distributes them.
	// Example: 8000
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=64000
	AllocatedOutboundPorts *int `json:"allocatedOutboundPorts,omitempty"`

	// idleTimeoutInMinutes is the number of minutes without traffic after which an outbound connection is closed, 4 to 120.
	// The default of AKS is 30.
	// Example: 30
	// +optional
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=120
	IdleTimeoutInMinutes *int `json:"idleTimeoutInMinutes,omitempty"`
}

// APIServerAccessProfile limits from where the API server is reached.
//
// +kubebuilder:validation:XValidation:rule="!has(self.privateDNSZone) || self.privateDNSZone.matches('(?i)^(system|none)$') || self.?enablePrivateCluster.orValue(false)",message="must be true to use a privateDNSZone of your own: only the name of a private cluster is registered there",fieldPath=".enablePrivateCluster"
type APIServerAccessProfile struct {
	// authorizedIPRanges are the address ranges, in CIDR notation, from which the public address of the API server answers.
	// Left out, it answers everywhere. Users write it.
	// Example: [203.0.113.0/24]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:items:XValidation:rule="isCIDR(self)",message="must be an address range in CIDR notation, such as 203.0.113.0/24; a single address ends with /32"
	AuthorizedIPRanges []string `json:"authorizedIPRanges,omitempty"`

	APIServerAccessProfileClassSpec `json:",inline"`
}

// APIServerAccessProfileClassSpec is the part of an APIServerAccessProfile that cannot be changed.
type APIServerAccessProfileClassSpec struct {
	// enablePrivateCluster true gives the API server an address in the virtual network instead of a public one.
	// Example: true
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created"
	EnablePrivateCluster *bool `json:"enablePrivateCluster,omitempty"`

	// privateDNSZone is where a private cluster's name is registered: System for a zone that AKS creates, None for no private
	// zone, or the resource ID of your own zone named [sub.]private.REGION.azmk8s.io or [sub.]privatelink.REGION.azmk8s.io;
	// instead of azmk8s.io, the US Government cloud has cx.aks.containerservice.azure.us, and China cx.prod.service.azk8s.cn.
	// Example: System
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created",messageExpression="'cannot be changed from ' + oldSelf + ': it is decided when the cluster is created'"
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('(?i)^(system|none|.*privatednszones/([a-z0-9-]{1,32}[.])?(privatelink|private)[.][a-z0-9]+[.](azmk8s[.]io|cx[.]aks[.]containerservice[.]azure[.]us|cx[.]prod[.]service[.]azk8s[.]cn))$')",message="must be System, None, or the resource ID of a zone named [sub.]private.REGION.azmk8s.io or [sub.]privatelink.REGION.azmk8s.io"
	PrivateDNSZone *string `json:"privateDNSZone,omitempty"`

	// enablePrivateClusterPublicFQDN true adds a public DNS name for the private address.
	// Example: false
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: it is decided when the cluster is created"
	EnablePrivateClusterPublicFQDN *bool `json:"enablePrivateClusterPublicFQDN,omitempty"`
}

// HTTPProxyConfig is the proxy that nodes and pods use. None of it can be changed.
type HTTPProxyConfig struct {
	// httpProxy is the address of the proxy for http.
	// Example: http://proxy.example.org:3128
	// +optional
	HTTPProxy *string `json:"httpProxy,omitempty"`

	// httpsProxy is the address of the proxy for https.
	// Example: http://proxy.example.org:3128
	// +optional
	HTTPSProxy *string `json:"httpsProxy,omitempty"`

	// noProxy are hosts and ranges that are reached directly.
	// Example: [localhost, 10.0.0.0/8, .example.org]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	NoProxy []string `json:"noProxy,omitempty"`

	// trustedCa is the certificate, in base64, of the authority that signed the proxy's certificate.
	// Example: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t...
	// +optional
	TrustedCA *string `json:"trustedCa,omitempty"`
}
