package aks

import (
	"cmp"
	"fmt"
	"slices"

	endpoints "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// privateEndpoints returns the private endpoints in the subnet of the cluster.
func (c *aksCluster) privateEndpoints() []*plan.Resource {
	var objects []*plan.Resource
	for i, e := range c.spec.VirtualNetwork.Subnet.PrivateEndpoints {
		path := fmt.Sprintf("spec.virtualNetwork.subnet.privateEndpoints[%d]", i)
		subnet, problem := c.subnetReference(c.spec.VirtualNetwork.Subnet.Name)
		spec := c.privateEndpoint(e)
		spec.Subnet = &endpoints.Subnet_PrivateEndpoint_SubResourceEmbedded{Reference: subnet}
		objects = append(objects, c.object(path, v1beta1.ASOObjectName(e.Name), &endpoints.PrivateEndpoint{Spec: spec}, problem))
	}
	return objects
}

func (c *aksCluster) privateEndpoint(e v1beta1.PrivateEndpointSpec) endpoints.PrivateEndpoint_Spec {
	spec := endpoints.PrivateEndpoint_Spec{
		AzureName:                  e.Name,
		Owner:                      typed.OwnedBy(c.spec.VirtualNetwork.ResourceGroup),
		Location:                   ptr.To(cmp.Or(e.Location, c.spec.Location)),
		CustomNetworkInterfaceName: ptr.To(e.CustomNetworkInterfaceName),
		Tags:                       typed.Merged(c.spec.AdditionalTags, typed.OwnedTags(c.cluster.Name, e.Name, "")),
	}
	for _, id := range slices.Sorted(slices.Values(e.ApplicationSecurityGroups)) {
		spec.ApplicationSecurityGroups = append(spec.ApplicationSecurityGroups,
			endpoints.ApplicationSecurityGroupSpec_PrivateEndpoint_SubResourceEmbedded{Reference: typed.ByID(id)})
	}
	for _, address := range slices.Sorted(slices.Values(e.PrivateIPAddresses)) {
		spec.IpConfigurations = append(spec.IpConfigurations, endpoints.PrivateEndpointIPConfiguration{PrivateIPAddress: ptr.To(address)})
	}
	if e.ManualApproval {
		spec.ManualPrivateLinkServiceConnections = connections(e.PrivateLinkServiceConnections)
	} else {
		spec.PrivateLinkServiceConnections = connections(e.PrivateLinkServiceConnections)
	}
	return spec
}

// connections returns the connections by name, so that their order in the spec does not matter.
func connections(of []v1beta1.PrivateLinkServiceConnection) []endpoints.PrivateLinkServiceConnection {
	var all []endpoints.PrivateLinkServiceConnection
	for _, connection := range of {
		all = append(all, endpoints.PrivateLinkServiceConnection{
			Name: ptr.To(connection.Name),
			PrivateLinkServiceReference: &genruntime.WellKnownResourceReference{
				ResourceReference: genruntime.ResourceReference{ARMID: connection.PrivateLinkServiceID}},
			GroupIds:       connection.GroupIDs,
			RequestMessage: typed.Text(connection.RequestMessage),
		})
	}
	slices.SortStableFunc(all, func(a, b endpoints.PrivateLinkServiceConnection) int { return cmp.Compare(*a.Name, *b.Name) })
	return all
}
