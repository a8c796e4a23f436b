package contract

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/cluster-api/util/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry/objects"
)

// How long to wait between tries of what fails. The longest is well below the time that a token is renewed before its end: when Entra
// has not answered for long, a token must not expire after it answers again.
const (
	minRetry = 100 * time.Millisecond
	maxRetry = 30 * time.Second
)

// reconcileTimeout ends what an API server, or an Azure, never answers: each request to Azure has a minute, and a look at a large pool takes some.
const reconcileTimeout = 10 * time.Minute

// Options are the settings of the reconcilers.
type Options struct {
	// WatchFilter is the value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all.
	WatchFilter string
	// Concurrency is how many composite resources of a kind are reconciled at once.
	Concurrency int
	// OperatorNamespaces are where Azure Service Operator may run.
	OperatorNamespaces []string
	// ResourceHealth is how often Azure Resource Health is asked about each AKS cluster; 0 means never.
	ResourceHealth time.Duration
	// Azure is what is known of Azure, by all controllers.
	Azure *compute.Azure
	// Objects is what is told in metrics; nil for nothing.
	Objects *objects.Objects
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
		ReconciliationTimeout:   reconcileTimeout,
		NewQueue:                newQueue,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](minRetry, maxRetry),
	}
}
