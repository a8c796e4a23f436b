package arm

import (
	"fmt"
	"strings"
)

// Autoscale sets the count of an agent pool as the cluster autoscaler does: at once and without an operation.
func (s *Service) Autoscale(poolID string, count int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	pool := s.store.get(poolID)
	if pool == nil {
		return fmt.Errorf("no agent pool has the id %s", poolID)
	}
	properties := pool.properties()
	low, _ := number(properties, "minCount")
	high, _ := number(properties, "maxCount")
	if !boolean(properties, "enableAutoScaling") || int64(count) < low || int64(count) > high {
		return fmt.Errorf("agent pool %s: cannot be autoscaled to %d, its bounds are %d and %d, enableAutoScaling is %t",
			pool.Name, count, low, high, boolean(properties, "enableAutoScaling"))
	}
	properties["count"] = int64(count)
	return s.settlePoolAndCluster(pool)
}

// AutoUpgrade brings a cluster and its pools to a version as its upgrade channel does: by itself, here at once.
func (s *Service) AutoUpgrade(clusterID, version string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cluster := s.store.get(clusterID)
	if cluster == nil {
		return fmt.Errorf("no managed cluster has the id %s", clusterID)
	}
	if channel := text(cluster.Body, "properties", "autoUpgradeProfile", "upgradeChannel"); channel == "" || strings.EqualFold(channel, "none") {
		return fmt.Errorf("managed cluster %s has no upgrade channel", cluster.Name)
	}
	to, e := resolveVersion(version, nil)
	if e == nil {
		e = checkUpgrade("managed cluster "+cluster.Name, *presentVersion(cluster), to)
	}
	if e != nil {
		return e
	}
	for _, pool := range s.store.children(cluster.ID, TypeAgentPool) {
		pool.properties()["orchestratorVersion"], pool.properties()["currentOrchestratorVersion"] = to.String(), to.String()
		if err := s.settlePool(pool); err != nil {
			return err
		}
	}
	cluster.properties()["kubernetesVersion"], cluster.properties()["currentKubernetesVersion"] = to.String(), to.String()
	return settleManagedCluster(s, cluster)
}
