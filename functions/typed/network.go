package typed

import (
	"cmp"
	"slices"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	endpoints "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	groups "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// ResourceGroup returns a resource group of the Cluster. The tag Name is nameTag; of the tags the user's count most.
func (c Cluster) ResourceGroup(name, nameTag, location string, tags v1beta1.Tags) *groups.ResourceGroup {
	return &groups.ResourceGroup{Spec: groups.ResourceGroup_Spec{
		AzureName: name,
		Location:  &location,
		Tags:      Merged(OwnedTags(c.Name, nameTag, RoleCommon), tags),
	}}
}

// SubnetName returns the name of the object of a subnet: names of subnets are unique within their network only.
func SubnetName(network, subnet string) string { return v1beta1.ASOObjectName(network + "-" + subnet) }

// Subnet returns what every subnet has. A single address range stands in both of Azure's fields: with the list alone Azure asks for a
// feature that not every subscription has.
func Subnet(network, name string, ranges []string, services v1beta1.ServiceEndpoints) networks.VirtualNetworksSubnet_Spec {
	spec := networks.VirtualNetworksSubnet_Spec{AzureName: name, Owner: OwnedBy(network), AddressPrefixes: ranges}
	if len(ranges) == 1 {
		spec.AddressPrefix = ptr.To(ranges[0])
	}
	for _, e := range services {
		spec.ServiceEndpoints = append(spec.ServiceEndpoints, networks.ServiceEndpointPropertiesFormat{Service: ptr.To(e.Service), Locations: e.Locations})
	}
	return spec
}

// PrivateEndpoint returns a private endpoint of the Cluster in a subnet. It is at the location unless it says another.
func (c Cluster) PrivateEndpoint(e v1beta1.PrivateEndpointSpec, resourceGroup, location string, subnet *genruntime.ResourceReference, tags v1beta1.Tags) *endpoints.PrivateEndpoint {
	spec := endpoints.PrivateEndpoint_Spec{
		AzureName:                  e.Name,
		Owner:                      OwnedBy(resourceGroup),
		Location:                   ptr.To(cmp.Or(e.Location, location)),
		CustomNetworkInterfaceName: ptr.To(e.CustomNetworkInterfaceName),
		Tags:                       Merged(tags, OwnedTags(c.Name, e.Name, "")),
		Subnet:                     &endpoints.Subnet_PrivateEndpoint_SubResourceEmbedded{Reference: subnet},
	}
	for _, id := range slices.Sorted(slices.Values(e.ApplicationSecurityGroups)) {
		spec.ApplicationSecurityGroups = append(spec.ApplicationSecurityGroups,
			endpoints.ApplicationSecurityGroupSpec_PrivateEndpoint_SubResourceEmbedded{Reference: ByID(id)})
	}
	for _, address := range slices.Sorted(slices.Values(e.PrivateIPAddresses)) {
		spec.IpConfigurations = append(spec.IpConfigurations, endpoints.PrivateEndpointIPConfiguration{PrivateIPAddress: ptr.To(address)})
	}
	if e.ManualApproval {
		spec.ManualPrivateLinkServiceConnections = connections(e.PrivateLinkServiceConnections)
	} else {
		spec.PrivateLinkServiceConnections = connections(e.PrivateLinkServiceConnections)
	}
	return &endpoints.PrivateEndpoint{Spec: spec}
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
			RequestMessage: Text(connection.RequestMessage),
		})
	}
	slices.SortStableFunc(all, func(a, b endpoints.PrivateLinkServiceConnection) int { return cmp.Compare(*a.Name, *b.Name) })
	return all
}
