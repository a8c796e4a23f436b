package v1beta1

// SKU is the kind of a load balancer.
type SKU string

// SKUStandard is the only kind that is supported.
const SKUStandard SKU = "Standard"

// LBType says from where a load balancer is reached.
type LBType string

// The values of LBType.
const (
	// Internal is reached from the virtual network and those connected with it.
	Internal LBType = "Internal"
	// Public is reached from the internet.
	Public LBType = "Public"
)

// LoadBalancerSpec is a load balancer.
type LoadBalancerSpec struct {
	// id is kept for objects that come from CAPZ, which wrote the resource ID here. Nothing reads or writes it.
	// Example: /subscriptions/.../providers/Microsoft.Network/loadBalancers/my-cluster-public-lb
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	ID string `json:"id,omitempty"`

	// name of the load balancer in Azure. The default is the cluster's name with -public-lb or -internal-lb for that of the API
	// server, the cluster's name with -outbound-lb for that of the control plane, and the cluster's name for that of the nodes.
	// It cannot be changed.
	// Example: my-cluster-public-lb
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches('^[-a-zA-Z0-9_.]+$')`,message="must be letters, digits, and the characters - _ . as Azure wants it"
	Name string `json:"name,omitempty"`

	// frontendIPs are its addresses. The load balancer of the API server has one public address or, with type Internal, one
	// private address. In addition to the public one it may have a private one. Those of outbound load balancers follow from
	// frontendIPsCount.
	// Example: [{name: api, publicIP: {name: my-api-ip, dnsName: my-api.westeurope.cloudapp.azure.com}}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	FrontendIPs []FrontendIP `json:"frontendIPs,omitempty"`

	// frontendIPsCount is how many public addresses an outbound load balancer has, up to 16. The default is 1.
	// Example: 1
	// +optional
	FrontendIPsCount *int32 `json:"frontendIPsCount,omitempty"`

	// privateLinks let other subscriptions and networks reach an internal API server load balancer through their private
	// endpoints. There may be up to 8.
	// Example: [{name: api, natIPConfigurations: [{allocationMethod: Dynamic, subnet: private-link-subnet}], lbFrontendIPConfigNames: [api]}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	PrivateLinks []PrivateLink `json:"privateLinks,omitempty"`

	// backendPool is the pool of machines behind it.
	// Example: {name: my-pool}
	// +optional
	BackendPool BackendPool `json:"backendPool,omitzero"`

	LoadBalancerClassSpec `json:",inline"`

	// availabilityZones are the zones of the address of an internal load balancer, so that it survives the loss of one. A
	// public address has the zones of the region. They cannot be changed.
	// Example: ["1", "2", "3"]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:Pattern=`^[1-3]$`
	// +kubebuilder:validation:items:MaxLength=1
	AvailabilityZones []string `json:"availabilityZones,omitempty"`
}

// LoadBalancerClassSpec is the part of a load balancer that several clusters may have in common.
type LoadBalancerClassSpec struct {
	// sku is the kind of load balancer. Only Standard is allowed. It cannot be changed.
	// Example: Standard
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self == "" || self == 'Standard'`,message="must be Standard: there is no other kind"
	SKU SKU `json:"sku,omitempty"`

	// type says whether it is reached from the internet (Public) or from the virtual network (Internal). The default is
	// Public, and outbound load balancers are always public. It cannot be changed.
	// Example: Internal
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self == "" || self == 'Public' || self == 'Internal'`,message="must be Public or Internal"
	Type LBType `json:"type,omitempty"`

	// idleTimeoutInMinutes is the number of minutes without traffic after which a connection is closed, 4 to 30. The
	// default is 4. It cannot be changed.
	// Example: 4
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 4 && self <= 30",message="must be from 4 to 30"
	IdleTimeoutInMinutes *int32 `json:"idleTimeoutInMinutes,omitempty"`
}

// FrontendIP is an address of a load balancer.
type FrontendIP struct {
	// name of the frontend in the load balancer.
	// Example: api
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// publicIP is a public address.
	// Example: {name: my-api-ip, dnsName: my-api.westeurope.cloudapp.azure.com}
	// +optional
	PublicIP *PublicIPSpec `json:"publicIP,omitempty"`

	FrontendIPClass `json:",inline"`
}

// FrontendIPClass is the part of an address of a load balancer that several clusters may have in common.
type FrontendIPClass struct {
	// privateIP is a private address, in the subnet of the control plane. It cannot be changed.
	// Example: 10.0.0.100
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self == "" || isIP(self)`,message="must be an IP address"
	PrivateIPAddress string `json:"privateIP,omitempty"`
}

// PublicIPSpec is a public address.
type PublicIPSpec struct {
	// name of the public address in Azure. One that exists without the cluster's tag is used and not changed.
	// Example: my-api-ip
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`

	// dnsName is the DNS name of the address: a label of your choice, and LOCATION.cloudapp.azure.com. That of the API
	// server is generated if it is left out.
	// Example: my-api.westeurope.cloudapp.azure.com
	// +optional
	// +kubebuilder:validation:MaxLength=256
	DNSName string `json:"dnsName,omitempty"`

	// ipTags are tags with a meaning in Azure.
	// Example: [{type: RoutingPreference, tag: Internet}]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	IPTags []IPTag `json:"ipTags,omitempty"`
}

// IPTag is a tag of a public address that Azure gives a meaning.
type IPTag struct {
	// type of the tag.
	// Example: RoutingPreference
	// +kubebuilder:validation:MaxLength=256
	Type string `json:"type"`

	// tag is its value.
	// Example: Internet
	// +kubebuilder:validation:MaxLength=256
	Tag string `json:"tag"`
}

// BackendPool is the pool of machines behind a load balancer.
type BackendPool struct {
	// name of the pool. The default is the load balancer's name with -backendPool, or -outboundBackendPool.
	// Example: my-pool
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`
}

// LoadBalancerPort is a further port of the API server load balancer.
type LoadBalancerPort struct {
	// name of the port within the load balancer.
	// Example: rke2
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name"`

	// port is its number, in front of the load balancer and behind it.
	// Example: 9345
	Port int32 `json:"port"`
}

// PrivateLink is a private link service, by which private endpoints of others reach a load balancer.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.name) ? self.name : "").matches('^[-a-zA-Z0-9_.]+$')`,message="must be letters, digits, and the characters - _ . as Azure wants it",fieldPath=".name"
// +kubebuilder:validation:XValidation:rule="(!has(self.autoApprovedSubscriptions) || self.autoApprovedSubscriptions.all(a, a in (has(self.allowedSubscriptions) ? self.allowedSubscriptions : [])))",message="must be among allowedSubscriptions",fieldPath=".autoApprovedSubscriptions"
type PrivateLink struct {
	// name of the private link service in Azure.
	// Example: my-cluster-api
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Name string `json:"name,omitempty"`

	// natIPConfigurations are 1 to 8 addresses that traffic of the private endpoints gets as its source. They cannot be
	// changed.
	// Example: [{allocationMethod: Dynamic, subnet: private-link-subnet}]
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="size(self) > 0",message="must have at least one"
	NATIPConfigurations []PrivateLinkNATIPConfiguration `json:"natIPConfigurations"`

	// lbFrontendIPConfigNames are the names of the load balancer frontends to which it leads. Each has a private
	// address.
	// Example: [api]
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.all(n, self.exists_one(o, o == n))",message="must have each name once"
	LBFrontendIPConfigNames []string `json:"lbFrontendIPConfigNames"`

	// allowedSubscriptions are the subscriptions that may request a connection; "*" means all. Left out, only those with
	// rights in this subscription may.
	// Example: [00000000-0000-0000-0000-000000000000]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=256
	AllowedSubscriptions []string `json:"allowedSubscriptions,omitempty"`

	// autoApprovedSubscriptions are those of allowedSubscriptions whose connections need no approval.
	// Example: [00000000-0000-0000-0000-000000000000]
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=256
	AutoApprovedSubscriptions []string `json:"autoApprovedSubscriptions,omitempty"`

	// enableProxyProtocol true sends the real address of a client by the PROXY protocol, which the API server does not
	// understand on its own.
	// Example: false
	// +optional
	EnableProxyProtocol *bool `json:"enableProxyProtocol,omitempty"`
}

// PrivateLinkNATIPAllocationMethod says who chooses an address.
// +kubebuilder:validation:Enum=Static;Dynamic
type PrivateLinkNATIPAllocationMethod string

// The values of PrivateLinkNATIPAllocationMethod.
const (
	// NATIPAllocationMethodStatic is an address that the user chooses.
	NATIPAllocationMethodStatic PrivateLinkNATIPAllocationMethod = "Static"
	// NATIPAllocationMethodDynamic is an address that Azure chooses.
	NATIPAllocationMethodDynamic PrivateLinkNATIPAllocationMethod = "Dynamic"
)

// PrivateLinkNATIPConfiguration is an address from which traffic of private endpoints seems to come.
type PrivateLinkNATIPConfiguration struct {
	// allocationMethod is Static for an address of your choice, Dynamic for one of Azure's.
	// Example: Dynamic
	AllocationMethod PrivateLinkNATIPAllocationMethod `json:"allocationMethod"`

	// subnet is the name of the subnet of this cluster that contains the address.
	// Example: private-link-subnet
	// +kubebuilder:validation:MaxLength=256
	Subnet string `json:"subnet"`

	// privateIPAddress is the address, with allocationMethod Static.
	// Example: 10.0.3.10
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PrivateIPAddress string `json:"privateIPAddress,omitempty"`
}
