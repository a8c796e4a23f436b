package arm

import "strings"

// mostNodes is how many nodes a pool has at most (AKS REST API, agentPoolProfile.count).
const mostNodes = 1000

// validateCount checks the number of nodes of a pool, be it a resource or a profile of the cluster.
func validateCount(p *put, name string, profile map[string]any) *Error {
	old := p.existing
	if p.id.Type == TypeManagedCluster {
		old = p.service.store.get(p.id.Path + "/agentPools/" + name)
	}
	var before map[string]any
	if old != nil {
		before = old.properties()
	}
	count, given := number(profile, "count")
	if !given && before == nil && p.id.Type == TypeAgentPool {
		// Azure/azure-service-operator#3220: also where AKS is to scale the pool.
		return badRequest("InvalidParameter", "Required parameter properties.count is missing (null).")
	}
	if e := validateBounds(name, profile); e != nil {
		return e
	}
	present, has := number(before, "count")
	if e := manualScale(name, profile, before); e != nil && given && has && count != present {
		return e
	}
	if !given {
		count, given = present, has
	}
	return leastCount(profile, before, count, given)
}

// validateBounds checks between how many nodes AKS is to scale a pool.
func validateBounds(name string, profile map[string]any) *Error {
	low, hasLow := number(profile, "minCount")
	high, hasHigh := number(profile, "maxCount")
	if boolean(profile, "enableAutoScaling") && (!hasLow || !hasHigh || low > high) {
		return badRequest("InvalidParameter", "Agent pool %s: with enableAutoScaling true, minCount and maxCount are required and minCount must not be greater than maxCount.", name)
	}
	return nil
}

// manualScale is the error for another number of nodes of a pool that AKS scales (hashicorp/terraform-provider-azurerm#4543), or is to
// scale from now on (Azure/AKS#1248); nil when AKS does not.
func manualScale(name string, profile, before map[string]any) *Error {
	switch {
	case !boolean(profile, "enableAutoScaling"):
		return nil
	case boolean(before, "enableAutoScaling"):
		return badRequest("InvalidParameter", "Cannot manually scale AgentPool '%s' of an AKS cluster with cluster autoscaler enabled. Please disable cluster autoscaler in the cluster to manually scale.", name)
	}
	return badRequest("InvalidParameter", "Cannot manually scale and enable cluster autoscaler in the same update operation on VMSS Agentpool '%s'.", name)
}

// leastCount refuses a System pool of no nodes, as AKS does (kubernetes-sigs/cluster-api-provider-azure#5947), and a pool of too many.
func leastCount(profile, before map[string]any, count int64, given bool) *Error {
	mode := text(profile, "mode")
	if mode == "" {
		mode = text(before, "mode")
	}
	least := int64(0)
	if strings.EqualFold(mode, "System") {
		least = 1
	}
	refused := func(field string, value int64) *Error {
		return badRequest("InvalidParameter", "The value of parameter agentPoolProfile.%s is invalid. Error details: agentPoolProfile.%s was %d. It must be greater or equal to minCount:%d and less than or equal to maxCount:%d. If allowedMinCount was expected to be 0 but is 1: 1) The nodepool is a VMAS pool. 2) api Version is less than 2020-03-01. 3) The node is a system pool.",
			field, field, value, least, mostNodes)
	}
	if given && (count < least || count > mostNodes) {
		return refused("count", count)
	}
	if low, bounded := number(profile, "minCount"); bounded && boolean(profile, "enableAutoScaling") && low < least {
		return refused("minCount", low)
	}
	return nil
}

// keepCount leaves the count of an autoscaled pool, and of one whose request has none, as it is.
func keepCount(properties, old map[string]any) {
	count, given := number(properties, "count")
	present, has := number(old, "count")
	low, hasLow := number(properties, "minCount")
	high, hasHigh := number(properties, "maxCount")
	if has && (!given || boolean(properties, "enableAutoScaling")) {
		count = present
	} else if !given {
		count = 1
	}
	if boolean(properties, "enableAutoScaling") {
		if hasLow {
			count = max(count, low)
		}
		if hasHigh {
			count = min(count, high)
		}
	}
	properties["count"] = count
}
