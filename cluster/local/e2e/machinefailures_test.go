package e2e

import (
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// quota is what Azure answers where a machine would be one too many.
var quota = admin.Fault{
	Method: http.MethodPut, Path: "/virtualMachines/" + workers + "-.*", Status: http.StatusConflict, Code: "OperationNotAllowed",
	Message: "Operation could not be completed as it results in exceeding approved standardDSv5Family Cores quota.",
}

// givenUp expects that a machine, of those whose names begin so, will never be one, and that Machine and AzureMachine tell why.
func givenUp(prefix, reason, text string) expectation {
	return func(w *world) []string {
		machines, err := w.list(azureMachineKind)
		if err != nil {
			return []string{err.Error()}
		}
		var missing []string
		for i := range machines {
			name := machines[i].GetName()
			if have, _, _ := unstructured.NestedString(machines[i].Object, "status", "failureReason"); !strings.HasPrefix(name, prefix) || have != reason {
				continue
			}
			lacks := append(says(azureMachineKind, name, text)(w), says(machineKind, name, text)(w)...)
			if len(lacks) == 0 {
				return nil
			}
			missing = append(missing, lacks...)
		}
		return append(missing, fmt.Sprintf("no Machine and AzureMachine of %s say %s: %q", prefix, reason, text))
	}
}

// removeFailed deletes the Machines that have no Node, as a person does who has made room.
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

// fromTemplate has the workers made from another template.
func fromTemplate(name string) func(*world) error {
	return func(w *world) error { return w.set(deploymentKind, workers, templateOfWorkers, name) }
}

// lostMachine is the note of the virtual machine that was lost, by its ID.
const lostMachine = "lost machine"

// loseMachine has somebody delete a virtual machine in Azure, of those whose names begin so.
func loseMachine(prefix string) func(*world) error {
	return once("lost "+prefix, func(w *world) error {
		all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
		if err != nil {
			return err
		}
		for _, r := range all {
			if strings.EqualFold(r.Type, "Microsoft.Compute/virtualMachines") && strings.HasPrefix(path.Base(r.ID), prefix+"-") {
				w.noted[lostMachine] = r.ID
				return w.azure.DeleteResource(w.ctx, r.ID)
			}
		}
		return fmt.Errorf("Azure has no virtual machine of %s", prefix)
	})
}

// neverAgain expects that the lost virtual machine is not made anew: it would have no bootstrap data.
func neverAgain(w *world) []string {
	id, _ := w.noted[lostMachine].(string)
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

// outOfPools expects the network interface of the lost virtual machine to be in no pool of a load balancer any more.
func outOfPools(w *world) []string {
	id, _ := w.noted[lostMachine].(string)
	nic, err := w.resource("/networkInterfaces/" + path.Base(id) + "-nic")
	if err != nil || nic == nil {
		return []string{fmt.Sprintf("Azure has no network interface of %s: %v", id, err)}
	}
	if properties := fmt.Sprint(nic.Body["properties"]); strings.Contains(properties, "/backendAddressPools/") || strings.Contains(properties, "/inboundNatRules/") {
		return []string{nic.ID + " is still in a load balancer"}
	}
	return nil
}

// goneFromAzure is what is said of a machine that Azure had and has no more.
const goneFromAzure = "is gone from Azure, where it was"

// healthCheck has machines replaced that are not healthy.
const healthCheck = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata:
  name: NAME
spec:
  clusterName: my-cluster
  selector:
    matchLabels:
      LABEL
  checks:
    nodeStartupTimeoutSeconds: STARTUP
    unhealthyNodeConditions:
    - type: Ready
      status: Unknown
      timeoutSeconds: 5
`

// patientStartup is longer than any machine takes to become a Node.
const patientStartup = 10 * time.Minute

// checkHealth has the machines with a label replaced that are not healthy, or no Node that long after Azure has made them.
func checkHealth(name, label string, startup time.Duration) func(*world) error {
	return func(w *world) error {
		objects, err := parse(strings.NewReplacer("NAME", name, "LABEL", label, "STARTUP", strconv.Itoa(int(startup.Seconds()))).Replace(healthCheck))
		if err != nil {
			return err
		}
		return w.apply(objects...)
	}
}

// Templates of which no machine can be made.
const (
	unknownSize  = workers + "-unknown-size"
	unknownImage = workers + "-unknown-image"
)

// ofUnknownImage makes the template of an image that is in no gallery.
func ofUnknownImage(w *world) error {
	return newTemplate(unknownImage, map[string]any{"image": map[string]any{"sharedGallery": map[string]any{
		"subscriptionID": w.subscription, "resourceGroup": "images", "gallery": "company", "name": "ubuntu", "version": "1.0.0",
	}}})(w)
}

// machineFailures are what Azure refuses, what somebody deletes there, and how people recover from that.
var machineFailures = &scenario{
	name: "machine-failures", family: machineFamily, calmOnly: true,
	steps: []step{
		upMachines(),
		{
			name: "Azure has no room for another worker", act: all(func(w *world) error { return w.fault("quota", quota) }, scaleWorkers(2)),
			expect: []expectation{
				givenUp(workers, "CreateError", "exceeding approved standardDSv5Family Cores quota"), condition(clusterKind, clusterName, "ControlPlaneAvailable", "True", ""),
			},
			stays: []expectation{inAzureTimes("/providers/Microsoft.Compute/virtualMachines/", 2)}, staysFor: 3 * time.Second,
		},
		{
			name: "there is room again, and the failed machine is deleted", act: all(fix("quota"), once("removed", removeFailed)), goes: []removal{aWorker},
			expect: []expectation{machinesUp(1, 2), machinesKept}, lasts: booting,
		},
		{
			name: "have workers of a size that Azure does not offer", act: all(newTemplate(unknownSize, map[string]any{"vmSize": "Standard_X2"}), fromTemplate(unknownSize)),
			expect: []expectation{givenUp(workers, "InvalidConfiguration", "Standard_X2")},
		},
		{
			name: "have workers of an image that is nowhere", act: all(ofUnknownImage, fromTemplate(unknownImage)),
			expect: []expectation{givenUp(workers, "CreateError", "GalleryImageNotFound")},
		},
		{
			name: "take the former template again", act: fromTemplate(workers), expect: []expectation{machinesUp(1, 2), machinesKept},
		},
		{
			name: "somebody deletes a worker in Azure", act: loseMachine(workers), lasts: 2 * booting,
			expect: []expectation{givenUp(workers, "UpdateError", goneFromAzure)}, never: []expectation{neverAgain},
		},
		{
			name: "collect what a bug report needs", act: once("collected", collect),
			expect: []expectation{collected("summary.json", "secrets.yaml", "definitions.txt", "events/*.txt",
				"objects/crossplane-system/deployment.apps/crossplane-capz-provider-capz-*.yaml", "objects/crossplane-system/deployment.apps/crossplane-capz-function-capz-*.yaml",
				"objects/*/cluster.cluster.x-k8s.io/"+clusterName+".yaml",
				"objects/*/azuremachine.infrastructure.cluster.x-k8s.io/"+workers+"-*.yaml", "objects/*/virtualmachine.compute.azure.com/"+workers+"-*.yaml")},
		},
		{
			name: "have workers replaced that are not healthy", act: checkHealth("workers", "cluster.x-k8s.io/deployment-name: "+workers, patientStartup), lasts: booting,
			expect: []expectation{machinesUp(1, 2), machinesKept}, never: []expectation{neverAgain},
		},
		downMachines,
	},
}
