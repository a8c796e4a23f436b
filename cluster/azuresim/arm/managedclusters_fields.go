package arm

// managedClusterFields are the properties of a managed cluster that not every api-version shows.
var managedClusterFields = append(prefixed("properties.agentPoolProfiles.", agentPoolFields), []field{
	{path: "kind", since: "2025-02-01"},
	{path: "eTag", preview: true},
	{path: "properties.supportPlan", since: "2023-09-01"},
	{path: "properties.currentKubernetesVersion", since: "2022-01-01"},
	{path: "properties.resourceUID", since: version2024},
	{path: "properties.autoUpgradeProfile.nodeOSUpgradeChannel", since: "2023-06-01"},
	{path: "properties.securityProfile", since: "2022-09-01"},
	{path: "properties.storageProfile", since: "2022-09-01"},
	{path: "properties.storageProfile.diskCSIDriver.version", preview: true},
	{path: "properties.oidcIssuerProfile", since: "2022-09-01"},
	{path: "properties.workloadAutoScalerProfile", since: "2022-09-01"},
	{path: "properties.metricsProfile", since: version2024},
	{path: "properties.controlPlanePluginProfiles", preview: true},
	{path: "properties.nodeProvisioningProfile", since: "2025-05-01"},
	{path: "properties.bootstrapProfile", since: "2025-03-01"},
	{path: "properties.hostedSystemProfile", preview: true},
	{path: "properties.enableFIPS", preview: true},
	{path: "properties.networkProfile.networkDataplane", since: version2024},
	{path: "properties.networkProfile.networkPluginMode", since: "2023-02-01"},
	{path: "properties.networkProfile.networkPolicy", since: "2023-10-01"},
	{path: "properties.networkProfile.dockerBridgeCidr", before: "2022-09-01"},
	{path: "properties.networkProfile.podLinkLocalAccess", preview: true},
	{path: "properties.networkProfile.podCidrs", since: "2021-08-01"},
	{path: "properties.networkProfile.serviceCidrs", since: "2021-08-01"},
	{path: "properties.networkProfile.ipFamilies", since: "2021-08-01"},
	{path: "properties.networkProfile.loadBalancerProfile.backendPoolType", since: "2023-06-01"},
}...)

// agentPoolFields are those of an agent pool.
var agentPoolFields = []field{
	{path: "currentOrchestratorVersion", since: "2022-01-01"},
	{path: "scaleDownMode", since: "2021-08-01"},
	{path: "securityProfile", since: version2024},
	{path: "securityProfile.sshAccess", since: "2025-02-01"},
	{path: "upgradeSettings.maxUnavailable", since: "2025-02-01"},
	{path: "upgradeStrategy", preview: true},
	{path: "eTag", preview: true},
}

func prefixed(prefix string, fields []field) []field {
	out := make([]field, len(fields))
	for i, f := range fields {
		f.path = prefix + f.path
		out[i] = f
	}
	return out
}
