package containerservice

import (
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

const (
	typeNodeSet      = "Microsoft.Compute/virtualMachineScaleSets"
	typeNode         = typeNodeSet + "/virtualMachines"
	providerIDPrefix = "azure://"
)

// NodeResources are the scale sets of a managed cluster's node resource group, or the virtual machines of one; nil for any other place. AKS
// makes one scale set for each pool and names the pool in its tag aks-managed-poolName (AKS documentation, "Use labels in an AKS cluster";
// Azure Resource Manager, Microsoft.Compute/virtualMachineScaleSets).
func NodeResources(s *arm.Service, id arm.ID) []map[string]any {
	cluster := clusterOf(s, id.GroupPath())
	if cluster == nil {
		return nil
	}
	found := []map[string]any{}
	for _, o := range scaleSets(cluster, s.Clusters.Nodes(cluster.ID)) {
		if strings.EqualFold(path.Dir(fields.Text(o, "id")), path.Dir(id.Path)) {
			found = append(found, o)
		}
	}
	return found
}

// clusterOf returns the managed cluster whose node resource group has the path; nil when it is none.
func clusterOf(s *arm.Service, group string) *arm.Resource {
	found := s.Store.Get(group)
	if found == nil {
		return nil
	}
	return s.Store.Get(fields.Text(found.Body, "managedBy"))
}

// scaleSets returns the scale sets of the Nodes with their virtual machines, each before its own.
func scaleSets(cluster *arm.Resource, nodes []*corev1.Node) []map[string]any {
	var all []map[string]any
	for _, n := range nodes {
		instance := strings.TrimPrefix(n.Spec.ProviderID, providerIDPrefix)
		set := path.Dir(path.Dir(instance))
		at := slices.IndexFunc(all, func(o map[string]any) bool { return o["id"] == set })
		if at < 0 {
			at = len(all)
			all = append(all, settledWith(map[string]any{
				"id": set, "name": path.Base(set), "type": typeNodeSet, fields.Location: arm.NormalLocation(cluster.Location()),
				"tags": map[string]any{"aks-managed-orchestrator": "Kubernetes:" + strings.TrimPrefix(n.Status.NodeInfo.KubeletVersion, "v"), "aks-managed-poolName": n.Labels["agentpool"]},
				"sku":  map[string]any{"name": n.Labels["node.kubernetes.io/instance-type"], "tier": "Standard", "capacity": 0},
			}, "orchestrationMode", "Uniform"))
		}
		sku := fields.Child(all[at], "sku")
		sku["capacity"] = sku["capacity"].(int) + 1 //nolint:forcetypeassert // Set above.
		all = append(all, settledWith(map[string]any{
			"id": instance, "instanceId": path.Base(instance), "name": path.Base(set) + "_" + path.Base(instance), "type": typeNode,
			fields.Location: arm.NormalLocation(cluster.Location()), "sku": map[string]any{"name": sku["name"], "tier": "Standard"},
		}, "latestModelApplied", true))
	}
	return all
}

// settledWith gives a body the properties of a resource with which Azure is done, and one more.
func settledWith(body map[string]any, property string, value any) map[string]any {
	properties := fields.Child(body, "properties")
	properties["provisioningState"], properties[property] = arm.StatusSucceeded, value
	return body
}
