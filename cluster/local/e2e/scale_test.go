package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	replicasManagedBy = "cluster.x-k8s.io/replicas-managed-by"
	// asoPolicy on the namespace makes ASO look at everything in it when it changes from or to skip.
	asoPolicy = "serviceoperator.azure.com/reconcile-policy"
)

func pointer[T any](v T) *T { return &v }

// scaleTo sets the number of nodes of a pool.
func scaleTo(name string, count int) func(*world) error {
	return func(w *world) error { return w.set(poolKind, name, "spec.replicas", int64(count)) }
}

var scale = &scenario{
	name: "scale",
	steps: []step{
		upFlavor("aks-aso"),
		{
			name:   "scale up",
			act:    scaleTo(userPool, 5),
			expect: []expectation{replicas(userPool, 5), replicas(systemPool, 2), available, kubeconfigWorks},
		},
		{
			name:   "scale down",
			act:    scaleTo(userPool, 1),
			expect: []expectation{replicas(userPool, 1), replicas(systemPool, 2), available, kubeconfigWorks},
		},
		{
			name:   "scale to nothing",
			act:    scaleTo(userPool, 0),
			expect: []expectation{replicas(userPool, 0), kubeconfigWorks, contractKept},
		},
		{
			name:   "scale up from nothing",
			act:    scaleTo(userPool, 2),
			expect: []expectation{replicas(userPool, 2), available, kubeconfigWorks, contractKept},
		},
		{
			name: "add a pool",
			act: func(w *world) error {
				added, err := pool(addedPool, 3)
				if err != nil {
					return err
				}
				return w.apply(added...)
			},
			expect: []expectation{replicas(addedPool, 3), replicas(systemPool, 2), available, kubeconfigWorks},
		},
		{
			name: "remove it",
			act:  func(w *world) error { return w.remove(poolKind, addedPool) },
			goes: []removal{{"ManagedClustersAgentPool/" + addedPool, "/agentPools/pool2"}},
			expect: []expectation{
				gone(poolKind, addedPool), gone(asoPoolKind, addedPool), gone(agentPoolKind, addedPool),
				notInAzure("/agentPools/pool2"), replicas(systemPool, 2), available, kubeconfigWorks,
			},
		},
		down,
	},
}

// autoscaling sets whether AKS scales the second pool, within 1 and 5 nodes.
func autoscaling(on bool) func(*world) error {
	return func(w *world) error {
		return w.edit(asoPoolKind, userPool, func(u *unstructured.Unstructured) error {
			return editEntry(u, "ManagedClustersAgentPool/"+userPool, func(e map[string]any) error {
				fields := map[string]any{"spec.enableAutoScaling": on, "spec.minCount": int64(1), "spec.maxCount": int64(5)}
				for field, value := range fields {
					if !on && field != "spec.enableAutoScaling" {
						value = nil
					}
					if err := setField(e, field, value); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// aksScales has the cluster autoscaler of AKS choose a number of nodes for the second pool, which ASO does not see: by itself it looks
// at what has not changed only once an hour.
func aksScales(count int) func(*world) error {
	return func(w *world) error {
		pool, err := w.resource("/agentPools/pool1")
		if err != nil {
			return err
		}
		w.noted[aksScaled] = time.Now()
		return w.azure.SetAutoscale(w.ctx, pool.ID, count)
	}
}

// aksScaled notes when AKS has scaled last.
const aksScaled = "AKS scaled"

// asoLooks has ASO look at everything in the namespace.
func asoLooks(policy string) func(*world) error {
	return func(w *world) error { return w.annotateNamespace(asoPolicy, policy) }
}

// onlyCount expects that since AKS has scaled Azure was not asked for another number of nodes of the second pool.
func onlyCount(count int) expectation {
	return func(w *world) []string {
		since, _ := w.noted[aksScaled].(time.Time)
		requests, err := w.requests(since, http.MethodPut, http.MethodPatch)
		if err != nil {
			return []string{err.Error()}
		}
		var others []string
		for _, r := range requests {
			for _, sent := range countsIn(r.Path, r.Body) {
				if sent != count {
					others = append(others, fmt.Sprintf("%s %s at %s has count %d, but AKS has %d nodes", r.Method, r.Path, r.Time.Format(time.TimeOnly), sent, count))
				}
			}
		}
		return others
	}
}

// countsIn returns the numbers of nodes of the second pool that a request to the pool, or to its cluster, has.
func countsIn(path, body string) []int {
	type pool struct {
		Name  string
		Count *int
	}
	var request struct {
		Properties struct {
			Count             *int
			AgentPoolProfiles []pool
		}
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		return nil // Of another resource.
	}
	pools := request.Properties.AgentPoolProfiles
	if strings.HasSuffix(path, "/agentPools/pool1") {
		pools = append(pools, pool{"pool1", request.Properties.Count})
	}
	var counts []int
	for _, p := range pools {
		if p.Name == "pool1" && p.Count != nil {
			counts = append(counts, *p.Count)
		}
	}
	return counts
}

var autoscale = &scenario{
	name: "autoscale",
	steps: []step{
		up("aks-aso"),
		{
			name: "turn autoscaling on",
			act:  autoscaling(true),
			expect: []expectation{
				inAzure("/agentPools/pool1", "properties.enableAutoScaling", true),
				annotated(poolKind, userPool, replicasManagedBy, pointer("aks")),
				replicas(userPool, 2), available,
			},
		},
		{
			name: "AKS scales up",
			act:  aksScales(4),
			expect: []expectation{
				replicas(userPool, 4), available, kubeconfigWorks,
				annotated(poolKind, userPool, replicasManagedBy, pointer("aks")),
			},
			stays: []expectation{onlyCount(4)}, staysFor: 2 * time.Second,
		},
		{
			name:   "AKS scales down",
			act:    all(aksScales(1), asoLooks("skip")),
			expect: []expectation{replicas(userPool, 1), available, kubeconfigWorks},
			stays:  []expectation{onlyCount(1)}, staysFor: 2 * time.Second,
		},
		{
			name: "turn autoscaling off as AKS scales up",
			act:  all(asoLooks("manage"), aksScales(4), autoscaling(false)),
			expect: []expectation{
				inAzure("/agentPools/pool1", "properties.enableAutoScaling", false),
				annotated(poolKind, userPool, replicasManagedBy, nil),
				replicas(userPool, 4), available, kubeconfigWorks,
			},
			stays: []expectation{onlyCount(4)}, staysFor: 2 * time.Second,
		},
		{
			name:   "scale by hand again",
			act:    scaleTo(userPool, 3),
			expect: []expectation{replicas(userPool, 3), available, kubeconfigWorks},
		},
		down,
	},
}
