package main

import (
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// onlyHere reports whether this project alone refuses, with one of the texts.
func (a objectAnswers) onlyHere(texts ...string) bool { return a.capz == nil && has(a.ours, texts) }

// onlyCAPZ reports whether CAPZ alone refuses, with one of the texts.
func (a objectAnswers) onlyCAPZ(texts ...string) bool { return a.ours == nil && has(a.capz, texts) }

func has(refusal error, texts []string) bool {
	for _, text := range texts {
		if strings.Contains(refusal.Error(), text) {
			return true
		}
	}
	return false
}

// of reports whether an object of the kind is changed.
func (a objectAnswers) of(kind string) bool { return a.change != nil && a.requests.Kind == kind }

// leavesOut reports whether a change leaves out a field of the spec that both sides have made up: it takes it away, or what takes the place
// of the object never had it.
func (a objectAnswers) leavesOut(path ...string) bool {
	if a.change == nil {
		return false
	}
	within := specs.TemplateOrSpec(a.change.To(a.requests.Object))
	for _, field := range path[:len(path)-1] {
		within, _ = within[field].(map[string]any)
	}
	value := within[path[len(path)-1]]
	return (value == nil || value == "") && (!a.change.Applied || a.change.Changed(path[0]))
}

// meantObjectAnswers are the documented differences of answers about objects.
var meantObjectAnswers = []documented[func(objectAnswers) bool]{
	{"changes of `vmSize`, `dnsServers`, `additionalCapabilities`, `failureDomain`", func(a objectAnswers) bool {
		return a.of("AzureMachine") && a.change.Changed("vmSize", "dnsServers", "additionalCapabilities", "failureDomain") &&
			a.onlyHere("spec.vmSize: Forbidden", "spec.dnsServers: Forbidden", "spec.additionalCapabilities: Forbidden", "spec.failureDomain: Forbidden")
	}},
	{"an empty `location` or `vmSize`", func(a objectAnswers) bool { return a.onlyHere("location: Required value", "vmSize: Required value") }},
	{"`capacityReservationGroupID` of another kind of resource", func(a objectAnswers) bool {
		return a.onlyHere("must be the resource ID of a capacity reservation group")
	}},
	{"`sshPublicKey`, or the name of a role assignment, left out later", func(a objectAnswers) bool {
		return a.onlyCAPZ("spec.sshPublicKey: Invalid value", "AzureMachineTemplate.spec.template.spec: Invalid value") && a.leavesOut("sshPublicKey") ||
			a.onlyCAPZ("spec.systemAssignedIdentityRole: Invalid value", "roleAssignmentName: Invalid value") && a.leavesOut("systemAssignedIdentityRole", "name")
	}},
	{"`subscriptionID` left out later", func(a objectAnswers) bool { return a.onlyCAPZ("spec.subscriptionID: Invalid value") }},
	{"`cloudProviderConfigOverrides`", func(a objectAnswers) bool { return a.onlyCAPZ("cannot change cloudProviderConfigOverrides") }},
	{"`controlPlaneEnabled` changes", func(a objectAnswers) bool {
		return a.of("AzureCluster") && a.onlyHere("controlPlaneEnabled: Invalid value: false: cannot be changed", "controlPlaneEnabled: Invalid value: true: cannot be changed")
	}},
	{"`idleTimeoutInMinutes` and `frontendIPsCount` of a `nodeOutboundLB`", func(a objectAnswers) bool {
		return a.onlyHere("nodeOutboundLB.idleTimeoutInMinutes: Invalid value", "nodeOutboundLB.frontendIPsCount: Invalid value")
	}},
	{"`nodeOutboundLB` changes", func(a objectAnswers) bool { return a.of("AzureCluster") && a.onlyHere("nodeOutboundLB") }},
	{"what is empty, written into an AzureClusterTemplate that lacks it", func(a objectAnswers) bool {
		return a.of("AzureClusterTemplate") && a.onlyHere("cannot be changed: make another AzureClusterTemplate")
	}},
	{"`subnetName` or `acceleratedNetworking` written beside `networkInterfaces` later", func(a objectAnswers) bool {
		return a.of("AzureMachine") && a.onlyHere("does not go with networkInterfaces")
	}},
	{"`networkInterfaces[0].subnetName` written later", func(a objectAnswers) bool {
		return a.of("AzureMachine") && a.onlyHere("spec.networkInterfaces: Forbidden: cannot be changed")
	}},
	{"an empty list written later where there was none, such as `dataDisks: []`", func(a objectAnswers) bool {
		return a.of("AzureMachine") && a.change.Changed("dataDisks", "userAssignedIdentities") &&
			a.onlyCAPZ("Invalid value: []: field is immutable, unable to assign a value if it was already empty")
	}},
	{"`bastionSpec.azureBastion.subnet.name` of an AzureClusterTemplate", func(a objectAnswers) bool {
		return a.of("AzureClusterTemplate") && a.change.Changed("bastionSpec") &&
			a.onlyCAPZ("AzureClusterTemplate.spec.template.spec: Invalid value")
	}},
	{"`osType` of a disk", func(a objectAnswers) bool { return a.onlyHere("must be Linux or Windows") }},
	{"a managed identity without `providerID`", func(a objectAnswers) bool {
		return a.onlyHere("providerID: Invalid value: \"\": must be the resource ID of a managed identity")
	}},
	{"`subnetName` or `acceleratedNetworking` written later as `networkInterfaces` has it", func(a objectAnswers) bool {
		return a.change != nil && a.change.Changed("acceleratedNetworking", "subnetName") && a.onlyCAPZ("Spec.AcceleratedNetworking", "AzureMachineTemplate.spec.template.spec: Invalid value")
	}},
	{"`spec.orchestrationMode`, `spec.location` change", func(a objectAnswers) bool {
		return a.of("AzureMachinePool") && a.onlyHere("it is decided when the scale set is created")
	}},
	{"`dataDisks` and `networkInterfaces` that no machine may have", func(a objectAnswers) bool {
		return a.requests.Kind == "AzureMachinePool" && a.onlyHere("spec.template.dataDisks", "spec.template.networkInterfaces")
	}},
	{"`maxSurge` and `maxUnavailable` that are no number and no percentage", func(a objectAnswers) bool {
		return a.onlyHere("spec.strategy.rollingUpdate.maxSurge: Invalid value", "spec.strategy.rollingUpdate.maxUnavailable: Invalid value")
	}},
	{"`identity: SystemAssigned` of a pool that had another", func(a objectAnswers) bool {
		return a.of("AzureMachinePool") && a.change.Changed("identity") && a.onlyCAPZ("CAPZ panics")
	}},
	{"subnets that an AzureClusterTemplate lacks", func(a objectAnswers) bool {
		return a.requests.Kind == "AzureClusterTemplate" && a.onlyCAPZ("Duplicate value: {\"name\":\"\"}", "name of subnet doesn't match", "not included in provided subnets")
	}},
}
