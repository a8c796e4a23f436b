package aks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/functions/agentpool"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

const modeSystem = "System"

// agentPoolProfiles returns the pools that the cluster is created with, by name, or what has to be waited for: a pool that is left out
// would be created later than the others.
func (c *aksCluster) agentPoolProfiles(pools []Pool) (profiles []any, waits []string) {
	for _, pool := range pools {
		o := c.agentPool(pool, LivePool{})
		if o.Err != nil {
			waits = append(waits, fmt.Sprintf("AzureManagedMachinePool %s is fixed: %s", pool.XR.Name, o.Err.Message))
			continue
		}
		profiles = append(profiles, agentpool.Profile(o.Object))
	}
	slices.SortStableFunc(profiles, func(a, b any) int { return strings.Compare(profileName(a), profileName(b)) })
	return profiles, waits
}

// awaitSystemPool has a cluster wait for a System pool: AKS creates none without, unless it hosts that itself.
func (c *aksCluster) awaitSystemPool(managedCluster *plan.Resource, profiles []any) {
	system := slices.ContainsFunc(field.Maps(profiles), func(profile map[string]any) bool { return profile["mode"] == modeSystem })
	if system || len(managedCluster.After) > 0 || aso.HostsSystemPool(managedCluster.Object) {
		return
	}
	managedCluster.After = []plan.Precondition{{Description: fmt.Sprintf(
		"an AzureManagedMachinePool of Cluster %s has spec.mode System, as AKS creates no cluster without a System pool", c.cluster.Name)}}
}

func profileName(profile any) string {
	name, _ := profile.(map[string]any)["name"].(string)
	return name
}
