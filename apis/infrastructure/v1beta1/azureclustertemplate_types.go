package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AzureClusterTemplateResourceSpec is the spec of the objects made from an AzureClusterTemplate.
type AzureClusterTemplateResourceSpec struct {
	AzureClusterClassSpec `json:",inline"`

	// networkSpec is the network of each cluster, as far as it is the same for all. The default names in Azure follow from
	// the name of the cluster. Users write it.
	// Example: {subnets: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node}]}
	// +optional
	NetworkSpec NetworkTemplateSpec `json:"networkSpec,omitzero"`

	// bastionSpec adds Azure Bastion, through which users reach machines without a public address. Users write it.
	// Example: {azureBastion: {}}
	// +optional
	BastionSpec BastionTemplateSpec `json:"bastionSpec,omitzero"`

	TemplateCompositeSpec `json:",inline"`
}

// NetworkTemplateSpec is the network of the clusters made from a template.
//
// +kubebuilder:validation:XValidation:rule="!has(self.subnets) || (has(self.vnet) && has(self.vnet.cidrBlocks) ? size(self.vnet.cidrBlocks) : 0) == 0 || self.subnets.all(s, (!has(s.cidrBlocks) || s.cidrBlocks.all(c, !isCIDR(c) || self.vnet.cidrBlocks.exists(v, isCIDR(v) && cidr(v).containsCIDR(c)))))",message="cidrBlocks of each must be within those of vnet",fieldPath=".subnets"
// +kubebuilder:validation:XValidation:rule="!has(self.controlPlaneOutboundLB) || (has(self.apiServerLB) && has(self.apiServerLB.type) ? self.apiServerLB.type : 'Public') == 'Internal'",message="goes with apiServerLB.type Internal only: otherwise the control plane reaches the internet by apiServerLB",fieldPath=".controlPlaneOutboundLB",reason="FieldValueForbidden"
// +kubebuilder:validation:XValidation:rule=`(has(self.privateDNSZoneName) ? self.privateDNSZoneName : "") == "" || (has(self.apiServerLB) && has(self.apiServerLB.type) ? self.apiServerLB.type : 'Public') == 'Internal'`,message="goes with apiServerLB.type Internal only: the name of a public address is public",fieldPath=".privateDNSZoneName"
type NetworkTemplateSpec struct {
	NetworkClassSpec `json:",inline"`

	// vnet is the virtual network.
	// Example: {cidrBlocks: [10.0.0.0/8]}
	// +optional
	Vnet VnetTemplateSpec `json:"vnet,omitzero"`

	// subnets are the parts of the virtual network: one for the control plane, and one or more for the nodes.
	// Example: [{name: control-plane-subnet, role: control-plane}, {name: node-subnet, role: node}]
	// +optional
	Subnets SubnetTemplatesSpec `json:"subnets,omitempty"`

	// apiServerLB is the load balancer in front of the API servers.
	// Example: {type: Internal}
	// +optional
	APIServerLB LoadBalancerClassSpec `json:"apiServerLB,omitzero"`

	// nodeOutboundLB is the load balancer through which the nodes reach the internet, if they do not use a NAT gateway.
	// Example: {idleTimeoutInMinutes: 4}
	// +optional
	NodeOutboundLB *LoadBalancerClassSpec `json:"nodeOutboundLB,omitempty"`

	// controlPlaneOutboundLB is the load balancer through which the control plane of a private cluster reaches the
	// internet.
	// Example: {idleTimeoutInMinutes: 4}
	// +optional
	ControlPlaneOutboundLB *LoadBalancerClassSpec `json:"controlPlaneOutboundLB,omitempty"`

	// additionalAPIServerLBPorts are ports of the API server load balancer in addition to that of the API server. Each is
	// forwarded to the same port of the control plane machines.
	// Example: [{name: rke2, port: 9345}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	AdditionalAPIServerLBPorts []LoadBalancerPort `json:"additionalAPIServerLBPorts,omitempty"`
}

// VnetTemplateSpec is the virtual network of the clusters made from a template.
type VnetTemplateSpec struct {
	VnetClassSpec `json:",inline"`

	// peerings connect each virtual network with existing ones.
	// Example: [{resourceGroup: hub, remoteVnetName: hub-vnet}]
	// +optional
	Peerings VnetPeeringsTemplateSpec `json:"peerings,omitempty"`
}

// VnetPeeringsTemplateSpec are the peerings of a template.
// +listType=atomic
// +kubebuilder:validation:MaxItems=100
type VnetPeeringsTemplateSpec []VnetPeeringClassSpec

// SubnetTemplateSpec is a subnet of the clusters made from a template.
type SubnetTemplateSpec struct {
	SubnetClassSpec `json:",inline"`

	// securityGroup filters inbound and outbound traffic of the subnet.
	// Example: {securityRules: [{name: allow_port_9345, description: "RKE2", direction: Inbound, protocol: Tcp, priority: 2203, destinationPorts: "9345"}]}
	// +optional
	SecurityGroup SecurityGroupClass `json:"securityGroup,omitzero"`

	// natGateway is the outbound connection of the subnet to the internet.
	// Example: {name: node-natgateway}
	// +optional
	NatGateway NatGatewayClassSpec `json:"natGateway,omitzero"`
}

// SubnetTemplatesSpec are the subnets of a template, each with a name of its own.
// +listType=map
// +listMapKey=name
// +kubebuilder:validation:MaxItems=16
type SubnetTemplatesSpec []SubnetTemplateSpec

// BastionTemplateSpec says how people reach the machines of the clusters made from a template.
type BastionTemplateSpec struct {
	// azureBastion is an Azure Bastion in each virtual network.
	// Example: {}
	// +optional
	AzureBastion *AzureBastionTemplateSpec `json:"azureBastion,omitempty"`
}

// AzureBastionTemplateSpec is an Azure Bastion of the clusters made from a template.
type AzureBastionTemplateSpec struct {
	// subnet is its subnet.
	// Example: {name: AzureBastionSubnet, role: bastion, cidrBlocks: [10.0.2.0/27]}
	// +optional
	Subnet SubnetTemplateSpec `json:"subnet,omitzero"`
}

// AzureClusterTemplateResource is the object that an AzureClusterTemplate describes.
type AzureClusterTemplateResource struct {
	// metadata has the labels and annotations of the objects made from this template.
	// +optional
	ObjectMeta ObjectMeta `json:"metadata,omitzero"`

	// spec becomes the spec of the AzureCluster made from this template, after the patches of the ClusterClass. It cannot be
	// changed: create a new template. Users write it.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed: make another AzureClusterTemplate"
	Spec AzureClusterTemplateResourceSpec `json:"spec"`
}

// AzureClusterTemplateSpec is what an AzureClusterTemplate holds.
type AzureClusterTemplateSpec struct {
	// template is the AzureCluster that a topology makes, as far as it is the same for every cluster. Users write it.
	Template AzureClusterTemplateResource `json:"template"`

	CompositeSpec `json:",inline"`
}

// AzureClusterTemplate is the pattern from which a ClusterClass makes one AzureCluster per Cluster. A ClusterClass names it
// in spec.infrastructure.templateRef.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=azureclustertemplates,scope=Namespaced,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type AzureClusterTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template. Users write it.
	// +optional
	Spec AzureClusterTemplateSpec `json:"spec,omitzero"`

	// status has Crossplane's conditions only: a template composes nothing.
	// +optional
	Status CompositeStatus `json:"status,omitzero"`
}

// AzureClusterTemplateList is a list of AzureClusterTemplate objects.
//
// +kubebuilder:object:root=true
type AzureClusterTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AzureClusterTemplate `json:"items"`
}
