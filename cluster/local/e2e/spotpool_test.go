package e2e

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// spotPool is a scale set of spare capacity: Azure takes an instance back, and the pool gets another.
var spotPool = &scenario{
	name: "spot-pool", family: machineFamily, calmOnly: true,
	steps: []step{
		{name: "create", act: applyTyped("self-managed", withSpec(deploymentKind, "replicas: 0")), lasts: booting, expect: []expectation{machinesUp(1, 0)}},
		{
			name: "add a spot pool", act: applyExample("self-managed-machinepool", spare), lasts: booting,
			expect: []expectation{poolUp(2), inAzure("/virtualMachineScaleSets/"+workersPool, "properties.virtualMachineProfile.priority", "Spot")},
		},
		{
			name: "Azure takes an instance back", act: evictOne, goes: []removal{anInstance}, lasts: booting,
			expect: []expectation{evictedReplaced, poolUp(2)},
		},
		removeScaleSet,
		downMachines,
	},
}

// spare has a pool be of spare capacity, whose instances are gone when Azure takes them back.
var spare = each(func(u *unstructured.Unstructured) error {
	if u.GetKind() != azurePoolKind.Kind {
		return nil
	}
	return unstructured.SetNestedStringMap(u.Object, map[string]string{"evictionPolicy": "Delete"}, "spec", "template", "spotVMOptions")
})

// evictOne has Azure take an instance of the pool back, once, and notes its provider ID.
func evictOne(w *world) error {
	return once("evicted", func(w *world) error {
		pool, err := w.get(azurePoolKind, workersPool)
		if err != nil {
			return err
		}
		ids, _, _ := unstructured.NestedStringSlice(pool.Object, "spec", "providerIDList")
		if len(ids) == 0 {
			return fmt.Errorf("AzureMachinePool %s has no provider IDs", workersPool)
		}
		w.noted["evicted provider ID"] = ids[0]
		return w.azure.Evict(w.ctx, strings.TrimPrefix(ids[0], "azure://"))
	})(w)
}

// evictedReplaced expects that neither the pool nor a Machine knows the instance that Azure has taken back.
func evictedReplaced(w *world) []string {
	evicted, _ := w.noted["evicted provider ID"].(string)
	var missing []string
	pool, err := w.get(azurePoolKind, workersPool)
	if err != nil || pool == nil {
		return []string{fmt.Sprintf("there is no AzureMachinePool %s: %v", workersPool, err)}
	}
	if ids, _, _ := unstructured.NestedStringSlice(pool.Object, "spec", "providerIDList"); slices.Contains(ids, evicted) {
		missing = append(missing, fmt.Sprintf("AzureMachinePool %s still has %s, which Azure has taken back", workersPool, evicted))
	}
	machines, err := w.list(machineKind)
	if err != nil {
		return append(missing, err.Error())
	}
	for i := range machines {
		if id, _, _ := unstructured.NestedString(machines[i].Object, "spec", "providerID"); id == evicted {
			missing = append(missing, fmt.Sprintf("Machine %s is of %s, which Azure has taken back", machines[i].GetName(), evicted))
		}
	}
	return missing
}
