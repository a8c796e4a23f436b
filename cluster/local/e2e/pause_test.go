package e2e

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	capiPaused       = "cluster.x-k8s.io/paused"
	crossplanePaused = "crossplane.io/paused"
)

// paused expects that a composite resource and all that it has composed stand still.
func paused(gvk schema.GroupVersionKind, name string) expectation {
	return func(w *world) []string {
		missing := append(annotated(gvk, name, crossplanePaused, pointer("true"))(w), annotated(gvk, name, blockMove, nil)(w)...)
		missing = append(missing, condition(gvk, name, "Paused", "True", "")(w)...)
		return append(missing, w.policies(gvk, name, "skip")...)
	}
}

// resumed expects the opposite.
func resumed(gvk schema.GroupVersionKind, name string) expectation {
	return func(w *world) []string {
		missing := append(annotated(gvk, name, crossplanePaused, nil)(w), annotated(gvk, name, blockMove, pointer("true"))(w)...)
		missing = append(missing, condition(gvk, name, "Paused", "False", "")(w)...)
		return append(missing, w.policies(gvk, name, "")...)
	}
}

// policies expects a reconcile policy on every ASO object that a composite resource has composed.
func (w *world) policies(gvk schema.GroupVersionKind, name, want string) []string {
	composite, err := w.get(gvk, name)
	if err != nil || composite == nil {
		return []string{fmt.Sprintf("%s %s: %v", gvk.Kind, name, err)}
	}
	objects, err := w.asoObjectsOf(w.usedKinds())
	if err != nil {
		return []string{err.Error()}
	}
	var missing []string
	found := 0
	for key, item := range objects {
		for _, owner := range item.OwnerReferences {
			if owner.UID != composite.GetUID() {
				continue
			}
			found++
			if want == "" && item.Annotations[lifecycle] != "" {
				continue // ASO may only read it, paused or not.
			}
			// Of the typed kinds' objects those that were looked for in Azure first say that they are managed.
			if have := item.Annotations[asoPolicy]; have != want && (want != "" || have != "manage") {
				missing = append(missing, fmt.Sprintf("%s has reconcile policy %q, want %q", key, have, want))
			}
		}
	}
	if found == 0 && gvk != typedClusterKind {
		missing = append(missing, fmt.Sprintf("%s %s has composed nothing", gvk.Kind, name))
	}
	return missing
}

func pauseCluster(pause bool) func(*world) error {
	return func(w *world) error { return w.set(clusterKind, clusterName, "spec.paused", pause) }
}

// resumeCluster ends the pause, after which ASO writes everything once more.
var resumeCluster = all(now(rewritten), pauseCluster(false))

var pause = &scenario{
	name: "pause",
	steps: []step{
		up("aks-aso"),
		{
			name: "pause the Cluster",
			act:  pauseCluster(true),
			expect: []expectation{
				paused(asoClusterKind, clusterName), paused(controlPlaneKind, clusterName),
				paused(asoPoolKind, systemPool), paused(asoPoolKind, userPool),
			},
		},
		{
			name: "change the spec of all of them",
			act: all(
				now("paused"), scaleTo(userPool, 4), addResource(asoClusterKind, clusterName, extraNetwork),
				func(w *world) error {
					return w.setResource(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", "spec.tags", map[string]any{"changed": "yes"})
				},
			),
			stays:    []expectation{quietSince("paused", ""), notInAzure("/virtualNetworks/extra"), paused(asoPoolKind, userPool)},
			staysFor: 6 * time.Second,
		},
		{
			name: "resume the Cluster",
			act:  resumeCluster,
			expect: []expectation{
				resumed(asoClusterKind, clusterName), resumed(controlPlaneKind, clusterName),
				resumed(asoPoolKind, systemPool), resumed(asoPoolKind, userPool),
				replicas(userPool, 4), inAzure("/virtualNetworks/extra", "", nil),
				inAzure("/managedClusters/my-cluster", "tags.changed", "yes"), available, contractKept,
			},
		},
		{
			name:   "pause one pool",
			act:    func(w *world) error { return w.annotate(asoPoolKind, userPool, capiPaused, pointer("")) },
			expect: []expectation{paused(asoPoolKind, userPool), resumed(asoPoolKind, systemPool)},
		},
		{
			name:     "scale both pools",
			act:      all(now("pool paused"), scaleTo(userPool, 1), scaleTo(systemPool, 3)),
			expect:   []expectation{replicas(systemPool, 3)},
			stays:    []expectation{quietSince("pool paused", "/agentPools/pool1"), inAzure("/agentPools/pool1", "properties.count", 4)},
			staysFor: 4 * time.Second,
		},
		{
			name:   "resume the pool",
			act:    func(w *world) error { return w.annotate(asoPoolKind, userPool, capiPaused, nil) },
			expect: []expectation{resumed(asoPoolKind, userPool), replicas(userPool, 1), available, contractKept},
		},
		down,
	},
}
