package contract

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/kubeconfig"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/nodes"
)

// cacheSyncTimeout is how long the composite kinds may be missing before the process gives up: packages are installed
// in any order.
const cacheSyncTimeout = 10 * time.Minute

// CacheOptions returns what the manager caches: of Secrets only what identifies them and their owners, of all else no managed
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

// stripSecret drops the annotations too, but for the end of a token: kubectl keeps the data of a Secret in one of them.
func stripSecret(obj any) (any, error) {
	if secret, ok := obj.(metav1.Object); ok {
		secret.SetManagedFields(nil)
		expires, has := secret.GetAnnotations()[names.TokenExpiresAtAnnotation]
		secret.SetAnnotations(nil)
		if has {
			secret.SetAnnotations(map[string]string{names.TokenExpiresAtAnnotation: expires})
		}
	}
	return obj, nil
}

// setupNodes has the Nodes followed of the Clusters whose control plane is a composite resource.
func setupNodes(ctx context.Context, mgr ctrl.Manager, o Options) (*nodes.Follower, error) {
	return nodes.SetupWithManager(ctx, mgr, nodes.Options{
		Follow: func(cluster *clusterv1.Cluster) bool {
			return followsNodes(cluster) && Watched(cluster, o.WatchFilter)
		},
		Secrets:    kubeconfig.DataOnlyReader{Reader: mgr.GetAPIReader()},
		UserAgent:  rest.DefaultKubernetesUserAgent() + " " + names.Controller,
		Controller: o.Controller(),
	})
}

// followsNodes reports whether the Nodes of a Cluster are followed: not those of a Cluster that is being deleted, whose API server may
// stop at any moment.
func followsNodes(cluster *clusterv1.Cluster) bool {
	_, ok := composite.Referred(cluster.Spec.ControlPlaneRef, composite.ControlPlane)
	return ok && cluster.DeletionTimestamp.IsZero()
}
