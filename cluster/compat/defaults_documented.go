package main

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// A meantDefault is a default that is meant to differ, with its row in docs/differences.md.
type meantDefault struct {
	row string
	is  func(o defaulted, d compare.Difference) bool
}

// namesOfOthers are the fields whose default follows from other names.
var namesOfOthers = regexp.MustCompile(
	`^spec\.(name|resourceGroupName|nodeResourceGroupName|dnsPrefix|virtualNetwork\.(name|resourceGroup|subnet\.name)|fleetsMember\.name|extensions(\[\d+\]\.plan(\.name)?)?)$`)

// meantDefaults are the documented ones.
var meantDefaults = []meantDefault{
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
	{"`fleetsMember.group` written down empty", func(_ defaulted, d compare.Difference) bool {
		return strings.HasSuffix(d.Path, "spec.fleetsMember.group") && d.CAPZ == "default" && d.Ours == nil
	}},
	{"address ranges left out later", func(o defaulted, d compare.Difference) bool {
		return isRange(d) && o.oursBefore != nil && d.Ours == at(o.oursBefore, d.Path)
	}},
	{"`virtualNetwork.subnet` without `cidrBlock`, in a network of 10.224.0.0/12", func(o defaulted, d compare.Difference) bool {
		return d.Path == "spec.virtualNetwork.subnet.cidrBlock" && at(o.manifest, "spec.virtualNetwork.cidrBlock") == "10.224.0.0/12" && d.CAPZ == "10.240.0.0/16"
	}},
	{"`virtualNetwork` without `cidrBlock`, networkPluginMode overlay", func(o defaulted, d compare.Difference) bool {
		return isRange(d) && at(o.manifest, "spec.networkPluginMode") == "overlay"
	}},
}

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
	if i := slices.IndexFunc(meantDefaults, func(m meantDefault) bool { return m.is(o, d) }); i >= 0 {
		return meantDefaults[i].row
	}
	return ""
}
