package containerservice

import (
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// mostNodes is how many nodes a pool has at most (AKS REST API, agentPoolProfile.count).
const mostNodes = 1000

// validateCount checks the number of nodes of a pool, be it a resource or a profile of the cluster.
func validateCount(p *arm.Put, name string, profile map[string]any) *arm.Error {
	old := p.Existing
	if p.ID.Type == TypeManagedCluster {
		old = p.Service.Store.Get(p.ID.Path + "/agentPools/" + name)
	}
	var before map[string]any
	if old != nil {
		before = old.Properties()
	}
	count, given := fields.Number(profile, "count")
	if !given && before == nil && p.ID.Type == TypeAgentPool {
		// Azure/azure-service-operator#3220: also where AKS is to scale the pool.
		return arm.BadRequest("InvalidParameter", "Required parameter properties.count is missing (null).")
	}
	if e := validateBounds(name, profile); e != nil {
		return e
	}
	present, has := fields.Number(before, "count")
	if e := manualScale(name, profile, before); e != nil && given && has && count != present {
		return e
	}
	if !given {
		count, given = present, has
	}
	return leastCount(profile, before, count, given)
}

// validateBounds checks between how many nodes AKS is to scale a pool.
func validateBounds(name string, profile map[string]any) *arm.Error {
	low, hasLow := fields.Number(profile, "minCount")
	high, hasHigh := fields.Number(profile, "maxCount")
	if fields.Bool(profile, "enableAutoScaling") && (!hasLow || !hasHigh || low > high) {
		return arm.BadRequest("InvalidParameter", "Agent pool %s: with enableAutoScaling true, minCount and maxCount are required and minCount must not be greater than maxCount.", name)
	}
	return nil
}

// manualScale is the error for another number of nodes of a pool that AKS scales (hashicorp/terraform-provider-azurerm#4543), or is to
// scale from now on (Azure/AKS#1248); nil when AKS does not.
func manualScale(name string, profile, before map[string]any) *arm.Error {
	switch {
	case !fields.Bool(profile, "enableAutoScaling"):
		return nil
	case fields.Bool(before, "enableAutoScaling"):
		return arm.BadRequest("InvalidParameter", "Cannot manually scale AgentPool '%s' of an AKS cluster with cluster autoscaler enabled. Please disable cluster autoscaler in the cluster to manually scale.", name)
	}
	return arm.BadRequest("InvalidParameter", "Cannot manually scale and enable cluster autoscaler in the same update operation on VMSS Agentpool '%s'.", name)
}

// leastCount refuses a System pool of no nodes, as AKS does (kubernetes-sigs/cluster-api-provider-azure#5947), and a pool of too many.
func leastCount(profile, before map[string]any, count int64, given bool) *arm.Error {
	mode := fields.Text(profile, "mode")
	if mode == "" {
		mode = fields.Text(before, "mode")
	}
	least := int64(0)
	if strings.EqualFold(mode, "System") {
		least = 1
	}
	refused := func(field string, value int64) *arm.Error {
		return arm.BadRequest("InvalidParameter", "The value of parameter agentPoolProfile.%s is invalid. Error details: agentPoolProfile.%s was %d. It must be greater or equal to minCount:%d and less than or equal to maxCount:%d. If allowedMinCount was expected to be 0 but is 1: 1) The nodepool is a VMAS pool. 2) api Version is less than 2020-03-01. 3) The node is a system pool.",
			field, field, value, least, mostNodes)
	}
	if given && (count < least || count > mostNodes) {
		return refused("count", count)
	}
	if low, bounded := fields.Number(profile, "minCount"); bounded && fields.Bool(profile, "enableAutoScaling") && low < least {
		return refused("minCount", low)
	}
	return nil
}

// keepCount leaves the count of an autoscaled pool, and of one whose request has none, as it is.
func keepCount(properties, old map[string]any) {
	count, given := fields.Number(properties, "count")
	present, has := fields.Number(old, "count")
	low, hasLow := fields.Number(properties, "minCount")
	high, hasHigh := fields.Number(properties, "maxCount")
	if has && (!given || fields.Bool(properties, "enableAutoScaling")) {
		count = present
	} else if !given {
		count = 1
	}
	if fields.Bool(properties, "enableAutoScaling") {
		if hasLow {
			count = max(count, low)
		}
		if hasHigh {
			count = min(count, high)
		}
	}
	properties["count"] = count
}
