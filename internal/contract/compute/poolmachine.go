package compute

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// removalInterval is how often it is looked whether an instance that Azure deletes is gone.
const removalInterval = 10 * time.Second

// A PoolMachine has instances of scale sets go with their AzureMachinePoolMachines. Cluster API has drained the Node before it deletes one. All
// else about them is Pool's.
type PoolMachine struct {
	access.API
	*Azure

	// Watched reports whether an object is one to act on.
	Watched func(client.Object) bool
}

// Reconcile deletes the instance of the AzureMachinePoolMachine that req names, if that is being deleted, and lets it go when Azure has done so.
// With the whole scale set it goes at once.
func (p *PoolMachine) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	obj := access.NewObject(PoolMachineKind)
	if err := p.Get(ctx, req.NamespacedName, obj); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !leaves(obj) || !controllerutil.ContainsFinalizer(obj, names.Finalizer) || !p.Watched(obj) {
		return ctrl.Result{}, nil
	}
	gone, err := p.remove(ctx, obj)
	switch {
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	case err != nil:
		p.Events.Warn(obj, cannotProceed, "", err.Error())
		return ctrl.Result{}, err
	case !gone:
		return ctrl.Result{RequeueAfter: removalInterval}, nil
	}
	changed := obj.DeepCopy()
	controllerutil.RemoveFinalizer(changed, names.Finalizer)
	return ctrl.Result{}, client.IgnoreNotFound(p.MergePatch(ctx, changed, obj))
}

// remove has Azure delete the instance of an AzureMachinePoolMachine, and reports whether it is gone, or goes with its scale set.
func (p *PoolMachine) remove(ctx context.Context, obj *unstructured.Unstructured) (gone bool, err error) {
	xr := access.NewObject(composite.AzureMachinePool.GroupVersionKind)
	err = p.Get(ctx, client.ObjectKey{Namespace: obj.GetNamespace(), Name: obj.GetLabels()[v1beta1.LabelMachinePool]}, xr)
	if apierrors.IsNotFound(err) || err == nil && leaves(xr) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot read the AzureMachinePool: %w", err)
	}
	cluster, err := access.ClusterOf(ctx, p.Client, xr)
	if err != nil {
		return false, err
	}
	if cluster != nil && (&access.Scope{XR: xr, Kind: composite.AzureMachinePool, Cluster: cluster}).Paused() {
		return false, nil
	}
	machine, ok := read[v1beta1.AzureMachinePoolMachine](obj)
	set, err := composedObject(ctx, p.API, xr, machines.ScaleSetKind.GroupKind())
	if err != nil || !ok || set == nil {
		return false, err
	}
	// By the credential of the scale set: it is there also when somebody has forced Cluster or AzureCluster to go.
	account, err := p.Credentials.Account(ctx, set)
	if err != nil {
		return false, fmt.Errorf("cannot use the credential of VirtualMachineScaleSet %s: %w", set.GetName(), err)
	}
	setID, err := idOf(ctx, p.Live, aso.VirtualMachineScaleSet, set)
	if err != nil || setID == "" {
		return false, err
	}
	return p.scaleSets.DeleteInstance(ctx, account, xr.GetLabels()[clusterv1.ClusterNameLabel], setID, strings.TrimPrefix(machine.Spec.ProviderID, azuremachine.ProviderIDPrefix))
}

// PoolOfMember returns the AzureMachinePool of an AzureMachinePoolMachine.
func PoolOfMember(_ context.Context, obj client.Object) []ctrl.Request {
	if name := obj.GetLabels()[v1beta1.LabelMachinePool]; name != "" {
		return access.Request(obj.GetNamespace(), name)
	}
	return nil
}

// PoolOfMachine returns what finds the AzureMachinePool of a Machine that stands for an instance.
func PoolOfMachine(c client.Reader) func(context.Context, client.Object) []ctrl.Request {
	return func(ctx context.Context, obj client.Object) []ctrl.Request {
		machine, ok := obj.(*clusterv1.Machine)
		if !ok || machine.Spec.InfrastructureRef.Kind != v1beta1.AzureMachinePoolMachineKind {
			return nil
		}
		owner, err := ownerMachinePool(ctx, c, machine)
		if err != nil || owner == nil {
			return nil // The pool is looked at again in time.
		}
		return access.Request(machine.Namespace, owner.Spec.Template.Spec.InfrastructureRef.Name)
	}
}
