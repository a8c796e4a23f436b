package network

import (
	"fmt"

	links "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// privateLinkServices returns the services by which other networks reach the load balancer of the API server.
func (n *Network) privateLinkServices() []*plan.Resource {
	lb := n.spec.NetworkSpec.APIServerLB
	if lb == nil || !n.spec.ControlPlaneEnabled {
		return nil
	}
	var all []*plan.Resource
	for i, link := range lb.PrivateLinks {
		all = append(all, n.objects.Resource(fmt.Sprintf("spec.networkSpec.apiServerLB.privateLinks[%d]", i), v1beta1.ASOObjectName(link.Name),
			&links.PrivateLinkService{Spec: n.privateLinkService(link)}, nil))
	}
	return all
}

func (n *Network) privateLinkService(link v1beta1.PrivateLink) links.PrivateLinkService_Spec {
	spec := links.PrivateLinkService_Spec{
		AzureName:           link.Name,
		Owner:               typed.OwnedBy(n.spec.ResourceGroup),
		Location:            &n.spec.Location,
		EnableProxyProtocol: link.EnableProxyProtocol,
		Tags:                n.tags(link.Name, ""),
		Visibility:          subscriptions(link.AllowedSubscriptions),
		AutoApproval:        subscriptions(link.AutoApprovedSubscriptions),
	}
	for i, c := range link.NATIPConfigurations {
		configuration := links.PrivateLinkServiceIpConfiguration{
			Name:                      ptr.To(fmt.Sprintf("%s-natipconfig-%d", c.Subnet, i+1)),
			Subnet:                    &links.Subnet_PrivateLinkService_SubResourceEmbedded{Reference: typed.ByID(n.subnetID(c.Subnet))},
			PrivateIPAllocationMethod: (*links.IPAllocationMethod)(typed.Text(c.AllocationMethod)),
		}
		if c.AllocationMethod == v1beta1.NATIPAllocationMethodStatic {
			configuration.PrivateIPAddress = ptr.To(c.PrivateIPAddress)
		}
		if i == 0 {
			configuration.Primary = ptr.To(true)
		}
		spec.IpConfigurations = append(spec.IpConfigurations, configuration)
	}
	for _, frontend := range link.LBFrontendIPConfigNames {
		spec.LoadBalancerFrontendIpConfigurations = append(spec.LoadBalancerFrontendIpConfigurations,
			links.FrontendIPConfiguration_PrivateLinkService_SubResourceEmbedded{Reference: typed.ByID(
				n.id(n.spec.ResourceGroup, "loadBalancers", n.spec.NetworkSpec.APIServerLB.Name, "frontendIPConfigurations", frontend))})
	}
	return spec
}

// subscriptions returns a set of subscriptions; nil for none.
func subscriptions(ids []string) *links.ResourceSet {
	if len(ids) == 0 {
		return nil
	}
	return &links.ResourceSet{Subscriptions: ids}
}
