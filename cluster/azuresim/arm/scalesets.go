package arm

import (
	"net/http"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	typeScaleSet         = "Microsoft.Compute/virtualMachineScaleSets"
	typeScaleSetInstance = typeScaleSet + "/virtualMachines"
	providerIDPrefix     = "azure://"
)

// showNodes answers a read of the scale sets of a managed cluster's node resource group, or of the virtual machines of one; it
// returns false for any other. AKS makes one for each pool and names the pool in its tag aks-managed-poolName (AKS documentation,
// "Use labels in an AKS cluster"; Azure Resource Manager, Microsoft.Compute/virtualMachineScaleSets).
func (s *Service) showNodes(w http.ResponseWriter, id ID, collection bool) bool {
	if !strings.EqualFold(id.Type, typeScaleSet) && !strings.EqualFold(id.Type, typeScaleSetInstance) {
		return false
	}
	cluster := s.clusterOf(id.groupPath())
	if cluster == nil {
		return false
	}
	found := []any{}
	for _, o := range scaleSets(cluster, s.clusters.Nodes(cluster.ID)) {
		switch at := text(o, "id"); {
		case !collection && strings.EqualFold(at, id.Path):
			writeJSON(w, http.StatusOK, o)
			return true
		case strings.EqualFold(path.Dir(at), path.Dir(id.Path)):
			found = append(found, o)
		}
	}
	if collection {
		writeJSON(w, http.StatusOK, map[string]any{"value": found})
	}
	return collection
}

// clusterOf returns the managed cluster whose node resource group has the path; nil when it is none.
func (s *Service) clusterOf(group string) *Resource {
	found := s.store.get(group)
	if found == nil {
		return nil
	}
	return s.store.get(text(found.Body, "managedBy"))
}

// scaleSets returns the scale sets of the Nodes with their virtual machines, each before its own.
func scaleSets(cluster *Resource, nodes []*corev1.Node) []map[string]any {
	var all []map[string]any
	for _, n := range nodes {
		instance := strings.TrimPrefix(n.Spec.ProviderID, providerIDPrefix)
		set := path.Dir(path.Dir(instance))
		at := slices.IndexFunc(all, func(o map[string]any) bool { return o["id"] == set })
		if at < 0 {
			at = len(all)
			all = append(all, settledWith(map[string]any{
				"id": set, "name": path.Base(set), "type": typeScaleSet, "location": normalLocation(cluster.location()),
				"tags": map[string]any{"aks-managed-orchestrator": "Kubernetes:" + strings.TrimPrefix(n.Status.NodeInfo.KubeletVersion, "v"), "aks-managed-poolName": n.Labels["agentpool"]},
				"sku":  map[string]any{"name": n.Labels["node.kubernetes.io/instance-type"], "tier": "Standard", "capacity": 0},
			}, "orchestrationMode", "Uniform"))
		}
		sku := child(all[at], "sku")
		sku["capacity"] = sku["capacity"].(int) + 1 //nolint:forcetypeassert // Set above.
		all = append(all, settledWith(map[string]any{
			"id": instance, "instanceId": path.Base(instance), "name": path.Base(set) + "_" + path.Base(instance), "type": typeScaleSetInstance,
			"location": normalLocation(cluster.location()), "sku": map[string]any{"name": sku["name"], "tier": "Standard"},
		}, "latestModelApplied", true))
	}
	return all
}

// settledWith gives a body the properties of a resource with which Azure is done, and one more.
func settledWith(body map[string]any, property string, value any) map[string]any {
	properties := child(body, "properties")
	properties["provisioningState"], properties[property] = statusSucceeded, value
	return body
}
