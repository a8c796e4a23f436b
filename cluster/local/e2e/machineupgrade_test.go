package e2e

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

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
		case deploymentKind.Kind, poolKind.Kind:
			return unstructured.SetNestedField(u.Object, version, "spec", "template", "spec", "version")
		}
		return nil
	})
}

// templateOfWorkers is the field of a MachineDeployment that names the template of its machines.
const templateOfWorkers = "spec.template.spec.infrastructureRef.name"

// newTemplate makes another template like that of the workers, with other fields.
func newTemplate(name string, fields map[string]any) func(*world) error {
	return func(w *world) error {
		template, err := w.get(azureMachineTemplateKind, workers)
		if err != nil || template == nil {
			return fmt.Errorf("there is no template of the workers: %w", err)
		}
		spec, _, err := unstructured.NestedMap(template.Object, "spec", "template", "spec")
		if err != nil {
			return err
		}
		for field, value := range fields {
			spec[field] = value
		}
		u := object(azureMachineTemplateKind, w.namespace, name)
		u.Object["spec"] = map[string]any{"template": map[string]any{"spec": spec}}
		return w.create(u)
	}
}

// sizeOfWorkers expects every virtual machine of the workers to be of a size.
func sizeOfWorkers(want string) expectation {
	return func(w *world) []string {
		all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
		if err != nil {
			return []string{err.Error()}
		}
		var others []string
		for _, r := range all {
			size, _, _ := unstructured.NestedString(r.Body, "properties", "hardwareProfile", "vmSize")
			if strings.Contains(r.ID, "/virtualMachines/"+workers) && size != "" && size != want {
				others = append(others, r.ID+" is of size "+size)
			}
		}
		return others
	}
}

// biggerWorkers is another template for the workers, and biggerSize what machines are of it.
const (
	biggerWorkers = workers + "-bigger"
	biggerSize    = "Standard_D4s_v5"
)

// machineUpgrade replaces all machines by newer ones, those of the workers by some of another template.
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
			name: "upgrade the workers, and have them bigger", goes: []removal{aWorker}, lasts: booting,
			act: all(newTemplate(biggerWorkers, map[string]any{"vmSize": biggerSize}), func(w *world) error {
				return w.edit(deploymentKind, workers, func(u *unstructured.Unstructured) error {
					return errors.Join(setField(u.Object, "spec.template.spec.version", newerMachines), setField(u.Object, templateOfWorkers, biggerWorkers))
				})
			}),
			expect: []expectation{machinesUp(1, 1), machinesKept, kubeletVersions(newerMachines), sizeOfWorkers(biggerSize)},
		},
		downMachines,
	},
}
