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
	ResourceGroup string `json:"resourceGroup,omitempty"`

	// name of the virtual network in Azure. The default is the name of the control plane. It cannot be changed. Users write
	// it.
	// Example: my-vnet
	// +optional
	Name string `json:"name,omitempty"`

	ManagedControlPlaneVirtualNetworkClassSpec `json:",inline"`
}

// ManagedControlPlaneVirtualNetworkClassSpec is the part of a virtual network that several clusters may have in common.
type ManagedControlPlaneVirtualNetworkClassSpec struct {
	// cidrBlock is the address range of the network in CIDR notation. The default is 10.0.0.0/8, and 10.224.0.0/12 with
	// networkPluginMode overlay. It cannot be changed. Users write it.
	// Example: 10.0.0.0/16
	// +optional
	CIDRBlock string `json:"cidrBlock,omitempty"`

	// subnet is the part of the network that the nodes are in. Users write it.
	// Example: {name: nodes, cidrBlock: 10.0.0.0/20}
	// +optional
	Subnet ManagedControlPlaneSubnet `json:"subnet,omitzero"`
}

// ManagedControlPlaneSubnet is a subnet for nodes.
type ManagedControlPlaneSubnet struct {
	// name of the subnet in Azure. The default is the name of the control plane. It cannot be changed. Users write it.
	// Example: nodes
	// +optional
	Name string `json:"name,omitempty"`

	// cidrBlock is the address range of the subnet in CIDR notation, within that of the network. The default is
	// 10.240.0.0/16, and 10.224.0.0/16 with networkPluginMode overlay. It cannot be changed. Users write it.
	// Example: 10.0.0.0/20
	// +optional
	CIDRBlock string `json:"cidrBlock,omitempty"`

	// serviceEndpoints let the subnet reach Azure services by Azure's own network. Users write them.
	// Example: [{service: Microsoft.Storage, locations: [westeurope]}]
	// +optional
	ServiceEndpoints ServiceEndpoints `json:"serviceEndpoints,omitempty"`

	// privateEndpoints give other Azure resources an address in the subnet. Taking an entry away deletes it. Users write
	// them.
	// Example: [{name: registry, privateLinkServiceConnections: [{privateLinkServiceID: "/subscriptions/.../registries/mine", groupIDs: [registry]}]}]
	// +optional
	PrivateEndpoints PrivateEndpoints `json:"privateEndpoints,omitempty"`
}

// ServiceEndpoints are service endpoints, one per service.
// +listType=map
// +listMapKey=service
type ServiceEndpoints []ServiceEndpointSpec

// ServiceEndpointSpec lets a subnet reach one Azure service by Azure's own network.
type ServiceEndpointSpec struct {
	// service is the name that Azure has for the service.
	// Example: Microsoft.Storage
	Service string `json:"service"`

	// locations are the regions for which that goes; "*" is all.
	// Example: [westeurope]
	// +listType=atomic
	Locations []string `json:"locations"`
}

// PrivateEndpoints are private endpoints, each with a name of its own.
// +listType=map
// +listMapKey=name
type PrivateEndpoints []PrivateEndpointSpec

// PrivateEndpointSpec gives another Azure resource an address in the subnet.
type PrivateEndpointSpec struct {
	// name of the private endpoint in Azure.
	// Example: registry
	Name string `json:"name"`

	// location is the region of the private endpoint. The default is that of the cluster.
	// Example: westeurope
	// +optional
	Location string `json:"location,omitempty"`

	// privateLinkServiceConnections are the resources that it leads to. At least one is needed.
	// Example: [{privateLinkServiceID: "/subscriptions/.../registries/mine", groupIDs: [registry]}]
	// +optional
	// +listType=atomic
	PrivateLinkServiceConnections []PrivateLinkServiceConnection `json:"privateLinkServiceConnections,omitempty"`

	// customNetworkInterfaceName is the name of its network interface. Left out, Azure makes one up.
	// Example: registry-nic
	// +optional
	CustomNetworkInterfaceName string `json:"customNetworkInterfaceName,omitempty"`

	// privateIPAddresses are the addresses that it has, each in the subnet. Left out, Azure picks.
	// Example: [10.0.0.5]
	// +optional
	// +listType=atomic
	PrivateIPAddresses []string `json:"privateIPAddresses,omitempty"`

	// applicationSecurityGroups are the resource IDs of the application security groups that it is in.
	// Example: ["/subscriptions/.../providers/Microsoft.Network/applicationSecurityGroups/mine"]
	// +optional
	// +listType=atomic
	ApplicationSecurityGroups []string `json:"applicationSecurityGroups,omitempty"`

	// manualApproval true asks the owner of the other resource to approve the connection, which is needed where this
	// cluster's credential may not. The default is false.
	// Example: false
	// +optional
	ManualApproval bool `json:"manualApproval,omitempty"`
}

// PrivateLinkServiceConnection leads from a private endpoint to another resource.
type PrivateLinkServiceConnection struct {
	// name of the connection. The default is privateLinkServiceID's last part.
	// Example: registry
	// +optional
	Name string `json:"name,omitempty"`

	// privateLinkServiceID is the resource ID of the other resource.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/mine
	// +optional
	PrivateLinkServiceID string `json:"privateLinkServiceID,omitempty"`

	// groupIDs are the parts of the other resource that are wanted, where it has several.
	// Example: [registry]
	// +optional
	// +listType=atomic
	GroupIDs []string `json:"groupIDs,omitempty"`

	// requestMessage is what the owner of the other resource reads beside the request to approve.
	// Example: for the nodes of my-cluster
	// +optional
	// +kubebuilder:validation:MaxLength=140
	RequestMessage string `json:"requestMessage,omitempty"`
}

// LoadBalancerProfile is how the load balancer takes traffic of the nodes out. At most one of managedOutboundIPs,
// outboundIPPrefixes and outboundIPs may be set.
type LoadBalancerProfile struct {
	// managedOutboundIPs is how many public addresses AKS makes for it, 1 to 100.
	// Example: 2
	// +optional
	ManagedOutboundIPs *int `json:"managedOutboundIPs,omitempty"`

	// outboundIPPrefixes are the resource IDs of public IP prefixes of yours that are used instead.
	// Example: ["/subscriptions/.../providers/Microsoft.Network/publicIPPrefixes/mine"]
	// +optional
	// +listType=atomic
	OutboundIPPrefixes []string `json:"outboundIPPrefixes,omitempty"`

	// outboundIPs are the resource IDs of public IP addresses of yours that are used instead.
	// Example: ["/subscriptions/.../providers/Microsoft.Network/publicIPAddresses/mine"]
	// +optional
	// +listType=atomic
	OutboundIPs []string `json:"outboundIPs,omitempty"`

	// allocatedOutboundPorts is how many ports each node has for connections out, 0 to 64000. With 0, the default, Azure
	// divides them up.
	// Example: 8000
	// +optional
	AllocatedOutboundPorts *int `json:"allocatedOutboundPorts,omitempty"`

	// idleTimeoutInMinutes is after how many minutes without traffic a connection out is cut, 4 to 120. AKS takes 30 when it
	// is left out.
	// Example: 30
	// +optional
	IdleTimeoutInMinutes *int `json:"idleTimeoutInMinutes,omitempty"`
}

// APIServerAccessProfile limits from where the API server is reached.
type APIServerAccessProfile struct {
	// authorizedIPRanges are the address ranges, in CIDR notation, from which the public address of the API server answers.
	// Left out, it answers everywhere. Users write it.
	// Example: [203.0.113.0/24]
	// +optional
	// +listType=atomic
	AuthorizedIPRanges []string `json:"authorizedIPRanges,omitempty"`

	APIServerAccessProfileClassSpec `json:",inline"`
}

// APIServerAccessProfileClassSpec is the part of an APIServerAccessProfile that cannot be changed.
type APIServerAccessProfileClassSpec struct {
	// enablePrivateCluster true gives the API server an address in the virtual network instead of a public one.
	// Example: true
	// +optional
	EnablePrivateCluster *bool `json:"enablePrivateCluster,omitempty"`

	// privateDNSZone is where a private cluster's name is registered: System for a zone that AKS makes, None for no private
	// zone, or the resource ID of a zone of yours named [sub.]private.REGION.azmk8s.io or [sub.]privatelink.REGION.azmk8s.io.
	// Example: System
	// +optional
	PrivateDNSZone *string `json:"privateDNSZone,omitempty"`

	// enablePrivateClusterPublicFQDN true has a public name lead to the private address as well.
	// Example: false
	// +optional
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
	NoProxy []string `json:"noProxy,omitempty"`

	// trustedCa is the certificate, in base64, of the authority that signed the proxy's certificate.
	// Example: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t...
	// +optional
	TrustedCA *string `json:"trustedCa,omitempty"`
}
