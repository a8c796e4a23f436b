package containerservice

import (
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// managedClusterFields are the properties of a managed cluster that not every api-version shows.
var managedClusterFields = append(prefixed("properties.agentPoolProfiles.", agentPoolFields), []fields.Versioned{
	{Path: "kind", Since: "2025-02-01"},
	{Path: "eTag", Preview: true},
	{Path: "properties.supportPlan", Since: "2023-09-01"},
	{Path: "properties.currentKubernetesVersion", Since: "2022-01-01"},
	{Path: "properties.resourceUID", Since: fields.Version2024},
	{Path: "properties.autoUpgradeProfile.nodeOSUpgradeChannel", Since: "2023-06-01"},
	{Path: "properties.securityProfile", Since: "2022-09-01"},
	{Path: "properties.storageProfile", Since: "2022-09-01"},
	{Path: "properties.storageProfile.diskCSIDriver.version", Preview: true},
	{Path: "properties.oidcIssuerProfile", Since: "2022-09-01"},
	{Path: "properties.workloadAutoScalerProfile", Since: "2022-09-01"},
	{Path: "properties.metricsProfile", Since: fields.Version2024},
	{Path: "properties.controlPlanePluginProfiles", Preview: true},
	{Path: "properties.nodeProvisioningProfile", Since: "2025-05-01"},
	{Path: "properties.bootstrapProfile", Since: "2025-03-01"},
	{Path: "properties.hostedSystemProfile", Preview: true},
	{Path: "properties.enableFIPS", Preview: true},
	{Path: "properties.networkProfile.networkDataplane", Since: fields.Version2024},
	{Path: "properties.networkProfile.networkPluginMode", Since: "2023-02-01"},
	{Path: "properties.networkProfile.networkPolicy", Since: "2023-10-01"},
	{Path: "properties.networkProfile.dockerBridgeCidr", Before: "2022-09-01"},
	{Path: "properties.networkProfile.podLinkLocalAccess", Preview: true},
	{Path: "properties.networkProfile.podCidrs", Since: "2021-08-01"},
	{Path: "properties.networkProfile.serviceCidrs", Since: "2021-08-01"},
	{Path: "properties.networkProfile.ipFamilies", Since: "2021-08-01"},
	{Path: "properties.networkProfile.loadBalancerProfile.backendPoolType", Since: "2023-06-01"},
}...)

// agentPoolFields are those of an agent pool.
var agentPoolFields = []fields.Versioned{
	{Path: "currentOrchestratorVersion", Since: "2022-01-01"},
	{Path: "scaleDownMode", Since: "2021-08-01"},
	{Path: "securityProfile", Since: fields.Version2024},
	{Path: "securityProfile.sshAccess", Since: "2025-02-01"},
	{Path: "upgradeSettings.maxUnavailable", Since: "2025-02-01"},
	{Path: "upgradeStrategy", Preview: true},
	{Path: "eTag", Preview: true},
}

func prefixed(prefix string, all []fields.Versioned) []fields.Versioned {
	out := make([]fields.Versioned, len(all))
	for i, f := range all {
		f.Path = prefix + f.Path
		out[i] = f
	}
	return out
}
