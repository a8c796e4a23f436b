package compute

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// create takes the next step with the virtual machine, if function-capz has composed one.
func (w *work) create(ctx context.Context) error {
	vm, err := composedMetadata(ctx, w.API, w.XR, machines.VirtualMachineKind.GroupKind())
	if err != nil || vm == nil {
		return err
	}
	mayCreate := creatable(vm) && w.owner != nil && w.owner.DeletionTimestamp.IsZero()
	if w.facts.Created.State == v1alpha1.NotCreated && !mayCreate {
		return nil // What changes that leads here.
	}
	id, err := w.virtualMachineID(ctx, vm)
	if err != nil || id == "" {
		return err
	}
	account, err := w.Credentials.Account(ctx, vm)
	if err != nil {
		return fmt.Errorf("cannot use the credential of VirtualMachine %s: %w", vm.GetName(), err)
	}
	machine := machines.Machine{ID: id, As: account, Cluster: w.Cluster.Name, Noted: w.facts.Created, DoubtedSince: DoubtedSince(w.owner)}
	if mayCreate {
		machine.Request = w.request
	}
	outcome, err := w.step(ctx, machine)
	if err != nil {
		return err
	}
	if outcome.Created != w.facts.Created {
		w.report(outcome.Created)
	}
	if w.sent != nil && outcome.Created.State == v1alpha1.Creating {
		if err := w.noteSentTags(ctx, w.sent); err != nil {
			w.Events.Warn(w.XR, cannotProceed, "", err.Error()) // The machine is on its way; that its tags are the right ones is found out later.
		}
	}
	w.facts.Created = outcome.Created
	if outcome.Created.State == v1alpha1.Created && w.azureCluster != nil {
		// Written before function-capz calls the machine provisioned, so that it need not be asked twice.
		w.providerID = azuremachine.ProviderID(w.azureCluster, w.azureMachine)
	}
	if outcome.PrincipalID != "" {
		w.facts.PrincipalID = outcome.PrincipalID
	}
	w.again(outcome.After)
	return nil
}

// virtualMachineID returns the ID that the virtual machine of an object has in Azure or will have; empty while its resource group is not there.
func (w *work) virtualMachineID(ctx context.Context, seen metav1.Object) (string, error) {
	if id := seen.GetAnnotations()[aso.AnnotationResourceID]; id != "" {
		return id, nil
	}
	if group := w.resourceGroup(); group != "" && w.facts.Created.State != v1alpha1.NotCreated {
		return within(group, aso.VirtualMachine, azuremachine.Name(w.azureMachine)), nil
	}
	vm, err := w.virtualMachine(ctx)
	if err != nil || vm == nil {
		return "", err
	}
	return idOf(ctx, w.Live, aso.VirtualMachine, vm)
}

// step takes the next step while nobody else creates or removes the virtual machine.
func (w *work) step(ctx context.Context, machine machines.Machine) (machines.Outcome, error) {
	defer w.lock(machine.ID)()
	return w.creator.Step(ctx, machine)
}

// DoubtedSince returns since when the Node of a Machine is not ready, so that its virtual machine may be gone; zero while there is no Node yet,
// or it is ready.
func DoubtedSince(machine *clusterv1.Machine) time.Time {
	if machine == nil || !machine.Status.NodeRef.IsDefined() {
		return time.Time{}
	}
	ready := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineNodeReadyCondition)
	if ready == nil || ready.Status == metav1.ConditionTrue {
		return time.Time{}
	}
	return ready.LastTransitionTime.Time
}

// report reports what has become of a virtual machine that will not be, or has not become yet.
func (w *work) report(created v1alpha1.FactsOfCreation) {
	switch {
	case created.State == v1alpha1.Deleted:
		w.Events.Warn(w.XR, "VirtualMachineDeleted", "", "the virtual machine is gone from Azure, and is not made again: Cluster API replaces the Machine")
	case created.State == v1alpha1.CreationFailed:
		w.Events.Warn(w.XR, "CreationFailed", created.Reason, fmt.Sprintf("Azure will not have the virtual machine: %s: %s", created.Reason, created.Message))
	case created.Reason != "":
		w.Events.Warn(w.XR, "CreationRefused", created.Reason, fmt.Sprintf("Azure refuses the virtual machine for now, and is asked again: %s: %s", created.Reason, created.Message))
	}
}

// virtualMachine returns the composed object of the virtual machine; nil when there is none.
func (w *work) virtualMachine(ctx context.Context) (*unstructured.Unstructured, error) {
	return composedObject(ctx, w.API, w.XR, machines.VirtualMachineKind.GroupKind())
}

// creatable reports whether function-capz leaves the creation of a virtual machine to provider-capz now: Azure did not have it, or has one that
// was made for the Cluster, all that it needs is there, and nothing is paused.
func creatable(vm metav1.Object) bool {
	annotations := vm.GetAnnotations()
	return aso.LifecycleOf(vm) == aso.ProviderCreated && aso.SkippedByLifecycle(vm) && aso.AwaitsRemoval(vm) && !aso.Held(vm) && !aso.SkippedByPause(vm) &&
		annotations[v1beta1.AnnotationOwnership] == v1beta1.OwnershipOwned && vm.GetDeletionTimestamp() == nil
}

// request returns what creates the virtual machine: its object, with the bootstrap data of the Machine. The object is read once more: after its
// deletion has begun nobody would look for the machine any more.
func (w *work) request(ctx context.Context) (machines.Request, error) {
	vm, err := w.virtualMachine(ctx)
	if err != nil {
		return machines.Request{}, err
	}
	if vm == nil || !creatable(vm) {
		return machines.Request{}, errors.New("the VirtualMachine is being deleted")
	}
	ids, err := referredIDs(ctx, w.API, vm)
	if err != nil {
		return machines.Request{}, err
	}
	data, err := bootstrapData(ctx, w.API, w.owner.Namespace, "Machine", w.owner.Spec.Bootstrap.DataSecretName)
	if err != nil {
		return machines.Request{}, err
	}
	w.sent = vm
	return machines.NewRequest(vm, ids, machines.NewSecrets(data))
}
