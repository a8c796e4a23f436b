package expansion

import (
	"cmp"
	"fmt"
	"slices"

	fleets "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250301"
	extensions "github.com/Azure/azure-service-operator/v2/api/kubernetesconfiguration/v1api20230501"
	endpoints "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// defaultFleetGroup is the group of a member that names none.
const defaultFleetGroup = "default"

// managedClusterID returns the ARM ID of the AKS cluster, empty where the spec has no subscription to build it with.
func (c *aksCluster) managedClusterID() string {
	if c.spec.SubscriptionID == "" {
		return ""
	}
	return armID(c.spec.SubscriptionID, c.spec.ResourceGroupName, "Microsoft.ContainerService", "managedClusters", c.name)
}

// privateEndpoints returns the private endpoints in the subnet of the cluster.
func (c *aksCluster) privateEndpoints() []Object {
	var objects []Object
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
		Owner:                      ownedBy(c.spec.VirtualNetwork.ResourceGroup),
		Location:                   ptr.To(cmp.Or(e.Location, c.spec.Location)),
		CustomNetworkInterfaceName: ptr.To(e.CustomNetworkInterfaceName),
		Tags:                       merged(c.spec.AdditionalTags, ownedTags(c.cluster.Name, e.Name, "")),
	}
	for _, id := range slices.Sorted(slices.Values(e.ApplicationSecurityGroups)) {
		spec.ApplicationSecurityGroups = append(spec.ApplicationSecurityGroups,
			endpoints.ApplicationSecurityGroupSpec_PrivateEndpoint_SubResourceEmbedded{Reference: byID(id)})
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
			RequestMessage: text(connection.RequestMessage),
		})
	}
	slices.SortStableFunc(all, func(a, b endpoints.PrivateLinkServiceConnection) int { return cmp.Compare(*a.Name, *b.Name) })
	return all
}

// fleetsMember returns the membership of the cluster in a fleet, if it has one.
func (c *aksCluster) fleetsMember() []Object {
	member := c.spec.FleetsMember
	if member == nil {
		return nil
	}
	var problem *composer.Problem
	if c.spec.SubscriptionID == "" {
		problem = c.needsSubscription("the ID of the fleet in spec.fleetsMember")
	}
	return []Object{c.object("spec.fleetsMember", member.Name, &fleets.FleetsMember{Spec: fleets.FleetsMember_Spec{
		AzureName: member.Name,
		Owner: &genruntime.KnownResourceReference{
			ARMID: armID(c.spec.SubscriptionID, member.ManagerResourceGroup, "Microsoft.ContainerService", "fleets", member.ManagerName)},
		Group:                    ptr.To(cmp.Or(member.Group, defaultFleetGroup)),
		ClusterResourceReference: byID(c.managedClusterID()),
	}}, problem)}
}

// extensions returns the extensions of the cluster.
func (c *aksCluster) extensions() []Object {
	var objects []Object
	for i, e := range c.spec.Extensions {
		path := fmt.Sprintf("spec.extensions[%d]", i)
		objects = append(objects, c.object(path, v1beta1.ASOObjectName(e.Name), &extensions.Extension{Spec: c.extension(e)}, nil))
	}
	return objects
}

func (c *aksCluster) extension(e v1beta1.AKSExtension) extensions.Extension_Spec {
	spec := extensions.Extension_Spec{
		AzureName:               e.Name,
		Owner:                   &genruntime.ArbitraryOwnerReference{ARMID: c.managedClusterID()},
		AutoUpgradeMinorVersion: e.AutoUpgradeMinorVersion,
		ConfigurationSettings:   e.ConfigurationSettings,
		ExtensionType:           e.ExtensionType,
		ReleaseTrain:            e.ReleaseTrain,
		Version:                 e.Version,
		Scope:                   extensionScope(e.Scope),
	}
	if spec.Owner.ARMID == "" {
		spec.Owner = &genruntime.ArbitraryOwnerReference{Group: "containerservice.azure.com", Kind: "ManagedCluster", Name: v1beta1.ASOObjectName(c.name)}
	}
	if e.Plan != nil {
		spec.Plan = &extensions.Plan{Name: &e.Plan.Name, Product: &e.Plan.Product, PromotionCode: text(e.Plan.PromotionCode),
			Publisher: &e.Plan.Publisher, Version: &e.Plan.Version}
	}
	if e.Identity != "" {
		spec.Identity = &extensions.Identity{Type: ptr.To(extensions.Identity_Type(e.Identity))}
	}
	if e.AKSAssignedIdentityType != "" {
		spec.AksAssignedIdentity = &extensions.Extension_Properties_AksAssignedIdentity_Spec{
			Type: ptr.To(extensions.Extension_Properties_AksAssignedIdentity_Type_Spec(e.AKSAssignedIdentityType))}
	}
	return spec
}

func extensionScope(scope *v1beta1.ExtensionScope) *extensions.Scope {
	switch {
	case scope == nil:
		return nil
	case scope.ScopeType == v1beta1.ExtensionScopeNamespace:
		return &extensions.Scope{Namespace: &extensions.ScopeNamespace{TargetNamespace: ptr.To(scope.TargetNamespace)}}
	}
	return &extensions.Scope{Cluster: &extensions.ScopeCluster{ReleaseNamespace: ptr.To(scope.ReleaseNamespace)}}
}
