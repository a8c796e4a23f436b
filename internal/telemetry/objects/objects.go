// Package objects tells in metrics of the objects of the management cluster, as provider-capz has them in its cache. It watches nothing by
// itself: a controller says which kinds it has in the cache.
package objects

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// patience is for how long a cache that is not filled yet is waited for.
const patience = 2 * time.Second

// Objects is what is told of. The zero value, and nil, tell of nothing.
type Objects struct {
	// Clock is what ages are measured by.
	Clock clock.PassiveClock

	lock sync.Mutex
	view view
}

// A view is what is told of while some controllers run.
type view struct {
	reader client.Reader
	// watched reports whether the controllers act on an object.
	watched    func(metav1.Object) bool
	composites []composite.Kind
	composed   []schema.GroupVersionKind
	clusters   bool
	// credentials are what composite resources have, by the key of each.
	credentials map[string]Credential
}

// New returns Objects that tell of nothing yet.
func New() *Objects { return &Objects{Clock: clock.RealClock{}} }

// Begin has the objects of a cache be told of until end is called. Watched reports whether the controllers act on an object.
func (o *Objects) Begin(cache client.Reader, watched func(metav1.Object) bool) (end func()) {
	if o == nil {
		return func() {}
	}
	o.change(func(v *view) { *v = view{reader: cache, watched: watched, credentials: map[string]Credential{}} })
	return func() { o.change(func(v *view) { *v = view{} }) }
}

func (o *Objects) change(change func(*view)) {
	o.lock.Lock()
	defer o.lock.Unlock()
	change(&o.view)
}

// Composed says that the metadata of a kind of composed objects are in the cache.
func (o *Objects) Composed(kind schema.GroupVersionKind) {
	if o == nil {
		return
	}
	o.change(func(v *view) {
		if !slices.Contains(v.composed, kind) {
			v.composed = append(v.composed, kind)
		}
	})
}

// current returns what is told of now.
func (o *Objects) current() view {
	o.lock.Lock()
	defer o.lock.Unlock()
	v := o.view
	v.composites, v.composed, v.credentials = slices.Clone(v.composites), slices.Clone(v.composed), maps.Clone(v.credentials)
	return v
}

// gauges are what Collect sends.
var gauges = []telemetry.GaugeMetric{
	telemetry.Clusters, telemetry.MachinePools, telemetry.Composites, telemetry.CompositesOldest, telemetry.Held, telemetry.HeldOldest,
	telemetry.Unready, telemetry.Drifted, telemetry.Credentials, telemetry.CredentialEnds, telemetry.Tokens,
}

// Describe implements prometheus.Collector.
func (o *Objects) Describe(to chan<- *prometheus.Desc) {
	for _, g := range gauges {
		g.Describe(to)
	}
}

// Collect implements prometheus.Collector. What cannot be read is left out.
func (o *Objects) Collect(to chan<- prometheus.Metric) {
	v := o.current()
	if v.reader == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	now := o.Clock.Now()
	v.collectClusters(ctx, to)
	states := v.collectComposites(ctx, now, to)
	v.collectHeld(ctx, now, to)
	v.collectTokens(ctx, now, states, to)
	v.collectCredentials(now, to)
}

// list reads from the cache; the objects must not be changed. It reports whether they could be read.
func (v view) list(ctx context.Context, into client.ObjectList) bool {
	return v.reader.List(ctx, into, client.UnsafeDisableDeepCopy) == nil
}
