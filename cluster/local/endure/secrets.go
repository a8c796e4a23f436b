package endure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/written"
	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

const (
	registryPrefix = "/registry/"
	// fewestSecrets are those that there are at least, so that a search for nothing does not pass.
	fewestSecrets = 10
	// catchUpPatience is how long it may take to read what was written last.
	catchUpPatience = time.Minute
)

// A watcher follows all that is written on a management cluster: secrets, everything else, and how often.
type watcher struct {
	stack   *stack.Stack
	etcd    *clientv3.Client
	haul    leaks.Haul
	objects *written.Objects
	spool   string
	stop    context.CancelFunc
	done    chan error

	mu     sync.Mutex
	writes []Write
}

// watch begins to follow a management cluster.
func watch(s *stack.Stack) (*watcher, error) {
	endpoint, certificates, err := s.Etcd()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.Recorded(), 0o700); err != nil {
		return nil, err
	}
	w := &watcher{stack: s, spool: filepath.Join(s.Recorded(), "objects"), done: make(chan error, 1)}
	if w.etcd, err = clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, TLS: certificates, MaxCallRecvMsgSize: 1 << 30}); err != nil {
		return nil, err
	}
	spool, err := written.Create(w.spool)
	if err != nil {
		return nil, err
	}
	w.objects = &written.Objects{Haul: &w.haul, Spool: spool}
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.Background())
	go func() { w.done <- w.objects.FollowOn(ctx, w.etcd) }()
	return w, nil
}

// watchers follow several management clusters.
type watchers []*watcher

// idle looks at all of them at the same time.
func (all watchers) idle(ctx context.Context, d time.Duration) (perHour float64, flapping []string) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	for _, w := range all {
		wait.Go(func() {
			writes, those := w.idle(ctx, d)
			mu.Lock()
			defer mu.Unlock()
			perHour, flapping = perHour+writes, append(flapping, those...)
		})
	}
	wait.Wait()
	return perHour, flapping
}

// search returns what all of them have found.
func (all watchers) search() (found []string, secrets, texts int, err error) {
	for _, w := range all {
		those, values, in, wrong := w.search()
		found, secrets, texts, err = append(found, those...), secrets+values, texts+in, errors.Join(err, wrong)
	}
	return found, secrets, texts, err
}

// countWrites notes each version of an object of a life that is written until ctx is done. Events are no state.
func (w *watcher) countWrites(ctx context.Context) {
	for answer := range w.etcd.Watch(ctx, registryPrefix, clientv3.WithPrefix()) {
		for _, e := range answer.Events {
			key := strings.TrimPrefix(string(e.Kv.Key), registryPrefix)
			if e.Type != mvccpb.PUT || strings.HasPrefix(key, "events/") || !strings.Contains(key, "/life-") {
				continue
			}
			w.mu.Lock()
			w.writes = append(w.writes, Write{Key: key, At: time.Now()})
			w.mu.Unlock()
		}
	}
}

// idle looks for a time at what is written while nothing happens.
func (w *watcher) idle(ctx context.Context, d time.Duration) (perHour float64, flapping []string) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	from := time.Now()
	w.countWrites(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	return Flapping(w.writes, from, from.Add(d))
}

// search returns where secrets were found that are to be in Secrets only, how many were looked for, and in how many texts. The management
// cluster has to be up.
func (w *watcher) search() (found []string, secrets, texts int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), catchUpPatience)
	defer cancel()
	caught := w.objects.CatchUp(ctx, w.etcd)
	w.stop()
	err = errors.Join(caught, <-w.done, w.stack.Secrets(&w.haul), w.stack.AzureSecrets(&w.haul), w.objects.Spool.Close(), w.etcd.Close())
	if err != nil {
		return nil, 0, 0, fmt.Errorf("what is secret is not all known: %w", err)
	}
	values := w.haul.Values()
	if len(values) < fewestSecrets {
		return nil, 0, 0, fmt.Errorf("the search means little: %d secrets are known, want %d or more", len(values), fewestSecrets)
	}
	s := leaks.NewSearch(values)
	texts, err = written.Search(s, w.spool)
	for _, path := range w.stack.Outputs() {
		err = errors.Join(err, s.Files(w.stack.Dir(), path))
	}
	for _, f := range slices.DeleteFunc(s.Findings(), leaks.Finding.OfClusterAPI) {
		found = append(found, "secret: "+f.String())
	}
	return found, len(values), texts, err
}
