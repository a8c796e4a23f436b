package contract

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/external"
	"sigs.k8s.io/cluster-api/util/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/nodes"
)

// ControllerName is the name under which Events are reported, and the prefix of the client's in Clusters.
const ControllerName = "provider-capz"

// How long to wait between tries of what fails. The longest is well below renewMargin: when Entra has been away for long,
// a token must not expire after it is back.
const (
	minRetry = 100 * time.Millisecond
	maxRetry = 30 * time.Second
)

// Options are what the reconcilers can be told.
type Options struct {
	// WatchFilter is the value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all.
	WatchFilter string
	// Concurrency is how many composite resources of a kind are reconciled at once.
	Concurrency int
	// OperatorNamespaces are where Azure Service Operator may run.
	OperatorNamespaces []string
}

// Watched reports whether obj is one to act on with a watch filter; an empty one lets all pass.
func Watched(obj metav1.Object, filter string) bool {
	return filter == "" || labels.HasWatchLabel(obj, filter)
}

// Controller returns the options that every controller of provider-capz has; each needs a rate limiter of its own.
func (o Options) Controller() controller.Options {
	return controller.Options{
		MaxConcurrentReconciles: o.Concurrency,
		CacheSyncTimeout:        cacheSyncTimeout,
		NewQueue:                newQueue,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](minRetry, maxRetry),
	}
}

// SetupWithManager adds the reconcilers of Kinds and what follows the Nodes of Clusters to mgr, whose client must read
// unstructured objects from its cache (see CacheOptions). What it returns adds those of TypedKinds, which a Configuration
// of an older version does not have.
func SetupWithManager(ctx context.Context, mgr ctrl.Manager, o Options) (typed func() error, err error) {
	access := api{
		Client: client.WithFieldOwner(mgr.GetClient(), FieldOwner),
		live:   liveReader{Reader: mgr.GetAPIReader(), mapper: mgr.GetRESTMapper()},
		events: newReporter(mgr.GetEventRecorder(ControllerName)),
	}
	followed, err := setupNodes(ctx, mgr, o)
	if err != nil {
		return nil, err
	}
	if err := mgr.GetFieldIndexer().IndexField(ctx, &clusterv1.MachinePool{}, clusterIndex, indexCluster); err != nil {
		return nil, fmt.Errorf("cannot index MachinePools: %w", err)
	}
	typed = func() error { return setupFamily(ctx, mgr, o, typedFamily, access, followed) }
	return typed, setupFamily(ctx, mgr, o, asoFamily, access, followed)
}

// setupFamily adds the reconcilers of the kinds of a family.
func setupFamily(ctx context.Context, mgr ctrl.Manager, o Options, f family, access api, followed *nodes.Follower) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, newXR(f.machinePool), clusterIndex, indexCluster); err != nil {
		return fmt.Errorf("cannot index %s: %w", f.machinePool.Kind, err)
	}
	credentials := azure.Credentials{Operators: azure.Operators{Secrets: mgr.GetAPIReader(), Namespaces: o.OperatorNamespaces}}
	if err := setupCluster(mgr, o, f, access); err != nil {
		return err
	}
	if err := setupControlPlane(ctx, mgr, o, f, &controlPlaneMirror{api: access, tokens: credentials.For, now: time.Now}); err != nil {
		return err
	}
	return setupMachinePool(ctx, mgr, o, f, access, followed)
}

func setupCluster(mgr ctrl.Manager, o Options, f family, access api) error {
	r := &Reconciler{api: access, kind: f.infrastructure, mirror: &clusterMirror{api: access}, watchFilter: o.WatchFilter}
	m := r.mapper(mgr)
	b := builderFor(mgr, r, m, o).
		Watches(newXR(f.controlPlane), handler.EnqueueRequestsFromMapFunc(m.fromMember), builder.WithPredicates(endpointChanged())).
		Watches(newXR(f.machinePool), handler.EnqueueRequestsFromMapFunc(m.fromMember), builder.WithPredicates(gone()))
	return r.build(mgr, b, m)
}

func setupControlPlane(ctx context.Context, mgr ctrl.Manager, o Options, f family, mirror *controlPlaneMirror) error {
	r := &Reconciler{
		api: mirror.api, kind: f.controlPlane, mirror: mirror, mirrored: managedClusterKind, watchFilter: o.WatchFilter,
	}
	if err := r.index(ctx, mgr); err != nil {
		return err
	}
	m := r.mapper(mgr)
	b := builderFor(mgr, r, m, o).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(m.fromSecret), builder.WithPredicates(changed()))
	return r.build(mgr, b, m)
}

func setupMachinePool(ctx context.Context, mgr ctrl.Manager, o Options, f family, access api, followed *nodes.Follower) error {
	mirror := &machinePoolMirror{api: access, nodes: followed.Nodes}
	r := &Reconciler{api: access, kind: f.machinePool, mirror: mirror, watchFilter: o.WatchFilter}
	if f.typed { // Else what counts of the agent pool is in spec.
		r.mirrored = agentPoolKind
		if err := r.index(ctx, mgr); err != nil {
			return err
		}
	}
	m := r.mapper(mgr)
	b := builderFor(mgr, r, m, o).
		Watches(&clusterv1.MachinePool{}, handler.EnqueueRequestsFromMapFunc(m.fromMachinePool), builder.WithPredicates(specChanged())).
		Watches(newXR(f.controlPlane), handler.EnqueueRequestsFromMapFunc(m.fromMember), builder.WithPredicates(movesPools())).
		WatchesRawSource(followed.Source(m.fromNode))
	return r.build(mgr, b, m)
}

// name returns the name of the controller of the kind.
func (r *Reconciler) name() string { return strings.ToLower(r.kind.Kind) }

func (r *Reconciler) mapper(mgr ctrl.Manager) mapper {
	return mapper{client: mgr.GetClient(), kind: r.kind, mirrored: r.mirrored}
}

// index lets composite resources be found by the ASO object behind them.
func (r *Reconciler) index(ctx context.Context, mgr ctrl.Manager) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, newXR(r.kind), behindIndex, indexBehind(r.mirrored)); err != nil {
		return fmt.Errorf("cannot index %s: %w", r.kind.Kind, err)
	}
	return nil
}

// builderFor returns what the controllers of all kinds have in common.
func builderFor(mgr ctrl.Manager, r *Reconciler, m mapper, o Options) *builder.Builder {
	return ctrl.NewControllerManagedBy(mgr).
		Named(r.name()).
		For(newXR(r.kind), builder.WithPredicates(xrChanged())).
		Watches(&clusterv1.Cluster{}, handler.EnqueueRequestsFromMapFunc(m.fromCluster), builder.WithPredicates(specChanged())).
		WithOptions(o.Controller())
}

// build makes the controller, and r watch the kinds of ASO objects as they are met. Only metadata is cached of them.
func (r *Reconciler) build(mgr ctrl.Manager, b *builder.Builder, m mapper) error {
	c, err := b.Build(r)
	if err != nil {
		return fmt.Errorf("cannot set up the controller of %s: %w", r.kind.Kind, err)
	}
	log := mgr.GetLogger().WithName(r.kind.Kind)
	tracker := &external.ObjectTracker{Controller: c, Cache: mgr.GetCache(), Scheme: mgr.GetScheme(), PredicateLogger: &log}
	r.watch = func(ctx context.Context, kind schema.GroupVersionKind) error {
		obj := &metav1.PartialObjectMetadata{}
		obj.SetGroupVersionKind(kind)
		return tracker.Watch(ctrl.LoggerFrom(ctx), obj, handler.EnqueueRequestsFromMapFunc(m.fromObject), composedChanged(r.mirrored))
	}
	return nil
}
