// Package defaulting fills in what users leave out of an AzureCluster or AzureMachine and the schema cannot say, as it follows from
// other fields: names, address ranges, load balancers. Admission writes it into the object; composers call it too, so that a manifest is
// composed the same where no webhook runs. What was filled in stays as it is when it is asked for again. The names and values are CAPZ's
// (internal/api/v1beta1/azurecluster_default.go and azuremachine_default.go of v1.27.0).
package defaulting

import (
	"cmp"
	"net/netip"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// Values of fields that are left out.
const (
	AzureCloud       = "AzurePublicCloud"
	NetworkRange     = "10.0.0.0/8"
	BastionRange     = "10.255.255.224/27"
	BastionSubnet    = "AzureBastionSubnet"
	InternalAddress  = "10.0.0.100"
	idleTimeout      = int32(4)
	controlPlaneCIDR = "10.0.0.0/16"
	bothRolesCIDR    = "10.0.0.0/16"
)

// Cluster fills in the spec of the AzureCluster with the name.
func Cluster(name string, spec *v1beta1.AzureClusterSpec) {
	spec.AzureEnvironment = cmp.Or(spec.AzureEnvironment, AzureCloud)
	spec.ResourceGroup = cmp.Or(spec.ResourceGroup, name)
	network := &spec.NetworkSpec
	vnet(name, spec.ResourceGroup, &network.Vnet)
	bastion(name, spec.BastionSpec.AzureBastion)
	subnets(name, spec)
	if spec.ControlPlaneEnabled {
		network.APIServerLB = cmp.Or(network.APIServerLB, &v1beta1.LoadBalancerSpec{})
		apiServerLB(name, network.APIServerLB)
	} else {
		network.APIServerLB = nil
	}
	if network.NodeOutboundLB == nil && spec.ControlPlaneEnabled && network.APIServerLB.Type != v1beta1.Internal && hasIPv6Nodes(network.Subnets) {
		network.NodeOutboundLB = &v1beta1.LoadBalancerSpec{}
	}
	outboundLB(network.NodeOutboundLB, name, "pip-"+name+"-node-outbound")
	if lb := network.ControlPlaneOutboundLB; lb != nil && spec.ControlPlaneEnabled {
		// The pool is not named after the load balancer's own name, as CAPZ does not.
		lb.BackendPool.Name = cmp.Or(lb.BackendPool.Name, name+"-outbound-lb-outboundBackendPool")
		outboundLB(lb, name+"-outbound-lb", "pip-"+name+"-controlplane-outbound")
	}
}

func vnet(name, group string, spec *v1beta1.VnetSpec) {
	spec.ResourceGroup = cmp.Or(spec.ResourceGroup, group)
	spec.Name = cmp.Or(spec.Name, name+"-vnet")
	ranges(&spec.CIDRBlocks, NetworkRange)
	for i := range spec.Peerings {
		spec.Peerings[i].ResourceGroup = cmp.Or(spec.Peerings[i].ResourceGroup, group)
	}
}

func bastion(name string, spec *v1beta1.AzureBastion) {
	if spec == nil {
		return
	}
	spec.Name = cmp.Or(spec.Name, name+"-azure-bastion")
	spec.Subnet.Name = cmp.Or(spec.Subnet.Name, BastionSubnet)
	spec.Subnet.Role = cmp.Or(spec.Subnet.Role, v1beta1.SubnetBastion)
	ranges(&spec.Subnet.CIDRBlocks, BastionRange)
	spec.PublicIP.Name = cmp.Or(spec.PublicIP.Name, name+"-azure-bastion-pip")
}

// ranges fills in address ranges of which there are none.
func ranges(blocks *[]string, usual string) {
	if len(*blocks) == 0 {
		*blocks = []string{usual}
	}
}

// apiServerLB fills in the load balancer before the API servers.
func apiServerLB(name string, lb *v1beta1.LoadBalancerSpec) {
	class(&lb.LoadBalancerClassSpec)
	internal := lb.Type == v1beta1.Internal
	if internal {
		lb.Name = cmp.Or(lb.Name, name+"-internal-lb")
	} else {
		lb.Name = cmp.Or(lb.Name, name+"-public-lb")
	}
	if len(lb.FrontendIPs) == 0 {
		frontend := v1beta1.FrontendIP{Name: lb.Name + "-frontEnd"}
		if internal {
			frontend.PrivateIPAddress = InternalAddress
		} else {
			frontend.PublicIP = &v1beta1.PublicIPSpec{Name: "pip-" + name + "-apiserver"}
		}
		lb.FrontendIPs = []v1beta1.FrontendIP{frontend}
	}
	lb.BackendPool.Name = cmp.Or(lb.BackendPool.Name, lb.Name+"-backendPool")
}

// class fills in what all load balancers have.
func class(lb *v1beta1.LoadBalancerClassSpec) {
	lb.Type = cmp.Or(lb.Type, v1beta1.Public)
	lb.SKU = cmp.Or(lb.SKU, v1beta1.SKUStandard)
	lb.IdleTimeoutInMinutes = cmp.Or(lb.IdleTimeoutInMinutes, ptr.To(idleTimeout))
}

// maxOutboundIPs is the most addresses of a load balancer that names are made up for; the schema refuses more (Azure documentation,
// "Azure Load Balancer limits").
const maxOutboundIPs = 16

// outboundLB fills in a load balancer by which machines reach the internet; nil is none. Its addresses follow from their number.
func outboundLB(lb *v1beta1.LoadBalancerSpec, name, address string) {
	if lb == nil {
		return
	}
	lb.Type, lb.SKU = v1beta1.Public, v1beta1.SKUStandard
	class(&lb.LoadBalancerClassSpec)
	lb.Name = cmp.Or(lb.Name, name)
	lb.BackendPool.Name = cmp.Or(lb.BackendPool.Name, lb.Name+"-outboundBackendPool")
	lb.FrontendIPsCount = cmp.Or(lb.FrontendIPsCount, ptr.To[int32](1))
	count := int(*lb.FrontendIPsCount)
	if count < 0 || count > maxOutboundIPs {
		return
	}
	frontend := lb.Name + "-frontEnd"
	lb.FrontendIPs = nil
	for i := range count {
		f, ip := frontend, address
		if count > 1 {
			f, ip = numbered(frontend, i+1), numbered(address, i+1)
		}
		lb.FrontendIPs = append(lb.FrontendIPs, v1beta1.FrontendIP{Name: f, PublicIP: &v1beta1.PublicIPSpec{Name: ip}})
	}
}

// hasIPv6Nodes reports whether nodes have IPv6 addresses, for which there is no NAT gateway.
func hasIPv6Nodes(all []v1beta1.SubnetSpec) bool {
	return slices.ContainsFunc(all, func(s v1beta1.SubnetSpec) bool {
		return (s.Role == v1beta1.SubnetNode || s.Role == v1beta1.SubnetCluster) && HasIPv6(s.CIDRBlocks)
	})
}

// HasIPv6 reports whether one of the address ranges is of IPv6.
func HasIPv6(blocks []string) bool {
	return slices.ContainsFunc(blocks, func(block string) bool {
		prefix, err := netip.ParsePrefix(block)
		return err == nil && prefix.Addr().Is6()
	})
}
