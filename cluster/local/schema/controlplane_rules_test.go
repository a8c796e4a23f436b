package schema

import (
	"strings"
	"testing"
)

const (
	controlPlane = "AzureManagedControlPlane"
	// resourceID starts the IDs that the rules are tried with.
	resourceID = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/g/providers/"
	// overlay and cilium are what networkDataplane cilium needs.
	overlay = "{networkPluginMode: overlay}"
	cilium  = "{networkPluginMode: overlay, networkPolicy: cilium, networkDataplane: cilium}"
)

// TestControlPlaneRules are the rules about one AzureManagedControlPlane when it is created or changed.
func TestControlPlaneRules(t *testing.T) {
	runRules(t, map[string]rule{
		"Name": {
			kind: controlPlane, name: "my-microsoft-cluster", template: sameRule,
			want: "metadata.name: Invalid value: must have neither microsoft nor windows in it: Azure keeps them for itself",
		},
		"NameWindows": {
			kind: controlPlane, name: "windows-1", template: sameRule,
			want: "metadata.name: Invalid value: must have neither microsoft nor windows in it: Azure keeps them for itself",
		},
		"VersionForm": {
			kind: controlPlane, no: "{version: v1.33}", yes: "{version: v1.33.6}", template: sameRule,
			want: `spec.version: Invalid value: "v1.33": must be a Kubernetes version with three numbers, such as v1.33.6`,
		},
		"VersionWord": {
			kind: controlPlane, no: "{version: latest}", yes: `{version: "1.33.6"}`, template: sameRule,
			want: `spec.version: Invalid value: "latest": must be a Kubernetes version with three numbers, such as v1.33.6`,
		},
		"DNSPrefix": {
			kind: controlPlane, no: "{dnsPrefix: -a}", yes: "{dnsPrefix: a-B1}",
			want: `spec.dnsPrefix: Invalid value: "-a": must be 2 to 54 letters, digits and dashes, with no dash at either end: it becomes a part of a host name`,
		},
		"DNSPrefixLong": {
			kind: controlPlane, no: "{dnsPrefix: " + strings.Repeat("a", 55) + "}", yes: "{dnsPrefix: " + strings.Repeat("a", 54) + "}",
			want: `spec.dnsPrefix: Invalid value: "` + strings.Repeat("a", 55) + `": must be 2 to 54 letters, digits and dashes, with no dash at either end: it becomes a part of a host name`,
		},
		"SSHPublicKey": {
			kind: controlPlane, no: "{sshPublicKey: ssh-rsa}", yes: "{sshPublicKey: c3NoLXJzYSBBQUFB}",
			want: `spec.sshPublicKey: Invalid value: "ssh-rsa": must be base64, of a line as in authorized_keys`,
		},
		"SSHPublicKeyEmpty": {kind: controlPlane, no: `{sshPublicKey: "c3N"}`, yes: `{sshPublicKey: ""}`, want: `spec.sshPublicKey: Invalid value: "c3N": must be base64, of a line as in authorized_keys`},
		"DNSServiceIP": {
			kind: controlPlane, no: "{dnsServiceIP: 10.96.0.10.1}", yes: "{dnsServiceIP: 10.96.0.10}", template: sameRule,
			want: `spec.dnsServiceIP: Invalid value: "10.96.0.10.1": must be an IP address that ends with .10, such as 10.96.0.10: AKS takes no other`,
		},
		"DNSServiceIPEnd": {
			kind: controlPlane, no: "{dnsServiceIP: 10.96.0.11}", yes: "{dnsServiceIP: 10.96.1.10}", template: sameRule,
			want: `spec.dnsServiceIP: Invalid value: "10.96.0.11": must be an IP address that ends with .10, such as 10.96.0.10: AKS takes no other`,
		},
		"OverlayKubenet": {
			kind: controlPlane, no: "{networkPlugin: kubenet, networkPluginMode: overlay}", yes: "{networkPlugin: azure, networkPluginMode: overlay}", template: noRule,
			want: "spec.networkPluginMode: Invalid value: overlay is a mode of networkPlugin azure, but that is kubenet",
		},
		"CiliumPolicy": {
			kind: controlPlane, no: "{networkPolicy: cilium, networkDataplane: azure}", yes: "{networkPolicy: cilium}", template: sameRule,
			want: "spec.networkPolicy: Invalid value: cilium needs networkDataplane cilium, which is azure",
		},
		"CiliumOverlay": {
			kind: controlPlane, no: "{networkPolicy: cilium, networkDataplane: cilium}", yes: cilium, template: sameRule,
			want: "spec.networkDataplane: Invalid value: cilium needs networkPluginMode overlay, which is not set",
		},
		"CiliumNeedsPolicy": {
			kind: controlPlane, no: "{networkPluginMode: overlay, networkDataplane: cilium}", yes: cilium, template: sameRule,
			want: "spec.networkDataplane: Invalid value: cilium needs networkPolicy cilium, which is not set",
		},
		"CiliumOtherPolicy": {
			kind: controlPlane, no: "{networkPluginMode: overlay, networkDataplane: cilium, networkPolicy: calico}", yes: cilium, template: sameRule,
			want: "spec.networkDataplane: Invalid value: cilium needs networkPolicy cilium, which is calico",
		},
		"LocalAccounts": {
			kind: controlPlane, no: "{disableLocalAccounts: true}", yes: "{disableLocalAccounts: true, aadProfile: {managed: true, adminGroupObjectIDs: [a]}}", template: noRule,
			want: "spec.disableLocalAccounts: Invalid value: needs aadProfile: without it nobody could sign in",
		},
		"UserAssigned": {
			kind: controlPlane, no: "{identity: {type: UserAssigned}}", yes: "{identity: {type: UserAssigned, userAssignedIdentityResourceID: /id}}", template: noRule,
			want: "spec.identity.userAssignedIdentityResourceID: Required value: is needed with type UserAssigned: it says which identity",
		},
		"SystemAssigned": {
			kind: controlPlane, no: "{identity: {type: SystemAssigned, userAssignedIdentityResourceID: /id}}", yes: "{identity: {type: SystemAssigned}}", template: noRule,
			want: "spec.identity.userAssignedIdentityResourceID: Invalid value: /id goes with type UserAssigned only, but type is SystemAssigned",
		},
		"IdentityDefault": {
			kind: controlPlane, no: "{identity: {userAssignedIdentityResourceID: /id}}", yes: "{identity: {}}", template: noRule,
			want: "spec.identity.userAssignedIdentityResourceID: Invalid value: /id goes with type UserAssigned only, but type is SystemAssigned",
		},
		"FleetsMemberName": {
			kind: controlPlane, no: "{fleetsMember: {name: A, managerName: m, managerResourceGroup: g}}", yes: "{fleetsMember: {name: a-1, managerName: m, managerResourceGroup: g}}",
			want: `spec.fleetsMember.name: Invalid value: "A": must be lower-case letters, digits and dashes, with no dash at either end, as Azure wants it`,
		},
		"FleetsMemberNoName": {
			kind: controlPlane, no: "{fleetsMember: {name: a-, managerName: m, managerResourceGroup: g}}", yes: `{fleetsMember: {name: "", managerName: m, managerResourceGroup: g}}`,
			want: `spec.fleetsMember.name: Invalid value: "a-": must be lower-case letters, digits and dashes, with no dash at either end, as Azure wants it`,
		},
	})
}

// TestControlPlaneNetworkRules are those about addresses and what is reached from where.
func TestControlPlaneNetworkRules(t *testing.T) {
	endpoint := func(fields string) string {
		return "{virtualNetwork: {subnet: {cidrBlock: 10.240.0.0/16, privateEndpoints: [{name: e, privateLinkServiceConnections: [{privateLinkServiceID: " + resourceID + "a/b/c}], " + fields + "}]}}}"
	}
	connection := func(fields string) string {
		return "{virtualNetwork: {subnet: {privateEndpoints: [{name: e, privateLinkServiceConnections: [" + fields + "]}]}}}"
	}
	const at = "spec.virtualNetwork.subnet.privateEndpoints"
	runRules(t, map[string]rule{
		"NetworkRange": {
			kind: controlPlane, no: "{virtualNetwork: {cidrBlock: 10.0.0.0}}", yes: "{virtualNetwork: {cidrBlock: 10.0.0.0/8}}", template: sameRule,
			want: `spec.virtualNetwork.cidrBlock: Invalid value: "10.0.0.0": must be an address range in CIDR notation, such as 10.0.0.0/8`,
		},
		"SubnetRange": {
			kind: controlPlane, no: "{virtualNetwork: {subnet: {cidrBlock: 10.0.0.0/33}}}", yes: "{virtualNetwork: {subnet: {cidrBlock: 10.1.2.3/24}}}", template: sameRule,
			want: `spec.virtualNetwork.subnet.cidrBlock: Invalid value: "10.0.0.0/33": must be an address range in CIDR notation, such as 10.240.0.0/16`,
		},
		"SubnetOutside": {
			kind: controlPlane, no: "{virtualNetwork: {cidrBlock: 10.0.0.0/16, subnet: {cidrBlock: 10.1.0.0/24}}}",
			yes: "{virtualNetwork: {cidrBlock: 10.0.0.0/16, subnet: {cidrBlock: 10.0.1.0/24}}}", template: sameRule,
			want: "spec.virtualNetwork.cidrBlock: Invalid value: 10.0.0.0/16 does not contain the range of the subnet, 10.1.0.0/24",
		},
		"SubnetOutsideByDefault": {
			kind: controlPlane, no: "{virtualNetwork: {cidrBlock: 10.0.0.0/16}}", yes: "{virtualNetwork: {cidrBlock: 10.224.0.0/11}}", template: sameRule,
			want: "spec.virtualNetwork.cidrBlock: Invalid value: 10.0.0.0/16 does not contain the range of the subnet, 10.240.0.0/16",
		},
		"SubnetOutsideOverlay": {
			kind: controlPlane, no: "{networkPluginMode: overlay, virtualNetwork: {subnet: {cidrBlock: 10.0.0.0/16}}}",
			yes: "{networkPluginMode: overlay, virtualNetwork: {subnet: {cidrBlock: 10.225.0.0/16}}}", template: sameRule,
			want: "spec.virtualNetwork.cidrBlock: Invalid value: 10.224.0.0/12 does not contain the range of the subnet, 10.0.0.0/16",
		},
		"PrivateEndpointName": {
			kind: controlPlane, no: connection("{privateLinkServiceID: " + resourceID + "a/b/c, name: a/b}"), yes: connection("{privateLinkServiceID: " + resourceID + "a/b/c, name: a_b.c}"), template: sameRule,
			want: at + `[0].privateLinkServiceConnections[0].name: Invalid value: "a/b": must be letters, digits, and the characters - _ . as Azure wants it`,
		},
		"ConnectionName": {
			kind: controlPlane, no: "{virtualNetwork: {subnet: {privateEndpoints: [{name: a b, privateLinkServiceConnections: [{privateLinkServiceID: " + resourceID + "a/b/c}]}]}}}", yes: endpoint(""), template: sameRule,
			want: at + `[0].name: Invalid value: "a b": must be letters, digits, and the characters - _ . as Azure wants it`,
		},
		"NoConnection": {
			kind: controlPlane, no: connection(""), yes: connection("{privateLinkServiceID: " + resourceID + "a/b/c}"), template: sameRule,
			want: at + "[0].privateLinkServiceConnections: Required value: at least one is needed: it says what the private endpoint leads to",
		},
		"NoServiceID": {
			kind: controlPlane, no: connection("{name: a}"), yes: connection("{privateLinkServiceID: " + resourceID + "a/b/c}"), template: sameRule,
			want: at + "[0].privateLinkServiceConnections[0].privateLinkServiceID: Required value: is needed: it says what the connection leads to",
		},
		"ServiceID": {
			kind: controlPlane, no: connection("{privateLinkServiceID: registry}"), yes: connection("{privateLinkServiceID: " + resourceID + "a/b/c}"), template: sameRule,
			want: at + `[0].privateLinkServiceConnections[0].privateLinkServiceID: Invalid value: "registry": must be a resource ID, such as /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Storage/storageAccounts/NAME`,
		},
		"PrivateIP": {
			kind: controlPlane, no: endpoint("privateIPAddresses: [10.240.0.5, here]"), yes: endpoint("privateIPAddresses: [10.240.0.5]"), template: sameRule,
			want: at + `[0].privateIPAddresses[1]: Invalid value: "here": must be an IP address`,
		},
		"PrivateIPOutside": {
			kind: controlPlane, no: endpoint("privateIPAddresses: [10.241.0.5]"), yes: endpoint("privateIPAddresses: [10.240.255.5]"), template: sameRule,
			want: at + ": Invalid value: each of their privateIPAddresses must be in the range of the subnet",
		},
		"AuthorizedIPRanges": {
			kind: controlPlane, no: "{apiServerAccessProfile: {authorizedIPRanges: [203.0.113.0/24, 203.0.113.7]}}", yes: "{apiServerAccessProfile: {authorizedIPRanges: [203.0.113.0/24, 0.0.0.0/32]}}", template: sameRule,
			want: `spec.apiServerAccessProfile.authorizedIPRanges[1]: Invalid value: "203.0.113.7": must be an address range in CIDR notation, such as 203.0.113.0/24; a single address ends with /32`,
		},
		"PrivateDNSZone": {
			kind: controlPlane, no: "{apiServerAccessProfile: {enablePrivateCluster: true, privateDNSZone: mine}}", yes: "{apiServerAccessProfile: {enablePrivateCluster: true, privateDNSZone: system}}", template: sameRule,
			want: `spec.apiServerAccessProfile.privateDNSZone: Invalid value: "mine": must be System, None, or the resource ID of a zone named [sub.]private.REGION.azmk8s.io or [sub.]privatelink.REGION.azmk8s.io`,
		},
		"PrivateDNSZoneName": {
			kind: controlPlane, no: "{apiServerAccessProfile: {enablePrivateCluster: true, privateDNSZone: " + resourceID + "Microsoft.Network/privateDnsZones/example.org}}",
			yes:  "{apiServerAccessProfile: {enablePrivateCluster: true, privateDNSZone: " + resourceID + "Microsoft.Network/privateDnsZones/mine.privatelink.westeurope.azmk8s.io}}",
			want: `spec.apiServerAccessProfile.privateDNSZone: Invalid value: "` + resourceID + `Microsoft.Network/privateDnsZones/example.org": must be System, None, or the resource ID of a zone named [sub.]private.REGION.azmk8s.io or [sub.]privatelink.REGION.azmk8s.io`, template: sameRule,
		},
		"PrivateDNSZoneElsewhere": {
			kind: controlPlane, no: "{apiServerAccessProfile: {enablePrivateCluster: true, privateDNSZone: " + resourceID + "Microsoft.Network/privateDnsZones/privatelink.usgovvirginia.azure.us}}",
			yes:  "{apiServerAccessProfile: {enablePrivateCluster: true, privateDNSZone: " + resourceID + "Microsoft.Network/privateDnsZones/privatelink.usgovvirginia.cx.aks.containerservice.azure.us}}",
			want: `spec.apiServerAccessProfile.privateDNSZone: Invalid value: "` + resourceID + `Microsoft.Network/privateDnsZones/privatelink.usgovvirginia.azure.us": must be System, None, or the resource ID of a zone named [sub.]private.REGION.azmk8s.io or [sub.]privatelink.REGION.azmk8s.io`, template: sameRule,
		},
		"PrivateDNSZonePublic": {
			kind: controlPlane, no: "{apiServerAccessProfile: {privateDNSZone: " + resourceID + "Microsoft.Network/privateDnsZones/private.westeurope.azmk8s.io}}",
			yes:  "{apiServerAccessProfile: {enablePrivateCluster: true, privateDNSZone: " + resourceID + "Microsoft.Network/privateDnsZones/private.westeurope.azmk8s.io}}",
			want: "spec.apiServerAccessProfile.enablePrivateCluster: Invalid value: must be true to use a privateDNSZone of your own: only the name of a private cluster is registered there", template: sameRule,
		},
		"OutboundIPs": {
			kind: controlPlane, no: "{loadBalancerProfile: {managedOutboundIPs: 1, outboundIPs: [a]}}", yes: "{loadBalancerProfile: {managedOutboundIPs: 1, outboundIPs: []}}", template: sameRule,
			want: "spec.loadBalancerProfile: Invalid value: must have at most one of managedOutboundIPs, outboundIPPrefixes and outboundIPs: each says where the addresses come from",
		},
		"OutboundIPPrefixes": {
			kind: controlPlane, no: "{loadBalancerProfile: {outboundIPPrefixes: [a], outboundIPs: [a]}}", yes: "{loadBalancerProfile: {outboundIPPrefixes: [a]}}", template: sameRule,
			want: "spec.loadBalancerProfile: Invalid value: must have at most one of managedOutboundIPs, outboundIPPrefixes and outboundIPs: each says where the addresses come from",
		},
		"ManagedOutboundIPsMin": {
			kind: controlPlane, no: "{loadBalancerProfile: {managedOutboundIPs: 0}}", yes: "{loadBalancerProfile: {managedOutboundIPs: 1}}", template: sameRule,
			want: "spec.loadBalancerProfile.managedOutboundIPs: Invalid value: 0: spec.loadBalancerProfile.managedOutboundIPs in body should be greater than or equal to 1",
		},
		"ManagedOutboundIPsMax": {
			kind: controlPlane, no: "{loadBalancerProfile: {managedOutboundIPs: 101}}", yes: "{loadBalancerProfile: {managedOutboundIPs: 100}}",
			want: "spec.loadBalancerProfile.managedOutboundIPs: Invalid value: 101: spec.loadBalancerProfile.managedOutboundIPs in body should be less than or equal to 100",
		},
		"AllocatedOutboundPortsMin": {
			kind: controlPlane, no: "{loadBalancerProfile: {allocatedOutboundPorts: -1}}", yes: "{loadBalancerProfile: {allocatedOutboundPorts: 0}}",
			want: "spec.loadBalancerProfile.allocatedOutboundPorts: Invalid value: -1: spec.loadBalancerProfile.allocatedOutboundPorts in body should be greater than or equal to 0",
		},
		"AllocatedOutboundPortsMax": {
			kind: controlPlane, no: "{loadBalancerProfile: {allocatedOutboundPorts: 64001}}", yes: "{loadBalancerProfile: {allocatedOutboundPorts: 64000}}",
			want: "spec.loadBalancerProfile.allocatedOutboundPorts: Invalid value: 64001: spec.loadBalancerProfile.allocatedOutboundPorts in body should be less than or equal to 64000",
		},
		"IdleTimeoutMin": {
			kind: controlPlane, no: "{loadBalancerProfile: {idleTimeoutInMinutes: 3}}", yes: "{loadBalancerProfile: {idleTimeoutInMinutes: 4}}",
			want: "spec.loadBalancerProfile.idleTimeoutInMinutes: Invalid value: 3: spec.loadBalancerProfile.idleTimeoutInMinutes in body should be greater than or equal to 4",
		},
		"IdleTimeoutMax": {
			kind: controlPlane, no: "{loadBalancerProfile: {idleTimeoutInMinutes: 121}}", yes: "{loadBalancerProfile: {idleTimeoutInMinutes: 120}}",
			want: "spec.loadBalancerProfile.idleTimeoutInMinutes: Invalid value: 121: spec.loadBalancerProfile.idleTimeoutInMinutes in body should be less than or equal to 120",
		},
	})
}

// TestControlPlaneFeatureRules are those about security, extensions and the autoscaler.
func TestControlPlaneFeatureRules(t *testing.T) {
	kms := func(fields string) string {
		return "{identity: {type: UserAssigned, userAssignedIdentityResourceID: /id}, securityProfile: {azureKeyVaultKms: {enabled: true, keyID: k, " + fields + "}}}"
	}
	extension := func(fields string) string { return "{extensions: [{name: e, extensionType: t, " + fields + "}]}" }
	autoscaler := func(field, no, yes, reason string) rule {
		return rule{
			kind: controlPlane, no: `{autoscalerProfile: {` + field + `: "` + no + `"}}`, yes: `{autoscalerProfile: {` + field + `: "` + yes + `"}}`, template: sameRule,
			want: "spec.autoscalerProfile." + field + `: Invalid value: "` + no + `": ` + reason,
		}
	}
	rules := map[string]rule{
		"KMSIdentity": {
			kind: controlPlane, no: "{securityProfile: {azureKeyVaultKms: {enabled: false, keyID: k}}}", yes: kms(""), template: sameRule,
			want: "spec.securityProfile.azureKeyVaultKms: Invalid value: needs identity.type UserAssigned: the identity must have a right to the key before the cluster is there",
		},
		"KMSPrivate": {
			kind: controlPlane, no: kms("keyVaultNetworkAccess: Private"), yes: kms("keyVaultNetworkAccess: Private, keyVaultResourceID: /vault"), template: sameRule,
			want: "spec.securityProfile.azureKeyVaultKms.keyVaultResourceID: Required value: is needed with keyVaultNetworkAccess Private: AKS makes a private link to it",
		},
		"KMSPublic": {
			kind: controlPlane, no: kms("keyVaultResourceID: /vault"), yes: kms("keyVaultNetworkAccess: Public"), template: sameRule,
			want: "spec.securityProfile.azureKeyVaultKms.keyVaultResourceID: Invalid value: /vault goes with keyVaultNetworkAccess Private only, but that is Public",
		},
		"WorkloadIdentity": {
			kind: controlPlane, no: "{securityProfile: {workloadIdentity: {enabled: false}}}", yes: "{oidcIssuerProfile: {enabled: true}, securityProfile: {workloadIdentity: {enabled: true}}}", template: sameRule,
			want: "spec.securityProfile.workloadIdentity: Invalid value: needs oidcIssuerProfile.enabled true: Azure checks the tokens with the keys published there",
		},
		"ExtensionVersion": {
			kind: controlPlane, no: extension("version: 1.0.0"), yes: extension("version: 1.0.0, autoUpgradeMinorVersion: false"), template: sameRule,
			want: "spec.extensions[0].version: Forbidden: 1.0.0 goes with autoUpgradeMinorVersion false only: otherwise Azure chooses the version",
		},
		"ExtensionReleaseTrain": {
			kind: controlPlane, no: extension("releaseTrain: Stable, autoUpgradeMinorVersion: false"), yes: extension("releaseTrain: Stable"), template: sameRule,
			want: "spec.extensions[0].releaseTrain: Forbidden: Stable goes with autoUpgradeMinorVersion true only: without upgrades there is nothing to follow",
		},
		"ExtensionCluster": {
			kind: controlPlane, no: extension("scope: {scopeType: Cluster}"), yes: extension("scope: {scopeType: Cluster, releaseNamespace: ns}"), template: sameRule,
			want: "spec.extensions[0].scope.releaseNamespace: Required value: is needed with scopeType Cluster: the extension is installed there",
		},
		"ExtensionClusterTarget": {
			kind: controlPlane, no: extension("scope: {scopeType: Cluster, releaseNamespace: ns, targetNamespace: m}"), yes: extension("scope: {scopeType: Cluster, releaseNamespace: ns}"), template: sameRule,
			want: "spec.extensions[0].scope.targetNamespace: Forbidden: m goes with scopeType Namespace only, but that is Cluster",
		},
		"ExtensionNamespace": {
			kind: controlPlane, no: extension("scope: {scopeType: Namespace}"), yes: extension("scope: {scopeType: Namespace, targetNamespace: ns}"), template: sameRule,
			want: "spec.extensions[0].scope.targetNamespace: Required value: is needed with scopeType Namespace: the extension is for it",
		},
		"ExtensionNamespaceRelease": {
			kind: controlPlane, no: extension("scope: {scopeType: Namespace, targetNamespace: ns, releaseNamespace: m}"), yes: extension("scope: {scopeType: Namespace, targetNamespace: ns}"), template: sameRule,
			want: "spec.extensions[0].scope.releaseNamespace: Forbidden: m goes with scopeType Cluster only, but that is Namespace",
		},
		"ExtensionTwice": {
			kind: controlPlane, no: "{extensions: [{name: e, extensionType: t}, {name: e, extensionType: u}]}", yes: "{extensions: [{name: e, extensionType: t}, {name: f, extensionType: t}]}", template: sameRule,
			want: `spec.extensions[1]: Duplicate value: {"name":"e"}`,
		},
		"KeyVaultNetworkAccess": {
			kind: controlPlane, no: kms("keyVaultNetworkAccess: Protected"), yes: kms("keyVaultNetworkAccess: Public"),
			want: `[spec.securityProfile.azureKeyVaultKms.keyVaultNetworkAccess: Unsupported value: "Protected": supported values: "Private", "Public", ` + notAllChecked + "]",
		},
		"UnreadyPercentage":    autoscaler("maxTotalUnreadyPercentage", "101", "100", "must be a number from 0 to 100: it is a percentage"),
		"NewPodScaleUpDelay":   autoscaler("newPodScaleUpDelay", "10", "1h5m0.5s", "must be a number with a unit, such as 30s or 1m30s"),
		"NewPodScaleUpUnit":    autoscaler("newPodScaleUpDelay", "10d", "0", "must be a number with a unit, such as 30s or 1m30s"),
		"UtilizationThreshold": autoscaler("scaleDownUtilizationThreshold", "1.1", "1.0", "must be a number from 0 to 1: it is the used part of a node"),
		"UtilizationNegative":  autoscaler("scaleDownUtilizationThreshold", "-0.1", "0", "must be a number from 0 to 1: it is the used part of a node"),
		"UtilizationExponent":  autoscaler("scaleDownUtilizationThreshold", "1e1", "1e-1", "must be a number from 0 to 1: it is the used part of a node"),
		"UtilizationWord":      autoscaler("scaleDownUtilizationThreshold", "half", ".5", "must be a number from 0 to 1: it is the used part of a node"),
	}
	for field, unit := range map[string]string{
		"maxEmptyBulkDelete": "", "maxGracefulTerminationSec": "", "okTotalUnreadyCount": "", "maxTotalUnreadyPercentage": "",
		"maxNodeProvisionTime": "m", "scaleDownDelayAfterAdd": "m", "scaleDownDelayAfterFailure": "m", "scaleDownUnneededTime": "m", "scaleDownUnreadyTime": "m",
		"scaleDownDelayAfterDelete": "s", "scanInterval": "s",
	} {
		r := autoscaler(field, "-1"+unit, "20"+unit, "spec.autoscalerProfile."+field+` in body should match '^(\d+)`+unit+"$'")
		rules[field+"Negative"] = r
		r.no, r.want = strings.ReplaceAll(r.no, "-1"+unit, "2h"), strings.ReplaceAll(r.want, "-1"+unit, "2h")
		rules[field+"Unit"] = r
	}
	runRules(t, rules)
}
