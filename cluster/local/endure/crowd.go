package endure

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	restclient "k8s.io/client-go/rest"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/rights"
)

const (
	// crowdSize is how many requests of one account are sent at once: more than are carried out and wait for it (Kubernetes documentation, "API
	// Priority and Fairness": six queues of fifty, beside what is carried out).
	crowdSize = 1000
	// crowded is what they list, which all accounts may that send them.
	crowded = "/apis/infrastructure.cluster.x-k8s.io/v1beta1/azureasomanagedcontrolplanes"
	// crowdPause is how long one of the crowd waits that was refused.
	crowdPause = time.Second
)

// crowders are the accounts in whose name crowds send requests.
var crowders = []string{rights.Crossplane, rights.Provider}

// crowd has the queues of an account's requests at the API server be full for a time: whoever has the account waits, or is refused with 429.
func (w *world) crowd(ctx context.Context, c Crowd) error {
	w.logf("a crowd of requests in the name of %s for %s", c.Account, c.For)
	config := restclient.CopyConfig(w.home.Load().config)
	config.Impersonate = restclient.ImpersonationConfig{UserName: c.Account, Groups: []string{"system:serviceaccounts", "system:authenticated"}}
	config.QPS = -1
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	server, err := restclient.UnversionedRESTClientFor(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.For)
	defer cancel()
	w.breaker.refused(crush(ctx, crowdSize, func() error { return server.Get().AbsPath(crowded).MaxRetries(0).Do(ctx).Error() }))
	return nil
}

// crush sends as many requests at once as its size, again and again until ctx is done, and returns how many were refused as too many. Other errors do
// not matter: the API server may be down.
func crush(ctx context.Context, size int, send func() error) int {
	var refused atomic.Int64
	var wait sync.WaitGroup
	for range size {
		wait.Go(func() {
			for ctx.Err() == nil {
				switch err := send(); {
				case apierrors.IsTooManyRequests(err):
					refused.Add(1)
					sleep(ctx, crowdPause)
				case err != nil:
					sleep(ctx, crowdPause)
				}
			}
		})
	}
	wait.Wait()
	return int(refused.Load())
}
