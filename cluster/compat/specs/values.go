package specs

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/runtime"
)

// outputs are fields that controllers write.
var outputs = append([]string{"controlPlaneEndpoint", "machineTemplate", "providerIDList"}, selfManagedOutputs...)

// Subscription is that of all resources.
const Subscription = "00000000-0000-0000-0000-00000000000a"

// sshKey is a public key in base64, as sshPublicKey takes it.
const sshKey = "c3NoLWVkMjU1MTkgQUFBQUMzTnphQzFsWkRJMU5URTVBQUFBSU9NcXFua1Z6cm0wU2RHNlVPb3FLTHNhYmdINUM5b2tXaTBkaDJsOUdLSmwgdXNlckBleGFtcGxlLmNvbQo="

// oneOf chooses among values, and returns a copy: who changes it changes nothing else.
func oneOf(values ...any) func(*rand.Rand) any {
	return func(r *rand.Rand) any {
		switch v := pick(r, values...).(type) {
		case map[string]any:
			return runtime.DeepCopyJSON(v)
		case []any:
			return runtime.DeepCopyJSONValue(v)
		default:
			return v
		}
	}
}

// numbered makes values that differ, so that names are unique often enough.
func numbered(format string) func(*rand.Rand) any {
	return func(r *rand.Rand) any { return fmt.Sprintf(format, r.IntN(1000)) }
}

func resource(typ string) func(*rand.Rand) any {
	return numbered("/subscriptions/" + Subscription + "/resourceGroups/Other_Group/providers/" + typ + "/r%d")
}

// controlPlaneValues says what texts of AzureManagedControlPlane.spec look like.
var controlPlaneValues = map[string]func(*rand.Rand) any{
	"aadProfile.adminGroupObjectIDs[]":                numbered("group-%d"),
	"addonProfiles[].name":                            oneOf("azurepolicy", "omsagent", "azureKeyvaultSecretsProvider", "gitops"),
	"apiServerAccessProfile.authorizedIPRanges[]":     oneOf("0.0.0.0/32", "12.34.56.78/32", "10.0.0.0/8", "fd00::/64"),
	"apiServerAccessProfile.privateDNSZone":           oneOf("System", "none", "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/privateDnsZones/privatelink.westus.azmk8s.io"),
	"asoManagedClusterPatches[]":                      oneOf(""),
	"autoscalerProfile.maxEmptyBulkDelete":            oneOf("0", "10"),
	"autoscalerProfile.maxTotalUnreadyPercentage":     oneOf("0", "45", "100"),
	"autoscalerProfile.newPodScaleUpDelay":            oneOf("0s", "1m30s", "2h"),
	"autoscalerProfile.scaleDownUtilizationThreshold": oneOf("0", "0.5", "1"),
	"azureEnvironment":                                oneOf("", "AzurePublicCloud"),
	"dnsPrefix":                                       oneOf("prefix", "My-Prefix1"),
	"dnsServiceIP":                                    oneOf("10.100.0.10", "10.100.7.10"),
	"extensions[].configurationSettings":              oneOf(map[string]any{}, map[string]any{"a.b": "c", "d": ""}),
	"extensions[].extensionType":                      oneOf("TraefikLabs.TraefikProxy", "microsoft.flux"),
	"extensions[].name":                               numbered("Extension_%d"),
	"extensions[].plan.name":                          oneOf("", "plan"),
	"extensions[].plan.product":                       oneOf("", "traefik-proxy"),
	"extensions[].plan.promotionCode":                 oneOf("", "code"),
	"extensions[].plan.publisher":                     oneOf("", "containous"),
	"extensions[].plan.version":                       oneOf("", "1.2"),
	"extensions[].releaseTrain":                       oneOf("stable", "Preview"),
	"extensions[].scope.releaseNamespace":             oneOf("release", ""),
	"extensions[].scope.targetNamespace":              oneOf("target", ""),
	"extensions[].version":                            oneOf("1.0.0", "2"),
	"fleetsMember.group":                              oneOf("", "default", "canary"),
	"fleetsMember.managerName":                        oneOf("fleet", "Fleet_1"),
	"fleetsMember.managerResourceGroup":               oneOf("fleets", "Fleets_RG"),
	"fleetsMember.name":                               oneOf("", "member", "m-1"),
	"httpProxyConfig.httpProxy":                       oneOf("", "http://proxy:3128"),
	"httpProxyConfig.httpsProxy":                      oneOf("", "https://proxy:3129"),
	"httpProxyConfig.noProxy[]":                       oneOf("localhost", "10.0.0.0/8"),
	"httpProxyConfig.trustedCa":                       oneOf("", "Y2VydA=="),
	"identity.userAssignedIdentityResourceID":         resource("Microsoft.ManagedIdentity/userAssignedIdentities"),
	"identityRef":                                     oneOf(map[string]any{"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "AzureClusterIdentity", "name": "identity"}),
	"kubeletUserAssignedIdentity":                     oneOf("", "/subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/kubelet"),
	"loadBalancerProfile.outboundIPPrefixes[]":        resource("Microsoft.Network/publicIPPrefixes"),
	"loadBalancerProfile.outboundIPs[]":               resource("Microsoft.Network/publicIPAddresses"),
	"loadBalancerProfile.managedOutboundIPs":          oneOf(int64(1), int64(100)),
	"loadBalancerProfile.allocatedOutboundPorts":      oneOf(int64(0), int64(64000)),
	"loadBalancerProfile.idleTimeoutInMinutes":        oneOf(int64(4), int64(120)),
	"location":              oneOf("westus", "westeurope"),
	"networkPlugin":         oneOf("azure", "kubenet", "none"),
	"nodeResourceGroupName": oneOf("", "nodes", "Node_Group"),
	"resourceGroupName":     oneOf("group", "My_Group", "RG.one"),
	"securityProfile.azureKeyVaultKms.keyVaultNetworkAccess":   oneOf("Public", "Private"),
	"securityProfile.azureKeyVaultKms.keyID":                   oneOf("https://vault.vault.azure.net/keys/key/1"),
	"securityProfile.azureKeyVaultKms.keyVaultResourceID":      resource("Microsoft.KeyVault/vaults"),
	"securityProfile.defender.logAnalyticsWorkspaceResourceID": resource("Microsoft.OperationalInsights/workspaces"),
	"sshPublicKey":                    oneOf(sshKey),
	"subscriptionID":                  oneOf(Subscription),
	"version":                         oneOf("v1.31.9", "1.32.4", "v1.33.2"),
	"virtualNetwork.cidrBlock":        oneOf("10.224.0.0/12", "10.0.0.0/8"),
	"virtualNetwork.name":             oneOf("network", "My_Network", "vnet.one"),
	"virtualNetwork.resourceGroup":    oneOf("", "networks", "Net_Group"),
	"virtualNetwork.subnet.cidrBlock": oneOf("10.240.0.0/16", "10.225.0.0/24"),
	"virtualNetwork.subnet.name":      oneOf("subnet", "My_Subnet"),
	"virtualNetwork.subnet.serviceEndpoints[].locations[]":                                          oneOf("*", "westus"),
	"virtualNetwork.subnet.serviceEndpoints[].service":                                              oneOf("Microsoft.Sql", "Microsoft.Storage"),
	"virtualNetwork.subnet.privateEndpoints[].name":                                                 numbered("Endpoint_%d"),
	"virtualNetwork.subnet.privateEndpoints[].location":                                             oneOf("", "eastus"),
	"virtualNetwork.subnet.privateEndpoints[].privateIPAddresses":                                   oneOf([]any{}, []any{"10.240.0.9", "10.240.0.8"}, []any{"10.225.0.7"}),
	"virtualNetwork.subnet.privateEndpoints[].applicationSecurityGroups[]":                          resource("Microsoft.Network/applicationSecurityGroups"),
	"virtualNetwork.subnet.privateEndpoints[].customNetworkInterfaceName":                           oneOf("", "nic"),
	"virtualNetwork.subnet.privateEndpoints[].privateLinkServiceConnections[].name":                 oneOf("", "b", "a"),
	"virtualNetwork.subnet.privateEndpoints[].privateLinkServiceConnections[].privateLinkServiceID": resource("Microsoft.Network/privateLinkServices"),
	"virtualNetwork.subnet.privateEndpoints[].privateLinkServiceConnections[].groupIDs[]":           oneOf("vault", "blob"),
	"virtualNetwork.subnet.privateEndpoints[].privateLinkServiceConnections[].requestMessage":       oneOf("", "please"),
}

// poolValues says what texts of AzureManagedMachinePool.spec look like.
var poolValues = map[string]func(*rand.Rand) any{
	"asoManagedClustersAgentPoolPatches[]":          oneOf(""),
	"availabilityZones[]":                           oneOf("1", "2", "3"),
	"kubeletConfig.allowedUnsafeSysctls[]":          oneOf("kernel.shmmax", "net.ipv4.tcp_syncookies", "fs.mqueue.msg_max"),
	"kubeletConfig.cpuCfsQuotaPeriod":               oneOf("100ms", "5ms"),
	"linuxOSConfig.sysctls.netIpv4IPLocalPortRange": oneOf("1024 60999", "32768 65000"),
	"maxPods":              oneOf(int64(10), int64(110), int64(250)),
	"name":                 oneOf("", "pool", "p1"),
	"nodePublicIPPrefixID": oneOf("/subscriptions/" + Subscription + "/resourceGroups/g/providers/Microsoft.Network/publicipprefixes/prefix"),
	"sku":                  oneOf("Standard_D2s_v3", "Standard_B2ms"),
	"spotMaxPrice":         oneOf("-1", "0.5", "1200m", int64(2)),
	"subnetName":           oneOf("nodes", "My_Subnet.2"),
	"taints[].key":         oneOf("key", "example.com/key"),
	"taints[].value":       oneOf("", "value"),
}

// Patches that CAPZ can apply. The last two of each need the preview version.
var (
	clusterPatches = []string{
		`{"spec":{"nodeResourceGroupProfile":{"restrictionLevel":"ReadOnly"}}}`,
		"spec:\n  sku: null\n  supportPlan: KubernetesOfficial\n",
		"spec: {networkProfile: {advancedNetworking: {enabled: true}, ipFamilies: [IPv4, IPv6]}}",
		`{"spec":{"agentPoolProfiles":null,"tags":{"patched":"yes"}}}`,
		"metadata: {labels: {patched: 'yes'}, annotations: {patched: 'yes'}}",
		`{"spec":{"kubernetesVersion":"1.30.0","identity":{"type":"SystemAssigned","userAssignedIdentities":null}}}`,
	}
	clusterPreviewPatches = []string{
		"spec: {enableNamespaceResources: true, networkProfile: {podLinkLocalAccess: IMDS}}",
		`{"spec":{"schedulerProfile":{"schedulerInstanceProfiles":{}}}}`,
	}
	poolPatches = []string{
		`{"spec":{"upgradeSettings":{"maxSurge":"33%"}}}`,
		"spec: {osSKU: AzureLinux, count: null}",
		"spec: {tags: {patched: 'yes'}, nodeTaints: ['a=b:NoSchedule']}",
		"metadata: {labels: {patched: 'yes'}}",
	}
	poolPreviewPatches = []string{
		"spec: {nodeInitializationTaints: ['a=b:NoSchedule']}",
		`{"spec":{"upgradeStrategy":"BlueGreen","upgradeSettings":{"maxBlockedNodes":"1"}}}`,
	}
)

// patches chooses some of the patches, in some order, perhaps one twice.
func patches(r *rand.Rand, from ...string) []any {
	chosen := []any{}
	for range r.IntN(4) {
		chosen = append(chosen, pick(r, from...))
	}
	if rarely(r) {
		chosen = append(chosen, pick(r, "{", "spec: {tags: 1}", "spec: {unheardOf: 1}"))
	}
	return chosen
}
