package main

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// namesOfOthers are the fields whose default follows from other names.
var namesOfOthers = regexp.MustCompile(
	`^spec\.(name|resourceGroupName|nodeResourceGroupName|dnsPrefix|virtualNetwork\.(name|resourceGroup|subnet\.name)|fleetsMember\.name|extensions(\[\d+\]\.plan(\.name)?)?)$`)

// meantDefaults are the documented differences of defaults.
var meantDefaults = []documented[func(o defaulted, d compare.Difference) bool]{
	{"names that follow from other names", func(_ defaulted, d compare.Difference) bool {
		return d.Ours == nil && namesOfOthers.MatchString(d.Path)
	}},
	{"`virtualNetwork` of an AzureManagedControlPlaneTemplate", func(_ defaulted, d compare.Difference) bool {
		return d.Object == "AzureManagedControlPlaneTemplate" && strings.HasPrefix(d.Path, "spec.template.spec.virtualNetwork") && d.Ours == nil
	}},
	{"`sku.tier: Paid`", func(_ defaulted, d compare.Difference) bool {
		return strings.HasSuffix(d.Path, "spec.sku.tier") && d.CAPZ == "Standard" && d.Ours == "Paid"
	}},
	{"`subscriptionID` left out", func(_ defaulted, d compare.Difference) bool {
		return d.Path == "spec.subscriptionID" && d.CAPZ == nil && d.Ours == specs.Subscription
	}},
	{"address ranges left out later", func(o defaulted, d compare.Difference) bool {
		return isRange(d) && o.oursBefore != nil && d.Ours == at(o.oursBefore, d.Path)
	}},
	{"`virtualNetwork.subnet` without `cidrBlock`, in a network of 10.224.0.0/12", func(o defaulted, d compare.Difference) bool {
		return d.Path == "spec.virtualNetwork.subnet.cidrBlock" && at(o.manifest, "spec.virtualNetwork.cidrBlock") == "10.224.0.0/12" && d.CAPZ == "10.240.0.0/16"
	}},
	{"`systemAssignedIdentityRole` without scope or definition", func(o defaulted, d compare.Difference) bool {
		return slices.Contains([]string{"AzureMachine", "AzureMachinePool"}, o.kind.Kind) && strings.HasPrefix(d.Path, "spec.systemAssignedIdentityRole.") && d.Ours == nil
	}},
	{"subnets that an AzureClusterTemplate lacks", func(o defaulted, d compare.Difference) bool {
		return o.kind.Kind == "AzureClusterTemplate" && d.Path == "spec.template.spec.networkSpec.subnets" && length(d.CAPZ) > length(d.Ours)
	}},
	{"several subnets with role control-plane, or with role cluster", func(o defaulted, d compare.Difference) bool {
		return strings.Contains(d.Path, "spec.networkSpec.subnets[") && repeatsRole(specs.TemplateOrSpec(o.manifest))
	}},
	{"`bastionSpec.azureBastion.subnet.name` of an AzureClusterTemplate", func(_ defaulted, d compare.Difference) bool {
		return d.Path == "spec.template.spec.bastionSpec.azureBastion.subnet.name" && d.CAPZ == nil && d.Ours == "AzureBastionSubnet"
	}},
	{"a manifest with `subnetName`, `acceleratedNetworking` or `roleAssignmentName` is applied again", func(o defaulted, d compare.Difference) bool {
		spec := machineOf(o.manifest)
		return aboutNetworkInterfaces.MatchString(d.Path) && length(spec["networkInterfaces"]) > 0 && (spec["subnetName"] != nil || spec["acceleratedNetworking"] != nil)
	}},
	{"`virtualNetwork` without `cidrBlock`, networkPluginMode overlay", func(o defaulted, d compare.Difference) bool {
		return isRange(d) && at(o.manifest, "spec.networkPluginMode") == "overlay"
	}},
}

// aboutNetworkInterfaces are the fields of machines and pools of which one takes the place of the others.
var aboutNetworkInterfaces = regexp.MustCompile(`^spec\.(template\.(spec\.)?)?(subnetName|acceleratedNetworking|networkInterfaces)`)

// isRange reports whether a difference is about the address range of the network or its subnet.
func isRange(d compare.Difference) bool {
	return d.Path == "spec.virtualNetwork.cidrBlock" || d.Path == "spec.virtualNetwork.subnet.cidrBlock"
}

// at returns the field of an object at a path with dots.
func at(object map[string]any, path string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(object, strings.Split(path, ".")...)
	return value
}

// documentedDefault returns the row of docs/differences.md that a difference is meant by, empty if there is none.
func documentedDefault(o defaulted, d compare.Difference) string {
	return rowOf(meantDefaults, func(is func(defaulted, compare.Difference) bool) bool { return is(o, d) })
}

// length returns how long a list is.
func length(list any) int {
	items, _ := list.([]any)
	return len(items)
}

// machineOf is specs.TemplateOrSpec, but for a pool the spec of its machines.
func machineOf(object map[string]any) map[string]any {
	spec := specs.TemplateOrSpec(object)
	if template, ofPool := spec["template"].(map[string]any); ofPool {
		return template
	}
	return spec
}

// repeatsRole reports whether an AzureCluster has several subnets with a role of which CAPZ knows one only.
func repeatsRole(spec map[string]any) bool {
	network, _ := spec["networkSpec"].(map[string]any)
	subnets, _ := network["subnets"].([]any)
	seen := map[any]int{}
	for _, s := range subnets {
		subnet, _ := s.(map[string]any)
		seen[subnet["role"]]++
	}
	return seen["control-plane"] > 1 || seen["cluster"] > 1
}
