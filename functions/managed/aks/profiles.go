package aks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/functions/agentpool"
)

const modeSystem = "System"

// agentPoolProfiles returns the pools that the cluster is created with, by name, or what has to be waited for: AKS does
// not create a cluster without a System pool, and a pool that is left out would be created later than the others.
func (c *aksCluster) agentPoolProfiles(pools []Pool) (profiles []any, waits []string) {
	system := false
	for _, pool := range pools {
		o := c.agentPool(pool, LivePool{})
		if o.Err != nil {
			waits = append(waits, fmt.Sprintf("AzureManagedMachinePool %s is fixed: %s", pool.XR.Name, o.Err.Message))
			continue
		}
		profile := agentpool.Profile(o.Object)
		system = system || profile["mode"] == modeSystem
		profiles = append(profiles, profile)
	}
	if len(waits) == 0 && !system {
		waits = []string{fmt.Sprintf("an AzureManagedMachinePool of Cluster %s has spec.mode System, as AKS creates no cluster without a System pool", c.cluster.Name)}
	}
	slices.SortStableFunc(profiles, func(a, b any) int { return strings.Compare(profileName(a), profileName(b)) })
	return profiles, waits
}

func profileName(profile any) string {
	name, _ := profile.(map[string]any)["name"].(string)
	return name
}
