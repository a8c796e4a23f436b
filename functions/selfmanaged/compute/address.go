package compute

import (
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// publicIP returns the public IP address of the machine, if it has one: in all zones of the location, as they were when it was made.
func (m *machine) publicIP() []*plan.Resource {
	if !m.spec.AllocatePublicIP {
		return nil
	}
	zones := m.cluster.Zones
	var after []plan.Precondition
	switch {
	case m.live.PublicIP:
		zones = m.live.PublicIPZones
	case m.azure.ExtendedLocation != nil:
		zones = nil // An edge zone has none.
	case !m.cluster.ZonesKnown:
		after = append(after, plan.Precondition{OfObject: true, Description: "provider-capz knows the availability zones of location " + m.azure.Location})
	}
	name := azuremachine.PublicIPName(m.name)
	return []*plan.Resource{m.resource("spec.allocatePublicIP", name, &networks.PublicIPAddress{Spec: networks.PublicIPAddress_Spec{
		AzureName:                name,
		Owner:                    m.group(),
		Location:                 typed.Text(m.azure.Location),
		ExtendedLocation:         m.networkLocation(),
		Sku:                      &networks.PublicIPAddressSku{Name: ptr.To(networks.PublicIPAddressSku_Name_Standard)},
		PublicIPAddressVersion:   ptr.To(networks.IPVersion_IPv4),
		PublicIPAllocationMethod: ptr.To(networks.IPAllocationMethod_Static),
		Zones:                    zones,
		Tags:                     typed.Merged(m.azure.AdditionalTags, typed.OwnedTags(m.cluster.Name, name, "")),
	}}, nil, after)}
}

const (
	sshPort = 22
	// idleMinutes is after how many minutes without traffic a connection by the rule ends.
	idleMinutes = 4
)

// hasNATRule reports whether the load balancer of the API server leads SSH to the machine.
func (m *machine) hasNATRule() bool {
	lb := m.azure.NetworkSpec.APIServerLB
	return m.facts.Machine.ControlPlane && lb != nil && len(lb.FrontendIPs) > 0
}

// inboundNATRule returns the rule by which the load balancer of the API server leads SSH to a machine of the control plane. provider-capz
// chooses its port, so that no two machines have the same.
func (m *machine) inboundNATRule() []*plan.Resource {
	if !m.hasNATRule() {
		return nil
	}
	lb := m.azure.NetworkSpec.APIServerLB
	after := m.await(aso.LoadBalancer, lb.Name)
	if m.facts.SSHPort == 0 {
		after = append(after, plan.Precondition{OfObject: true, Description: "provider-capz has chosen a port for SSH"})
	}
	frontend := m.id(networkProvider, "loadBalancers", lb.Name, "frontendIPConfigurations", lb.FrontendIPs[0].Name)
	owner := &genruntime.KnownResourceReference{Name: m.objectName(aso.LoadBalancer, lb.Name)}
	if m.cluster.ExternallyManaged() {
		owner = &genruntime.KnownResourceReference{ARMID: m.id(networkProvider, "loadBalancers", lb.Name)}
	}
	r := m.resource("spec", m.name, &networks.LoadBalancersInboundNatRule{Spec: networks.LoadBalancersInboundNatRule_Spec{
		AzureName:               m.name,
		Owner:                   owner,
		Protocol:                ptr.To(networks.TransportProtocol_Tcp),
		FrontendPort:            ptr.To(int(m.facts.SSHPort)),
		BackendPort:             ptr.To(sshPort),
		EnableFloatingIP:        ptr.To(false),
		IdleTimeoutInMinutes:    ptr.To(idleMinutes),
		FrontendIPConfiguration: &networks.SubResource{Reference: typed.ByID(frontend)},
	}}, nil, after)
	s, _ := m.cluster.status(aso.LoadBalancer, v1beta1.ASOObjectName(lb.Name))
	r.ParentOwnership = s.Ownership
	return []*plan.Resource{r}
}
