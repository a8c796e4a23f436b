// Package nodes follows the Nodes of Clusters, with the kubeconfigs that Cluster API has of them.
package nodes

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/kubeconfig"
	"sigs.k8s.io/cluster-api/util/secret"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// Options say which Nodes are followed, and how.
type Options struct {
	// Follow reports whether the Nodes of a Cluster are followed.
	Follow func(*clusterv1.Cluster) bool
	// Secrets reads kubeconfigs: not from a cache, which has none of their data.
	Secrets client.Reader
	// UserAgent is who asks the Clusters.
	UserAgent  string
	Controller controller.Options
}

// A Follower knows the Nodes of Clusters. It watches them and asks for nothing else, so that a Cluster in which nothing changes costs
// nothing; what cannot be reached is tried again, ever more seldom, by client-go's own rules.
type Follower struct {
	client.Reader
	Options

	// life is how long Nodes are followed.
	life      context.Context //nolint:containedctx // It is not that of a call.
	mu        sync.Mutex
	clusters  map[client.ObjectKey]*cluster
	listeners []listener
}

// A listener is called with each Node that comes, goes, or changes in what counts, and with nil when all Nodes of a Cluster are known.
type listener func(cluster client.ObjectKey, node *corev1.Node)

// SetupWithManager has a Follower follow Nodes until ctx ends.
func SetupWithManager(ctx context.Context, mgr ctrl.Manager, o Options) (*Follower, error) {
	f := newFollower(ctx, mgr.GetClient(), o)
	err := ctrl.NewControllerManagedBy(mgr).
		Named("nodes").
		For(&clusterv1.Cluster{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}))).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(clusterOfKubeconfig)).
		WithOptions(o.Controller).
		Complete(traces.Reconciler("nodes", clusterv1.ClusterKind, f))
	if err != nil {
		return nil, fmt.Errorf("cannot set up the controller of Nodes: %w", err)
	}
	return f, nil
}

func newFollower(ctx context.Context, clusters client.Reader, o Options) *Follower {
	return &Follower{Reader: clusters, Options: o, life: ctx, clusters: map[client.ObjectKey]*cluster{}}
}

// clusterOfKubeconfig returns the Cluster whose kubeconfig a Secret would have by its name.
func clusterOfKubeconfig(_ context.Context, obj client.Object) []ctrl.Request {
	name, purpose, err := secret.ParseSecretName(obj.GetName())
	if err != nil || purpose != secret.Kubeconfig {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: obj.GetNamespace(), Name: name}}}
}

// errUnusable is what is wrong with a kubeconfig that no client can be made with; the reason may quote what is secret. Another one leads here.
var errUnusable = reconcile.TerminalError(errors.New("the kubeconfig is not one that can be used"))

// Reconcile has the Nodes of a Cluster followed with its kubeconfig of now, or no longer.
func (f *Follower) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	of := &clusterv1.Cluster{}
	err := f.Get(ctx, req.NamespacedName, of)
	if apierrors.IsNotFound(err) || err == nil && !f.Follow(of) {
		f.set(req.NamespacedName, nil)
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("cannot read the Cluster: %w", err)
	}
	content, err := kubeconfig.FromSecret(ctx, f.Secrets, req.NamespacedName)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, nil // That it comes leads here.
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	sum := sha256.Sum256(content)
	if now := f.get(req.NamespacedName); now != nil && now.kubeconfig == sum {
		return ctrl.Result{}, nil
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(content)
	if err != nil {
		return ctrl.Result{}, errUnusable
	}
	config.UserAgent = f.UserAgent
	next, err := newCluster(config, sum, func(node *corev1.Node) { f.notify(req.NamespacedName, node) })
	if err != nil {
		return ctrl.Result{}, errUnusable
	}
	f.set(req.NamespacedName, next)
	return ctrl.Result{}, nil
}

// Nodes returns the Nodes of a Cluster in no order; not known until it has been reached. They must not be changed.
func (f *Follower) Nodes(of client.ObjectKey) (found []*corev1.Node, known bool) {
	c := f.get(of)
	if c == nil || !c.informer.HasSynced() {
		return nil, false
	}
	for _, o := range c.informer.GetStore().List() {
		if node, ok := o.(*corev1.Node); ok {
			found = append(found, node)
		}
	}
	return found, true
}

// Source has Nodes lead to requests: each that comes, goes, or changes in its provider ID or its labels, and nil when all Nodes of a Cluster
// have come to be known.
func (f *Follower) Source(requests func(ctx context.Context, cluster client.ObjectKey, node *corev1.Node) []ctrl.Request) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.listeners = append(f.listeners, func(cluster client.ObjectKey, node *corev1.Node) {
			for _, r := range requests(ctx, cluster, node) {
				queue.Add(r)
			}
		})
		return nil
	})
}

func (f *Follower) notify(cluster client.ObjectKey, node *corev1.Node) {
	f.mu.Lock()
	listeners := f.listeners
	f.mu.Unlock()
	for _, listener := range listeners {
		listener(cluster, node)
	}
}

func (f *Follower) get(of client.ObjectKey) *cluster {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clusters[of]
}

// set has a Cluster followed in another way than before; nil, not at all.
func (f *Follower) set(of client.ObjectKey, next *cluster) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if before := f.clusters[of]; before != nil {
		before.stop()
		delete(f.clusters, of)
	}
	if next != nil {
		f.clusters[of] = next
		next.start(ctrl.LoggerInto(f.life, ctrl.Log.WithName("nodes").WithValues("Cluster", of.String())))
	}
}
