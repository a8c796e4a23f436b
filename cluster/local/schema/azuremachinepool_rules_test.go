package schema

import (
	"testing"
)

const azureMachinePool = azureMachine + "Pool"

// decidedScaleSet is the reason why a field of an AzureMachinePool cannot be changed.
const decidedScaleSet = ": it is decided when the scale set is created, so make a new pool"

// TestAzureMachinePoolRules are the rules about an AzureMachinePool as it is.
func TestAzureMachinePoolRules(t *testing.T) {
	rolling := func(rest string) string { return "{strategy: {rollingUpdate: {" + rest + "}}}" }
	template := func(rest string) string { return "{template: {vmSize: s, osDisk: {}, " + rest + "}}" }
	runRules(t, map[string]rule{
		"Size":         {kind: azureMachinePool, no: `{template: {vmSize: "", osDisk: {}}}`, yes: "{}", want: "spec.template.vmSize: Required value: is needed: it says which size the virtual machines have"},
		"Mode":         {kind: azureMachinePool, no: "{orchestrationMode: Rigid}", yes: "{orchestrationMode: Flexible}", want: `[spec.orchestrationMode: Unsupported value: "Rigid": supported values: "Flexible", "Uniform", ` + notAllChecked + `]`},
		"NeverReplace": {kind: azureMachinePool, no: rolling("maxSurge: 0, maxUnavailable: 0"), yes: rolling("maxSurge: 0%, maxUnavailable: 0"), want: "spec.strategy.rollingUpdate.maxSurge: Invalid value: must not be 0 while maxUnavailable is 0 too: no instance could ever be replaced"},
		"Surge":        {kind: azureMachinePool, no: rolling("maxSurge: many"), yes: rolling("maxSurge: 25%"), want: `spec.strategy.rollingUpdate.maxSurge: Invalid value: "many": spec.strategy.rollingUpdate.maxSurge in body should match '^[0-9]{1,3}%$'`},
		"Unavailable":  {kind: azureMachinePool, no: rolling("maxUnavailable: -1"), yes: rolling("maxUnavailable: 2"), want: "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be a number that is not negative, or a part in percent such as 25%"},
		"Policy":       {kind: azureMachinePool, no: rolling("deletePolicy: Best"), yes: rolling("deletePolicy: Random"), want: `[spec.strategy.rollingUpdate.deletePolicy: Unsupported value: "Best": supported values: "Random", "Newest", "Oldest", ` + notAllChecked + `]`},
		"Notification": {kind: azureMachinePool, no: template("terminateNotificationTimeout: 16"), yes: template("terminateNotificationTimeout: 15"), want: "spec.template.terminateNotificationTimeout: Invalid value: 16: spec.template.terminateNotificationTimeout in body should be less than or equal to 15"},
		"SubnetTwice":  {kind: azureMachinePool, no: template("subnetName: a, networkInterfaces: [{subnetName: b}]"), yes: template("subnetName: a"), want: "spec.template.subnetName: Invalid value: does not go with networkInterfaces: say it there, for each of them"},
		"Identities":   {kind: azureMachinePool, no: "{identity: UserAssigned}", yes: "{identity: SystemAssigned}", want: "spec.userAssignedIdentities: Required value: is needed with identity UserAssigned: it says which"},
		"Role":         {kind: azureMachinePool, no: "{systemAssignedIdentityRole: {scope: a}}", yes: "{identity: SystemAssigned, systemAssignedIdentityRole: {scope: a}}", want: "spec.systemAssignedIdentityRole: Forbidden: goes with identity SystemAssigned only, but identity is None"},
	})
}

// TestAzureMachinePoolUpdates are the rules about what of an AzureMachinePool can be changed.
func TestAzureMachinePoolUpdates(t *testing.T) {
	const otherSize = "{template: {vmSize: b, osDisk: {}}}"
	bootstrap := func(disabled string) string {
		return "{template: {vmSize: s, osDisk: {}, disableVMBootstrapExtension: " + disabled + "}}"
	}
	runRules(t, map[string]rule{
		"location":                    {kind: azureMachinePool, existing: "{}", no: "{location: elsewhere}", yes: otherSize, want: "spec.location: Forbidden: cannot be changed" + decidedScaleSet},
		"orchestrationMode":           {kind: azureMachinePool, existing: "{}", no: "{orchestrationMode: Flexible}", yes: "{orchestrationMode: Uniform}", want: "spec.orchestrationMode: Forbidden: cannot be changed from Uniform to Flexible" + decidedScaleSet},
		"disableVMBootstrapExtension": {kind: azureMachinePool, existing: bootstrap("true"), no: bootstrap("false"), yes: bootstrap("true"), want: "spec.template.disableVMBootstrapExtension: Forbidden: cannot be changed once it is set: make a new pool"},
	})
}
