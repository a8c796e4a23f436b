package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// A documented difference is one that is meant. Its row in docs/differences.md, found by its first cell, says why; is tells it.
type documented[Is any] struct {
	row string
	is  Is
}

// rowOf returns the row of the first one that is the case; empty if none is.
func rowOf[Is any](all []documented[Is], isCase func(Is) bool) string {
	if i := slices.IndexFunc(all, func(m documented[Is]) bool { return isCase(m.is) }); i >= 0 {
		return all[i].row
	}
	return ""
}

// printLacking prints the fields that were never set and the rows that have not been found, and reports whether there are any.
func printLacking[Is any](out io.Writer, missing []string, all []documented[Is], found map[string]int) bool {
	if len(missing) > 0 {
		fmt.Fprintf(out, "never set: %s\n", strings.Join(missing, ", "))
	}
	return printUnseen(out, all, found)+len(missing) > 0
}

// printUnseen prints the rows that have not been found, and returns how many.
func printUnseen[Is any](out io.Writer, all []documented[Is], found map[string]int) int {
	var unseen []string
	for _, m := range all {
		if found[m.row] == 0 {
			unseen = append(unseen, m.row)
		}
	}
	if len(unseen) > 0 {
		fmt.Fprintf(out, "documented, but not found: %s\n", strings.Join(unseen, "; "))
	}
	return len(unseen)
}

// meant are the documented differences.
var meant = []documented[func(s *specs.Spec, d compare.Difference) bool]{
	{"annotation `sigs.k8s.io/cluster-api-provider-azure-last-applied-tags`", func(_ *specs.Spec, d compare.Difference) bool {
		return d.Path == "metadata.annotations.sigs.k8s.io/cluster-api-provider-azure-last-applied-tags" && d.Ours == nil
	}},
	{"`spec.extensions[].scope`", func(_ *specs.Spec, d compare.Difference) bool {
		return strings.HasPrefix(d.Object, "Extension/") && d.Path == "spec.scope" && d.CAPZ == nil
	}},
	{"`spec.extensions[].plan.promotionCode`", func(_ *specs.Spec, d compare.Difference) bool {
		return strings.HasPrefix(d.Object, "Extension/") && d.Path == "spec.plan.promotionCode" && d.CAPZ == nil
	}},
	{"`spec.owner.name` of an agent pool", func(s *specs.Spec, d compare.Difference) bool {
		return isPool(d) && d.Path == "spec.owner.name" && d.CAPZ == s.ControlPlaneName() && d.Ours == "other-name"
	}},
	{"`spec.count` of an agent pool that AKS scales", func(s *specs.Spec, d compare.Difference) bool {
		return isPool(d) && d.Path == "spec.count" && s.Scales(strings.TrimPrefix(d.Object, "ManagedClustersAgentPool/")) &&
			(d.Ours == nil || fmt.Sprint(d.CAPZ) == fmt.Sprint(s.Count))
	}},
	{"location of a private endpoint that names none", func(s *specs.Spec, d compare.Difference) bool {
		return strings.HasPrefix(d.Object, "PrivateEndpoint/") && d.Path == "spec.location" && d.CAPZ == "" && d.Ours == s.Field("location")
	}},
	{"the cluster that a fleet's member is", func(s *specs.Spec, d compare.Difference) bool {
		return strings.HasPrefix(d.Object, "FleetsMember/") && d.Path == "spec.clusterResourceReference.armId" &&
			strings.HasSuffix(fmt.Sprint(d.CAPZ), "/managedClusters/"+s.Cluster) && strings.HasSuffix(fmt.Sprint(d.Ours), "/managedClusters/"+s.ControlPlaneName())
	}},
	{"`virtualNetwork` without `cidrBlock`, networkPluginMode overlay", func(s *specs.Spec, d compare.Difference) bool {
		return s.Field("networkPluginMode") == "overlay" && (d.CAPZ == "10.0.0.0/8" && d.Ours == "10.224.0.0/12" || d.CAPZ == "10.240.0.0/16" && d.Ours == "10.224.0.0/16" ||
			isRefusal(d, "each of their privateIPAddresses must be in the range of the subnet"))
	}},
	{"agent pool above the control plane's version", func(_ *specs.Spec, d compare.Difference) bool {
		return isPool(d) && d.Path == "" && d.CAPZ == "an object" && strings.Contains(fmt.Sprint(d.Ours), "must not be above")
	}},
	{"`releaseTrain` of an extension with `autoUpgradeMinorVersion: false`", func(_ *specs.Spec, d compare.Difference) bool {
		return isRefusal(d, "goes with autoUpgradeMinorVersion true only")
	}},
	{"a patch with a field that the kind lacks", func(_ *specs.Spec, d compare.Difference) bool {
		return d.Path == "" && d.CAPZ == "an object" && strings.Contains(fmt.Sprint(d.Ours), "spec.unheardOf must be absent")
	}},
	{"IDs in a spec without `subscriptionID`", func(s *specs.Spec, d compare.Difference) bool {
		return s.Field("subscriptionID") == nil && strings.HasSuffix(d.Path, ".armId") &&
			strings.Replace(fmt.Sprint(d.CAPZ), "/subscriptions//", "/subscriptions/"+specs.Subscription+"/", 1) == d.Ours
	}},
}

// isRefusal reports whether this project refuses, with the text, what CAPZ accepts.
func isRefusal(d compare.Difference, text string) bool {
	return d.CAPZ == "accepted" && strings.Contains(fmt.Sprint(d.Ours), text)
}

func isPool(d compare.Difference) bool {
	return strings.HasPrefix(d.Object, "ManagedClustersAgentPool/")
}

// documentation returns the row of docs/differences.md that a difference is meant by, empty if there is none.
func documentation(s *specs.Spec, d compare.Difference) string {
	return rowOf(meant, func(is func(*specs.Spec, compare.Difference) bool) bool { return is(s, d) })
}
