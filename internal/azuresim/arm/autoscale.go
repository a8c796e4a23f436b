package arm

import "fmt"

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
