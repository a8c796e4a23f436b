package contract

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// cacheSyncTimeout is how long the composite kinds may be missing before the process gives up: packages are installed
// in any order.
const cacheSyncTimeout = 10 * time.Minute

// CacheOptions returns what the manager caches: of Secrets only what tells whose they are, of all else no managed
// fields. An empty namespace means all; a zero syncPeriod controller-runtime's default.
func CacheOptions(namespace string, syncPeriod time.Duration) cache.Options {
	options := cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Secret{}: {Field: possibleKubeconfig(), Transform: stripSecret},
		},
	}
	if namespace != "" {
		options.DefaultNamespaces = map[string]cache.Config{namespace: {}}
	}
	if syncPeriod > 0 {
		options.SyncPeriod = &syncPeriod
	}
	return options
}

// ClientOptions returns how the manager's client reads: composite resources from the cache, Secrets never.
func ClientOptions() client.Options {
	return client.Options{Cache: &client.CacheOptions{Unstructured: true, DisableFor: []client.Object{&corev1.Secret{}}}}
}

// possibleKubeconfig leaves out the types of Secret that neither ASO nor provider-capz writes and that are many.
func possibleKubeconfig() fields.Selector {
	return fields.AndSelectors(
		fields.OneTermNotEqualSelector("type", string(corev1.SecretTypeServiceAccountToken)),
		fields.OneTermNotEqualSelector("type", string(corev1.SecretTypeBootstrapToken)),
		fields.OneTermNotEqualSelector("type", "helm.sh/release.v1"),
	)
}

// stripSecret drops the annotations too: kubectl keeps the data of a Secret in one of them.
func stripSecret(obj any) (any, error) {
	if secret, ok := obj.(metav1.Object); ok {
		secret.SetManagedFields(nil)
		secret.SetAnnotations(nil)
	}
	return obj, nil
}

// setupClusterCache adds the cache that reaches the API servers of the Clusters with a control plane of ours.
func setupClusterCache(ctx context.Context, mgr ctrl.Manager, o Options) (clustercache.ClusterCache, error) {
	workload, err := clustercache.SetupWithManager(ctx, mgr, clustercache.Options{
		SecretClient:     dataOnlyKubeconfigs{mgr.GetAPIReader()},
		WatchFilterValue: o.WatchFilter,
		ClusterFilter:    mirrorsNodes,
		Cache: clustercache.CacheOptions{
			ByObject: map[client.Object]cache.ByObject{&corev1.Node{}: {Transform: stripNode}},
		},
		Client: clustercache.ClientOptions{UserAgent: rest.DefaultKubernetesUserAgent() + " " + ControllerName},
	}, controller.Options{MaxConcurrentReconciles: o.Concurrency})
	if err != nil {
		return nil, fmt.Errorf("cannot set up the cache of workload clusters: %w", err)
	}
	return workload, mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		<-ctx.Done()
		// It lets go of the Clusters only when asked, which its interface has no word for.
		if cache, ok := workload.(interface{ Shutdown() }); ok {
			cache.Shutdown()
		}
		return nil
	}))
}

// mirrorsNodes says whether the Nodes of a Cluster are looked at: not those of a Cluster that goes, whose API server may
// cease at any moment.
func mirrorsNodes(cluster *clusterv1.Cluster) bool {
	return ours(cluster) && cluster.DeletionTimestamp.IsZero()
}

// stripNode keeps of a Node what the contract needs.
func stripNode(obj any) (any, error) {
	node, ok := obj.(*corev1.Node)
	if !ok {
		return obj, nil
	}
	return &corev1.Node{
		TypeMeta: node.TypeMeta,
		ObjectMeta: metav1.ObjectMeta{
			Name: node.Name, UID: node.UID, ResourceVersion: node.ResourceVersion, Labels: node.Labels,
			DeletionTimestamp: node.DeletionTimestamp,
		},
		Spec: corev1.NodeSpec{ProviderID: node.Spec.ProviderID},
	}, nil
}

func nodePredicates() []predicate.Predicate { return []predicate.Predicate{nodeChanged()} }
