package adopt

import (
	"strings"

	fleets "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250301"
	fleetsstorage "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250301/storage"
	clusters "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801"
	clustersstorage "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801/storage"
	extensions "github.com/Azure/azure-service-operator/v2/api/kubernetesconfiguration/v1api20230501"
	extensionsstorage "github.com/Azure/azure-service-operator/v2/api/kubernetesconfiguration/v1api20230501/storage"
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20240301"
	networksstorage "github.com/Azure/azure-service-operator/v2/api/network/v1api20240301/storage"
	groups "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	groupsstorage "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601/storage"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// A Kind is a kind of ASO that resources in Azure are adopted as.
type Kind struct {
	aso.Kind

	// secrets are the fields of the body that are secret, which Azure does not answer with.
	secrets []string
	// elsewhere are the fields of the body that other objects stand for.
	elsewhere []string
	// empty returns an object of the kind, normal one whose enumerations are written as its schema has them.
	empty  func() genruntime.ARMMetaObject
	normal func(genruntime.ARMMetaObject) (genruntime.ARMMetaObject, error)
}

// The kinds that are adopted, in the version that they are read and written in.
var (
	ResourceGroup = adopted(aso.ResourceGroup, "v1api20200601",
		(*groups.ResourceGroup).AssignProperties_To_ResourceGroup, (*groups.ResourceGroup).AssignProperties_From_ResourceGroup,
		new(groupsstorage.ResourceGroup))
	ManagedCluster = adopted(aso.ManagedCluster, "v1api20250801",
		(*clusters.ManagedCluster).AssignProperties_To_ManagedCluster, (*clusters.ManagedCluster).AssignProperties_From_ManagedCluster,
		new(clustersstorage.ManagedCluster)).
		standsElsewhere("properties.agentPoolProfiles").
		hides("properties.windowsProfile.adminPassword", "properties.servicePrincipalProfile.secret")
	AgentPool = adopted(aso.ManagedClustersAgentPool, "v1api20250801",
		(*clusters.ManagedClustersAgentPool).AssignProperties_To_ManagedClustersAgentPool, (*clusters.ManagedClustersAgentPool).AssignProperties_From_ManagedClustersAgentPool,
		new(clustersstorage.ManagedClustersAgentPool))
	MaintenanceConfiguration = adopted(aso.MaintenanceConfiguration, "v1api20250801",
		(*clusters.MaintenanceConfiguration).AssignProperties_To_MaintenanceConfiguration, (*clusters.MaintenanceConfiguration).AssignProperties_From_MaintenanceConfiguration,
		new(clustersstorage.MaintenanceConfiguration))
	TrustedAccessRoleBinding = adopted(aso.TrustedAccessRoleBinding, "v1api20250801",
		(*clusters.TrustedAccessRoleBinding).AssignProperties_To_TrustedAccessRoleBinding, (*clusters.TrustedAccessRoleBinding).AssignProperties_From_TrustedAccessRoleBinding,
		new(clustersstorage.TrustedAccessRoleBinding))
	Extension = adopted(aso.Extension, "v1api20230501",
		(*extensions.Extension).AssignProperties_To_Extension, (*extensions.Extension).AssignProperties_From_Extension,
		new(extensionsstorage.Extension)).
		hides("properties.configurationProtectedSettings")
	FluxConfiguration = adopted(aso.FluxConfiguration, "v1api20230501",
		(*extensions.FluxConfiguration).AssignProperties_To_FluxConfiguration, (*extensions.FluxConfiguration).AssignProperties_From_FluxConfiguration,
		new(extensionsstorage.FluxConfiguration)).
		hides("properties.configurationProtectedSettings", "properties.gitRepository.httpsCACert", "properties.bucket.accessKey",
			"properties.azureBlob.accountKey", "properties.azureBlob.sasToken", "properties.azureBlob.servicePrincipal")
	FleetsMember = adopted(aso.FleetsMember, "v1api20250301",
		(*fleets.FleetsMember).AssignProperties_To_FleetsMember, (*fleets.FleetsMember).AssignProperties_From_FleetsMember,
		new(fleetsstorage.FleetsMember))
	VirtualNetwork = adopted(aso.VirtualNetwork, "v1api20240301",
		(*networks.VirtualNetwork).AssignProperties_To_VirtualNetwork, (*networks.VirtualNetwork).AssignProperties_From_VirtualNetwork,
		new(networksstorage.VirtualNetwork)).
		standsElsewhere("properties.subnets", "properties.virtualNetworkPeerings")
	Subnet = adopted(aso.VirtualNetworksSubnet, "v1api20240301",
		(*networks.VirtualNetworksSubnet).AssignProperties_To_VirtualNetworksSubnet, (*networks.VirtualNetworksSubnet).AssignProperties_From_VirtualNetworksSubnet,
		new(networksstorage.VirtualNetworksSubnet))
)

// adopted declares a kind by ASO's conversions to and from the version that it stores: the way back writes enumerations as the schema has
// them, which Azure does not always do.
func adopted[T, S any, P interface {
	*T
	genruntime.ARMMetaObject
}](kind aso.Kind, version string, to, from func(P, *S) error, _ *S) Kind {
	kind.Version = version
	return Kind{
		Kind:  kind,
		empty: func() genruntime.ARMMetaObject { return P(new(T)) },
		normal: func(o genruntime.ARMMetaObject) (genruntime.ARMMetaObject, error) {
			stored, normal := new(S), P(new(T))
			if err := to(o.(P), stored); err != nil { //nolint:forcetypeassert // It comes from empty.
				return nil, err
			}
			return normal, from(normal, stored)
		},
	}
}

func (k Kind) hides(secrets ...string) Kind {
	k.secrets = secrets
	return k
}

func (k Kind) standsElsewhere(fields ...string) Kind {
	k.elsewhere = fields
	return k
}

// below reports whether a path is one of those given, or a part of what stands there.
func below(path string, these []string) bool {
	for _, one := range these {
		if path == one || strings.HasPrefix(path, one+".") || strings.HasPrefix(path, one+"[") {
			return true
		}
	}
	return false
}
