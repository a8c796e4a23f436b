package objects

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// The parts of a status that say once that something is provisioned, and keep saying it (CAPI contract, "initialization completed").
var (
	provisioned             = field.At[bool]("status", "initialization", "provisioned")
	controlPlaneInitialized = field.At[bool]("status", "initialization", "controlPlaneInitialized")
)

// Composites says that a kind of composite resources is in the cache, and measures how long they take to be provisioned.
func (o *Objects) Composites(ctx context.Context, informers cache.Informers, kind composite.Kind) error {
	if o == nil {
		return nil
	}
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind.GroupVersionKind)
	o.change(func(v *view) { v.composites = append(v.composites, kind) })
	return o.follow(ctx, informers, obj, func(before, after any) {
		old, ok := before.(*unstructured.Unstructured)
		changed, changedOK := after.(*unstructured.Unstructured)
		if ok && changedOK && !initialized(old) && initialized(changed) {
			o.observe(changed, kind.Family, kind.Kind)
		}
	})
}

// Clusters says that Clusters, MachinePools and the metadata of Secrets are in the cache, and measures how long Clusters take.
func (o *Objects) Clusters(ctx context.Context, informers cache.Informers) error {
	if o == nil {
		return nil
	}
	o.change(func(v *view) { v.clusters = true })
	return o.follow(ctx, informers, &clusterv1.Cluster{}, func(before, after any) {
		old, ok := before.(*clusterv1.Cluster)
		changed, changedOK := after.(*clusterv1.Cluster)
		if !ok || !changedOK || clusterInitialized(old) || !clusterInitialized(changed) {
			return
		}
		if family, ours := familyOf(changed); ours {
			o.observe(changed, family, telemetry.ClusterKind)
		}
	})
}

func initialized(xr *unstructured.Unstructured) bool {
	return provisioned.Value(xr) || controlPlaneInitialized.Value(xr)
}

func clusterInitialized(cluster *clusterv1.Cluster) bool {
	done := cluster.Status.Initialization
	return done.InfrastructureProvisioned != nil && *done.InfrastructureProvisioned && done.ControlPlaneInitialized != nil && *done.ControlPlaneInitialized
}

// follow calls updated for each change of an object of a kind that is in the cache anyway.
func (o *Objects) follow(ctx context.Context, informers cache.Informers, obj client.Object, updated func(before, after any)) error {
	informer, err := informers.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("cannot follow %T for the metrics: %w", obj, err)
	}
	if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: updated}); err != nil {
		return fmt.Errorf("cannot follow %T for the metrics: %w", obj, err)
	}
	return nil
}

// observe notes that an object has just become what it was made to be.
func (o *Objects) observe(obj client.Object, family composite.Family, kind string) {
	if v := o.current(); v.reader == nil || !v.watched(obj) {
		return
	}
	telemetry.TimeToReady.Observe(o.Clock.Since(obj.GetCreationTimestamp().Time).Seconds(), string(family), kind)
}
