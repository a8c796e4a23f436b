package contract

import (
	"context"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An api is how the reconcilers reach the management cluster.
type api struct {
	// Client reads composite resources, Clusters and MachinePools from the cache, and writes.
	client.Client

	live   liveReader
	events *reporter
}

// annotate writes the annotations of obj as change leaves them, if it changes any.
func (a api) annotate(ctx context.Context, obj *unstructured.Unstructured, change func(map[string]string)) error {
	changed, differs := Annotated(obj, change)
	if !differs {
		return nil
	}
	return a.patch(ctx, changed, obj)
}

// Annotated returns obj with its annotations as change leaves them, and whether that is another than obj.
func Annotated(obj *unstructured.Unstructured, change func(map[string]string)) (changed *unstructured.Unstructured, differs bool) {
	after := maps.Clone(obj.GetAnnotations())
	if after == nil {
		after = map[string]string{}
	}
	change(after)
	if maps.Equal(after, obj.GetAnnotations()) {
		return obj, false
	}
	changed = obj.DeepCopy()
	changed.SetAnnotations(after)
	return changed, true
}

// patch writes what changed differs from base in, unless base is no longer current.
func (a api) patch(ctx context.Context, changed, base *unstructured.Unstructured) error {
	return a.Patch(ctx, changed, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}

// writeSpec sets one field of the spec of obj, which a composition function may not.
func writeSpec[T any](ctx context.Context, c client.Client, obj *unstructured.Unstructured, f field[T], value T) error {
	patch := &unstructured.Unstructured{Object: f.patch(value)}
	patch.SetGroupVersionKind(obj.GroupVersionKind())
	data, err := patch.MarshalJSON()
	if err != nil {
		return fmt.Errorf("cannot write %v: %w", f, err)
	}
	target := &metav1.PartialObjectMetadata{}
	target.SetGroupVersionKind(obj.GroupVersionKind())
	target.SetNamespace(obj.GetNamespace())
	target.SetName(obj.GetName())
	return c.Patch(ctx, target, client.RawPatch(types.MergePatchType, data))
}
