package e2e

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// machineIdentity is what CAPZ's templates give the machines, which is there before.
const machineIdentity = "/resourceGroups/capz-ci/providers/Microsoft.ManagedIdentity/userAssignedIdentities/cloud-provider-user-identity"

// identityOfMachines makes it, as CAPZ's documentation has its users do.
var identityOfMachines = all(
	writeAzure("/resourceGroups/capz-ci", "2020-06-01", `{"location":"westeurope"}`),
	writeAzure(machineIdentity, "2023-01-31", `{"location":"westeurope"}`),
)

// machineVariables are what CAPZ's templates of machines take besides.
func machineVariables(w *world) []string {
	return append(w.templateVariables(), "AZURE_CONTROL_PLANE_MACHINE_TYPE=Standard_D2s_v5")
}

// onlyIdentityLeft expects that of the cluster nothing is left in Azure, and what was there before is.
func onlyIdentityLeft(w *world) []string {
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return []string{err.Error()}
	}
	var left []string
	kept := false
	for _, r := range all {
		kept = kept || strings.HasSuffix(r.ID, machineIdentity)
		if !strings.Contains(r.ID, "/resourceGroups/capz-ci") {
			left = append(left, "Azure still has "+r.ID)
		}
	}
	if !kept {
		left = append(left, "the identity of the machines has gone from Azure")
	}
	return left
}

// inZones expects the machines of the control plane in as many zones as there are machines.
func inZones(count int) expectation {
	return func(w *world) []string {
		all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
		if err != nil {
			return []string{err.Error()}
		}
		zones := map[string]bool{}
		for _, r := range all {
			if strings.Contains(r.ID, "/virtualMachines/"+kubeadmControlPlane) {
				in, _, _ := unstructured.NestedStringSlice(r.Body, "zones")
				for _, zone := range in {
					zones[zone] = true
				}
			}
		}
		if len(zones) != count {
			return []string{"the control plane is in zones " + strings.Join(slices.Sorted(maps.Keys(zones)), ", ")}
		}
		return nil
	}
}

// unchanged is no change.
func unchanged(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return objects, nil
}

// defaultFlavor is CAPZ's default flavor as it stands, with three machines for the control plane and two more. It gets over
// the loss of a machine of the control plane.
var defaultFlavor = &scenario{
	name: "default-flavor", family: machineFamily, calmOnly: true,
	steps: []step{
		{
			name: "create", act: all(once("identity", identityOfMachines), applyMachineTemplates(newerMachines, 3, 2, unchanged, theirs("cluster-template.yaml"))), lasts: 3 * booting,
			expect: []expectation{machinesUp(3, 2), machinesKept, labelled, signedIn, inZones(3), kubeletVersions(newerMachines)},
		},
		{
			name: "somebody deletes a machine of the control plane in Azure", act: loseMachine(kubeadmControlPlane), lasts: 2 * booting, goes: []removal{aControlPlane},
			expect: []expectation{givenUp(kubeadmControlPlane, "UpdateError", goneFromAzure), outOfPools}, never: []expectation{neverAgain},
		},
		{
			name: "have machines of the control plane replaced that are not healthy", act: checkHealth("control-plane", `cluster.x-k8s.io/control-plane: ""`, patientStartup), lasts: 2 * booting,
			expect: []expectation{machinesUp(3, 2), machinesKept, inZones(3)}, never: []expectation{neverAgain},
		},
		{
			name: downMachines.name, act: downMachines.act, never: downMachines.never, deletes: true, lasts: 2 * booting,
			expect: []expectation{nothingLeft, onlyIdentityLeft, acceptedDeletes},
		},
	},
}
