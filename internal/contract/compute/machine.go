package compute

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// bootstrapInterval is how often it is looked for bootstrap data that the Machine names and that are not there.
const bootstrapInterval = 10 * time.Second

var (
	specProviderID   = field.At[string]("spec", "providerID")
	statusProviderID = access.StatusProviderID
)

// A Machine does provider-capz's part for AzureMachines: it notes their MachineFacts, creates their virtual machines and writes their Secrets.
type Machine struct {
	access.API
	*Azure

	// AzureJSON writes the Secrets with the settings of Azure's cloud provider.
	AzureJSON *AzureJSON
}

// Reconcile takes the next step with an AzureMachine. What fails of it does not keep the rest from being done.
func (m *Machine) Reconcile(ctx context.Context, s *access.Scope) (ctrl.Result, error) {
	if set, err := mirrorProviderID(ctx, m.Client, s.XR); set || err != nil {
		return ctrl.Result{}, err // The change leads here again.
	}
	azureMachine, ok := read[v1beta1.AzureMachine](s.XR)
	if !ok {
		return ctrl.Result{}, nil // function-capz reports it.
	}
	owner, err := util.GetOwnerMachine(ctx, m.Client, azureMachine.ObjectMeta)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("cannot read the Machine: %w", err)
	}
	l, err := begin(ctx, m.API, s)
	if err != nil {
		return ctrl.Result{}, err
	}
	w := &work{Machine: m, look: l, azureMachine: azureMachine, owner: owner}
	problem := w.run(ctx)
	return w.end(ctx, m.API, problem, w.applied.note)
}

// cannotProceed is the reason of Events about what keeps provider-capz from its part for a machine, or a template of some.
const cannotProceed = "CannotProceed"

// tell reports an error on what it is about, unless it is one that the API server has answered with, which concerns no user.
func tell(api access.API, xr *unstructured.Unstructured, err error) {
	var answered apierrors.APIStatus
	switch {
	case err == nil:
		api.Events.Clear(xr, cannotProceed)
	case !errors.As(err, &answered) && !errors.Is(err, context.Canceled):
		api.Events.Warn(xr, cannotProceed, "", err.Error())
	}
}

// mirrorProviderID sets spec.providerID once function-capz has found it, unless it has been set already, and reports whether it did. It stays the same
// for ever.
func mirrorProviderID(ctx context.Context, c client.Client, xr *unstructured.Unstructured) (set bool, err error) {
	id := statusProviderID.Value(xr)
	if id == "" || specProviderID.Value(xr) != "" {
		return false, nil
	}
	return true, access.SetField(ctx, c, xr, specProviderID, id)
}

// work is one look at an AzureMachine.
type work struct {
	*Machine
	*look

	azureMachine *v1beta1.AzureMachine
	// owner is nil while no Machine owns the AzureMachine.
	owner *clusterv1.Machine

	// sent is the object of the virtual machine that was requested just now; nil for none. Applied are the tags that are to be noted.
	sent    *unstructured.Unstructured
	applied *appliedTags
}

// run brings the facts up to date and does what follows from them.
func (w *work) run(ctx context.Context) error {
	err := w.readOwner(ctx)
	return errors.Join(err, w.readOffers(ctx), w.allocatePort(ctx), w.writeSecrets(ctx), w.lookForResources(ctx), w.create(ctx), w.applyTags(ctx))
}

// readOwner reads what the Machine says.
func (w *work) readOwner(ctx context.Context) error {
	if w.owner == nil {
		return nil
	}
	set, bootstrapped := w.facts.Machine.AvailabilitySet, w.bootstrapped()
	spec := w.owner.Spec
	w.facts.Machine = v1alpha1.FactsOfMachine{
		Name: w.owner.Name, FailureDomain: spec.FailureDomain, Version: spec.Version, ControlPlane: util.IsControlPlaneMachine(w.owner),
		Owner: ownerOf(w.owner), AvailabilitySet: set, BootstrapReady: bootstrapped,
	}
	return w.lookForBootstrapData(ctx, w.API, "Machine", w.owner.Name, spec.Bootstrap.DataSecretName)
}

// ownerOf returns what a Machine is one of, by the labels that Cluster API gives it.
func ownerOf(machine *clusterv1.Machine) v1alpha1.FactsOfOwner {
	for _, of := range []struct{ kind, label string }{
		{v1alpha1.OwnerControlPlane, clusterv1.MachineControlPlaneNameLabel},
		{v1alpha1.OwnerMachineDeployment, clusterv1.MachineDeploymentNameLabel},
		{v1alpha1.OwnerMachineSet, clusterv1.MachineSetNameLabel},
	} {
		if name := machine.Labels[of.label]; name != "" {
			return v1alpha1.FactsOfOwner{Kind: of.kind, Name: name}
		}
	}
	return v1alpha1.FactsOfOwner{}
}

// readOffers reads what Azure offers of the size, and decides about the availability set. Both stay once the virtual machine has been asked
// for: it is what it is then.
func (w *work) readOffers(ctx context.Context) error {
	size := w.azureMachine.Spec.VMSize
	if w.azureCluster == nil || w.facts.Size.Known && w.facts.Size.Name == size && (w.facts.Created.State != v1alpha1.NotCreated || w.composed()) {
		return nil
	}
	account, usable, err := w.account(ctx, w.infrastructure, w.Cluster.Name)
	if err != nil || !usable {
		return err
	}
	offers, err := w.offers(ctx, account, w.azureCluster, size)
	if err != nil {
		return err
	}
	w.facts.Size = offers.Size(size)
	if w.owner != nil && w.facts.Machine.AvailabilitySet == "" && !w.composed() {
		w.facts.Machine.AvailabilitySet = azuremachine.AvailabilitySet(w.Cluster.Name, w.azureCluster, w.azureMachine, w.facts.Machine, failureDomains(w.azureCluster, offers))
	}
	return nil
}

// composed reports whether function-capz has composed the virtual machine already.
func (w *work) composed() bool { return access.Composes(w.XR, machines.VirtualMachineKind.GroupKind()) }

// failureDomains returns the availability zones that machines of a Cluster may be in: those that it says it has, else those of its location.
// What its spec says of zones makes none.
func failureDomains(c *v1beta1.AzureCluster, offers *machines.Offers) []string {
	if len(c.Status.FailureDomains) == 0 {
		return offers.Zones
	}
	var domains []string
	for _, domain := range c.Status.FailureDomains {
		domains = append(domains, domain.Name)
	}
	return domains
}
