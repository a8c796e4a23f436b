package aso

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	networkGroup          = "network.azure.com"
	containerServiceGroup = "containerservice.azure.com"
	computeGroup          = "compute.azure.com"
)

// The kinds that typed composite kinds are composed of.
var (
	ResourceGroup = declare(Kind{Group: "resources.azure.com", Name: "ResourceGroup", Version: "v1api20200601", Ownership: ByTag, Condition: "ResourceGroupReady"})

	VirtualNetwork        = declare(Kind{Group: networkGroup, Name: "VirtualNetwork", Version: "v1api20201101", Ownership: ByTag, Condition: "VNetReady"})
	VirtualNetworksSubnet = declare(Kind{Group: networkGroup, Name: "VirtualNetworksSubnet", Version: "v1api20201101", Ownership: OfParent, Condition: "SubnetsReady"})

	NetworkSecurityGroup              = declare(Kind{Group: networkGroup, Name: "NetworkSecurityGroup", Version: "v1api20201101", Ownership: ByTag, Condition: "SecurityGroupsReady"})
	NetworkSecurityGroupsSecurityRule = declare(Kind{Group: networkGroup, Name: "NetworkSecurityGroupsSecurityRule", Version: "v1api20201101", Ownership: OfParent, Condition: "SecurityGroupsReady"})
	RouteTable                        = declare(Kind{Group: networkGroup, Name: "RouteTable", Version: "v1api20201101", Ownership: ByTag, Condition: "RouteTablesReady"})
	PublicIPAddress                   = declare(Kind{Group: networkGroup, Name: "PublicIPAddress", Version: "v1api20201101", Ownership: ByTag, Condition: "PublicIPsReady"})
	NatGateway                        = declare(Kind{Group: networkGroup, Name: "NatGateway", Version: "v1api20220701", Ownership: ByTag, Condition: "NATGatewaysReady"})

	VirtualNetworksVirtualNetworkPeering = declare(Kind{Group: networkGroup, Name: "VirtualNetworksVirtualNetworkPeering", Version: "v1api20201101",
		Ownership: OfParent, Condition: "VnetPeeringReady"})
	LoadBalancer = declare(Kind{Group: networkGroup, Name: "LoadBalancer", Version: "v1api20240301", Ownership: ByTag,
		Lifecycle: CreateOnly, Condition: "LoadBalancersReady"})

	PrivateDnsZone                    = declare(Kind{Group: networkGroup, Name: "PrivateDnsZone", Version: "v1api20240601", Ownership: ByTag, Condition: "PrivateDNSZoneReady"})
	PrivateDnsZonesVirtualNetworkLink = declare(Kind{Group: networkGroup, Name: "PrivateDnsZonesVirtualNetworkLink", Version: "v1api20240601",
		Ownership: ByTag, Condition: "PrivateDNSLinkReady"})
	PrivateDnsZonesARecord    = declare(Kind{Group: networkGroup, Name: "PrivateDnsZonesARecord", Version: "v1api20240601", Ownership: OfParent, Condition: "PrivateDNSRecordReady"})
	PrivateDnsZonesAAAARecord = declare(Kind{Group: networkGroup, Name: "PrivateDnsZonesAAAARecord", Version: "v1api20240601", Ownership: OfParent, Condition: "PrivateDNSRecordReady"})
	PrivateLinkService        = declare(Kind{Group: networkGroup, Name: "PrivateLinkService", Version: "v1api20220701", Ownership: ByTag, Condition: "PrivateLinksReady"})
	BastionHost               = declare(Kind{Group: networkGroup, Name: "BastionHost", Version: "v1api20220701", Ownership: ByTag, Condition: "BastionHostReady"})

	ManagedCluster = declare(Kind{Group: containerServiceGroup, Name: "ManagedCluster", Version: "v1api20250801", Ownership: ByTag, Condition: "ManagedClusterRunning"})
	// AKS makes the agent pools of a new ManagedCluster itself.
	ManagedClustersAgentPool = declare(Kind{Group: containerServiceGroup, Name: "ManagedClustersAgentPool", Version: "v1api20250801",
		Ownership: ByTag, New: true, Condition: "AgentPoolsReady"})
	PrivateEndpoint = declare(Kind{Group: networkGroup, Name: "PrivateEndpoint", Version: "v1api20220701", Ownership: ByTag, Condition: "PrivateEndpointsReady"})
	// A member of a fleet, which is somebody else's, belongs to the cluster that joins.
	FleetsMember = declare(Kind{Group: containerServiceGroup, Name: "FleetsMember", Version: "v1api20250301",
		Ownership: OfParent, Parent: "spec.clusterResourceReference", ParentInStatus: "clusterResourceId", Condition: "FleetReady"})
	Extension = declare(Kind{Group: "kubernetesconfiguration.azure.com", Name: "Extension", Version: "v1api20230501",
		Ownership: OfParent, New: true, Condition: "AKSExtensionsReady"})
)

// The kinds that machines of clusters are composed of, whose control planes are machines too.
var (
	NetworkInterface = declare(Kind{Group: networkGroup, Name: "NetworkInterface", Version: "v1api20201101", Ownership: ByTag,
		Lifecycle: CreateOnly, Condition: "NetworkInterfacesReady"})
	LoadBalancersInboundNatRule = declare(Kind{Group: networkGroup, Name: "LoadBalancersInboundNatRule", Version: "v1api20201101", Ownership: OfParent, Condition: "InboundNATRulesReady"})

	AvailabilitySet = declare(Kind{Group: computeGroup, Name: "AvailabilitySet", Version: "v1api20241101", Ownership: ByTag, Condition: "AvailabilitySetReady"})
	VirtualMachine  = declare(Kind{Group: computeGroup, Name: "VirtualMachine", Version: "v1api20220301", Ownership: ByTag,
		Lifecycle: ProviderCreated, Condition: "VMRunning"})
	// A virtual machine that was made for the Cluster has no extensions but its own.
	VirtualMachinesExtension = declare(Kind{Group: computeGroup, Name: "VirtualMachinesExtension", Version: "v1api20220301",
		Ownership: OfParent, New: true, Condition: "BootstrapSucceeded"})
	VirtualMachineScaleSet = declare(Kind{Group: computeGroup, Name: "VirtualMachineScaleSet", Version: "v1api20220301", Ownership: ByTag,
		Lifecycle: ProviderCreated, Condition: "ScaleSetRunning"})

	RoleAssignment = declare(Kind{Group: "authorization.azure.com", Name: "RoleAssignment", Version: "v1api20220401", Ownership: OfParent, Condition: "RoleAssignmentReady"})
)

// The kinds that users write beside them.
var (
	FederatedIdentityCredential = declare(Kind{Group: "managedidentity.azure.com", Name: "FederatedIdentityCredential", Ownership: OfParent})
	FluxConfiguration           = declare(Kind{Group: "kubernetesconfiguration.azure.com", Name: "FluxConfiguration", Ownership: OfParent})
	MaintenanceConfiguration    = declare(Kind{Group: containerServiceGroup, Name: "MaintenanceConfiguration", Ownership: OfParent})
	PublicIPPrefix              = declare(Kind{Group: networkGroup, Name: "PublicIPPrefix", Ownership: ByTag})
	RouteTablesRoute            = declare(Kind{Group: networkGroup, Name: "RouteTablesRoute", Ownership: OfParent})
	TrustedAccessRoleBinding    = declare(Kind{Group: containerServiceGroup, Name: "TrustedAccessRoleBinding", Ownership: OfParent})
	UserAssignedIdentity        = declare(Kind{Group: "managedidentity.azure.com", Name: "UserAssignedIdentity", Ownership: ByTag})
	Vault                       = declare(Kind{Group: "keyvault.azure.com", Name: "Vault", Ownership: ByTag})
)

// catalogue has the kinds in the order of their declarations.
var catalogue []Kind

// declare adds a kind to the catalogue. It panics, so that no binary starts, when the kind leaves open whose its resources are.
func declare(k Kind) Kind {
	if err := k.check(); err != nil {
		panic(err)
	}
	catalogue = append(catalogue, k)
	return k
}

// Catalogue returns every kind that Crossplane and provider-capz have rights to, those that others refer to first. The roles in
// package/install/rbac.yaml follow from it.
func Catalogue() []Kind { return slices.Clone(catalogue) }

// KindOf returns the kind of the catalogue with the group and the name; not ok when it has none.
func KindOf(kind schema.GroupKind) (k Kind, ok bool) {
	i := slices.IndexFunc(catalogue, func(k Kind) bool { return k.GroupKind() == kind })
	if i < 0 {
		return Kind{}, false
	}
	return catalogue[i], true
}
