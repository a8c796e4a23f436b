package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// windowsWorkers is the MachineDeployment of examples/self-managed-windows.
const windowsWorkers = clusterName + "-win"

// windowsMachine returns the one virtual machine with Windows, and its AzureMachine.
func (w *world) windowsMachine() (inAzure map[string]any, machine *unstructured.Unstructured, err error) {
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range all {
		if system, _, _ := unstructured.NestedString(r.Body, "properties", "storageProfile", "osDisk", "osType"); system == "Windows" {
			inAzure = r.Body
		}
	}
	machines, _, err := w.azureMachines()
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(machines, func(m unstructured.Unstructured) bool { return strings.HasPrefix(m.GetName(), windowsWorkers) })
	if inAzure == nil || at < 0 {
		return nil, nil, fmt.Errorf("there is no machine with Windows, or no AzureMachine of %s", windowsWorkers)
	}
	return inAzure, &machines[at], nil
}

// windowsMade expects the machine with Windows as Azure takes one: a name of 15 characters made of that of the AzureMachine, Windows Server's
// image, the administrator of CAPZ, no SSH key, and a password that nobody reads.
func windowsMade(w *world) []string {
	body, machine, err := w.windowsMachine()
	if err != nil {
		return []string{err.Error()}
	}
	var missing []string
	name, _, _ := unstructured.NestedString(body, "name")
	if head, tail, cut := strings.Cut(name, "-"+machine.GetName()[len(machine.GetName())-5:]); len(name) > 15 || !cut || tail != "" || !strings.HasPrefix(windowsWorkers, head) {
		missing = append(missing, fmt.Sprintf("AzureMachine %s is %s in Azure", machine.GetName(), name))
	}
	for path, want := range map[string]any{
		"osProfile.computerName": name, "osProfile.adminUsername": "capi", "osProfile.adminPassword": nil, "osProfile.customData": nil,
		"osProfile.linuxConfiguration": nil, "osProfile.windowsConfiguration.enableAutomaticUpdates": false, "licenseType": nil,
		"storageProfile.osDisk.osType": "Windows", "storageProfile.osDisk.diskSizeGB": 128, "storageProfile.osDisk.name": name + "_OSDisk",
		"storageProfile.osDisk.managedDisk.storageAccountType": "Premium_LRS", "storageProfile.imageReference.communityGalleryImageId": windowsImage,
	} {
		have, _, _ := unstructured.NestedFieldNoCopy(body, strings.Split("properties."+path, ".")...)
		if fmt.Sprint(have) != fmt.Sprint(want) {
			missing = append(missing, fmt.Sprintf("%s of the machine with Windows is %v, want %v", path, have, want))
		}
	}
	id, _, _ := unstructured.NestedString(machine.Object, "spec", "providerID")
	if !strings.HasSuffix(id, "/virtualMachines/"+name) {
		missing = append(missing, fmt.Sprintf("spec.providerID of AzureMachine %s is %q", machine.GetName(), id))
	}
	return append(missing, azureMachinesKept(w, []unstructured.Unstructured{*machine})...)
}

// windowsImage is what CAPZ publishes for the version.
const windowsImage = "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019/Images/capi-win-2022-containerd/Versions/1.36.3"

// passwordSent expects that the request for the machine had a password, and the simulator's log has another text in its place.
func passwordSent(w *world) []string {
	requests, err := w.requests(w.begun, http.MethodPut)
	if err != nil {
		return []string{err.Error()}
	}
	for _, r := range requests {
		if strings.Contains(r.Path, "/virtualMachines/") && strings.Contains(r.Body, `"windowsConfiguration"`) {
			if !strings.Contains(r.Body, `"adminPassword":"(redacted)"`) {
				return []string{"PUT " + r.Path + " had no password"}
			}
			return nil
		}
	}
	return []string{"Azure was never asked for a machine with Windows"}
}

// withoutNode expects a Machine that Azure has made and that has not become a Node: nothing runs in machines with Windows here.
func withoutNode(w *world) []string {
	machines, err := w.list(machineKind)
	if err != nil {
		return []string{err.Error()}
	}
	for i := range machines {
		if strings.HasPrefix(machines[i].GetName(), windowsWorkers) {
			return field(machineKind, machines[i].GetName(), "status.phase", "Provisioned")(w)
		}
	}
	return []string{"there is no Machine of " + windowsWorkers}
}

// aWindowsWorker is what a machine with Windows consists of, by the beginning that is left of its name.
var aWindowsWorker = removal{"(VirtualMachine|NetworkInterface)/my-cluste-.*", "/(virtualMachines|networkInterfaces|disks)/my-cluste-.*"}

// windows has a machine with Windows beside a control plane with Linux. That it joins is not shown: nothing runs in it.
var windows = &scenario{
	name: "windows", family: machineFamily, calmOnly: true,
	steps: []step{
		{name: "create", act: applyTyped("self-managed", withSpec(deploymentKind, "replicas: 0")), lasts: booting, expect: []expectation{machinesUp(1, 0), machinesKept}},
		{
			name: "add a machine with Windows", act: applyExample("self-managed-windows", withSpec(deploymentKind, "replicas: 1")), lasts: booting,
			expect: []expectation{windowsMade, passwordSent, withoutNode, nodesKept(1), inAzureTimes("/providers/Microsoft.Compute/virtualMachines/", 2)},
		},
		{
			name: "take it away", goes: []removal{aWindowsWorker}, lasts: booting,
			act:    func(w *world) error { return w.remove(deploymentKind, windowsWorkers) },
			expect: []expectation{machinesUp(1, 0), machinesKept},
		},
		downMachines,
	},
}
