package e2e

import (
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

// aksScales has the cluster autoscaler of AKS choose a number of nodes for the second pool, and ASO look at once: by
// itself it looks at what has not changed only once an hour.
func aksScales(count int, look string) func(*world) error {
	return func(w *world) error {
		pool, err := w.resource("/agentPools/pool1")
		if err != nil {
			return err
		}
		if err := w.azure.SetAutoscale(w.ctx, pool.ID, count); err != nil {
			return err
		}
		return w.annotateNamespace(asoPolicy, look)
	}
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
			act:  aksScales(4, "skip"),
			expect: []expectation{
				replicas(userPool, 4), available, kubeconfigWorks,
				annotated(poolKind, userPool, replicasManagedBy, pointer("aks")),
			},
		},
		{
			name: "AKS scales down",
			act:  aksScales(1, "manage"),
			expect: []expectation{
				replicas(userPool, 1), available, kubeconfigWorks,
			},
		},
		{
			name: "turn autoscaling off",
			act:  autoscaling(false),
			expect: []expectation{
				inAzure("/agentPools/pool1", "properties.enableAutoScaling", false),
				annotated(poolKind, userPool, replicasManagedBy, nil),
				replicas(userPool, 1), available,
			},
		},
		{
			name:   "scale by hand again",
			act:    scaleTo(userPool, 3),
			expect: []expectation{replicas(userPool, 3), available, kubeconfigWorks},
		},
		down,
	},
}
