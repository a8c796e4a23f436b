package compute

import (
	"fmt"
	"slices"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// The types below are what ASO calls parts of a network interface.
type (
	ipConfiguration = networks.NetworkInterfaceIPConfiguration_NetworkInterface_SubResourceEmbedded
	backendPool     = networks.BackendAddressPool_NetworkInterface_SubResourceEmbedded
	natRule         = networks.InboundNatRule_NetworkInterface_SubResourceEmbedded
	subnetOfNIC     = networks.Subnet_NetworkInterface_SubResourceEmbedded
	publicIPOfNIC   = networks.PublicIPAddressSpec_NetworkInterface_SubResourceEmbedded
)

// networkInterfaces returns the network interfaces of the machine; the first is the primary one. The cloud controller manager of the workload
// cluster adds them to its load balancers, so that ASO writes each once. One of a machine that has failed is written once more, without the
// pools of load balancers: it serves nothing (CAPZ issue 6441).
func (m *machine) networkInterfaces() []*plan.Resource {
	var resources []*plan.Resource
	for n, s := range m.spec.NetworkInterfaces {
		path := m.path(fmt.Sprintf("networkInterfaces[%d]", n))
		name := azuremachine.NetworkInterfaceName(m.name, n, len(m.spec.NetworkInterfaces))
		after := m.awaitSubnet(s.SubnetName)
		if s.AcceleratedNetworking == nil && !m.sizeKnown() {
			after = append(after, m.awaitSize())
		}
		first := m.ipConfiguration(s.SubnetName)
		if n == 0 {
			after = append(after, m.attach(&first)...)
		}
		r := m.resource(path, name, &networks.NetworkInterface{Spec: networks.NetworkInterface_Spec{
			AzureName:                   name,
			Owner:                       m.group(),
			Location:                    typed.Text(m.azure.Location),
			ExtendedLocation:            m.networkLocation(),
			EnableAcceleratedNetworking: m.accelerated(s),
			EnableIPForwarding:          ptr.To(m.spec.EnableIPForwarding),
			DnsSettings:                 m.dnsSettings(n),
			IpConfigurations:            m.ipConfigurations(name, s, first),
			Tags:                        m.tags(name, ""),
		}}, m.subnetProblem(path, s.SubnetName), after)
		if !m.live.Failed {
			r.Lifecycle = aso.CreateOnly
		}
		resources = append(resources, r)
	}
	return resources
}

// ipConfigurations returns the addresses of a network interface: the first, as many more as the spec asks for, and one of IPv6.
func (m *machine) ipConfigurations(name string, s v1beta1.NetworkInterface, first ipConfiguration) []ipConfiguration {
	first.Name, first.Primary = ptr.To("pipConfig"), ptr.To(true)
	all := []ipConfiguration{first}
	for n := 1; n < s.PrivateIPConfigs; n++ {
		another := m.ipConfiguration(s.SubnetName)
		another.Name, another.Primary = ptr.To(fmt.Sprintf("%s-%d", name, n)), ptr.To(false)
		all = append(all, another)
	}
	if m.ipv6() {
		all = append(all, ipConfiguration{
			Name: ptr.To("ipConfigv6"), Primary: ptr.To(false), PrivateIPAddressVersion: ptr.To(networks.IPVersion_IPv6), Subnet: m.subnetReference(s.SubnetName),
		})
	}
	return all
}

func (m *machine) ipConfiguration(subnet string) ipConfiguration {
	return ipConfiguration{PrivateIPAllocationMethod: ptr.To(networks.IPAllocationMethod_Dynamic), Subnet: m.subnetReference(subnet)}
}

func (m *machine) subnetReference(name string) *subnetOfNIC {
	return &subnetOfNIC{Reference: typed.ByID(m.subnetID(name))}
}

// attach connects the first address of the machine with load balancers and a public address, and returns what waits for that.
func (m *machine) attach(to *ipConfiguration) []plan.Precondition {
	var after []plan.Precondition
	if m.spec.AllocatePublicIP {
		to.PublicIPAddress = &publicIPOfNIC{Reference: typed.ByID(m.id(networkProvider, "publicIPAddresses", azuremachine.PublicIPName(m.name)))}
	}
	if m.live.Failed {
		return nil
	}
	for _, pool := range m.pools() {
		after = append(after, m.await(aso.LoadBalancer, pool.loadBalancer)...)
		to.LoadBalancerBackendAddressPools = append(to.LoadBalancerBackendAddressPools, backendPool{
			Reference: typed.ByID(m.id(networkProvider, "loadBalancers", pool.loadBalancer, "backendAddressPools", pool.name))})
	}
	if lb := m.azure.NetworkSpec.APIServerLB; m.hasNATRule() && lb.Type != v1beta1.Internal {
		to.LoadBalancerInboundNatRules = []natRule{{Reference: typed.ByID(m.id(networkProvider, "loadBalancers", lb.Name, "inboundNatRules", m.name))}}
	}
	return after
}

// A pool is a backend pool of a load balancer of the cluster.
type pool struct{ loadBalancer, name string }

// internalSuffix ends the names of the internal load balancer beside a public one, and of its pool.
const internalSuffix = "-internal"

// pools returns the backend pools that the machine is in: a machine of the control plane in that of the API server, and in one by which it
// reaches the internet; a worker in one by which it reaches the internet, unless it has a way of its own.
func (m *machine) pools() []pool {
	n := m.azure.NetworkSpec
	if !m.facts.Machine.ControlPlane {
		subnet, _ := m.subnet(m.spec.NetworkInterfaces[0].SubnetName)
		if subnet.NatGateway.Name != "" || m.spec.AllocatePublicIP {
			return nil
		}
		return poolsOf(n.NodeOutboundLB)
	}
	pools := poolsOf(n.APIServerLB)
	switch {
	case n.APIServerLB == nil:
		return nil
	case n.APIServerLB.Type == v1beta1.Internal:
		return append(poolsOf(n.ControlPlaneOutboundLB), pools...)
	case slices.ContainsFunc(n.APIServerLB.FrontendIPs, func(f v1beta1.FrontendIP) bool { return f.PrivateIPAddress != "" }):
		pools = append(pools, pool{n.APIServerLB.Name + internalSuffix, n.APIServerLB.BackendPool.Name + internalSuffix})
	}
	return pools
}

func poolsOf(lb *v1beta1.LoadBalancerSpec) []pool {
	if lb == nil {
		return nil
	}
	return []pool{{lb.Name, lb.BackendPool.Name}}
}

// accelerated returns whether a network interface has accelerated networking: as the spec says, else if the size has it.
func (m *machine) accelerated(s v1beta1.NetworkInterface) *bool {
	if s.AcceleratedNetworking != nil {
		return s.AcceleratedNetworking
	}
	return ptr.To(m.facts.Size.AcceleratedNetworking)
}

func (m *machine) dnsSettings(n int) *networks.NetworkInterfaceDnsSettings {
	if n > 0 || len(m.spec.DNSServers) == 0 {
		return nil
	}
	return &networks.NetworkInterfaceDnsSettings{DnsServers: m.spec.DNSServers}
}

func (m *machine) networkLocation() *networks.ExtendedLocation {
	if m.azure.ExtendedLocation == nil {
		return nil
	}
	return &networks.ExtendedLocation{Name: ptr.To(m.azure.ExtendedLocation.Name), Type: ptr.To(networks.ExtendedLocationType(m.azure.ExtendedLocation.Type))}
}

// subnetProblem says that the subnet of a network interface is none of the cluster.
func (m *machine) subnetProblem(path, name string) *composer.Blocked {
	if _, ok := m.subnet(name); ok {
		return nil
	}
	var names []string
	for _, s := range m.azure.NetworkSpec.Subnets {
		names = append(names, fmt.Sprintf("%s (%s)", s.Name, s.Role))
	}
	because := "a machine is in a subnet of its cluster"
	if name == "" {
		because = fmt.Sprintf("there is not exactly one for role %s", m.role())
	}
	return invalid("%s.subnetName is %q, but must be one of the subnets of AzureCluster %s, %v, because %s", path, name, m.cluster.Azure.Name, names, because)
}
