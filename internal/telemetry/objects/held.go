package objects

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// collectHeld sends which composed objects wait in Kubernetes. An object is in the cache once for each version of its kind that is composed.
func (v view) collectHeld(ctx context.Context, now time.Time, to chan<- prometheus.Metric) {
	counted, oldest, seen := telemetry.Held.Values(), telemetry.HeldOldest.Values(), map[types.UID]bool{}
	for _, kind := range v.composed {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind)
		if !v.list(ctx, list) {
			continue
		}
		for i := range list.Items {
			obj := &list.Items[i]
			if !aso.Held(obj) || seen[obj.UID] {
				continue
			}
			seen[obj.UID] = true
			counted.Add(1, kind.Kind)
			oldest.Raise(now.Sub(obj.CreationTimestamp.Time).Seconds(), kind.Kind)
		}
	}
	counted.Collect(to)
	oldest.Collect(to)
}
