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
	settled, err := a.atRest(ctx, f.size)
	if err != nil {
		return err
	}
	f.takeUsage(a, before, settled)
	if f.idle > 0 {
		if err := a.takeAtRest(ctx, f.idle, "idle "); err != nil {
			return err
		}
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
