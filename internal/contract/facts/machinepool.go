package facts

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// infrastructureIndex indexes MachinePools by what they refer to, as Kind/name.
const infrastructureIndex = "infrastructure"

func indexInfrastructure(obj client.Object) []string {
	pool, ok := obj.(*clusterv1.MachinePool)
	if !ok {
		return nil
	}
	ref := pool.Spec.Template.Spec.InfrastructureRef
	return []string{ref.Kind + "/" + ref.Name}
}

// A machinePoolWriter keeps the facts of the MachinePools of a family, by their composites.
type machinePoolWriter struct {
	writer

	family family
}

// fromMachinePool returns the composite that a MachinePool refers to.
func (w *machinePoolWriter) fromMachinePool(_ context.Context, obj client.Object) []ctrl.Request {
	pool, ok := obj.(*clusterv1.MachinePool)
	if !ok || pool.Spec.Template.Spec.InfrastructureRef.Kind != w.family.machinePool.Kind {
		return nil
	}
	return access.Request(pool.Namespace, pool.Spec.Template.Spec.InfrastructureRef.Name)
}

// fromCluster returns the composites of the MachinePools of a Cluster that has come after them. Those without its label get that by Cluster API
// core, which leads here.
func (w *machinePoolWriter) fromCluster(ctx context.Context, obj client.Object) []ctrl.Request {
	list := &clusterv1.MachinePoolList{}
	err := w.List(ctx, list, client.InNamespace(obj.GetNamespace()), client.MatchingLabels{clusterv1.ClusterNameLabel: obj.GetName()})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot list the MachinePools of a Cluster", "cluster", obj.GetName())
		return nil
	}
	var requests []ctrl.Request
	for i := range list.Items {
		requests = append(requests, w.fromMachinePool(ctx, &list.Items[i])...)
	}
	return requests
}

// fromFacts returns the composite whose facts are gone.
func (w *machinePoolWriter) fromFacts(_ context.Context, obj client.Object) []ctrl.Request {
	if _, name, found := strings.Cut(obj.GetName(), "."+strings.ToLower(w.family.machinePool.Kind)+"."); found {
		return access.Request(obj.GetNamespace(), name)
	}
	return nil
}

// Reconcile has the ClusterFacts of the MachinePool of the composite that req names have what is so.
func (w *machinePoolWriter) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	objects, name, err := w.objects(ctx, req)
	if err != nil {
		return ctrl.Result{}, err
	}
	if name == "" {
		return ctrl.Result{}, w.removeGone(ctx, req)
	}
	cluster := &clusterv1.Cluster{}
	if err := w.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: name}, cluster); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !w.family.has(cluster) || !contract.Watched(cluster, w.watchFilter) {
		return ctrl.Result{}, nil
	}
	facts := clusterfacts.NameOfMachinePool(cluster.Name, w.family.machinePool.Kind, req.Name)
	if keeps, err := w.keepsAll(ctx, cluster); facts == "" || keeps || err != nil {
		return ctrl.Result{}, err
	}
	current, err := w.read(ctx, req.Namespace, facts)
	if err != nil {
		return ctrl.Result{}, err
	}
	spec, err := w.specOf(cluster, nil, objects, objects)
	if err != nil {
		return ctrl.Result{}, err
	}
	return w.write(ctx, cluster, current, facts, clusterfacts.LabelsOfMachinePools(cluster.Name), spec)
}

// objects returns the composite and the MachinePool that refers to it, as far as they exist, and the name of their Cluster; empty when
// neither exists.
func (w *machinePoolWriter) objects(ctx context.Context, req ctrl.Request) (objects []*unstructured.Unstructured, cluster string, err error) {
	list := &clusterv1.MachinePoolList{}
	byReference := client.MatchingFields{infrastructureIndex: w.family.machinePool.Kind + "/" + req.Name}
	if err := w.List(ctx, list, client.InNamespace(req.Namespace), byReference); err != nil {
		return nil, "", fmt.Errorf("cannot list MachinePools: %w", err)
	}
	for i := range list.Items {
		u, err := asUnstructured(&list.Items[i])
		if err != nil {
			return nil, "", err
		}
		objects, cluster = append(objects, u), list.Items[i].Spec.ClusterName
	}
	xr := access.NewObject(w.family.machinePool.GroupVersionKind)
	switch err := w.Get(ctx, req.NamespacedName, xr); {
	case apierrors.IsNotFound(err):
	case err != nil:
		return nil, "", fmt.Errorf("cannot read %s %s: %w", w.family.machinePool.Kind, req.Name, err)
	default:
		objects = append(objects, xr)
		if cluster == "" {
			cluster = xr.GetLabels()[clusterv1.ClusterNameLabel]
		}
	}
	return objects, cluster, nil
}

// keepsAll reports whether the facts of MachinePools stay as they are: all of a Cluster that is being deleted goes, so to compose the control
// plane by what is left would only delay that. One that comes up must not be created any more.
func (w *machinePoolWriter) keepsAll(ctx context.Context, cluster *clusterv1.Cluster) (bool, error) {
	if cluster.DeletionTimestamp == nil {
		return false, nil
	}
	controlPlane, err := access.Referred(ctx, w, cluster.Namespace, cluster.Spec.ControlPlaneRef, w.family.controlPlane)
	return controlPlane == nil || access.StatusInitialized.Value(controlPlane), err
}

// removeGone deletes the facts of a MachinePool that is gone, with its composite.
func (w *machinePoolWriter) removeGone(ctx context.Context, req ctrl.Request) error {
	list := &v1alpha1.ClusterFactsList{}
	if err := w.List(ctx, list, client.InNamespace(req.Namespace)); err != nil {
		return fmt.Errorf("cannot list ClusterFacts: %w", err)
	}
	for i := range list.Items {
		facts := &list.Items[i]
		name := facts.Labels[clusterv1.ClusterNameLabel]
		if facts.Name != clusterfacts.NameOfMachinePool(name, w.family.machinePool.Kind, req.Name) || facts.DeletionTimestamp != nil {
			continue
		}
		cluster := &clusterv1.Cluster{}
		if err := w.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: name}, cluster); err != nil {
			return client.IgnoreNotFound(err) // They go with it.
		}
		if keeps, err := w.keepsAll(ctx, cluster); keeps || err != nil {
			return err
		}
		if err := w.Delete(ctx, facts, client.Preconditions{UID: &facts.UID}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("cannot delete ClusterFacts %s: %w", facts.Name, err)
		}
	}
	return nil
}
