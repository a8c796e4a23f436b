package v1beta1

// PrivateDNSZoneMode says if a private cluster gets a private DNS zone.
// +kubebuilder:validation:Enum=System;None
type PrivateDNSZoneMode string

// The values of PrivateDNSZoneMode.
const (
	// PrivateDNSZoneModeSystem makes a zone, or uses the one that is named.
	PrivateDNSZoneModeSystem PrivateDNSZoneMode = "System"
	// PrivateDNSZoneModeNone makes none.
	PrivateDNSZoneModeNone PrivateDNSZoneMode = "None"
)

// NetworkSpec is the network of a cluster.
type NetworkSpec struct {
	// vnet is the virtual network. One that exists in Azure without the cluster's tag is used and left alone; otherwise it is
	// created, and deleted with the cluster. Users write it.
	// Example: {name: my-cluster-vnet, cidrBlocks: [10.0.0.0/16]}
	// +optional
	Vnet VnetSpec `json:"vnet,omitzero"`

	// subnets are the parts of the virtual network, by role: one for the control plane and one or more for the nodes, or one
	// with role cluster for both. Those that are missing are added with default names and ranges. Users write them.
	// Example: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node}]
	// +optional
	Subnets Subnets `json:"subnets,omitempty"`

	// apiServerLB is the load balancer before the API servers. Left out, it is public. Users write it.
	// Example: {type: Internal, frontendIPs: [{name: api, privateIP: 10.0.0.100}]}
	// +optional
	APIServerLB *LoadBalancerSpec `json:"apiServerLB,omitempty"`

	// nodeOutboundLB is the load balancer by which the nodes reach the internet. Left out, their subnets get NAT gateways;
	// for a public cluster with IPv6, which NAT gateways cannot do, it is added. Users write it.
	// Example: {frontendIPsCount: 1}
	// +optional
	NodeOutboundLB *LoadBalancerSpec `json:"nodeOutboundLB,omitempty"`

	// controlPlaneOutboundLB is the load balancer by which the control plane of a private cluster reaches the internet. It
	// cannot be changed. Users write it.
	// Example: {frontendIPsCount: 1}
	// +optional
	ControlPlaneOutboundLB *LoadBalancerSpec `json:"controlPlaneOutboundLB,omitempty"`

	// additionalAPIServerLBPorts are ports of the API server load balancer beside that of the API server, each handed on to
	// the same port of the control plane machines. Users write them.
	// Example: [{name: rke2, port: 9345}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	AdditionalAPIServerLBPorts []LoadBalancerPort `json:"additionalAPIServerLBPorts,omitempty"`

	// privateDNSZone None leaves out the private DNS zone of a private cluster: then you make sure that the name of the API
	// server is found. The default is System. It cannot be changed. Users write it.
	// Example: System
	// +optional
	PrivateDNSZone *PrivateDNSZoneMode `json:"privateDNSZone,omitempty"`

	NetworkClassSpec `json:",inline"`
}

// NetworkClassSpec is the part of a network that several clusters may have in common.
type NetworkClassSpec struct {
	// privateDNSZoneName is the name of the private DNS zone of a private cluster. The default is the cluster's name with
	// .capz.io. One that exists in Azure is used and left alone. It cannot be changed. Users write it.
	// Example: clusters.example.org
	// +optional
	// +kubebuilder:validation:MaxLength=256
	PrivateDNSZoneName string `json:"privateDNSZoneName,omitempty"`

	// privateDNSZoneResourceGroup is the resource group of the private DNS zone; privateDNSZoneName is needed then. The
	// default is that of the cluster. It cannot be changed. Users write it.
	// Example: dns
	// +optional
	// +kubebuilder:validation:MaxLength=256
	PrivateDNSZoneResourceGroup string `json:"privateDNSZoneResourceGroup,omitempty"`
}

// VnetSpec is the virtual network of a cluster.
type VnetSpec struct {
	// resourceGroup is that of the virtual network, and of security groups and route tables. The default is that of the
	// cluster. Users write it.
	// Example: networks
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ResourceGroup string `json:"resourceGroup,omitempty"`

	// id is kept for objects that come from CAPZ, which wrote the resource ID here. Nothing reads or writes it.
	// Example: /subscriptions/.../resourceGroups/networks/providers/Microsoft.Network/virtualNetworks/my-vnet
	// +optional
	ID string `json:"id,omitempty"`

	// name of the virtual network in Azure. The default is the cluster's name with -vnet. Users write it.
	// Example: my-cluster-vnet
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`

	// peerings connect the virtual network with others that are there already, in both directions. Users write them.
	// Example: [{resourceGroup: hub, remoteVnetName: hub-vnet}]
	// +optional
	Peerings VnetPeerings `json:"peerings,omitempty"`

	VnetClassSpec `json:",inline"`
}

// VnetClassSpec is the part of a virtual network that several clusters may have in common.
type VnetClassSpec struct {
	// cidrBlocks are the address ranges of the virtual network in CIDR notation. The default is 10.0.0.0/8. Users write them.
	// Example: [10.0.0.0/16, "2001:1234:5678:9a00::/56"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=64
	CIDRBlocks []string `json:"cidrBlocks,omitempty"`

	// tags are kept for objects that come from CAPZ, which repeated Azure's tags here. Nothing reads or writes them.
	// Example: {owner: network-team}
	// +optional
	Tags Tags `json:"tags,omitempty"`
}

// VnetPeerings are the peerings of a virtual network.
// +listType=atomic
// +kubebuilder:validation:MaxItems=100
type VnetPeerings []VnetPeeringSpec

// VnetPeeringSpec connects the virtual network of a cluster with another that is there already.
type VnetPeeringSpec struct {
	VnetPeeringClassSpec `json:",inline"`
}

// VnetPeeringClassSpec is the part of a peering that several clusters may have in common.
type VnetPeeringClassSpec struct {
	// resourceGroup is that of the other virtual network. The default is that of the cluster.
	// Example: hub
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ResourceGroup string `json:"resourceGroup,omitempty"`

	// remoteVnetName is the name of the other virtual network.
	// Example: hub-vnet
	// +kubebuilder:validation:MaxLength=256
	RemoteVnetName string `json:"remoteVnetName"`

	// forwardPeeringProperties are those of the peering from the cluster's virtual network to the other.
	// Example: {allowForwardedTraffic: true}
	// +optional
	ForwardPeeringProperties VnetPeeringProperties `json:"forwardPeeringProperties,omitzero"`

	// reversePeeringProperties are those of the peering from the other virtual network to the cluster's.
	// Example: {allowGatewayTransit: true}
	// +optional
	ReversePeeringProperties VnetPeeringProperties `json:"reversePeeringProperties,omitzero"`
}

// VnetPeeringProperties are what one direction of a peering allows. What is left out, Azure decides.
type VnetPeeringProperties struct {
	// allowForwardedTraffic true lets traffic in that does not come from the other network itself, but was forwarded there.
	// Example: true
	// +optional
	AllowForwardedTraffic *bool `json:"allowForwardedTraffic,omitempty"`

	// allowGatewayTransit true lets the other network use the gateways of this one.
	// Example: true
	// +optional
	AllowGatewayTransit *bool `json:"allowGatewayTransit,omitempty"`

	// allowVirtualNetworkAccess false cuts the machines of the other network off from those of this one.
	// Example: true
	// +optional
	AllowVirtualNetworkAccess *bool `json:"allowVirtualNetworkAccess,omitempty"`

	// useRemoteGateways true uses the gateways of the other network, which has to allow that. One peering of a network may
	// do that, and only if the network has no gateway of its own.
	// Example: true
	// +optional
	UseRemoteGateways *bool `json:"useRemoteGateways,omitempty"`
}
