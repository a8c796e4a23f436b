package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// A fleet is many clusters of two pools, applied at once.
type fleet struct {
	size int
	// idle is how long they are left alone afterwards.
	idle time.Duration
	// changes is how many changes of one ASO object are timed afterwards.
	changes int
}

const (
	fleetFlavor = "aks-aso"
	fleetPools  = 2
	// fleetPatience is how long each cluster of a fleet may take, one with another.
	fleetPatience = 10 * time.Second
	// restRequests is how many requests those that are measured send to the management cluster in stillFor, at most, when they are at rest:
	// Leases, settings and watches begun anew are about ten.
	restRequests = 30
	// restPatience is how long each cluster of a fleet may go on being composed when all have their nodes, one with another.
	restPatience = 3 * time.Second
)

func (f fleet) run(ctx context.Context, a *arena) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(f.size)*fleetPatience+f.idle+patience)
	defer cancel()
	if err := a.prepare(ctx); err != nil {
		return err
	}
	var names []string
	for i := range f.size {
		names = append(names, fmt.Sprintf("bench-%03d", i))
	}
	clusters, err := a.clusters(ctx, fleetFlavor, names...)
	if err != nil {
		return err
	}
	before, err := a.usages(ctx, a.everything()...)
	if err != nil {
		return err
	}
	if err := a.bringUp(ctx, clusters, f.size*fleetPools); err != nil {
		return err
	}
	if err := a.timeline.quiet(ctx, 10*time.Second, 5*time.Minute); err != nil {
		return err
	}
	settled, err := a.atRest(ctx, max(5*time.Minute, time.Duration(f.size)*restPatience))
	if err != nil {
		return err
	}
	f.takeUsage(a, before, settled)
	if err := f.takeIdle(ctx, a, settled); err != nil {
		return err
	}
	return a.takeChanges(ctx, names, f.changes)
}

// bringUp applies clusters with so many pools in all, and notes when they are applied, all Available, and all pools have their nodes.
func (a *arena) bringUp(ctx context.Context, clusters [][]*unstructured.Unstructured, pools int) error {
	begun := time.Now()
	if err := a.apply(ctx, clusters); err != nil {
		return err
	}
	a.takeSeconds("applied", time.Since(begun))
	at, err := a.timeline.await(ctx, "all Clusters to be Available", available(len(clusters)))
	if err != nil {
		return err
	}
	a.takeSeconds("available", at.Sub(begun))
	nodes, err := a.timeline.await(ctx, "all MachinePools to have their nodes", equipped(pools))
	if err != nil {
		return err
	}
	a.takeSeconds("nodes", nodes.Sub(begun))
	return nil
}

// atRest returns what has been taken when those that are measured ask the management cluster for next to nothing. What Crossplane composes
// last changes nothing, so that no watch tells of it.
func (a *arena) atRest(ctx context.Context, patience time.Duration) (map[string]usage, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	settled, err := a.still(limited, func(taken map[string]usage) bool {
		var own usage
		for _, name := range a.side.components {
			own = own.add(taken[name])
		}
		return own.managing <= restRequests
	}, a.everything()...)
	if err != nil {
		return nil, fmt.Errorf("waited %v at most for %v to be at rest: %w", patience, a.side.components, err)
	}
	return settled, nil
}

// takeUsage notes what it took until all was as it should be, for each cluster.
func (f fleet) takeUsage(a *arena, before, after map[string]usage) {
	per := float64(f.size)
	a.takeOwn("", before, after, per, "/cluster")
	for _, name := range []string{stack.APIServer, stack.Etcd, stack.CAPI, stack.ASO} {
		u := after[name].since(before[name])
		a.take("cpu of "+name, u.cpu/per, "CPU s/cluster")
		a.take("memory of "+name, u.peak/(1<<20), "MiB")
	}
	store := after[stack.APIServer].since(before[stack.APIServer]).add(after[stack.Etcd].since(before[stack.Etcd]))
	a.take("cpu of API server and etcd", store.cpu/per, "CPU s/cluster")
}

// takeIdle notes what is taken while nothing changes.
func (f fleet) takeIdle(ctx context.Context, a *arena, before map[string]usage) error {
	if f.idle == 0 {
		return nil
	}
	if err := sleep(ctx, f.idle); err != nil {
		return err
	}
	after, err := a.usages(ctx, a.everything()...)
	if err != nil {
		return err
	}
	var own usage
	for _, name := range a.side.components {
		u := after[name].since(before[name])
		a.take("idle cpu of "+name, u.cpu, "CPU s")
		own = own.add(u)
	}
	a.take("idle cpu", own.cpu, "CPU s")
	a.take("idle requests", own.requests, "requests")
	a.take("idle requests to the management cluster", own.managing, "requests")
	return nil
}
