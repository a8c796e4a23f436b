package schema

import "testing"

const machinePool = "AzureManagedMachinePool"

// TestMachinePoolRules are the rules about one AzureManagedMachinePool when it is created or changed.
func TestMachinePoolRules(t *testing.T) {
	ports := func(no, yes, reason string) rule {
		return rule{
			kind: machinePool, no: `{linuxOSConfig: {sysctls: {netIpv4IPLocalPortRange: "` + no + `"}}}`, yes: `{linuxOSConfig: {sysctls: {netIpv4IPLocalPortRange: "` + yes + `"}}}`, template: sameRule,
			want: `spec.linuxOSConfig.sysctls.netIpv4IPLocalPortRange: Invalid value: "` + no + `": ` + reason,
		}
	}
	const (
		form   = "must be lower-case letters and digits, a letter first, as AKS wants it"
		needed = "spec.name: Required value: is needed unless metadata.name is lower-case letters and digits, a letter first, and has at most 12 characters, or 6 with osType Windows: AKS takes no other name"
	)
	runRules(t, map[string]rule{
		"NameForm":     {kind: machinePool, no: "{name: Pool}", yes: "{name: pool12345678}", want: `spec.name: Invalid value: "Pool": ` + form, template: sameRule},
		"NameDigit":    {kind: machinePool, no: "{name: 0pool}", yes: "{name: p}", want: `spec.name: Invalid value: "0pool": ` + form, template: sameRule},
		"NameDash":     {kind: machinePool, no: "{name: my-pool}", yes: "{name: mypool}", want: `spec.name: Invalid value: "my-pool": ` + form, template: sameRule},
		"NameLength":   {kind: machinePool, no: "{name: pool123456789}", yes: "{name: pool12345678}", want: "spec.name: Invalid value: pool123456789 must have at most 12 characters with osType Linux, as AKS wants it", template: sameRule},
		"NameWindows":  {kind: machinePool, no: "{name: pool123, osType: Windows}", yes: "{name: pool12, osType: Windows}", want: "spec.name: Invalid value: pool123 must have at most 6 characters with osType Windows, as AKS wants it", template: sameRule},
		"NoName":       {kind: machinePool, name: "my-cluster-pool", no: "{name: null}", yes: "{name: null}", want: needed, template: sameRule},
		"NoNameLong":   {kind: machinePool, name: "pool123456789", no: "{name: null}", yes: `{name: ""}`, want: needed, template: sameRule},
		"NoNameWindos": {kind: machinePool, name: "pool123", no: "{name: null, osType: Windows}", yes: "{name: null, osType: Linux}", want: needed, template: sameRule},
		"SystemWindows": {
			kind: machinePool, no: "{mode: System, osType: Windows}", yes: "{mode: User, osType: Windows}", template: sameRule,
			want: "spec.osType: Invalid value: Windows is not possible with mode System: what the cluster itself runs needs Linux",
		},
		"MaxPodsMin": {kind: machinePool, no: "{maxPods: 9}", yes: "{maxPods: 10}", want: "spec.maxPods: Invalid value: 9: spec.maxPods in body should be greater than or equal to 10"},
		"MaxPodsMax": {kind: machinePool, no: "{maxPods: 251}", yes: "{maxPods: 250}", want: "spec.maxPods: Invalid value: 251: spec.maxPods in body should be less than or equal to 250"},
		"NodeLabels": {
			kind: machinePool, no: "{nodeLabels: {a: b, kubernetes.azure.com/mode: system}}", yes: "{nodeLabels: {example.org/kubernetes.azure.com: b}}", template: sameRule,
			want: "spec.nodeLabels: Invalid value: must have no key that starts with kubernetes.azure.com: AKS keeps those for itself",
		},
		"PublicIPPrefix": {
			kind: machinePool, no: "{enableNodePublicIP: true, nodePublicIPPrefixID: mine}", yes: "{enableNodePublicIP: true, nodePublicIPPrefixID: " + resourceID + "Microsoft.Network/publicIPPrefixes/mine}", template: sameRule,
			want: `spec.nodePublicIPPrefixID: Invalid value: "mine": must be the resource ID of a public IP prefix, such as /subscriptions/SUBSCRIPTION/resourceGroups/GROUP/providers/Microsoft.Network/publicIPPrefixes/NAME`,
		},
		"PublicIPPrefixAlone": {
			kind: machinePool, no: "{nodePublicIPPrefixID: " + resourceID + "Microsoft.Network/publicIPPrefixes/mine}", yes: "{enableNodePublicIP: true}", template: sameRule,
			want: "spec.enableNodePublicIP: Invalid value: must be true with nodePublicIPPrefixID: otherwise nodes have no public address",
		},
		"SubnetName": {
			kind: machinePool, no: "{subnetName: a/b}", yes: "{subnetName: a_b.c-1}", template: noRule,
			want: `spec.subnetName: Invalid value: "a/b" must be 2 to 80 letters, digits, and the characters - _ . with a letter or digit at both ends, as Azure wants it`,
		},
		"SubnetNameEmpty": {
			kind: machinePool, no: `{subnetName: ""}`, yes: "{subnetName: ab}", template: noRule,
			want: `spec.subnetName: Invalid value: "" must be 2 to 80 letters, digits, and the characters - _ . with a letter or digit at both ends, as Azure wants it`,
		},
		"QuotaPeriod": {
			kind: machinePool, no: `{kubeletConfig: {cpuCfsQuotaPeriod: "100"}}`, yes: "{kubeletConfig: {cpuCfsQuotaPeriod: 100ms}}", template: sameRule,
			want: `spec.kubeletConfig.cpuCfsQuotaPeriod: Invalid value: "100": must be a number of milliseconds with the unit, such as 100ms`,
		},
		"GCThresholds": {
			kind: machinePool, no: "{kubeletConfig: {imageGcLowThreshold: 81, imageGcHighThreshold: 80}}", yes: "{kubeletConfig: {imageGcLowThreshold: 80, imageGcHighThreshold: 80}}", template: sameRule,
			want: "spec.kubeletConfig.imageGcLowThreshold: Invalid value: must not be above imageGcHighThreshold",
		},
		"UnsafeSysctls": {
			kind: machinePool, no: "{kubeletConfig: {allowedUnsafeSysctls: [net.core.somaxconn, kernel.sem1]}}",
			yes: "{kubeletConfig: {allowedUnsafeSysctls: [kernel.shm*, kernel.msgmax, kernel.sem, fs.mqueue.a, net.*]}}", template: sameRule,
			want: `spec.kubeletConfig.allowedUnsafeSysctls[1]: Invalid value: "kernel.sem1": must be one of kernel.shm*, kernel.msg*, kernel.sem, fs.mqueue.* and net.*: AKS takes no other`,
		},
		"SwapFile": {
			kind: machinePool, no: "{linuxOSConfig: {swapFileSizeMB: 1}}", yes: "{linuxOSConfig: {swapFileSizeMB: 1}, kubeletConfig: {failSwapOn: false}}", template: sameRule,
			want: "spec.linuxOSConfig.swapFileSizeMB: Invalid value: needs kubeletConfig.failSwapOn false: otherwise the kubelet does not start on a node that swaps",
		},
		"SwapFileDefault": {
			kind: machinePool, no: "{linuxOSConfig: {swapFileSizeMB: 1}, kubeletConfig: {failSwapOn: true}}", yes: "{linuxOSConfig: {}, kubeletConfig: {failSwapOn: true}}", template: sameRule,
			want: "spec.linuxOSConfig.swapFileSizeMB: Invalid value: needs kubeletConfig.failSwapOn false: otherwise the kubelet does not start on a node that swaps",
		},
		"PortRange":       ports("32768-60999", "32768 60999", "must be two numbers with a space between, such as 32768 60999"),
		"PortRangeNumber": ports("32768", "1024 65000", "must be two numbers with a space between, such as 32768 60999"),
		"FirstPortMin":    ports("1023 60999", "1024 60999", "the first port must be from 1024 to 60999"),
		"FirstPortMax":    ports("61000 65000", "60999 65000", "the first port must be from 1024 to 60999"),
		"LastPortMin":     ports("1024 32767", "1024 32768", "the last port must be from 32768 to 65000"),
		"LastPortMax":     ports("1024 65001", "1024 65000", "the last port must be from 32768 to 65000"),
		"PortOrder":       ports("40000 39999", "40000 40000", "the first port must not be above the last"),
	})
}

// TestMachinePoolUpdates are the rules about what of an AzureManagedMachinePool can be changed.
func TestMachinePoolUpdates(t *testing.T) {
	keep := func(field, old, changed string) map[string]rule {
		return unchangeable(machinePool, field, old, changed, decidedPool, "", sameRule)
	}
	prefix := func(name string) string { return resourceID + "Microsoft.Network/publicIPPrefixes/" + name }
	rules := all(
		keep("osDiskSizeGB", "128", "256"), keep("maxPods", "30", "110"), keep("scaleSetPriority", "Regular", "Spot"),
		keep("enableUltraSSD", "true", "false"), keep("enableNodePublicIP", "true", "false"), keep("kubeletDiskType", "OS", "Temporary"),
		unchangeable(machinePool, "nodePublicIPPrefixID", prefix("a"), prefix("b"), decidedPool, "{enableNodePublicIP: true}", sameRule),
		keep("subnetName", "one", "two"), keep("enableFIPS", "true", "false"),
	)
	// These can be set later, but not taken away.
	for _, field := range []string{"subnetName", "enableFIPS"} {
		delete(rules, field+"/Added")
		removed := rules[field+"/Removed"]
		removed.want = "spec." + field + ": Forbidden: cannot be taken away again" + decidedPool
		rules[field+"/Removed"] = removed
	}
	// What a default fills in can be changed, but not be away.
	for field, values := range map[string][2]string{"osType": {"Linux", "Windows"}, "osDiskType": {"Managed", "Ephemeral"}} {
		rules[field+"/Changed"] = keep(field, values[0], values[1])[field+"/Changed"]
	}
	runRules(t, rules)

	zones := func(no, reason string) rule {
		return rule{
			kind: machinePool, existing: `{availabilityZones: ["1", "2"]}`, no: no, yes: `{availabilityZones: ["2", "1"]}`, template: sameRule,
			want: "spec.availabilityZones: Forbidden: cannot be changed from 1, 2 to " + reason + decidedPool,
		}
	}
	runRules(t, map[string]rule{
		"Later":      {kind: machinePool, existing: "{}", no: "{sku: Standard_D4s_v5}", yes: "{subnetName: one, enableFIPS: true, enableEncryptionAtHost: true, mode: System}", want: `spec.sku: Invalid value: "Standard_D4s_v5": cannot be changed from Standard_D2s_v5` + decidedPool, template: sameRule},
		"Name":       {kind: machinePool, existing: "{name: pool0}", no: "{name: pool1}", yes: "{name: pool0}", want: "spec.name: Forbidden: cannot be changed: it is the name of the pool in Azure", template: sameRule},
		"NameGone":   {kind: machinePool, existing: "{name: pool0}", no: "{name: null}", yes: "{name: pool0}", want: "spec.name: Forbidden: cannot be changed: it is the name of the pool in Azure", template: sameRule},
		"NameLater":  {kind: machinePool, existing: "{name: null}", no: "{name: pool0}", yes: "{name: checked}", want: "spec.name: Forbidden: cannot be changed: it is the name of the pool in Azure", template: sameRule},
		"Zones":      zones(`{availabilityZones: ["1", "3"]}`, "1, 3"),
		"ZonesMore":  zones(`{availabilityZones: ["1", "2", "3"]}`, "1, 2, 3"),
		"ZonesGone":  zones(`{availabilityZones: null}`, "nothing"),
		"ZonesTwice": zones(`{availabilityZones: ["1", "1"]}`, "1, 1"),
		"ZonesAdded": {kind: machinePool, existing: "{}", no: `{availabilityZones: ["1"]}`, yes: "{availabilityZones: []}", want: "spec.availabilityZones: Forbidden: cannot be changed from nothing to 1" + decidedPool, template: sameRule},
		"Encryption": {
			kind: machinePool, existing: "{enableEncryptionAtHost: true}", no: "{enableEncryptionAtHost: false}", yes: "{enableEncryptionAtHost: true}", template: noRule,
			want: "spec.enableEncryptionAtHost: Forbidden: cannot be changed" + decidedPool,
		},
		"EncryptionGone": {
			kind: machinePool, existing: "{enableEncryptionAtHost: true}", no: "{enableEncryptionAtHost: null}", yes: "{enableEncryptionAtHost: true}", template: noRule,
			want: "spec.enableEncryptionAtHost: Forbidden: cannot be changed" + decidedPool,
		},
		"Kubelet": {
			kind: machinePool, existing: "{kubeletConfig: {cpuManagerPolicy: static}}", no: "{kubeletConfig: {failSwapOn: true}}", yes: "{kubeletConfig: {cpuManagerPolicy: static}, scaling: {minSize: 1, maxSize: 2}}", template: sameRule,
			want: "spec.kubeletConfig: Invalid value: cannot be changed" + decidedPool,
		},
		"KubeletGone": {
			kind: machinePool, existing: "{kubeletConfig: {cpuManagerPolicy: static}}", no: "{kubeletConfig: null}", yes: "{nodeLabels: {a: b}}", template: sameRule,
			want: "spec.kubeletConfig: Forbidden: cannot be set or taken away later" + decidedPool,
		},
		"LinuxOS": {
			kind: machinePool, existing: "{linuxOSConfig: {sysctls: {vmSwappiness: 1}}}", no: "{linuxOSConfig: {sysctls: {vmSwappiness: 2}}}", yes: "{taints: [{key: a, value: b, effect: NoSchedule}]}", template: sameRule,
			want: "spec.linuxOSConfig: Invalid value: cannot be changed" + decidedPool,
		},
		"LinuxOSAdded": {
			kind: machinePool, existing: "{}", no: "{linuxOSConfig: {sysctls: {vmSwappiness: 2}}}", yes: "{spotMaxPrice: 1}", template: sameRule,
			want: "spec.linuxOSConfig: Forbidden: cannot be set or taken away later" + decidedPool,
		},
	})
}

// TestIdentityRules are the rules about an AzureClusterIdentity.
func TestIdentityRules(t *testing.T) {
	const kind = "AzureClusterIdentity"
	runRules(t, map[string]rule{
		"Type": {
			kind: kind, existing: "{type: ServicePrincipal}", no: "{type: WorkloadIdentity}", yes: "{clientID: other, tenantID: other, allowedNamespaces: {}}",
			want: `spec.type: Invalid value: "WorkloadIdentity": cannot be changed from ServicePrincipal: make another AzureClusterIdentity`,
		},
		"ResourceID": {
			kind: kind, no: "{resourceID: /id}", yes: "{type: UserAssignedMSI, resourceID: /id}",
			want: "spec.resourceID: Forbidden: /id goes with type UserAssignedMSI only, but type is WorkloadIdentity",
		},
		"CredentialsPath": {
			kind: kind, no: "{userAssignedIdentityCredentialsPath: /file}", yes: "{type: UserAssignedIdentityCredential, userAssignedIdentityCredentialsPath: /file}",
			want: "spec.userAssignedIdentityCredentialsPath: Forbidden: /file goes with type UserAssignedIdentityCredential only, but type is WorkloadIdentity",
		},
		"CloudType": {
			kind: kind, no: "{userAssignedIdentityCredentialsCloudType: china}", yes: "{type: UserAssignedIdentityCredential, userAssignedIdentityCredentialsCloudType: china}",
			want: "spec.userAssignedIdentityCredentialsCloudType: Forbidden: china goes with type UserAssignedIdentityCredential only, but type is WorkloadIdentity",
		},
	})
}
