package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	// manyPools is how many pools the cluster has whose events are counted.
	manyPools = 40
	// breakerPatience is several times what such a cluster takes where no event is dropped.
	breakerPatience = 5 * time.Minute
	// breakerMetric is Crossplane's, by what became of an event of a composite resource, or of what it depends on.
	breakerMetric = "circuit_breaker_events_total"
)

// breakerDefaults are Crossplane's flags of the fleets but for its circuit breaker, which is as Crossplane has it by default.
var breakerDefaults = []string{stack.CrossplaneWorkers}

// breaker brings one cluster of many pools up, and notes what Crossplane's circuit breaker made of the events on the way. Where it
// drops some the cluster may not come up.
func breaker(ctx context.Context, a *arena) error {
	if err := a.prepare(ctx); err != nil {
		return err
	}
	clusters, err := a.clusters(ctx, fleetFlavor, clusterName)
	if err != nil {
		return err
	}
	if clusters[0], err = withPools(clusters[0], manyPools); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, breakerPatience)
	defer cancel()
	if err := a.bringUp(limited, clusters, manyPools); err != nil {
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(a.log, "  after %v: %v\n", breakerPatience, err)
	}
	events, err := counters(ctx, a.stack.ClientMetricsURL(stack.Crossplane), breakerMetric)
	if err != nil {
		return err
	}
	var taken, dropped float64
	for _, m := range events {
		taken += m.GetCounter().GetValue()
		if labelOf(m, "result") == "Dropped" {
			dropped += m.GetCounter().GetValue()
		}
	}
	a.take("events", taken, "events")
	a.take("events dropped", dropped, "events")
	return nil
}
