package v1beta1

// SubnetRole is what a subnet is for.
type SubnetRole string

// The values of SubnetRole.
const (
	// SubnetNode is for nodes.
	SubnetNode SubnetRole = "node"
	// SubnetControlPlane is for control plane machines.
	SubnetControlPlane SubnetRole = "control-plane"
	// SubnetBastion is for Azure Bastion.
	SubnetBastion SubnetRole = "bastion"
	// SubnetCluster is for both nodes and control plane machines.
	SubnetCluster SubnetRole = "cluster"
)

// Subnets are the subnets of a cluster, each with a name of its own.
// +listType=map
// +listMapKey=name
// +kubebuilder:validation:MaxItems=16
type Subnets []SubnetSpec

// SubnetSpec is a part of the virtual network of a cluster.
//
// +kubebuilder:validation:XValidation:rule=`(has(oldSelf.securityGroup) && has(oldSelf.securityGroup.name) ? oldSelf.securityGroup.name : "") == "" || (has(self.securityGroup) && has(self.securityGroup.name) ? self.securityGroup.name : "") == (has(oldSelf.securityGroup) && has(oldSelf.securityGroup.name) ? oldSelf.securityGroup.name : "")`,message="cannot be changed: it is decided when the subnet is created",messageExpression=`'cannot be changed from ' + (has(oldSelf.securityGroup) && has(oldSelf.securityGroup.name) ? oldSelf.securityGroup.name : "") + ' to ' + ((has(self.securityGroup) && has(self.securityGroup.name) ? self.securityGroup.name : "") == "" ? 'nothing' : (has(self.securityGroup) && has(self.securityGroup.name) ? self.securityGroup.name : "")) + ': it is decided when the subnet is created'`,fieldPath=".securityGroup.name",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(oldSelf.routeTable) && has(oldSelf.routeTable.name) ? oldSelf.routeTable.name : "") == "" || (has(self.routeTable) && has(self.routeTable.name) ? self.routeTable.name : "") == (has(oldSelf.routeTable) && has(oldSelf.routeTable.name) ? oldSelf.routeTable.name : "")`,message="cannot be changed: it is decided when the subnet is created",messageExpression=`'cannot be changed from ' + (has(oldSelf.routeTable) && has(oldSelf.routeTable.name) ? oldSelf.routeTable.name : "") + ' to ' + ((has(self.routeTable) && has(self.routeTable.name) ? self.routeTable.name : "") == "" ? 'nothing' : (has(self.routeTable) && has(self.routeTable.name) ? self.routeTable.name : "")) + ': it is decided when the subnet is created'`,fieldPath=".routeTable.name",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(oldSelf.natGateway) && has(oldSelf.natGateway.name) ? oldSelf.natGateway.name : "") == "" || (has(self.natGateway) && has(self.natGateway.name) ? self.natGateway.name : "") == (has(oldSelf.natGateway) && has(oldSelf.natGateway.name) ? oldSelf.natGateway.name : "")`,message="cannot be changed: it is decided when the subnet is created",messageExpression=`'cannot be changed from ' + (has(oldSelf.natGateway) && has(oldSelf.natGateway.name) ? oldSelf.natGateway.name : "") + ' to ' + ((has(self.natGateway) && has(self.natGateway.name) ? self.natGateway.name : "") == "" ? 'nothing' : (has(self.natGateway) && has(self.natGateway.name) ? self.natGateway.name : "")) + ': it is decided when the subnet is created'`,fieldPath=".natGateway.name",reason="FieldValueForbidden"
type SubnetSpec struct {
	// id is kept for objects that come from CAPZ, which wrote the resource ID here. If it is set, the subnet already
	// exists, so it gets no NAT gateway by default.
	// Example: /subscriptions/.../resourceGroups/networks/providers/Microsoft.Network/virtualNetworks/my-vnet/subnets/nodes
	// +optional
	ID string `json:"id,omitempty"`

	// securityGroup filters inbound and outbound traffic of the subnet. Users write it.
	// Example: {name: my-nodes-nsg, securityRules: [{name: web, description: "web", direction: Inbound, protocol: Tcp, priority: 2300, destinationPorts: "443"}]}
	// +optional
	SecurityGroup SecurityGroup `json:"securityGroup,omitzero"`

	// routeTable is where the cloud controller writes the routes to the pods of each node, if the network plugin needs
	// them. Users write it.
	// Example: {name: my-routetable}
	// +optional
	RouteTable RouteTable `json:"routeTable,omitzero"`

	// natGateway is the outbound connection of the subnet to the internet. A subnet for nodes without IPv6 gets one by
	// default. Users write it.
	// Example: {name: my-natgateway}
	// +optional
	NatGateway NatGateway `json:"natGateway,omitzero"`

	SubnetClassSpec `json:",inline"`
}

// SubnetClassSpec is the part of a subnet that several clusters may have in common.
//
// +kubebuilder:validation:XValidation:rule="!has(self.privateEndpoints) || (has(self.cidrBlocks) ? size(self.cidrBlocks) : 0) == 0 || self.privateEndpoints.all(e, (!has(e.privateIPAddresses) || e.privateIPAddresses.all(a, !isIP(a) || self.cidrBlocks.exists(c, isCIDR(c) && cidr(c).containsIP(a)))))",message="each of their privateIPAddresses must be in the range of the subnet",fieldPath=".privateEndpoints"
type SubnetClassSpec struct {
	// name of the subnet in Azure. The only subnet of its role may leave it out, and is then named after cluster and role.
	// Users write it.
	// Example: node-subnet
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^[-a-zA-Z0-9_.]+$')`,message="must be letters, digits, and the characters - _ . as Azure wants it"
	Name string `json:"name"`

	// role is what the subnet is for: node, control-plane, cluster for both, or bastion. Users write it.
	// Example: node
	// +kubebuilder:validation:Enum=node;control-plane;bastion;cluster
	Role SubnetRole `json:"role"`

	// cidrBlocks are the address ranges of the subnet in CIDR notation, within those of the virtual network. The default is
	// 10.0.0.0/16 for the control plane, 10.1.0.0/16 for the first subnet of nodes, 10.2.0.0/16 for the second and so on. They
	// cannot be changed in a virtual network that was made for the cluster. Users write them.
	// Example: [10.1.0.0/16]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:items:XValidation:rule="isCIDR(self)",message="must be an address range in CIDR notation, such as 10.1.0.0/16"
	CIDRBlocks []string `json:"cidrBlocks,omitempty"`

	// serviceEndpoints let the subnet reach Azure services through Azure's own network. Users write them.
	// Example: [{service: Microsoft.Storage, locations: [westeurope]}]
	// +optional
	// +listType=map
	// +listMapKey=service
	// +kubebuilder:validation:MaxItems=24
	// +kubebuilder:validation:XValidation:rule="self.all(e, e.service.matches('^Microsoft[.][a-zA-Z]{1,42}[a-zA-Z0-9]{0,42}$'))",message="service of each must be a name such as Microsoft.Storage"
	// +kubebuilder:validation:XValidation:rule="self.all(e, size(e.locations) > 0 && e.locations.all(l, l.matches('^([a-z]{1,42}[0-9]{0,5}|[*])$')))",message="locations of each must have one or more names of regions, such as westeurope, or *"
	ServiceEndpoints []ServiceEndpointSpec `json:"serviceEndpoints,omitempty"`

	// privateEndpoints give other Azure resources an address in the subnet. Removing an entry deletes it. Users write
	// them.
	// Example: [{name: registry, privateLinkServiceConnections: [{privateLinkServiceID: "/subscriptions/.../registries/mine", groupIDs: [registry]}]}]
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	PrivateEndpoints []PrivateEndpointSpec `json:"privateEndpoints,omitempty"`
}

// SecurityGroup is a network security group.
type SecurityGroup struct {
	// id is kept for objects that come from CAPZ, which wrote the resource ID here. Nothing reads or writes it.
	// Example: /subscriptions/.../providers/Microsoft.Network/networkSecurityGroups/my-nodes-nsg
	// +optional
	ID string `json:"id,omitempty"`

	// name of the security group in Azure. The default is the cluster's name with -controlplane-nsg, -node-nsg or -nsg, by
	// the role of the subnet. It cannot be changed.
	// Example: my-nodes-nsg
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`

	SecurityGroupClass `json:",inline"`
}

// SecurityGroupClass is the part of a network security group that several clusters may have in common.
type SecurityGroupClass struct {
	// securityRules are its rules. The security group of the control plane gets two more rules, for port 22 and the API
	// server's port, unless a rule already has the port.
	// Example: [{name: web, description: "web", direction: Inbound, protocol: Tcp, priority: 2300, destinationPorts: "443"}]
	// +optional
	SecurityRules SecurityRules `json:"securityRules,omitempty"`

	// tags are tags of the security group, in addition to those of all resources.
	// Example: {owner: network-team}
	// +optional
	Tags Tags `json:"tags,omitempty"`
}

// SecurityRules are the rules of a network security group, each with a name of its own.
// +listType=map
// +listMapKey=name
// +kubebuilder:validation:MaxItems=1000
type SecurityRules []SecurityRule

// SecurityGroupProtocol is the protocol that a security rule is about.
type SecurityGroupProtocol string

// The values of SecurityGroupProtocol.
const (
	SecurityGroupProtocolAll  SecurityGroupProtocol = "*"
	SecurityGroupProtocolTCP  SecurityGroupProtocol = "Tcp"
	SecurityGroupProtocolUDP  SecurityGroupProtocol = "Udp"
	SecurityGroupProtocolICMP SecurityGroupProtocol = "Icmp"
)

// SecurityRuleDirection is the direction of traffic that a security rule is about.
type SecurityRuleDirection string

// The values of SecurityRuleDirection.
const (
	SecurityRuleDirectionInbound  SecurityRuleDirection = "Inbound"
	SecurityRuleDirectionOutbound SecurityRuleDirection = "Outbound"
)

// SecurityRuleAccess is what a security rule does with traffic.
type SecurityRuleAccess string

// The values of SecurityRuleAccess.
const (
	SecurityRuleActionAllow SecurityRuleAccess = "Allow"
	SecurityRuleActionDeny  SecurityRuleAccess = "Deny"
)

// SecurityRule allows or denies some traffic.
//
// +kubebuilder:validation:XValidation:rule="has(self.priority)",message="is needed: a number from 100 to 4096",fieldPath=".priority",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule="!has(self.source) || !has(self.sources)",message="does not go with sources: say all address ranges there",fieldPath=".source"
type SecurityRule struct {
	// name of the rule, unique within the security group.
	// Example: web
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// description says what the rule is for, in up to 140 characters.
	// Example: web traffic from everywhere
	Description string `json:"description"`

	// protocol is Tcp, Udp, Icmp, or * for all.
	// Example: Tcp
	// +kubebuilder:validation:Enum=Tcp;Udp;Icmp;*
	Protocol SecurityGroupProtocol `json:"protocol"`

	// direction is Inbound for traffic to the subnet, Outbound for traffic from it.
	// Example: Inbound
	// +kubebuilder:validation:Enum=Inbound;Outbound
	Direction SecurityRuleDirection `json:"direction"`

	// priority is a number from 100 to 4096, unique among the rules of the direction. Azure applies the matching rule with
	// the lowest number.
	// Example: 2300
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 100 && self <= 4096",message="must be from 100 to 4096"
	Priority int32 `json:"priority,omitempty"`

	// sourcePorts is a port, a range of ports, or * for all.
	// Example: "*"
	// +optional
	SourcePorts *string `json:"sourcePorts,omitempty"`

	// destinationPorts is a port, a range of ports, or * for all.
	// Example: 8000-8099
	// +optional
	DestinationPorts *string `json:"destinationPorts,omitempty"`

	// source is the address range, or a service tag such as VirtualNetwork, AzureLoadBalancer or Internet, from which the
	// traffic comes; * means everywhere. It cannot be combined with sources.
	// Example: 203.0.113.0/24
	// +optional
	Source *string `json:"source,omitempty"`

	// sources are several address ranges from which the traffic comes. They cannot be combined with source.
	// Example: [203.0.113.0/24, 198.51.100.0/24]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4000
	Sources []*string `json:"sources,omitempty"`

	// destination is the address range or service tag to which the traffic goes; * means everywhere.
	// Example: "*"
	// +optional
	Destination *string `json:"destination,omitempty"`

	// action says whether the traffic is allowed or denied.
	// Example: Allow
	// +optional
	// +kubebuilder:validation:Enum=Allow;Deny
	// +kubebuilder:default=Allow
	Action SecurityRuleAccess `json:"action,omitempty"`
}

// RouteTable is a route table.
type RouteTable struct {
	// id is kept for objects that come from CAPZ, which wrote the resource ID here. Nothing reads or writes it.
	// Example: /subscriptions/.../providers/Microsoft.Network/routeTables/my-routetable
	// +optional
	ID string `json:"id,omitempty"`

	// name of the route table in Azure. The default is the cluster's name with -node-routetable, which control plane and
	// nodes share, or -routetable for a subnet with role cluster. It cannot be changed once it is set.
	// Example: my-routetable
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`
}

// NatGateway is a NAT gateway, by which a subnet reaches the internet over IPv4.
type NatGateway struct {
	// id is kept for objects that come from CAPZ, which wrote the resource ID here. Nothing reads or writes it.
	// Example: /subscriptions/.../providers/Microsoft.Network/natGateways/my-natgateway
	// +optional
	ID string `json:"id,omitempty"`

	// ip is its public address. The default name is pip- with the name of the NAT gateway.
	// Example: {name: my-outbound-ip}
	// +optional
	NatGatewayIP PublicIPSpec `json:"ip,omitzero"`

	// zones are its zones of the region. By default Azure decides.
	// Example: ["1"]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Zones []string `json:"zones,omitempty"`

	NatGatewayClassSpec `json:",inline"`
}

// NatGatewayClassSpec is the part of a NAT gateway that several clusters may have in common.
type NatGatewayClassSpec struct {
	// name of the NAT gateway in Azure. The default is the cluster's name with -node-natgw-1 and so on, or -natgw for a
	// subnet with role cluster. It cannot be changed once it is set.
	// Example: my-natgateway
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`
}
