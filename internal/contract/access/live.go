package access

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A LiveReader reads from the API server itself. What is deleted or copied because of a read must not come from a cache, and caching
// every ASO object and every Secret of a management cluster would cost more than it saves.
type LiveReader struct {
	client.Reader

	mapper meta.RESTMapper
}

// Object returns the object that ref means; nil when it does not exist, or no version of its kind does.
func (l LiveReader) Object(ctx context.Context, namespace string, ref Ref) (*unstructured.Unstructured, error) {
	obj := NewObject(ref.GroupVersionKind)
	err := l.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, obj)
	if meta.IsNoMatchError(err) {
		// The version may no longer be served while the object is still there at another one.
		mapping, mapErr := l.mapper.RESTMapping(ref.GroupKind())
		if meta.IsNoMatchError(mapErr) {
			return nil, nil
		}
		if mapErr != nil {
			return nil, fmt.Errorf("cannot find the kind of %v: %w", ref, mapErr)
		}
		obj = NewObject(mapping.GroupVersionKind)
		err = l.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, obj)
	}
	switch {
	case err == nil:
		return obj, nil
	case apierrors.IsNotFound(err):
		return nil, nil
	}
	return nil, fmt.Errorf("cannot read %v: %w", ref, err)
}

// A Composition is the state of the objects that a composite resource has composed.
type Composition struct {
	// Objects belong to it. Orphans have no controller, so that they may belong to it.
	Objects, Orphans []*unstructured.Unstructured
	// Absent are the references whose object does not exist.
	Absent []Ref
}

// Composed returns the state of the objects that xr has composed.
func (l LiveReader) Composed(ctx context.Context, xr *unstructured.Unstructured) (Composition, error) {
	refs, err := ComposedRefs(xr)
	if err != nil {
		return Composition{}, err
	}
	c := Composition{}
	for _, ref := range refs {
		obj, err := l.Object(ctx, xr.GetNamespace(), ref)
		switch {
		case err != nil:
			return Composition{}, err
		case obj == nil:
			c.Absent = append(c.Absent, ref)
		case BelongsTo(xr, obj):
			c.Objects = append(c.Objects, obj)
		case xr.GetDeletionTimestamp() != nil && OrphanOf(obj) == xr.GetName():
			c.Orphans = append(c.Orphans, obj)
		}
	}
	return c, nil
}

// A WatchFunc makes events of the objects of a kind lead to the composite resources that have composed them.
type WatchFunc func(context.Context, schema.GroupVersionKind) error

// WatchComposed watches the kinds of everything that xr has composed.
func WatchComposed(ctx context.Context, xr *unstructured.Unstructured, watch WatchFunc) error {
	refs, err := ComposedRefs(xr)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if err := watch(ctx, ref.GroupVersionKind); err != nil {
			return err
		}
	}
	return nil
}
