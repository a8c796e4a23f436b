package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/written"
	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

const (
	// catchUpPatience is how long it may take to read what was written last.
	catchUpPatience = time.Minute
	// messagesPatience is how long the node may take to write down what it has heard.
	messagesPatience = 2 * time.Second
)

// watchers follow every management cluster of this run.
var watchers struct {
	mu  sync.Mutex
	all []*watcher
}

// managementClusters returns every management cluster of this run, also those that are down.
func managementClusters() []*stack.Stack {
	watchers.mu.Lock()
	defer watchers.mu.Unlock()
	var stacks []*stack.Stack
	for _, w := range watchers.all {
		stacks = append(stacks, w.stack)
	}
	return stacks
}

// haul is all that is secret in this run.
var haul leaks.Haul

// A watcher takes what is written on a management cluster, in order to find secrets in it.
type watcher struct {
	stack   *stack.Stack
	etcd    *clientv3.Client
	objects *written.Objects
	// others are texts that are no objects.
	others *written.Spool
	stop   context.CancelFunc
	done   chan error
	// end returns when all that was written by then has been taken. The management cluster has to be up.
	end func() error
}

// watchSecrets begins to follow a management cluster: from its first object on.
func watchSecrets(s *stack.Stack) (*watcher, error) {
	endpoint, certificates, err := s.Etcd()
	if err != nil {
		return nil, err
	}
	w := &watcher{stack: s, done: make(chan error, 1)}
	if w.etcd, err = clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, TLS: certificates, MaxCallRecvMsgSize: 1 << 30}); err != nil {
		return nil, err
	}
	objects, err := written.Create(w.file("objects"))
	if err != nil {
		return nil, err
	}
	if w.others, err = written.Create(w.file("others")); err != nil {
		return nil, err
	}
	w.end = sync.OnceValue(w.takeRest)
	w.objects = &written.Objects{Haul: &haul, Spool: objects}
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.Background())
	go func() { w.done <- w.objects.Follow(ctx, w.etcd) }()
	watchers.mu.Lock()
	defer watchers.mu.Unlock()
	watchers.all = append(watchers.all, w)
	return w, nil
}

func (w *watcher) file(name string) string { return filepath.Join(w.stack.Recorded(), name) }

// scrape takes the metrics of the product as they are now.
func (w *watcher) scrape(ctx context.Context, occasion string) {
	for component, url := range w.stack.MetricsURLs() {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			continue
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			continue // It is being killed.
		}
		metrics, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err == nil && answer.StatusCode == http.StatusOK {
			w.others.Add("metrics of "+component, occasion, metrics)
		}
	}
}

func (w *watcher) takeRest() error {
	ctx, cancel := context.WithTimeout(context.Background(), catchUpPatience)
	defer cancel()
	w.scrape(ctx, "at the end")
	time.Sleep(messagesPatience)
	caughtUp := make(chan error, 1)
	go func() { caughtUp <- w.objects.CatchUp(ctx, w.etcd) }()
	var errs []error
	select {
	case err := <-w.done:
		errs = append(errs, fmt.Errorf("objects were not followed to the end: %w", err))
	case err := <-caughtUp:
		w.stop()
		errs = append(errs, err, <-w.done)
	}
	w.stop()
	errs = append(errs, w.stack.Secrets(&haul), w.objects.Spool.Close(), w.others.Close(), w.etcd.Close())
	return errors.Join(errs...)
}

// scrapeAll takes the metrics of all management clusters.
func scrapeAll(ctx context.Context, occasion string) {
	watchers.mu.Lock()
	all := slices.Clone(watchers.all)
	watchers.mu.Unlock()
	for _, w := range all {
		w.scrape(ctx, occasion)
	}
}
