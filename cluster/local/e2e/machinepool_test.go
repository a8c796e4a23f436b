package e2e

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// workersPool is the MachinePool of examples/self-managed-machinepool.
const workersPool = clusterName + "-mp-0"

var poolMachineKind = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureMachinePoolMachine"}

// anInstance is what an instance of a scale set consists of in Azure, where one is to go.
var anInstance = removal{"AzureMachinePoolMachine/" + workersPool + "-.*", "/virtualMachineScaleSets/" + workersPool + "/virtualMachines/.*"}

// aFlexibleInstance is the same of a scale set whose instances are virtual machines by themselves.
var aFlexibleInstance = removal{"AzureMachinePoolMachine/" + workersPool + "-.*", "/virtualMachines/" + workersPool + "_.*"}

// poolUp expects a MachinePool with so many instances, each of which has an AzureMachinePoolMachine of the present model and a Machine that runs.
func poolUp(count int) expectation {
	return func(w *world) []string {
		var missing []string
		pool, err := w.get(azurePoolKind, workersPool)
		if err != nil || pool == nil {
			return []string{fmt.Sprintf("there is no AzureMachinePool %s: %v", workersPool, err)}
		}
		ids, _, _ := unstructured.NestedStringSlice(pool.Object, "spec", "providerIDList")
		replicas, _, _ := unstructured.NestedInt64(pool.Object, "status", "replicas")
		if len(ids) != count || replicas != int64(count) {
			missing = append(missing, fmt.Sprintf("AzureMachinePool %s has %d provider IDs and %d replicas, want %d", workersPool, len(ids), replicas, count))
		}
		members, err := w.list(poolMachineKind)
		if err != nil {
			return []string{err.Error()}
		}
		if len(members) != count {
			missing = append(missing, fmt.Sprintf("there are %d AzureMachinePoolMachines, want %d", len(members), count))
		}
		for i := range members {
			latest, _, _ := unstructured.NestedBool(members[i].Object, "status", "latestModelApplied")
			ready, _, _ := unstructured.NestedBool(members[i].Object, "status", "ready")
			if !latest || !ready {
				missing = append(missing, fmt.Sprintf("AzureMachinePoolMachine %s: latestModelApplied is %v, ready is %v", members[i].GetName(), latest, ready))
			}
			missing = append(missing, field(machineKind, members[i].GetName(), "status.phase", "Running")(w)...)
		}
		return append(missing, condition(azurePoolKind, workersPool, "Ready", "True", "")(w)...)
	}
}

// setSize has the pool be of another size, for which its instances are replaced.
func setSize(size string) func(*world) error {
	return func(w *world) error { return w.set(azurePoolKind, workersPool, "spec.template.vmSize", size) }
}

func scalePool(count int) func(*world) error {
	return func(w *world) error { return w.set(poolKind, workersPool, "spec.replicas", int64(count)) }
}

// poolLife are steps in which a pool comes, grows, shrinks and is replaced by one of another size. An instance is in Azure as its orchestration
// mode has it.
func poolLife(mode string, instance removal) []step {
	name := func(what string) string { return what + " (" + mode + ")" }
	return []step{
		{
			name: name("add a pool"), act: applyExample("self-managed-machinepool", withSpec(azurePoolKind, "orchestrationMode: "+mode)), lasts: booting,
			expect: []expectation{poolUp(2), inAzure("/virtualMachineScaleSets/"+workersPool, "sku.capacity", 2), inAzure("/virtualMachineScaleSets/"+workersPool, "properties.orchestrationMode", mode)},
		},
		{
			name: name("scale it up"), act: scalePool(3), lasts: booting, expect: []expectation{nothingWrongOnce(poolUp(3))},
		},
		{name: name("scale it down"), act: scalePool(1), goes: []removal{instance}, lasts: booting, expect: []expectation{poolUp(1)}},
		{
			name: name("change its size"), act: setSize("Standard_D4s_v5"), goes: []removal{instance}, lasts: 2 * booting,
			expect: []expectation{poolUp(1), inAzure("/virtualMachineScaleSets/"+workersPool, "sku.name", "Standard_D4s_v5"), event("RolloutStarted")},
		},
	}
}

// removeScaleSet deletes the MachinePool, with which its scale set goes.
var removeScaleSet = step{
	name: "remove the pool", act: func(w *world) error { return w.remove(poolKind, workersPool) }, lasts: booting,
	goes:   []removal{{"VirtualMachineScaleSet/" + workersPool, "/virtualMachineScaleSets/" + workersPool}},
	expect: []expectation{gone(poolKind, workersPool), gone(azurePoolKind, workersPool), notInAzure("/virtualMachineScaleSets/" + workersPool)},
}

// machinePool is a scale set beside a control plane through its life, in one orchestration mode and then in the other.
var machinePool = &scenario{
	name: "machine-pool", family: machineFamily,
	steps: slices.Concat(
		[]step{{name: "create", act: applyTyped("self-managed", withSpec(deploymentKind, "replicas: 0")), lasts: booting, expect: []expectation{machinesUp(1, 0), machinesKept}}},
		poolLife("Uniform", anInstance), []step{removeScaleSet}, poolLife("Flexible", aFlexibleInstance), []step{downMachines},
	),
}

// event expects that the pool has an Event of a reason.
func event(reason string) expectation {
	return func(w *world) []string {
		events, err := w.list(schema.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"})
		if err != nil {
			return []string{err.Error()}
		}
		for i := range events {
			of, _, _ := unstructured.NestedString(events[i].Object, "regarding", "name")
			found, _, _ := unstructured.NestedString(events[i].Object, "reason")
			if of == workersPool && strings.EqualFold(found, reason) {
				return nil
			}
		}
		return []string{"no Event " + reason + " is on " + workersPool}
	}
}
