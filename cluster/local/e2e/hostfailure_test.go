package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// TestHostFailure runs alone: the end of the fabric is the power cut of every machine there is. One that had not carried out its user data
// does not begin again, as in Azure, and only this scenario has a health check that replaces it.
func TestHostFailure(t *testing.T) {
	takeTurn(t)
	t.Cleanup(repeatFailures)
	runScenario(t, hostFailure)
}

// hostFailure is a cluster of virtual machines that meets the kills which a moment of chance would miss: while bootstrap data is made, while
// Azure makes a machine, and of the hosts that machines run on. Azure starts machines of a host that has failed again, from their disks.
var hostFailure = &scenario{
	name: "host-failure", family: machineFamily,
	steps: []step{
		{
			name: "create", act: applyTyped("self-managed"),
			expect: []expectation{condition(clusterKind, clusterName, "InfrastructureReady", "True", "")},
		},
		{
			name: "Cluster API ends when the first machine is to be made", lasts: booting,
			act:    all(restartOnce(stack.KubeadmControl), restartOnce(stack.KubeadmBootstrap), restartOnce(stack.CAPI)),
			expect: []expectation{inAzureTimes("/providers/Microsoft.Compute/virtualMachines/", 1)},
		},
		{
			name: "Azure ends while it makes the machine", act: restartOnce(stack.AzureSim), lasts: booting,
			expect: []expectation{machinesUp(1, 1), machinesKept, signedIn},
		},
		{
			name: "the hosts fail", act: all(note("machines", machineUIDs), note("boots", boots), restartOnce(stack.Fabric)), lasts: booting,
			expect: []expectation{rebooted, machinesUp(1, 1), machinesKept, sameMachines},
		},
		{
			name: "scale the workers up", act: all(checkHealth("workers", "cluster.x-k8s.io/deployment-name: "+workers, time.Minute), scaleWorkers(2)), lasts: booting,
			expect: []expectation{carryingOut(2)},
		},
		{
			name: "the hosts fail while a worker carries out its user data", lasts: 2 * booting,
			act: once("failed again", func(w *world) error { return w.restart(stack.Fabric) }), goes: []removal{aWorker},
			expect: []expectation{machinesUp(1, 2), machinesKept},
		},
		{
			name: downMachines.name, act: all(downMachines.act, restartOnce(stack.CloudController)),
			expect: downMachines.expect, never: downMachines.never, deletes: true, lasts: booting,
		},
	},
}

// carryingOut expects that so many workers have begun to carry out their user data, or have done so.
func carryingOut(count int) expectation {
	return func(w *world) []string {
		// The disks of machines, by the script that cloud-init runs last.
		begun, err := filepath.Glob(filepath.Join(w.stack.Dir(), "fabric", workers+"-*", "disk", "var", "lib", "cloud", "instance", "scripts", "runcmd"))
		if err != nil {
			return []string{err.Error()}
		}
		if len(begun) < count {
			return []string{fmt.Sprintf("%d workers carry out their user data, want %d", len(begun), count)}
		}
		return nil
	}
}

// machineUIDs returns the UIDs of the Machines.
func machineUIDs(w *world) (any, error) {
	machines, err := w.list(machineKind)
	var uids []string
	for i := range machines {
		uids = append(uids, string(machines[i].GetUID()))
	}
	slices.Sort(uids)
	return uids, err
}

// sameMachines expects the noted Machines and no others.
func sameMachines(w *world) []string {
	uids, err := machineUIDs(w)
	if err != nil {
		return []string{err.Error()}
	}
	if fmt.Sprint(uids) != fmt.Sprint(w.noted["machines"]) {
		return []string{fmt.Sprintf("the Machines are %v, want %v", uids, w.noted["machines"])}
	}
	return nil
}

// boots returns how often each machine has been switched on, by its name.
func boots(w *world) (any, error) {
	log, err := os.ReadFile(w.stack.LogFile(stack.Fabric))
	times := map[string]int{}
	for line := range strings.Lines(string(log)) {
		if name, on := strings.CutPrefix(line, "machine "); on && strings.Contains(name, ": on, ") {
			times[name[:strings.Index(name, ":")]]++
		}
	}
	return times, err
}

// rebooted expects each Node's machine to have been switched on again since that was noted.
func rebooted(w *world) []string {
	now, err := boots(w)
	if err != nil {
		return []string{err.Error()}
	}
	nodes, err := w.workloadNodes()
	if err != nil {
		return []string{err.Error()}
	}
	before, _ := w.noted["boots"].(map[string]int)
	var missing []string
	for i := range nodes {
		if name := nodes[i].Name; now.(map[string]int)[name] != before[name]+1 {
			missing = append(missing, fmt.Sprintf("%s was switched on %d times, and %d times when the hosts failed", name, now.(map[string]int)[name], before[name]))
		}
	}
	return missing
}
