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
//
// +kubebuilder:validation:XValidation:rule="!has(self.subnets) || (has(self.vnet) && has(self.vnet.cidrBlocks) ? size(self.vnet.cidrBlocks) : 0) == 0 || self.subnets.all(s, (!has(s.cidrBlocks) || s.cidrBlocks.all(c, !isCIDR(c) || self.vnet.cidrBlocks.exists(v, isCIDR(v) && cidr(v).containsCIDR(c)))))",message="cidrBlocks of each must be within those of vnet",messageExpression="'cidrBlocks of each must be within those of vnet, which are ' + self.vnet.cidrBlocks.join(', ')",fieldPath=".subnets"
// +kubebuilder:validation:XValidation:rule=`!has(self.apiServerLB) || !has(oldSelf.apiServerLB) || (has(oldSelf.apiServerLB.name) ? oldSelf.apiServerLB.name : "") == "" || (has(self.apiServerLB.name) ? self.apiServerLB.name : "") == oldSelf.apiServerLB.name`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + oldSelf.apiServerLB.name + ' to ' + ((has(self.apiServerLB.name) ? self.apiServerLB.name : "") == "" ? 'nothing' : self.apiServerLB.name) + ': it is decided when the cluster is created'`,fieldPath=".apiServerLB.name",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!has(self.apiServerLB) || !has(oldSelf.apiServerLB) || (has(oldSelf.apiServerLB.type) ? oldSelf.apiServerLB.type : "") == "" || (has(self.apiServerLB.type) ? self.apiServerLB.type : "") == oldSelf.apiServerLB.type`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + oldSelf.apiServerLB.type + ' to ' + ((has(self.apiServerLB.type) ? self.apiServerLB.type : "") == "" ? 'nothing' : self.apiServerLB.type) + ': it is decided when the cluster is created'`,fieldPath=".apiServerLB.type",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(self.apiServerLB) || !has(oldSelf.apiServerLB) || !has(oldSelf.apiServerLB.idleTimeoutInMinutes) || (has(self.apiServerLB.idleTimeoutInMinutes) ? self.apiServerLB.idleTimeoutInMinutes : 4) == oldSelf.apiServerLB.idleTimeoutInMinutes",message="cannot be changed: it is decided when the cluster is created",fieldPath=".apiServerLB.idleTimeoutInMinutes",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(self.apiServerLB) || !has(oldSelf.apiServerLB) || (!has(self.apiServerLB.availabilityZones) || self.apiServerLB.availabilityZones.all(z, z in (has(oldSelf.apiServerLB.availabilityZones) ? oldSelf.apiServerLB.availabilityZones : []))) && (!has(oldSelf.apiServerLB.availabilityZones) || oldSelf.apiServerLB.availabilityZones.all(z, z in (has(self.apiServerLB.availabilityZones) ? self.apiServerLB.availabilityZones : [])))",message="cannot be changed: it is decided when the cluster is created",fieldPath=".apiServerLB.availabilityZones",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(!has(oldSelf.apiServerLB) || !has(oldSelf.apiServerLB.frontendIPs) || oldSelf.apiServerLB.frontendIPs.all(o, (has(o.privateIP) ? o.privateIP : "") == "" || (!has(self.apiServerLB) || !has(self.apiServerLB.frontendIPs) || self.apiServerLB.frontendIPs.all(f, (has(f.privateIP) ? f.privateIP : "") == "" || f.privateIP == o.privateIP))))`,message="privateIP cannot be changed: it is decided when the cluster is created",fieldPath=".apiServerLB.frontendIPs",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!has(self.nodeOutboundLB) || !has(oldSelf.nodeOutboundLB) || (has(oldSelf.nodeOutboundLB.name) ? oldSelf.nodeOutboundLB.name : "") == "" || (has(self.nodeOutboundLB.name) ? self.nodeOutboundLB.name : "") == oldSelf.nodeOutboundLB.name`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + oldSelf.nodeOutboundLB.name + ' to ' + ((has(self.nodeOutboundLB.name) ? self.nodeOutboundLB.name : "") == "" ? 'nothing' : self.nodeOutboundLB.name) + ': it is decided when the cluster is created'`,fieldPath=".nodeOutboundLB.name",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`!has(self.nodeOutboundLB) || !has(oldSelf.nodeOutboundLB) || (has(oldSelf.nodeOutboundLB.id) ? oldSelf.nodeOutboundLB.id : "") == "" || (has(self.nodeOutboundLB.id) ? self.nodeOutboundLB.id : "") == oldSelf.nodeOutboundLB.id`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + oldSelf.nodeOutboundLB.id + ' to ' + ((has(self.nodeOutboundLB.id) ? self.nodeOutboundLB.id : "") == "" ? 'nothing' : self.nodeOutboundLB.id) + ': it is decided when the cluster is created'`,fieldPath=".nodeOutboundLB.id",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(self.nodeOutboundLB) || !has(oldSelf.nodeOutboundLB) || !has(oldSelf.nodeOutboundLB.idleTimeoutInMinutes) || (has(self.nodeOutboundLB.idleTimeoutInMinutes) ? self.nodeOutboundLB.idleTimeoutInMinutes : 4) == oldSelf.nodeOutboundLB.idleTimeoutInMinutes",message="cannot be changed: it is decided when the cluster is created",fieldPath=".nodeOutboundLB.idleTimeoutInMinutes",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="!has(self.nodeOutboundLB) || !has(oldSelf.nodeOutboundLB) || (!has(self.nodeOutboundLB.availabilityZones) || self.nodeOutboundLB.availabilityZones.all(z, z in (has(oldSelf.nodeOutboundLB.availabilityZones) ? oldSelf.nodeOutboundLB.availabilityZones : []))) && (!has(oldSelf.nodeOutboundLB.availabilityZones) || oldSelf.nodeOutboundLB.availabilityZones.all(z, z in (has(self.nodeOutboundLB.availabilityZones) ? self.nodeOutboundLB.availabilityZones : [])))",message="cannot be changed: it is decided when the cluster is created",fieldPath=".nodeOutboundLB.availabilityZones",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.nodeOutboundLB) && has(self.nodeOutboundLB.privateLinks) ? size(self.nodeOutboundLB.privateLinks) : 0) == 0",message="are for apiServerLB only",fieldPath=".nodeOutboundLB.privateLinks",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.nodeOutboundLB) && has(self.nodeOutboundLB.frontendIPsCount) ? self.nodeOutboundLB.frontendIPsCount : 1) >= 0 && (has(self.nodeOutboundLB) && has(self.nodeOutboundLB.frontendIPsCount) ? self.nodeOutboundLB.frontendIPsCount : 1) <= 16",message="must be from 0 to 16: a load balancer has no more addresses for traffic out",fieldPath=".nodeOutboundLB.frontendIPsCount"
// +kubebuilder:validation:XValidation:rule="has(self.controlPlaneOutboundLB) == has(oldSelf.controlPlaneOutboundLB) && (!has(self.controlPlaneOutboundLB) || self.controlPlaneOutboundLB == oldSelf.controlPlaneOutboundLB)",message="cannot be changed, set or taken away: it is decided when the cluster is created",fieldPath=".controlPlaneOutboundLB",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.controlPlaneOutboundLB) && has(self.controlPlaneOutboundLB.privateLinks) ? size(self.controlPlaneOutboundLB.privateLinks) : 0) == 0",message="are for apiServerLB only",fieldPath=".controlPlaneOutboundLB.privateLinks",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.controlPlaneOutboundLB) && has(self.controlPlaneOutboundLB.frontendIPsCount) ? self.controlPlaneOutboundLB.frontendIPsCount : 1) >= 0 && (has(self.controlPlaneOutboundLB) && has(self.controlPlaneOutboundLB.frontendIPsCount) ? self.controlPlaneOutboundLB.frontendIPsCount : 1) <= 16",message="must be from 0 to 16: a load balancer has no more addresses for traffic out",fieldPath=".controlPlaneOutboundLB.frontendIPsCount"
// +kubebuilder:validation:XValidation:rule=`(has(self.privateDNSZoneName) ? self.privateDNSZoneName : "") == (has(oldSelf.privateDNSZoneName) ? oldSelf.privateDNSZoneName : "")`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + ((has(oldSelf.privateDNSZoneName) ? oldSelf.privateDNSZoneName : "") == "" ? 'nothing' : (has(oldSelf.privateDNSZoneName) ? oldSelf.privateDNSZoneName : "")) + ' to ' + ((has(self.privateDNSZoneName) ? self.privateDNSZoneName : "") == "" ? 'nothing' : (has(self.privateDNSZoneName) ? self.privateDNSZoneName : "")) + ': it is decided when the cluster is created'`,fieldPath=".privateDNSZoneName",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.privateDNSZoneResourceGroup) ? self.privateDNSZoneResourceGroup : "") == (has(oldSelf.privateDNSZoneResourceGroup) ? oldSelf.privateDNSZoneResourceGroup : "")`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + ((has(oldSelf.privateDNSZoneResourceGroup) ? oldSelf.privateDNSZoneResourceGroup : "") == "" ? 'nothing' : (has(oldSelf.privateDNSZoneResourceGroup) ? oldSelf.privateDNSZoneResourceGroup : "")) + ' to ' + ((has(self.privateDNSZoneResourceGroup) ? self.privateDNSZoneResourceGroup : "") == "" ? 'nothing' : (has(self.privateDNSZoneResourceGroup) ? self.privateDNSZoneResourceGroup : "")) + ': it is decided when the cluster is created'`,fieldPath=".privateDNSZoneResourceGroup",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.privateDNSZone) ? self.privateDNSZone : "") == (has(oldSelf.privateDNSZone) ? oldSelf.privateDNSZone : "")`,message="cannot be changed: it is decided when the cluster is created",messageExpression=`'cannot be changed from ' + ((has(oldSelf.privateDNSZone) ? oldSelf.privateDNSZone : "") == "" ? 'nothing' : (has(oldSelf.privateDNSZone) ? oldSelf.privateDNSZone : "")) + ' to ' + ((has(self.privateDNSZone) ? self.privateDNSZone : "") == "" ? 'nothing' : (has(self.privateDNSZone) ? self.privateDNSZone : "")) + ': it is decided when the cluster is created'`,fieldPath=".privateDNSZone",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule="(has(self.apiServerLB) && has(self.apiServerLB.privateLinks) ? size(self.apiServerLB.privateLinks) : 0) == 0 || (has(self.apiServerLB.type) ? self.apiServerLB.type : 'Public') == 'Internal'",message="go with type Internal only: a private link leads to a private address",fieldPath=".apiServerLB.privateLinks"
// +kubebuilder:validation:XValidation:rule=`(!has(self.apiServerLB) || !has(self.apiServerLB.privateLinks) || self.apiServerLB.privateLinks.all(l, self.apiServerLB.privateLinks.exists_one(o, (has(o.name) ? o.name : "") == (has(l.name) ? l.name : ""))))`,message="must have names of their own",fieldPath=".apiServerLB.privateLinks"
// +kubebuilder:validation:XValidation:rule="(!has(self.apiServerLB) || !has(self.apiServerLB.privateLinks) || self.apiServerLB.privateLinks.all(l, size(l.lbFrontendIPConfigNames) > 0 && l.lbFrontendIPConfigNames.all(n, (has(self.apiServerLB.frontendIPs) && self.apiServerLB.frontendIPs.exists(f, f.name == n)))))",message="lbFrontendIPConfigNames of each must have one or more names of frontendIPs",fieldPath=".apiServerLB.privateLinks"
// +kubebuilder:validation:XValidation:rule="!has(self.subnets) || (!has(self.apiServerLB) || !has(self.apiServerLB.privateLinks) || self.apiServerLB.privateLinks.all(l, l.natIPConfigurations.all(n, self.subnets.exists(s, s.name == n.subnet))))",message="natIPConfigurations of each must name a subnet of this cluster",fieldPath=".apiServerLB.privateLinks"
// +kubebuilder:validation:XValidation:rule=`!has(self.subnets) || (!has(self.apiServerLB) || !has(self.apiServerLB.privateLinks) || self.apiServerLB.privateLinks.all(l, l.natIPConfigurations.all(n, n.allocationMethod != 'Static' || isIP((has(n.privateIPAddress) ? n.privateIPAddress : "")) && self.subnets.all(s, s.name != n.subnet || (has(s.cidrBlocks) && s.cidrBlocks.exists(c, isCIDR(c) && cidr(c).containsIP(n.privateIPAddress)))))))`,message="natIPConfigurations with allocationMethod Static must have a privateIPAddress in the range of their subnet",fieldPath=".apiServerLB.privateLinks"
// +kubebuilder:validation:XValidation:rule=`(!has(oldSelf.apiServerLB) || !has(oldSelf.apiServerLB.privateLinks) || oldSelf.apiServerLB.privateLinks.all(o, (!has(self.apiServerLB) || !has(self.apiServerLB.privateLinks) || self.apiServerLB.privateLinks.all(l, (has(l.name) ? l.name : "") != (has(o.name) ? o.name : "") || l.natIPConfigurations == o.natIPConfigurations))))`,message="natIPConfigurations cannot be changed: make another private link",fieldPath=".apiServerLB.privateLinks",reason="FieldValueForbidden"
type NetworkSpec struct {
	// vnet is the virtual network. One that exists in Azure without the cluster's tag is used and not changed. Otherwise it
	// is created, and deleted with the cluster. Users write it.
	// Example: {name: my-cluster-vnet, cidrBlocks: [10.0.0.0/16]}
	// +optional
	Vnet VnetSpec `json:"vnet,omitzero"`

	// subnets are the parts of the virtual network, by role: one for the control plane and one or more for the nodes, or one
	// with role cluster for both. Missing subnets are added with default names and ranges. Users write them.
	// Example: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node}]
	// +optional
	Subnets Subnets `json:"subnets,omitempty"`

	// apiServerLB is the load balancer in front of the API servers. The default is a public one. Users write it.
	// Example: {type: Internal, frontendIPs: [{name: api, privateIP: 10.0.0.100}]}
	// +optional
	APIServerLB *LoadBalancerSpec `json:"apiServerLB,omitempty"`

	// nodeOutboundLB is the load balancer through which the nodes reach the internet. Left out, their subnets get NAT
	// gateways. For a public cluster with IPv6, which NAT gateways do not support, it is added. Users write it.
	// Example: {frontendIPsCount: 1}
	// +optional
	NodeOutboundLB *LoadBalancerSpec `json:"nodeOutboundLB,omitempty"`

	// controlPlaneOutboundLB is the load balancer through which the control plane of a private cluster reaches the
	// internet. It cannot be changed. Users write it.
	// Example: {frontendIPsCount: 1}
	// +optional
	ControlPlaneOutboundLB *LoadBalancerSpec `json:"controlPlaneOutboundLB,omitempty"`

	// additionalAPIServerLBPorts are ports of the API server load balancer in addition to that of the API server. Each is
	// forwarded to the same port of the control plane machines. Users write them.
	// Example: [{name: rke2, port: 9345}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	AdditionalAPIServerLBPorts []LoadBalancerPort `json:"additionalAPIServerLBPorts,omitempty"`

	// privateDNSZone None leaves out the private DNS zone of a private cluster. Then you must make the name of the API
	// server resolvable. The default is System. It cannot be changed. Users write it.
	// Example: System
	// +optional
	PrivateDNSZone *PrivateDNSZoneMode `json:"privateDNSZone,omitempty"`

	NetworkClassSpec `json:",inline"`
}

// NetworkClassSpec is the part of a network that several clusters may have in common.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.privateDNSZoneResourceGroup) ? self.privateDNSZoneResourceGroup : "") == "" || (has(self.privateDNSZoneName) ? self.privateDNSZoneName : "") != ""`,message="needs privateDNSZoneName: the zone is that of somebody else",fieldPath=".privateDNSZoneResourceGroup"
type NetworkClassSpec struct {
	// privateDNSZoneName is the name of the private DNS zone of a private cluster. The default is the cluster's name with
	// .capz.io. One that exists in Azure is used and not changed. It cannot be changed. Users write it.
	// Example: clusters.example.org
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^([a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})([.][a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*[._]?$')`,message="must be a DNS name, such as clusters.example.org"
	PrivateDNSZoneName string `json:"privateDNSZoneName,omitempty"`

	// privateDNSZoneResourceGroup is the resource group of the private DNS zone. It requires privateDNSZoneName. The
	// default is that of the cluster. It cannot be changed. Users write it.
	// Example: dns
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^[-a-zA-Z0-9_.()]+$')`,message="must be letters, digits, and the characters - _ . ( ) as Azure wants it"
	PrivateDNSZoneResourceGroup string `json:"privateDNSZoneResourceGroup,omitempty"`
}

// VnetSpec is the virtual network of a cluster.
type VnetSpec struct {
	// resourceGroup is that of the virtual network, and of security groups and route tables. The default is that of the
	// cluster. Users write it.
	// Example: networks
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^[-a-zA-Z0-9_.()]+$')`,message="must be letters, digits, and the characters - _ . ( ) as Azure wants it"
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

	// peerings connect the virtual network with existing ones, in both directions. Users write them.
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
	// +kubebuilder:validation:items:XValidation:rule="isCIDR(self)",message="must be an address range in CIDR notation, such as 10.0.0.0/16"
	CIDRBlocks []string `json:"cidrBlocks,omitempty"`

	// tags are tags of the virtual network, in addition to those of all resources. In objects that come from CAPZ they
	// repeat Azure's.
	// Example: {owner: network-team}
	// +optional
	Tags Tags `json:"tags,omitempty"`
}

// VnetPeerings are the peerings of a virtual network.
// +listType=atomic
// +kubebuilder:validation:MaxItems=100
// +kubebuilder:validation:XValidation:rule=`self.all(p, self.exists_one(o, o.remoteVnetName == p.remoteVnetName && (has(o.resourceGroup) ? o.resourceGroup : "") == (has(p.resourceGroup) ? p.resourceGroup : "")))`,message="must have each virtual network once"
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
	// allowForwardedTraffic true allows traffic that the other network forwards but that does not come from it.
	// Example: true
	// +optional
	AllowForwardedTraffic *bool `json:"allowForwardedTraffic,omitempty"`

	// allowGatewayTransit true lets the other network use the gateways of this one.
	// Example: true
	// +optional
	AllowGatewayTransit *bool `json:"allowGatewayTransit,omitempty"`

	// allowVirtualNetworkAccess false separates the machines of the two networks.
	// Example: true
	// +optional
	AllowVirtualNetworkAccess *bool `json:"allowVirtualNetworkAccess,omitempty"`

	// useRemoteGateways true uses the gateways of the other network, which must allow it. Only one peering of a network
	// may do that, and only if the network has no gateway of its own.
	// Example: true
	// +optional
	UseRemoteGateways *bool `json:"useRemoteGateways,omitempty"`
}
