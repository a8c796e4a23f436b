package endure

import (
	"context"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// touched is the annotation that another writer writes, which means nothing to anybody.
	touched = "endure.capz.crossplane.io/touched"
	// touchInterval is how long another writer leaves the objects alone.
	touchInterval = 100 * time.Millisecond
)

// contend writes to all objects of the life, again and again for a time. That one cannot be read or written does not matter: others can.
func (w *world) contend(ctx context.Context, d time.Duration) {
	w.logf("somebody else writes for %s", d)
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for round := 0; ctx.Err() == nil; round++ {
		objects, err := w.composites(ctx)
		if composed, also := w.composed(ctx); err == nil && also == nil {
			objects = append(objects, composed...)
		}
		for _, gvk := range []schema.GroupVersionKind{clusterKind, poolKind} {
			if items, err := w.list(ctx, gvk); err == nil {
				objects = append(objects, items...)
			}
		}
		w.breaker.contended(touch(ctx, w.home.Load().client, objects, round))
		sleep(ctx, touchInterval)
	}
}

// touch writes an annotation to each object that is there to stay, and returns how many it has written.
func touch(ctx context.Context, c client.Client, objects []unstructured.Unstructured, round int) int {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+touched+`":"`+strconv.Itoa(round)+`"}}}`))
	written := 0
	for i := range objects {
		if objects[i].GetDeletionTimestamp() != nil {
			continue
		}
		if err := c.Patch(ctx, &objects[i], patch, client.FieldOwner("somebody-else")); err == nil {
			written++
		}
	}
	return written
}
