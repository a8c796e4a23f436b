package admission

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// systemMode is the mode of a pool that runs what AKS itself needs; AKS asks for one at least.
const systemMode = string(v1beta1.NodePoolModeSystem)

// managedPool keeps the last System pool of a Cluster: from being deleted, and from becoming a User pool.
func (r *Rules) managedPool(ctx context.Context, req admission.Request) (field.ErrorList, error) {
	old, err := decode[v1beta1.AzureManagedMachinePool](req.OldObject.Raw)
	if err != nil {
		return nil, err
	}
	old.Namespace = req.Namespace
	if old.Spec.Mode != systemMode {
		return nil, nil
	}
	if req.Operation == admissionv1.Delete {
		return r.lastSystemPool(ctx, old, field.NewPath("metadata", "name"), old.Name, "cannot be deleted alone")
	}
	changed, err := decode[v1beta1.AzureManagedMachinePool](req.Object.Raw)
	if err != nil || changed.Spec.Mode == systemMode {
		return nil, err
	}
	return r.lastSystemPool(ctx, old, field.NewPath("spec", "mode"), changed.Spec.Mode, "must stay System")
}

// machinePoolDeleted keeps the MachinePool of the last System pool: once it is being deleted there is no way back, and it
// would wait for its pool for ever.
func (r *Rules) machinePoolDeleted(ctx context.Context, req admission.Request) (field.ErrorList, error) {
	machinePool, err := decode[clusterv1.MachinePool](req.OldObject.Raw)
	if err != nil {
		return nil, err
	}
	if _, moving := machinePool.Annotations[clusterctlv1.DeleteForMoveAnnotation]; moving {
		return nil, nil
	}
	pool := &v1beta1.AzureManagedMachinePool{}
	found, err := get(ctx, r.Reader, req.Namespace, machinePool.Spec.Template.Spec.InfrastructureRef.Name, pool)
	if err != nil || !found || pool.Spec.Mode != systemMode || !pool.DeletionTimestamp.IsZero() {
		return nil, err
	}
	return r.lastSystemPool(ctx, pool, field.NewPath("spec", "template", "spec", "infrastructureRef", "name"), pool.Name, "cannot be deleted alone")
}

// lastSystemPool refuses to lose a pool when no other System pool of its Cluster stays. A Cluster that goes, or has gone,
// needs none, nor does one whose namespace is being deleted, in whatever order; clusterctl move takes the objects of one that stays elsewhere.
func (r *Rules) lastSystemPool(ctx context.Context, pool *v1beta1.AzureManagedMachinePool, path *field.Path, value, must string) (field.ErrorList, error) {
	if _, moving := pool.Annotations[clusterctlv1.DeleteForMoveAnnotation]; moving {
		return nil, nil
	}
	cluster, err := r.clusterNamed(ctx, pool.Namespace, pool.Labels[clusterv1.ClusterNameLabel])
	if err != nil || cluster == nil || !cluster.DeletionTimestamp.IsZero() || migrated(cluster) {
		return nil, err
	}
	if others, err := r.otherSystemPools(ctx, pool, cluster.Name); err != nil || others {
		return nil, err
	}
	if hosted, err := r.hostsSystemPool(ctx, cluster); err != nil || hosted {
		return nil, err
	}
	if access.Terminating(r.Reader, pool.Namespace) {
		return nil, nil
	}
	return field.ErrorList{field.Invalid(path, value, fmt.Sprintf(
		"%s %s is the last System pool of Cluster %s and %s, because AKS needs one: add another System pool first, or delete the Cluster",
		managedPoolKind, pool.Name, cluster.Name, must))}, nil
}

// migrated reports whether a Cluster has a control plane of another family than the pools with typed fields, so that none of these is its own any more.
func migrated(cluster *clusterv1.Cluster) bool {
	ref := cluster.Spec.ControlPlaneRef
	return ref.Name != "" && !access.RefersTo(ref, composite.AzureManagedControlPlane.GroupKind())
}

// hostsSystemPool reports whether AKS hosts what else needs a System pool of the cluster, by the ManagedCluster that stands for it.
func (r *Rules) hostsSystemPool(ctx context.Context, cluster *clusterv1.Cluster) (bool, error) {
	controlPlane, err := r.controlPlaneOf(ctx, cluster)
	if err != nil || controlPlane == nil {
		return false, err
	}
	for _, resource := range controlPlane.Status.Resources {
		ref := resource.Resource
		if aso.ManagedCluster.GroupKind() != (schema.GroupKind{Group: ref.Group, Kind: ref.Kind}) {
			continue
		}
		managed := &unstructured.Unstructured{}
		managed.SetGroupVersionKind(schema.GroupVersionKind{Group: ref.Group, Version: ref.Version, Kind: ref.Kind})
		if found, err := get(ctx, r.Reader, cluster.Namespace, ref.Name, managed); err != nil || !found {
			return false, err
		}
		return aso.HostsSystemPool(managed), nil
	}
	return false, nil
}

// otherSystemPools reports whether a Cluster keeps a System pool without this one. One whose MachinePool is being deleted does
// not count: it goes as well.
func (r *Rules) otherSystemPools(ctx context.Context, pool *v1beta1.AzureManagedMachinePool, cluster string) (bool, error) {
	ofCluster := []client.ListOption{client.InNamespace(pool.Namespace), client.MatchingLabels{clusterv1.ClusterNameLabel: cluster}}
	machinePools := &clusterv1.MachinePoolList{}
	if err := r.Reader.List(ctx, machinePools, ofCluster...); err != nil {
		return false, fmt.Errorf("cannot read the MachinePools of Cluster %s: %w", cluster, err)
	}
	going := sets.New[string]()
	for i := range machinePools.Items {
		if isManagedPool(&machinePools.Items[i]) && !machinePools.Items[i].DeletionTimestamp.IsZero() {
			going.Insert(machinePools.Items[i].Spec.Template.Spec.InfrastructureRef.Name)
		}
	}
	pools := &v1beta1.AzureManagedMachinePoolList{}
	if err := r.Reader.List(ctx, pools, ofCluster...); err != nil {
		return false, fmt.Errorf("cannot read the pools of Cluster %s: %w", cluster, err)
	}
	for i := range pools.Items {
		other := &pools.Items[i]
		if other.Name != pool.Name && other.Spec.Mode == systemMode && other.DeletionTimestamp.IsZero() && !going.Has(other.Name) {
			return true, nil
		}
	}
	return false, nil
}
