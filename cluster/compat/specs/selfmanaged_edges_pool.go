package specs

import "maps"

// azureMachinePoolEdges are those of AzureMachinePools: what they have of machines, and what only they have.
var azureMachinePoolEdges = ofPools(azureMachineEdges, map[string][]string{
	"location":          {"westus", "eastus", `""`},
	"providerID":        {"azure://" + armID + "Microsoft.Compute/virtualMachineScaleSets/blue", "x"},
	"providerIDList":    {"[]", "[a]", "[a, b]"},
	"additionalTags":    {"{a: b}", "{}"},
	"orchestrationMode": {"Uniform", "Flexible", "x", `""`},
	"strategy": {"{}", "{type: RollingUpdate}", "{type: x}", "{type: RollingUpdate, rollingUpdate: {}}", "{type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}",
		"{type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0, deletePolicy: Newest}}", "{rollingUpdate: {maxSurge: 0, maxUnavailable: 1, deletePolicy: Oldest}}",
		"{type: RollingUpdate, rollingUpdate: {maxSurge: 20%, maxUnavailable: 0%}}", "{type: RollingUpdate, rollingUpdate: {maxSurge: 0%, maxUnavailable: 0%}}",
		"{type: RollingUpdate, rollingUpdate: {maxSurge: x}}", "{type: RollingUpdate, rollingUpdate: {maxUnavailable: -1}}", "{type: RollingUpdate, rollingUpdate: {deletePolicy: x}}"},
	"platformFaultDomainCount":              {"1", "5", "0"},
	"zoneBalance":                           {"true", "false"},
	"nodeDrainTimeout":                      {"0s", "10m", "x"},
	"nodeVolumeDetachTimeout":               {"0s", "10m"},
	"template.terminateNotificationTimeout": {"4", "5", "15", "16"},
})

// ofPools returns the edges of machines that pools have too, most of them in their template, and those of pools.
func ofPools(machines, pools map[string][]string) map[string][]string {
	all := map[string][]string{}
	for _, field := range []string{"identity", "userAssignedIdentities", "systemAssignedIdentityRole", "roleAssignmentName"} {
		all[field] = machines[field]
	}
	for _, field := range []string{"vmSize", "image", "osDisk", "dataDisks", "sshPublicKey", "acceleratedNetworking", "additionalCapabilities", "diagnostics",
		"securityProfile", "spotVMOptions", "subnetName", "vmExtensions", "disableVMBootstrapExtension", "networkInterfaces"} {
		all["template."+field] = machines[field]
	}
	maps.Copy(all, pools)
	return all
}
