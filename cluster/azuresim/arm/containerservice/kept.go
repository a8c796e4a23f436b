package containerservice

import (
	"slices"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// What AKS keeps of a cluster or a pool is what a PUT lacks or has null for; an empty list or map takes it away
// (Azure/azure-service-operator issue 3522 for tags, nodeLabels and nodeTaints, kubernetes-sigs/cluster-api-provider-azure issue 3654 for
// authorizedIPRanges). What is said here is what differs from that.

// autoscalerDefaults are the profile of the cluster autoscaler that nobody has set, from the page "Use the cluster autoscaler in AKS".
var autoscalerDefaults = map[string]any{
	"balance-similar-node-groups": "false", "expander": "random", "max-empty-bulk-delete": "10", "max-graceful-termination-sec": "600",
	"max-node-provision-time": "15m", "max-total-unready-percentage": "45", "new-pod-scale-up-delay": "0s", "ok-total-unready-count": "3",
	"scan-interval": "10s", "scale-down-delay-after-add": "10m", "scale-down-delay-after-delete": "10s", "scale-down-delay-after-failure": "3m",
	"scale-down-unneeded-time": "10m", "scale-down-unready-time": "20m", "scale-down-utilization-threshold": "0.5",
	"skip-nodes-with-local-storage": "false", "skip-nodes-with-system-pods": "true",
}

// outboundAddresses are the ways to say which addresses the load balancer sends from. One takes the place of another, as
// `az aks update --load-balancer-outbound-ips` and its like do.
var outboundAddresses = []string{"managedOutboundIPs", "outboundIPPrefixes", "outboundIPs"}

// forgetReplaced takes out of what a cluster was before all that the request has something else in the place of.
func forgetReplaced(old, requested map[string]any) {
	if requested["tags"] != nil {
		delete(old, "tags")
	}
	was, wanted := fields.Child(old, "properties"), fields.Child(fields.Clone(requested), "properties")
	if wanted["autoScalerProfile"] != nil {
		delete(was, "autoScalerProfile") // `az aks update --cluster-autoscaler-profile ""` sends an empty one to clear it.
	}
	for name := range fields.Child(wanted, "addonProfiles") {
		if fields.At(wanted, "addonProfiles", name, "config") != nil {
			delete(fields.Child(fields.Child(was, "addonProfiles"), name), "config")
		}
	}
	forgetAddresses(was, wanted)
}

func forgetAddresses(was, wanted map[string]any) {
	balancer, _ := fields.At(was, "networkProfile", "loadBalancerProfile").(map[string]any)
	for _, given := range outboundAddresses {
		if fields.At(wanted, "networkProfile", "loadBalancerProfile", given) == nil || balancer[given] != nil {
			continue
		}
		for _, name := range append([]string{"effectiveOutboundIPs"}, outboundAddresses...) {
			delete(balancer, name)
		}
	}
}

// chosenAddresses reports whether a load balancer's profile says which addresses it sends from.
func chosenAddresses(network map[string]any) bool {
	return slices.ContainsFunc(outboundAddresses, func(name string) bool { return fields.At(network, "loadBalancerProfile", name) != nil })
}

// applyEmptied fills in the profile of an autoscaler that somebody has set, and takes away ranges that the request has emptied.
func applyEmptied(properties map[string]any) {
	if profile, given := properties["autoScalerProfile"].(map[string]any); given {
		fields.Fill(profile, autoscalerDefaults)
	}
	if access, given := properties["apiServerAccessProfile"].(map[string]any); given {
		dropEmptyLists(access)
	}
}

// keptOfPool returns what a pool keeps of what it was.
func keptOfPool(old, requested map[string]any) map[string]any {
	kept := fields.Clone(old)
	for _, name := range []string{"nodeLabels", "nodeTaints", "tags"} {
		if _, given := requested[name]; given {
			delete(kept, name)
		}
	}
	if requested["enableAutoScaling"] == false {
		delete(kept, "minCount")
		delete(kept, "maxCount")
	}
	return kept
}
