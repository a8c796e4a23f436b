package containerservice

import (
	"fmt"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// Autoscale sets the count of an agent pool as the cluster autoscaler does: at once and without an operation.
func Autoscale(s *arm.Service, poolID string, count int) error {
	s.Lock()
	defer s.Unlock()
	pool := s.Store.Get(poolID)
	if pool == nil {
		return fmt.Errorf("no agent pool has the id %s", poolID)
	}
	properties := pool.Properties()
	low, _ := fields.Number(properties, "minCount")
	high, _ := fields.Number(properties, "maxCount")
	if !fields.Bool(properties, "enableAutoScaling") || int64(count) < low || int64(count) > high {
		return fmt.Errorf("agent pool %s: cannot be autoscaled to %d, its bounds are %d and %d, enableAutoScaling is %t",
			pool.Name, count, low, high, fields.Bool(properties, "enableAutoScaling"))
	}
	properties["count"] = int64(count)
	return settlePoolAndCluster(s, pool)
}

// AutoUpgrade brings a cluster and its pools to a version as its upgrade channel does: by itself, here at once.
func AutoUpgrade(s *arm.Service, clusterID, version string) error {
	s.Lock()
	defer s.Unlock()
	cluster := s.Store.Get(clusterID)
	if cluster == nil {
		return fmt.Errorf("no managed cluster has the id %s", clusterID)
	}
	if channel := fields.Text(cluster.Body, "properties", "autoUpgradeProfile", "upgradeChannel"); channel == "" || strings.EqualFold(channel, "none") {
		return fmt.Errorf("managed cluster %s has no upgrade channel", cluster.Name)
	}
	to, e := resolveVersion(version, nil)
	if e == nil {
		e = checkUpgrade("managed cluster "+cluster.Name, *presentVersion(cluster), to)
	}
	if e != nil {
		return e
	}
	for _, pool := range s.Store.Children(cluster.ID, TypeAgentPool) {
		pool.Properties()["orchestratorVersion"], pool.Properties()["currentOrchestratorVersion"] = to.String(), to.String()
		if err := settlePool(s, pool); err != nil {
			return err
		}
	}
	cluster.Properties()["kubernetesVersion"], cluster.Properties()["currentKubernetesVersion"] = to.String(), to.String()
	return settleManagedCluster(s, cluster)
}
