package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
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

// selfManaged is a small cluster of virtual machines through its life.
var selfManaged = &scenario{
	name: "self-managed", family: machineFamily,
	steps: []step{
		upMachines(),
		{name: "scale the workers up", act: scaleWorkers(3), expect: []expectation{machinesUp(1, 3), machinesKept}, lasts: booting},
		{
			name: "restart Azure Service Operator", act: all(now("restarted"), restartOnce(stack.ASO)),
			expect: []expectation{everythingReady, machinesUp(1, 3)},
			stays:  []expectation{nothingChangedSince("restarted")}, staysFor: 10 * time.Second,
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
			name: "resume the Cluster", act: pauseCluster(false), goes: []removal{aWorker}, lasts: booting,
			expect: []expectation{
				resumed(azureClusterKind, clusterName), inAzure("/virtualNetworks/my-cluster-vnet", "tags.changed", "yes"), machinesUp(1, 2), machinesKept,
			},
		},
		{name: "scale the workers to none", act: scaleWorkers(0), expect: []expectation{machinesUp(1, 0), machinesKept}, lasts: booting},
		downMachines,
	},
}

// restartOnce kills a component and starts it again, though the act that it is part of may be tried again.
func restartOnce(component string) func(*world) error {
	return once("restarted "+component, func(w *world) error { return w.restart(component) })
}

// nothingChangedSince expects that since the noted time no request has changed anything in Azure.
func nothingChangedSince(note string) expectation {
	return func(w *world) []string {
		since, ok := w.noted[note].(time.Time)
		if !ok {
			return []string{"no time was noted as " + note}
		}
		return untouchedSince(since, "")(w)
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

// quota is what Azure answers where a machine would be one too many.
var quota = admin.Fault{
	Method: http.MethodPut, Path: "/virtualMachines/" + workers + "-.*", Status: http.StatusConflict, Code: "OperationNotAllowed",
	Message: "Operation could not be completed as it results in exceeding approved standardDSv5Family Cores quota.",
}

// failedMachine expects a machine whose creation has failed to say so, in Azure's words, to users of both kinds.
func failedMachine(text string) expectation {
	return func(w *world) []string {
		machines, err := w.list(azureMachineKind)
		if err != nil {
			return []string{err.Error()}
		}
		for i := range machines {
			name := machines[i].GetName()
			if strings.HasPrefix(name, workers) && len(says(azureMachineKind, name, text)(w)) == 0 && len(says(machineKind, name, text)(w)) == 0 {
				return nil
			}
		}
		return []string{fmt.Sprintf("no Machine and AzureMachine of %s say %q", workers, text)}
	}
}

// removeFailed deletes the Machines that are not ready, as a person does who has made room.
func removeFailed(w *world) error {
	machines, err := w.list(machineKind)
	if err != nil {
		return err
	}
	for i := range machines {
		if ref, _, _ := unstructured.NestedString(machines[i].Object, "status", "nodeRef", "name"); ref == "" {
			if err := w.remove(machineKind, machines[i].GetName()); err != nil {
				return err
			}
		}
	}
	return nil
}

// loseWorker has somebody delete a worker's virtual machine in Azure.
func loseWorker(w *world) error {
	return once("lost a worker", func(w *world) error {
		all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
		if err != nil {
			return err
		}
		for _, r := range all {
			if strings.EqualFold(r.Type, "Microsoft.Compute/virtualMachines") && strings.Contains(r.ID, workers) {
				w.noted["lost"] = r.ID
				return w.azure.DeleteResource(w.ctx, r.ID)
			}
		}
		return fmt.Errorf("Azure has no virtual machine of %s", workers)
	})(w)
}

// neverAgain expects that the lost virtual machine is not made anew: it would have no bootstrap data.
func neverAgain(w *world) []string {
	id, _ := w.noted["lost"].(string)
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return nil // Looked at again.
	}
	for _, r := range all {
		if strings.EqualFold(r.ID, id) {
			return []string{id + " is there again"}
		}
	}
	return nil
}

// healthCheck has the workers replaced that are not healthy.
const healthCheck = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata:
  name: workers
spec:
  clusterName: my-cluster
  selector:
    matchLabels:
      cluster.x-k8s.io/deployment-name: my-cluster-md-0
  checks:
    nodeStartupTimeoutSeconds: 600
    unhealthyNodeConditions:
    - type: Ready
      status: Unknown
      timeoutSeconds: 5
`

func checkHealth(w *world) error {
	objects, err := parse(healthCheck)
	if err != nil {
		return err
	}
	return w.apply(objects...)
}

// failures of machines: what Azure refuses, and what somebody deletes there.
var machineFailures = &scenario{
	name: "machine-failures", family: machineFamily,
	steps: []step{
		upMachines(),
		{
			name: "Azure has no room for another worker", act: all(func(w *world) error { return w.fault("quota", quota) }, scaleWorkers(2)),
			expect: []expectation{failedMachine("exceeding approved standardDSv5Family Cores quota"), condition(clusterKind, clusterName, "ControlPlaneAvailable", "True", "")},
			stays:  []expectation{inAzureTimes("/providers/Microsoft.Compute/virtualMachines/", 2)}, staysFor: 3 * time.Second,
		},
		{
			name: "there is room again, and the failed machine is deleted", act: all(fix("quota"), once("removed", removeFailed)), goes: []removal{aWorker},
			expect: []expectation{machinesUp(1, 2), machinesKept}, lasts: booting,
		},
		{
			name: "somebody deletes a worker in Azure", act: all(checkHealth, loseWorker), lasts: 90 * time.Second,
			expect: []expectation{machinesUp(1, 2), machinesKept}, never: []expectation{neverAgain},
		},
		downMachines,
	},
}

// The versions of Kubernetes that a cluster of machines is upgraded from and to. Machines here run the code of the newer one.
const (
	olderMachines = "v1.35.4"
	newerMachines = "v1.36.3"
)

// ofVersion makes all machines of a version.
func ofVersion(version string) change {
	return each(func(u *unstructured.Unstructured) error {
		switch u.GetKind() {
		case kubeadmControlPlaneKind.Kind:
			return unstructured.SetNestedField(u.Object, version, "spec", "version")
		case deploymentKind.Kind:
			return unstructured.SetNestedField(u.Object, version, "spec", "template", "spec", "version")
		}
		return nil
	})
}

// machineUpgrade replaces all machines by newer ones.
var machineUpgrade = &scenario{
	name: "machine-upgrade", family: machineFamily,
	steps: []step{
		func() step {
			s := upMachines(ofVersion(olderMachines))
			s.expect = append(s.expect, kubeletVersions(olderMachines))
			return s
		}(),
		{
			name: "upgrade the control plane", goes: []removal{aControlPlane}, lasts: 2 * booting,
			act: func(w *world) error {
				return w.set(kubeadmControlPlaneKind, kubeadmControlPlane, "spec.version", newerMachines)
			},
			expect: []expectation{machinesUp(1, 1), field(kubeadmControlPlaneKind, kubeadmControlPlane, "status.version", newerMachines)},
		},
		{
			name: "upgrade the workers", goes: []removal{aWorker}, lasts: booting,
			act: func(w *world) error {
				return w.set(deploymentKind, workers, "spec.template.spec.version", newerMachines)
			},
			expect: []expectation{machinesUp(1, 1), machinesKept, kubeletVersions(newerMachines)},
		},
		downMachines,
	},
}

// machineScenarios are those of clusters of virtual machines.
func machineScenarios() []*scenario {
	return append([]*scenario{defaultFlavor, selfManaged, twinClusters, ownNetwork, privateCluster, networkFeatures}, onTrial()...)
}

// onTrial are scenarios that have not passed yet; E2E_TRIAL=1 runs them too.
func onTrial() []*scenario {
	if os.Getenv("E2E_TRIAL") == "" {
		return nil
	}
	return []*scenario{machineFailures, machineUpgrade, cloudWrites, capzMachineTopology, machineTopology, dualStack, windows}
}
