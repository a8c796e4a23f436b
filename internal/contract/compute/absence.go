package compute

import (
	"cmp"
	"context"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
)

const (
	// absenceValid is how old an answer of Azure's may be by which a resource is new.
	absenceValid = 5 * time.Second
	// absenceInterval is how often it is looked again while nothing is composed.
	absenceInterval = 30 * time.Second
)

// lookForResources notes which resources of the machine Azure does not have, once its Cluster has what they need: function-capz composes them
// then, and ASO need not look for each. It is done until one is composed. What was not looked for, or Azure has, is looked for by ASO.
func (w *work) lookForResources(ctx context.Context) error {
	if w.facts.Created.State != v1alpha1.NotCreated {
		w.facts.Absent = nil
		return nil
	}
	provisioned := ptr.Deref(w.Cluster.Status.Initialization.InfrastructureProvisioned, false)
	group := w.resourceGroup()
	if w.owner == nil || group == "" || !provisioned || w.composed() || access.Composes(w.XR, aso.NetworkInterface.GroupKind()) {
		return nil
	}
	account, usable, err := w.account(ctx, w.infrastructure, w.Cluster.Name)
	if err != nil || !usable {
		return err
	}
	w.facts.Absent = nil
	since := time.Now().Add(-absenceValid)
	for _, r := range w.resources() {
		has, err := w.lists.Has(ctx, account, r.kind, within(group, r.kind, r.name), since)
		if err != nil {
			return err
		}
		if !has {
			w.facts.Absent = append(w.facts.Absent, v1alpha1.FactOfAbsence(r.kind.ARM(), r.name))
		}
	}
	w.again(absenceInterval)
	return nil
}

// resourceGroup returns the ID of the resource group that machines of the Cluster are in; empty while it is not known.
func (l *look) resourceGroup() string {
	if l.azureCluster == nil || l.azureCluster.Spec.SubscriptionID == "" {
		return ""
	}
	spec := l.azureCluster.Spec
	return "/subscriptions/" + spec.SubscriptionID + "/resourceGroups/" + cmp.Or(spec.ResourceGroup, l.azureCluster.Name)
}

// within returns the ID of a resource in a resource group, given by its ID.
func within(group string, kind aso.Kind, name string) string {
	return group + "/providers/" + kind.ARM() + "/" + name
}

// namedResource is a resource of a machine.
type namedResource struct {
	kind aso.Kind
	name string
}

// resources returns those that every machine has, and of which nobody else's may be overwritten.
func (w *work) resources() []namedResource {
	spec := w.azureMachine.Spec.DeepCopy()
	defaulting.Machine(&spec.AzureMachineClassSpec)
	name := azuremachine.Name(w.azureMachine)
	all := []namedResource{{aso.VirtualMachine, name}}
	for n := range spec.NetworkInterfaces {
		all = append(all, namedResource{aso.NetworkInterface, azuremachine.NetworkInterfaceName(name, n, len(spec.NetworkInterfaces))})
	}
	return all
}
