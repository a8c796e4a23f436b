package facts

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/apimachinery/pkg/util/wait"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

const (
	// longestRetryAfter bounds for how long Azure is not asked because it says so.
	longestRetryAfter = time.Hour
	// healthJitter spreads the questions about many clusters, which all begin when provider-capz starts.
	healthJitter = 0.1
)

// A healthWriter keeps in the facts of the AKS clusters of a family what Azure Resource Health says of them.
type healthWriter struct {
	clusterWriter

	live access.LiveReader
	// interval is how often Azure is asked about a cluster, answers are what it has said since.
	interval time.Duration
	answers  *cache.Expiring
}

// An answer about a cluster, and when to ask again.
type answer struct {
	health v1alpha1.ResourceHealthFacts
	until  time.Time
}

func newHealthWriter(w clusterWriter, live access.LiveReader, interval time.Duration) *healthWriter {
	return &healthWriter{clusterWriter: w, live: live, interval: interval, answers: cache.NewExpiring()}
}

func (w *healthWriter) setup(mgr ctrl.Manager, o contract.Options) error {
	initialized := contract.OnUpdate(func(before, after client.Object) bool { return isInitialized(before) != isInitialized(after) })
	name := "health-" + strings.ToLower(w.family.controlPlane.Kind)
	err := ctrl.NewControllerManagedBy(mgr).
		Named(name).
		For(&v1alpha1.ClusterFacts{}, builder.WithPredicates(created())).
		Watches(access.NewObject(w.family.controlPlane.GroupVersionKind), handler.EnqueueRequestsFromMapFunc(w.clusterOf), builder.WithPredicates(initialized)).
		WithOptions(o.Controller()).
		Complete(traces.Reconciler(name, clusterv1.ClusterKind, w))
	if err != nil {
		return fmt.Errorf("cannot set up the controller of the resource health for %s: %w", w.family.controlPlane.Kind, err)
	}
	return nil
}

func isInitialized(obj client.Object) bool {
	controlPlane, ok := obj.(*unstructured.Unstructured)
	return ok && access.StatusInitialized.Value(controlPlane)
}

// Reconcile has the ClusterFacts of the Cluster that req names say what Azure does of its health, and comes back when to ask again. What Azure does
// not tell is said there too: it stops nothing.
func (w *healthWriter) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cluster := &clusterv1.Cluster{}
	if err := w.Get(ctx, req.NamespacedName, cluster); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // Those of MachinePools are named after no Cluster.
	}
	if !w.family.has(cluster) || !contract.Watched(cluster, w.watchFilter) || cluster.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	current, err := w.read(ctx, req.Namespace, req.Name)
	if err != nil || current == nil {
		return ctrl.Result{}, err // Their beginning leads here.
	}
	controlPlane, err := access.Referred(ctx, w, cluster.Namespace, cluster.Spec.ControlPlaneRef, w.family.controlPlane)
	if err != nil || controlPlane == nil || controlPlane.GetDeletionTimestamp() != nil || !isInitialized(controlPlane) {
		return ctrl.Result{}, err
	}
	now, err := w.ask(ctx, cluster, controlPlane)
	if err != nil || now == nil {
		return ctrl.Result{RequeueAfter: w.interval}, err
	}
	spec := current.Spec
	spec.ResourceHealth = latest(spec.ResourceHealth, now.health)
	result, err := w.write(ctx, cluster, current, cluster.Name, nil, spec)
	if err == nil && result.RequeueAfter == 0 {
		result.RequeueAfter = max(time.Until(now.until), time.Second)
	}
	return result, err
}

// ask returns the last answer about a cluster while that holds, and asks Azure then; nil while there is nothing in Azure to ask about.
func (w *healthWriter) ask(ctx context.Context, cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured) (*answer, error) {
	if last, ok := w.answers.Get(cluster.UID); ok {
		if last, ok := last.(*answer); ok {
			return last, nil
		}
	}
	managedCluster, err := mirror.ManagedCluster(ctx, w.live, controlPlane)
	if err != nil || managedCluster == nil {
		return nil, err
	}
	health, retryAfter, ok := w.azure.HealthOf(ctx, managedCluster)
	if err := ctx.Err(); err != nil || !ok {
		return nil, err // Who ends while Azure is asked has no answer.
	}
	valid := wait.Jitter(max(w.interval, min(retryAfter, longestRetryAfter)), healthJitter)
	now := &answer{health: health, until: time.Now().Add(valid)}
	w.answers.Set(cluster.UID, now, valid)
	return now, nil
}

// latest returns the facts after an answer. Why Azure has not told is the same for as long as its code is: the text may have a number of the request.
func latest(before *v1alpha1.ResourceHealthFacts, now v1alpha1.ResourceHealthFacts) *v1alpha1.ResourceHealthFacts {
	if before != nil && before.State == "" && now.State == "" && before.Reason == now.Reason {
		return before
	}
	return &now
}
