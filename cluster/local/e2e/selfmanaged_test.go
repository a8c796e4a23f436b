package e2e

import (
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// booting is about how long machines take until they are Nodes.
const booting = 40 * time.Second

// aWorker and aControlPlane are what a machine consists of, in Kubernetes and in Azure, where it is to go.
var (
	aWorker       = removal{"(VirtualMachine|NetworkInterface)/" + workers + "-.*", "/(virtualMachines|networkInterfaces|disks)/" + workers + "-.*"}
	aControlPlane = removal{
		"(VirtualMachine|NetworkInterface|LoadBalancersInboundNatRule)/.*" + kubeadmControlPlane + "-.*",
		"/(virtualMachines|networkInterfaces|disks|inboundNatRules)/" + kubeadmControlPlane + "-.*",
	}
)

// scaleWorkers sets how many machines there are to be beside the control plane.
func scaleWorkers(count int) func(*world) error {
	return func(w *world) error { return w.set(deploymentKind, workers, "spec.replicas", int64(count)) }
}

// upMachines is the step that brings examples/self-managed up.
func upMachines(changes ...change) step {
	return step{
		name: "create self-managed", act: applyTyped("self-managed", changes...), lasts: 2 * booting,
		expect: []expectation{
			machinesUp(1, 1), machinesKept, labelled, signedIn, owned("/resourceGroups/my-cluster"), owned("/virtualNetworks/my-cluster-vnet"),
		},
	}
}

// downMachines deletes the Cluster. Machines are drained first.
var downMachines = step{
	name: downTyped.name, act: downTyped.act, expect: downTyped.expect, never: downTyped.never, deletes: true, lasts: booting,
}

// selfManaged is a small cluster of virtual machines through its life. What its cloud controller writes into the product's resources stays,
// whatever becomes of those.
var selfManaged = &scenario{
	name: "self-managed", family: machineFamily, drifts: true,
	steps: []step{
		upMachines(withOutboundBalancer),
		{name: "scale the workers up", act: scaleWorkers(3), expect: []expectation{machinesUp(1, 3), machinesKept}, lasts: booting},
		{
			name: "have the cloud controller and the disk driver write into Azure", act: all(exposeService, once("written", writeAsCloud)),
			expect: []expectation{serviceReached, cloudKept, machinesUp(1, 3)},
		},
		{
			name: "change a worker in Azure, and restart Azure Service Operator, which looks at everything", act: all(changeAWorker, now("restarted"), restartOnce(stack.ASO)),
			expect: []expectation{driftTold, everythingReady, serviceReached, cloudKept, machinesUp(1, 3)},
			stays:  []expectation{nothingChangedSince("restarted"), serviceReached, cloudKept}, staysFor: 10 * time.Second,
		},
		{
			name: "pause the Cluster, and change the spec of both sides",
			act:  all(pauseCluster(true), pausedFirst(azureClusterKind, clusterName), now("paused"), tagMachines, scaleWorkers(2)),
			expect: []expectation{
				paused(azureClusterKind, clusterName), machinesPaused,
			},
			stays: []expectation{quietSince("paused", "")}, staysFor: 4 * time.Second,
		},
		{
			name: "resume the Cluster", act: resumeCluster, goes: []removal{aWorker}, lasts: booting,
			expect: []expectation{
				resumed(azureClusterKind, clusterName), inAzure("/virtualNetworks/my-cluster-vnet", "tags.changed", "yes"),
				inAzure("/networkSecurityGroups/my-cluster-node-nsg", "tags.changed", "yes"), inAzure(nodeRoutes, "tags.changed", "yes"),
				machinesTagged("yes"), machinesUp(1, 2), machinesKept, serviceReached, cloudKept,
			},
		},
		{
			name: "take the tag away", act: func(w *world) error {
				return w.set(azureClusterKind, clusterName, "spec.additionalTags", map[string]any{})
			},
			expect: []expectation{machinesTagged(nil), serviceReached, cloudKept},
		},
		{name: "scale the workers to none", act: scaleWorkers(0), expect: []expectation{machinesUp(1, 0), machinesKept}, lasts: booting},
		downMachines,
	},
}

// restartOnce kills a component and starts it again, though the act that it is part of may be tried again.
func restartOnce(component string) func(*world) error {
	return once("restarted "+component, func(w *world) error { return w.restart(component) })
}

// nothingChangedSince expects that since the noted time no request has changed anything in Azure but fields of the endings.
func nothingChangedSince(note string, fields ...string) expectation {
	return func(w *world) []string {
		since, ok := w.noted[note].(time.Time)
		if !ok {
			return []string{"no time was noted as " + note}
		}
		return untouchedSince(since, "", fields...)(w)
	}
}

func tagMachines(w *world) error {
	return w.set(azureClusterKind, clusterName, "spec.additionalTags", map[string]any{"changed": "yes"})
}

// machinesPaused expects that nothing is done about any machine.
func machinesPaused(w *world) []string {
	items, _, err := w.azureMachines()
	if err != nil {
		return []string{err.Error()}
	}
	var missing []string
	for i := range items {
		missing = append(missing, paused(azureMachineKind, items[i].GetName())(w)...)
	}
	return missing
}
