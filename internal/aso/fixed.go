package aso

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fixed are the fields that AKS does not change of what exists, by its documentation; what is below them is fixed, too.
var fixed = map[schema.GroupKind][]string{
	ManagedCluster.GroupKind(): {
		"spec.dnsPrefix", "spec.nodeResourceGroup", "spec.networkProfile.serviceCidr", "spec.networkProfile.dnsServiceIP", "spec.networkProfile.loadBalancerSku",
		"spec.linuxProfile.adminUsername", "spec.apiServerAccessProfile.enablePrivateCluster",
	},
	ManagedClustersAgentPool.GroupKind(): {
		"spec.vmSize", "spec.osType", "spec.osDiskSizeGB", "spec.osDiskType", "spec.kubeletDiskType", "spec.vnetSubnetReference", "spec.maxPods",
		"spec.availabilityZones", "spec.enableNodePublicIP", "spec.nodePublicIPPrefixReference", "spec.enableUltraSSD", "spec.scaleSetPriority",
		"spec.kubeletConfig", "spec.linuxOSConfig",
	},
}

// Fixed reports whether Azure, by its documentation, never changes a field of a resource of the kind that exists.
func Fixed(kind schema.GroupKind, path string) bool {
	return slices.ContainsFunc(fixed[kind], func(f string) bool {
		return path == f || strings.HasPrefix(path, f+".") || strings.HasPrefix(path, f+"[")
	})
}
