package e2e

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// noPools leaves out the pools of an example, and has AKS host what needs one.
var noPools = []change{
	without(func(u *unstructured.Unstructured) bool {
		return u.GetKind() == poolKind.Kind || u.GetKind() == asoPoolKind.Kind
	}),
	each(func(u *unstructured.Unstructured) error {
		if u.GetKind() != controlPlaneKind.Kind {
			return nil
		}
		return editEntry(u, "ManagedCluster/"+clusterName, func(e map[string]any) error {
			return setField(e, "spec.sku", map[string]any{"name": "Automatic", "tier": "Standard"})
		})
	}),
}

// automatic is a cluster of AKS Automatic: it comes up without a pool, and takes one later.
var automatic = &scenario{
	name: "automatic", calmOnly: true,
	steps: []step{
		{
			name: "create it without a pool",
			act:  applyExample("aks-aso", noPools...),
			expect: []expectation{
				condition(clusterKind, clusterName, "Available", "True", ""), condition(controlPlaneKind, clusterName, "Available", "True", ""),
				inAzure("/managedClusters/my-cluster", "sku.name", "Automatic"), kubeconfigWorks,
			},
		},
		{
			name: "add a pool",
			act: func(w *world) error {
				added, err := pool(addedPool, 2)
				if err != nil {
					return err
				}
				return w.apply(added...)
			},
			expect: []expectation{replicas(addedPool, 2), available, kubeconfigWorks},
		},
		down,
	},
}
