package network

import (
	"cmp"

	balancers "github.com/Azure/azure-service-operator/v2/api/network/v1api20240301"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// Names of parts of load balancers, and how API servers are probed.
const (
	ruleHTTPS     = "LBRuleHTTPS"
	probeHTTPS    = "HTTPSProbe"
	probePath     = "/readyz"
	probeInterval = 15
	outboundNAT   = "OutboundNATAllProtocols"
)

// loadBalancers returns the load balancers of the API server, and those by which nodes and control plane reach the world.
func (n *Network) loadBalancers() []*plan.Resource {
	var all []*plan.Resource
	for _, b := range n.balancers() {
		all = append(all, n.loadBalancer(b))
	}
	return all
}

func (n *Network) loadBalancer(b balancer) *plan.Resource {
	spec := balancers.LoadBalancer_Spec{
		AzureName:           b.name,
		Owner:               typed.OwnedBy(n.spec.ResourceGroup),
		Location:            &n.spec.Location,
		Sku:                 &balancers.LoadBalancerSku{Name: (*balancers.LoadBalancerSku_Name)(typed.Text(b.SKU))},
		Tags:                n.tags("", b.role),
		BackendAddressPools: []balancers.BackendAddressPool_LoadBalancer_SubResourceEmbedded{{Name: ptr.To(b.pool)}},
	}
	if edge := n.spec.ExtendedLocation; edge != nil {
		spec.ExtendedLocation = &balancers.ExtendedLocation{Name: &edge.Name, Type: new(balancers.ExtendedLocationType(edge.Type))}
	}
	problem := n.setFrontends(&spec, b)
	if !b.internal && len(b.frontends) > 0 {
		spec.OutboundRules = n.outboundRules(b)
	}
	if b.servesAPI() {
		spec.LoadBalancingRules, spec.Probes = n.apiServerRules(b), n.apiServerProbes()
	}
	r := n.objects.Resource(b.path, v1beta1.ASOObjectName(b.name), &balancers.LoadBalancer{Spec: spec}, problem)
	r.Lifecycle, r.Outstanding = b.lifecycle, b.kept
	return r
}

// setFrontends gives the load balancer its addresses, and says what is wrong with them.
func (n *Network) setFrontends(spec *balancers.LoadBalancer_Spec, b balancer) *composer.Blocked {
	for _, f := range b.frontends {
		configuration := balancers.FrontendIPConfiguration_LoadBalancer_SubResourceEmbedded{Name: ptr.To(f.Name)}
		switch at := n.controlPlaneSubnet(); {
		case b.internal && at < 0:
			return typed.Invalid("spec.networkSpec.subnets has no subnet with role %s or %s, but must have one: %s is internal, and has its address there",
				v1beta1.SubnetControlPlane, v1beta1.SubnetCluster, b.path)
		case b.internal:
			configuration.PrivateIPAllocationMethod = ptr.To(balancers.IPAllocationMethod_Static)
			configuration.PrivateIPAddress = typed.Text(f.PrivateIPAddress)
			configuration.Zones = b.AvailabilityZones
			configuration.Subnet = &balancers.Subnet_LoadBalancer_SubResourceEmbedded{Reference: typed.ByID(n.subnetID(n.spec.NetworkSpec.Subnets[at].Name))}
		case f.PublicIP == nil:
			return typed.Invalid("%s.publicIP is absent, but must be set, as %s is public", f.path, b.path)
		default:
			configuration.PublicIPAddress = &balancers.PublicIPAddressSpec_LoadBalancer_SubResourceEmbedded{Reference: typed.ByID(n.publicIPID(f.PublicIP.Name))}
		}
		spec.FrontendIPConfigurations = append(spec.FrontendIPConfigurations, configuration)
	}
	if b.servesAPI() && len(b.frontends) == 0 {
		return typed.Invalid("%s.frontendIPs has no entry with publicIP, but must have one, as its type is %q", b.path, b.Type)
	}
	return nil
}

// part refers to a part of the load balancer itself.
func (n *Network) part(b balancer, kind, name string) *balancers.SubResource {
	return &balancers.SubResource{Reference: typed.ByID(n.id(n.spec.ResourceGroup, "loadBalancers", b.name, kind, name))}
}

func (n *Network) frontend(b balancer, name string) *balancers.SubResource {
	return n.part(b, "frontendIPConfigurations", name)
}

func (n *Network) backend(b balancer) *balancers.SubResource {
	return n.part(b, "backendAddressPools", b.pool)
}

// outboundRules lets what is in the pool reach the world.
func (n *Network) outboundRules(b balancer) []balancers.OutboundRule {
	rule := balancers.OutboundRule{
		Name:                 ptr.To(outboundNAT),
		Protocol:             ptr.To(balancers.OutboundRulePropertiesFormat_Protocol_All),
		IdleTimeoutInMinutes: whole(b.IdleTimeoutInMinutes),
		BackendAddressPool:   n.backend(b),
	}
	for _, f := range b.frontends {
		rule.FrontendIPConfigurations = append(rule.FrontendIPConfigurations, *n.frontend(b, f.Name))
	}
	return []balancers.OutboundRule{rule}
}

// apiServerRules passes the port of the API server on, and those that the user adds.
func (n *Network) apiServerRules(b balancer) []balancers.LoadBalancingRule {
	if len(b.frontends) == 0 {
		return nil
	}
	rule := func(name string, frontendPort, backendPort int32) balancers.LoadBalancingRule {
		return balancers.LoadBalancingRule{
			Name:                    ptr.To(name),
			Protocol:                ptr.To(balancers.TransportProtocol_Tcp),
			FrontendPort:            whole(&frontendPort),
			BackendPort:             whole(&backendPort),
			IdleTimeoutInMinutes:    whole(b.IdleTimeoutInMinutes),
			EnableFloatingIP:        ptr.To(false),
			DisableOutboundSnat:     ptr.To(true), // The outbound rule is for that.
			LoadDistribution:        ptr.To(balancers.LoadBalancingRulePropertiesFormat_LoadDistribution_Default),
			FrontendIPConfiguration: n.frontend(b, b.frontends[0].Name),
			BackendAddressPool:      n.backend(b),
			Probe:                   n.part(b, "probes", probeHTTPS),
		}
	}
	rules := []balancers.LoadBalancingRule{rule(ruleHTTPS, cmp.Or(n.spec.ControlPlaneEndpoint.Port, n.apiServerPort()), n.apiServerPort())}
	for _, port := range n.spec.NetworkSpec.AdditionalAPIServerLBPorts {
		rules = append(rules, rule(port.Name, port.Port, port.Port))
	}
	return rules
}

func (n *Network) apiServerProbes() []balancers.Probe {
	port := n.apiServerPort()
	return []balancers.Probe{{
		Name:              ptr.To(probeHTTPS),
		Protocol:          ptr.To(balancers.ProbePropertiesFormat_Protocol_Https),
		Port:              whole(&port),
		RequestPath:       ptr.To(probePath),
		IntervalInSeconds: ptr.To(probeInterval),
		ProbeThreshold:    ptr.To(1),
	}}
}
