package objects

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/remedy"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

var statusResources = field.At[[]any]("status", "resources")

// collectComposites sends in which state the composite resources are, what Azure resources they wait for, and which have
// drifted. It returns the state of each.
func (v view) collectComposites(ctx context.Context, now time.Time, to chan<- prometheus.Metric) (states map[types.UID]string) {
	states = map[types.UID]string{}
	counted, oldest, unready := telemetry.Composites.Values(), telemetry.CompositesOldest.Values(), telemetry.Unready.Values()
	drifted := telemetry.Drifted.Values()
	for _, kind := range v.composites {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersionKind)
		if !v.list(ctx, list) {
			continue
		}
		for i := range list.Items {
			xr := &list.Items[i]
			if !v.watched(xr) {
				continue
			}
			state, since := stateOf(xr)
			states[xr.GetUID()] = state
			counted.Add(1, kind.Kind, state)
			if state != telemetry.StateReady && state != telemetry.StatePaused {
				oldest.Raise(now.Sub(since).Seconds(), kind.Kind, state)
			}
			if field.Condition(xr, v1beta1.ConditionDrifted)["status"] == "True" {
				drifted.Add(1, kind.Kind)
			}
			for _, item := range field.Maps(statusResources.Value(xr)) {
				if resource, _ := item["resource"].(map[string]any); item["ready"] == false {
					unready.Add(1, field.Text(resource["kind"]), field.Text(item["reason"]))
				}
			}
		}
	}
	counted.Collect(to)
	oldest.Collect(to)
	unready.Collect(to)
	drifted.Collect(to)
	return states
}

// stateOf returns in which state a composite resource is by its conditions, and since when.
func stateOf(xr *unstructured.Unstructured) (state string, since time.Time) {
	created := xr.GetCreationTimestamp().Time
	if deleted := xr.GetDeletionTimestamp(); deleted != nil {
		return telemetry.StateDeleting, deleted.Time
	}
	if c := field.ContractCondition(xr, clusterv1.PausedCondition); c["status"] == "True" {
		return telemetry.StatePaused, transition(c, created)
	}
	ready := field.ContractCondition(xr, clusterv1.ReadyCondition)
	if ready == nil { // Only kinds of Cluster API's contract have their own.
		ready = field.Condition(xr, "Ready")
	}
	if synced := field.Condition(xr, "Synced"); synced["status"] == "False" {
		if synced["reason"] == "ReconcilePaused" {
			return telemetry.StatePaused, transition(synced, created)
		}
		return telemetry.StateFailed, transition(synced, created)
	}
	switch {
	case ready == nil:
		return telemetry.StatePending, created
	case ready["status"] == "True":
		return telemetry.StateReady, transition(ready, created)
	case remedy.Of(field.Text(ready["reason"]), field.Text(ready["message"])).Waiting:
		return telemetry.StateWaiting, transition(ready, created)
	}
	return telemetry.StateFailed, transition(ready, created)
}

// transition returns since when a condition has its status.
func transition(condition map[string]any, otherwise time.Time) time.Time {
	since, err := time.Parse(time.RFC3339, field.Text(condition["lastTransitionTime"]))
	if err != nil {
		return otherwise
	}
	return since
}
