package access

import (
	"context"
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// ConflictDelay is how long to wait after a conflict, so that the cache has caught up with the other writer.
const ConflictDelay = 200 * time.Millisecond

// An API is how the contract controller reaches the management cluster.
type API struct {
	// Client reads composite resources, Clusters and MachinePools from the cache, and writes.
	client.Client

	// Live reads from the API server itself.
	Live LiveReader
	// Metadata reads the metadata of Secrets, Namespaces and ASO objects from the cache.
	Metadata client.Reader
	// Events reports problems to users.
	Events *Reporter
}

// New returns an API whose writes have provider-capz as their field manager. The cache is that of the client.
func New(c client.Client, live, cache client.Reader, mapper meta.RESTMapper, recorder events.EventRecorder) API {
	return API{
		Client:   client.WithFieldOwner(c, names.FieldOwner),
		Live:     LiveReader{Reader: live, mapper: mapper},
		Metadata: cache,
		Events:   NewReporter(recorder, cache),
	}
}

// Annotate writes the annotations of obj as change leaves them, if it changes any.
func (a API) Annotate(ctx context.Context, obj *unstructured.Unstructured, change func(map[string]string)) error {
	changed, differs := Annotated(obj, change)
	if !differs {
		return nil
	}
	return a.MergePatch(ctx, changed, obj)
}

// Annotated returns obj with its annotations as change leaves them, and whether that differs from obj.
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

// MergePatch writes the fields in which changed differs from base. The error is a conflict if base is no longer current.
func (a API) MergePatch(ctx context.Context, changed, base *unstructured.Unstructured) error {
	return a.Patch(ctx, changed, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}

// SetField writes one field of the spec of a composite resource, which a composition function cannot.
func SetField[T any](ctx context.Context, c client.Client, xr *unstructured.Unstructured, path field.Path[T], value T) error {
	patch := &unstructured.Unstructured{Object: path.Patch(value)}
	patch.SetGroupVersionKind(xr.GroupVersionKind())
	data, err := patch.MarshalJSON()
	if err != nil {
		return fmt.Errorf("cannot write %v: %w", path, err)
	}
	target := &metav1.PartialObjectMetadata{}
	target.SetGroupVersionKind(xr.GroupVersionKind())
	target.SetNamespace(xr.GetNamespace())
	target.SetName(xr.GetName())
	return c.Patch(ctx, target, client.RawPatch(types.MergePatchType, data))
}

// NewObject returns an empty object of the kind.
func NewObject(kind schema.GroupVersionKind) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind)
	return obj
}

// Metadata returns an empty object of the kind of which nothing but the metadata are read.
func Metadata(kind schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	obj := &metav1.PartialObjectMetadata{}
	obj.SetGroupVersionKind(kind)
	return obj
}

// Request returns the request for one object, as an event of another one leads to it.
func Request(namespace, name string) []ctrl.Request {
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}}}
}
