package schema

import "testing"

// TestControlPlaneUpdates are the rules about what of an AzureManagedControlPlane can be changed.
func TestControlPlaneUpdates(t *testing.T) {
	keep := func(field, old, changed, rest string, template inTemplate) map[string]rule {
		return unchangeable(controlPlane, field, old, changed, decidedCluster, rest, template)
	}
	rules := all(
		keep("networkPolicy", "azure", "calico", "", sameRule),
		keep("outboundType", "loadBalancer", "userDefinedRouting", "", sameRule),
		keep("dnsServiceIP", "10.96.0.10", "10.97.0.10", "", sameRule),
		keep("apiServerAccessProfile.enablePrivateCluster", "true", "false", "", sameRule),
		keep("apiServerAccessProfile.privateDNSZone", "System", "None", "", sameRule),
		keep("apiServerAccessProfile.enablePrivateClusterPublicFQDN", "true", "false", "", sameRule),
		keep("subscriptionID", "one", "two", "", sameRule),
		keep("sshPublicKey", "b25l", "dHdv", "", notThere),
	)
	// Of fields with a default the removed value comes back, and what is added is compared with it.
	for field, values := range map[string][2]string{"networkPlugin": {"kubenet", "none"}, "loadBalancerSKU": {"Basic", "Standard"}} {
		changed := keep(field, values[0], values[1], "", sameRule)[field+"/Changed"]
		rules[field+"/Changed"] = changed
	}
	// The reason shows no long values.
	ssh := rules["sshPublicKey/Changed"]
	ssh.want = `spec.sshPublicKey: Invalid value: "dHdv": cannot be changed` + decidedCluster
	rules["sshPublicKey/Changed"] = ssh
	runRules(t, rules)

	forbidden := func(field, old, changed string) string {
		return "spec." + field + ": Forbidden: cannot be changed from " + old + " to " + changed + decidedCluster
	}
	runRules(t, map[string]rule{
		"NetworkDataplane": {
			kind: controlPlane, existing: cilium, no: "{networkDataplane: azure}", yes: cilium,
			want: `[spec.networkPolicy: Invalid value: cilium needs networkDataplane cilium, which is azure, spec.networkDataplane: Invalid value: "azure": cannot be changed from cilium` + decidedCluster + "]",
		},
		"NetworkDataplaneAdded": {
			kind: controlPlane, existing: "{networkPluginMode: overlay, networkPolicy: cilium}", no: "{networkDataplane: cilium}", yes: "{additionalTags: {a: b}}", template: sameRule,
			want: "spec.networkDataplane: Forbidden: cannot be set or taken away later" + decidedCluster,
		},
		"NetworkDataplaneRemoved": {
			kind: controlPlane, existing: cilium, no: "{networkDataplane: null}", yes: cilium, template: sameRule,
			want: "spec.networkDataplane: Forbidden: cannot be set or taken away later" + decidedCluster,
		},
		"Location": {
			kind: controlPlane, existing: "{location: westeurope}", no: "{location: northeurope}", yes: "{location: westeurope}", template: sameRule,
			want: `spec.location: Invalid value: "northeurope": cannot be changed from westeurope` + decidedCluster,
		},
		"ResourceGroup": {
			kind: controlPlane, existing: "{}", no: "{resourceGroupName: other}", yes: "{resourceGroupName: group}", template: noRule,
			want: forbidden("resourceGroupName", "group", "other"),
		},
		"AuthorizedIPRangesFree": {
			kind: controlPlane, existing: "{apiServerAccessProfile: {enablePrivateCluster: false}}", no: "{apiServerAccessProfile: null}",
			yes:  "{apiServerAccessProfile: {authorizedIPRanges: [203.0.113.0/24]}}",
			want: "spec.apiServerAccessProfile.enablePrivateCluster: Forbidden: cannot be set or taken away later" + decidedCluster, template: sameRule,
		},
		"AddedRangesOnly": {
			kind: controlPlane, existing: "{}", no: "{apiServerAccessProfile: {enablePrivateCluster: true}}", yes: "{apiServerAccessProfile: {authorizedIPRanges: [203.0.113.0/24]}}",
			want: "spec.apiServerAccessProfile.enablePrivateCluster: Forbidden: cannot be set or taken away later" + decidedCluster, template: sameRule,
		},
		"HTTPProxy": {
			kind: controlPlane, existing: "{httpProxyConfig: {httpProxy: a}}", no: "{httpProxyConfig: {noProxy: [a]}}", yes: "{httpProxyConfig: {httpProxy: a}}", template: noRule,
			want: "spec.httpProxyConfig: Forbidden: cannot be changed" + decidedCluster,
		},
		"HTTPProxyAdded": {
			kind: controlPlane, existing: "{}", no: "{httpProxyConfig: {noProxy: [a]}}", yes: "{additionalTags: {a: b}}", template: noRule,
			want: "spec.httpProxyConfig: Forbidden: cannot be changed" + decidedCluster,
		},
		"HTTPProxyRemoved": {
			kind: controlPlane, existing: "{httpProxyConfig: {httpProxy: a}}", no: "{httpProxyConfig: null}", yes: "{httpProxyConfig: {httpProxy: a}}", template: noRule,
			want: "spec.httpProxyConfig: Forbidden: cannot be changed" + decidedCluster,
		},
		"Environment": {
			kind: controlPlane, existing: "{azureEnvironment: AzurePublicCloud}", no: "{azureEnvironment: AzureChinaCloud}", yes: "{azureEnvironment: AzurePublicCloud}", template: noRule,
			want: forbidden("azureEnvironment", "AzurePublicCloud", "AzureChinaCloud"),
		},
		"EnvironmentAdded": {
			kind: controlPlane, existing: "{}", no: "{azureEnvironment: AzureChinaCloud}", yes: "{}", template: noRule,
			want: forbidden("azureEnvironment", "nothing", "AzureChinaCloud"),
		},
		"DNSPrefix": {
			kind: controlPlane, existing: "{dnsPrefix: first}", no: "{dnsPrefix: second}", yes: "{dnsPrefix: first}",
			want: "spec.dnsPrefix: Forbidden: cannot be changed" + decidedCluster,
		},
		"DNSPrefixDefault": {
			kind: controlPlane, existing: "{}", no: "{dnsPrefix: second}", yes: "{dnsPrefix: checked}",
			want: "spec.dnsPrefix: Forbidden: cannot be changed" + decidedCluster,
		},
		"NodeResourceGroup": {
			kind: controlPlane, existing: "{}", no: "{nodeResourceGroupName: other}", yes: "{nodeResourceGroupName: MC_group_checked_westeurope}",
			want: "spec.nodeResourceGroupName: Forbidden: cannot be changed" + decidedCluster,
		},
		"NodeResourceGroupRemoved": {
			kind: controlPlane, existing: "{nodeResourceGroupName: other}", no: "{nodeResourceGroupName: null}", yes: "{nodeResourceGroupName: other}",
			want: "spec.nodeResourceGroupName: Forbidden: cannot be changed" + decidedCluster,
		},
		"NetworkName": {
			kind: controlPlane, existing: "{virtualNetwork: {name: a}}", no: "{virtualNetwork: {name: b}}", yes: "{virtualNetwork: {name: a}}", template: noRule,
			want: "spec.virtualNetwork.name: Forbidden: cannot be changed" + decidedCluster,
		},
		"NetworkNameDefault": {
			kind: controlPlane, existing: "{}", no: "{virtualNetwork: {name: b}}", yes: "{virtualNetwork: {name: checked}}", template: noRule,
			want: "spec.virtualNetwork.name: Forbidden: cannot be changed" + decidedCluster,
		},
		"NetworkGroup": {
			kind: controlPlane, existing: "{virtualNetwork: {resourceGroup: a}}", no: "{virtualNetwork: {resourceGroup: b}}", yes: "{virtualNetwork: {resourceGroup: a}}", template: noRule,
			want: forbidden("virtualNetwork.resourceGroup", "a", "b"),
		},
		"NetworkGroupDefault": {
			kind: controlPlane, existing: "{}", no: "{virtualNetwork: {resourceGroup: b}}", yes: "{virtualNetwork: {resourceGroup: group}}", template: noRule,
			want: forbidden("virtualNetwork.resourceGroup", "group", "b"),
		},
		"NetworkRange": {
			kind: controlPlane, existing: "{virtualNetwork: {cidrBlock: 10.0.0.0/8}}", no: "{virtualNetwork: {cidrBlock: 10.128.0.0/9}}", yes: "{virtualNetwork: {cidrBlock: 10.0.0.0/8}}", template: sameRule,
			want: forbidden("virtualNetwork.cidrBlock", "10.0.0.0/8", "10.128.0.0/9"),
		},
		"NetworkRangeDefault": {
			kind: controlPlane, existing: "{}", no: "{virtualNetwork: {cidrBlock: 10.128.0.0/9}}", yes: "{virtualNetwork: {cidrBlock: 10.0.0.0/8}}", template: sameRule,
			want: forbidden("virtualNetwork.cidrBlock", "10.0.0.0/8", "10.128.0.0/9"),
		},
		"SubnetName": {
			kind: controlPlane, existing: "{virtualNetwork: {subnet: {name: a}}}", no: "{virtualNetwork: {subnet: {name: b}}}", yes: "{virtualNetwork: {subnet: {name: a}}}", template: sameRule,
			want: "spec.virtualNetwork.subnet.name: Forbidden: cannot be changed" + decidedCluster,
		},
		"SubnetNameDefault": {
			kind: controlPlane, existing: "{}", no: "{virtualNetwork: {subnet: {name: b}}}", yes: "{virtualNetwork: {subnet: {name: checked}}}",
			want: "spec.virtualNetwork.subnet.name: Forbidden: cannot be changed" + decidedCluster,
		},
		"SubnetRange": {
			kind: controlPlane, existing: "{virtualNetwork: {subnet: {cidrBlock: 10.1.0.0/16}}}", no: "{virtualNetwork: {subnet: {cidrBlock: null}}}", yes: "{virtualNetwork: {subnet: {cidrBlock: 10.1.0.0/16}}}", template: sameRule,
			want: forbidden("virtualNetwork.subnet.cidrBlock", "10.1.0.0/16", "10.240.0.0/16"),
		},
		"SubnetRangeOverlay": {
			kind: controlPlane, existing: overlay, no: "{virtualNetwork: {subnet: {cidrBlock: 10.225.0.0/16}}}", yes: "{virtualNetwork: {subnet: {cidrBlock: 10.224.0.0/16}}}", template: sameRule,
			want: forbidden("virtualNetwork.subnet.cidrBlock", "10.224.0.0/16", "10.225.0.0/16"),
		},
		"OverlayWithPolicy": {
			kind: controlPlane, existing: "{networkPolicy: azure}", no: overlay, yes: "{networkPolicy: azure}", template: noRule,
			want: "spec.networkPluginMode: Forbidden: overlay cannot be set on a cluster that has a networkPolicy, which is azure",
		},
		"OverlayWithoutPolicy": {
			kind: controlPlane, existing: "{networkPolicy: azure, networkPluginMode: overlay}", no: "{networkPolicy: calico}", yes: overlay,
			want: `spec.networkPolicy: Invalid value: "calico": cannot be changed from azure` + decidedCluster,
		},
		"Addons": {
			kind: controlPlane, existing: "{addonProfiles: [{name: a, enabled: true}, {name: b, enabled: true}]}", no: "{addonProfiles: [{name: a, enabled: true}]}",
			yes: "{addonProfiles: [{name: b, enabled: false}, {name: a, enabled: true}, {name: c, enabled: true}]}", template: noRule,
			want: "spec.addonProfiles: Forbidden: add-ons cannot be taken away: to switch one off, set enabled to false",
		},
		"AddonsRemoved": {
			kind: controlPlane, existing: "{addonProfiles: [{name: a, enabled: true}]}", no: "{addonProfiles: null}", yes: "{addonProfiles: [{name: a, enabled: false}]}", template: noRule,
			want: "spec.addonProfiles: Forbidden: add-ons cannot be taken away: to switch one off, set enabled to false",
		},
	})
}

// TestControlPlaneFeatureUpdates are the rules about features that cannot be taken away again.
func TestControlPlaneFeatureUpdates(t *testing.T) {
	aad := "{aadProfile: {managed: true, adminGroupObjectIDs: [a]}}"
	kms := "{identity: {type: UserAssigned, userAssignedIdentityResourceID: /id}, securityProfile: {azureKeyVaultKms: {enabled: true, keyID: k}}}"
	fleet := func(name string) string {
		return "{fleetsMember: {name: " + name + ", managerName: m, managerResourceGroup: g}}"
	}
	extension := func(fields string) string {
		return "{extensions: [{name: other, extensionType: t}, {name: e, extensionType: t, " + fields + "}]}"
	}
	rules := map[string]rule{
		"AADRemoved": {
			kind: controlPlane, existing: aad, no: "{aadProfile: null}", yes: "{aadProfile: {managed: true, adminGroupObjectIDs: [b]}}", template: sameRule,
			want: "spec.aadProfile: Forbidden: cannot be taken away again: AKS does not go back to clusters without Microsoft Entra ID",
		},
		"AADUnmanaged": {
			kind: controlPlane, existing: aad, no: "{aadProfile: {managed: false}}", yes: aad, template: sameRule,
			want: "spec.aadProfile.managed: Forbidden: cannot be set to false again: AKS does not take the integration back",
		},
		"AADGroups": {
			kind: controlPlane, existing: aad, no: "{aadProfile: {adminGroupObjectIDs: []}}", yes: "{aadProfile: {adminGroupObjectIDs: [a, b]}}", template: sameRule,
			want: "spec.aadProfile.adminGroupObjectIDs: Forbidden: cannot become empty: nobody would be an administrator",
		},
		"LocalAccounts": {
			kind: controlPlane, existing: "{disableLocalAccounts: true, aadProfile: {managed: true, adminGroupObjectIDs: [a]}}", no: "{disableLocalAccounts: false}", yes: "{disableLocalAccounts: true}", template: noRule,
			want: "spec.disableLocalAccounts: Forbidden: cannot be changed: it is decided when it is first set",
		},
		"LocalAccountsRemoved": {
			kind: controlPlane, existing: "{disableLocalAccounts: false, aadProfile: {managed: true, adminGroupObjectIDs: [a]}}", no: "{disableLocalAccounts: null}", yes: "{disableLocalAccounts: false}", template: noRule,
			want: "spec.disableLocalAccounts: Forbidden: cannot be changed: it is decided when it is first set",
		},
		"LocalAccountsLater": {
			kind: controlPlane, existing: "{}", no: "{disableLocalAccounts: true}", yes: "{disableLocalAccounts: true, aadProfile: {managed: true, adminGroupObjectIDs: [a]}}", template: noRule,
			want: "spec.disableLocalAccounts: Invalid value: needs aadProfile: without it nobody could sign in",
		},
		"AutoUpgrade": {
			kind: controlPlane, existing: "{autoUpgradeProfile: {upgradeChannel: patch}}", no: "{autoUpgradeProfile: {upgradeChannel: null}}", yes: "{autoUpgradeProfile: {upgradeChannel: none}}", template: noRule,
			want: "spec.autoUpgradeProfile.upgradeChannel: Forbidden: cannot be taken away again: to end upgrades, set none",
		},
		"AutoUpgradeRemoved": {
			kind: controlPlane, existing: "{autoUpgradeProfile: {upgradeChannel: patch}}", no: "{autoUpgradeProfile: null}", yes: "{autoUpgradeProfile: {upgradeChannel: stable}}", template: noRule,
			want: "spec.autoUpgradeProfile.upgradeChannel: Forbidden: cannot be taken away again: to end upgrades, set none",
		},
		"OIDCDisabled": {
			kind: controlPlane, existing: "{oidcIssuerProfile: {enabled: true}}", no: "{oidcIssuerProfile: {enabled: false}}", yes: "{oidcIssuerProfile: {enabled: true}}", template: noRule,
			want: "spec.oidcIssuerProfile.enabled: Forbidden: cannot be set to false again: AKS does not take an OIDC issuer away",
		},
		"OIDCRemoved": {
			kind: controlPlane, existing: "{oidcIssuerProfile: {enabled: true}}", no: "{oidcIssuerProfile: null}", yes: "{oidcIssuerProfile: {enabled: true}}", template: noRule,
			want: "spec.oidcIssuerProfile.enabled: Forbidden: cannot be set to false again: AKS does not take an OIDC issuer away",
		},
		"OIDCEnabled": {
			kind: controlPlane, existing: "{oidcIssuerProfile: {enabled: true}}", no: "{oidcIssuerProfile: {enabled: null}}", yes: "{additionalTags: {a: b}}", template: noRule,
			want: "spec.oidcIssuerProfile.enabled: Forbidden: cannot be set to false again: AKS does not take an OIDC issuer away",
		},
		"KMSRemoved": {
			kind: controlPlane, existing: kms, no: "{securityProfile: {azureKeyVaultKms: null}}", yes: "{securityProfile: {azureKeyVaultKms: {enabled: false}}}", template: sameRule,
			want: "spec.securityProfile.azureKeyVaultKms: Forbidden: cannot be taken away again: to switch it off, set enabled to false",
		},
		"SecurityProfileRemoved": {
			kind: controlPlane, existing: kms, no: "{securityProfile: null}", yes: kms, template: sameRule,
			want: "spec.securityProfile.azureKeyVaultKms: Forbidden: cannot be taken away again: to switch it off, set enabled to false",
		},
		"WorkloadIdentityRemoved": {
			kind: controlPlane, existing: "{oidcIssuerProfile: {enabled: true}, securityProfile: {workloadIdentity: {enabled: true}}}", no: "{securityProfile: {workloadIdentity: null}}",
			yes: "{securityProfile: {workloadIdentity: {enabled: false}}}", template: sameRule,
			want: "spec.securityProfile.workloadIdentity: Forbidden: cannot be taken away again: to switch it off, set enabled to false",
		},
		"ImageCleanerRemoved": {
			kind: controlPlane, existing: "{securityProfile: {imageCleaner: {enabled: true}}}", no: "{securityProfile: {imageCleaner: null}}", yes: "{securityProfile: {imageCleaner: {enabled: false}}}", template: sameRule,
			want: "spec.securityProfile.imageCleaner: Forbidden: cannot be taken away again: to switch it off, set enabled to false",
		},
		"DefenderRemoved": {
			kind: controlPlane, existing: "{securityProfile: {defender: {logAnalyticsWorkspaceResourceID: a, securityMonitoring: {enabled: true}}}}", no: "{securityProfile: {defender: null}}",
			yes: "{securityProfile: {defender: {securityMonitoring: {enabled: false}}}}", template: sameRule,
			want: "spec.securityProfile.defender: Forbidden: cannot be taken away again: to switch it off, set securityMonitoring.enabled to false",
		},
		"FleetsMemberName": {
			kind: controlPlane, existing: fleet("a"), no: fleet("b"), yes: "{fleetsMember: {group: other}}",
			want: "spec.fleetsMember.name: Forbidden: cannot be changed from a to b: it is the name of the membership in Azure",
		},
		"FleetsMemberNameRemoved": {
			kind: controlPlane, existing: fleet("a"), no: fleet("null"), yes: "{fleetsMember: null}",
			want: "spec.fleetsMember.name: Forbidden: cannot be changed from a to nothing: it is the name of the membership in Azure",
		},
		"ExtensionType": {
			kind: controlPlane, existing: extension(""), no: "{extensions: [{name: e, extensionType: u}]}", yes: "{extensions: [{name: e, extensionType: t}, {name: new, extensionType: u}]}", template: sameRule,
			want: `spec.extensions[0].extensionType: Invalid value: "u": cannot be changed from t` + decidedExtension,
		},
		"ExtensionPlan": {
			kind: controlPlane, existing: extension("plan: {name: p}"), no: extension("plan: {name: q}"), yes: extension(""), template: sameRule,
			want: "spec.extensions[1].plan: Forbidden: cannot be changed" + decidedExtension,
		},
		"ExtensionReleaseTrain": {
			kind: controlPlane, existing: extension("releaseTrain: Stable"), no: extension("releaseTrain: Preview"), yes: extension("releaseTrain: Stable, configurationSettings: {a: b}"), template: sameRule,
			want: `spec.extensions[1].releaseTrain: Invalid value: "Preview": cannot be changed from Stable` + decidedExtension,
		},
		"ExtensionVersion": {
			kind: controlPlane, existing: extension("autoUpgradeMinorVersion: false, version: 1.0.0"), no: extension("autoUpgradeMinorVersion: false, version: 1.0.1"), yes: extension("autoUpgradeMinorVersion: true"), template: sameRule,
			want: `spec.extensions[1].version: Invalid value: "1.0.1": cannot be changed from 1.0.0` + decidedExtension,
		},
		"ExtensionScope": {
			kind: controlPlane, existing: extension("scope: {scopeType: Cluster, releaseNamespace: a}"), no: extension("scope: {scopeType: Cluster, releaseNamespace: b}"),
			yes: "{additionalTags: {a: b}}", template: sameRule,
			want: "spec.extensions[1].scope: Forbidden: cannot be changed" + decidedExtension,
		},
		"ExtensionScopeAdded": {
			kind: controlPlane, existing: extension(""), no: extension("scope: {scopeType: Cluster, releaseNamespace: b}"), yes: "{extensions: null}", template: sameRule,
			want: "spec.extensions[1].scope: Forbidden: cannot be changed" + decidedExtension,
		},
		"ExtensionIdentity": {
			kind: controlPlane, existing: extension("identity: SystemAssigned"), no: extension(""), yes: extension("identity: SystemAssigned"), template: sameRule,
			want: "spec.extensions[1].identity: Forbidden: cannot be changed" + decidedExtension,
		},
	}
	runRules(t, rules)
}
