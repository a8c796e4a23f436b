package contract

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A liveReader reads from the API server itself. What is deleted or copied on the word of a read must not come from a
// cache, and caching every ASO object and every Secret of a management cluster would cost more than it saves.
type liveReader struct {
	client.Reader

	mapper meta.RESTMapper
}

// object returns the object that ref means; nil when it does not exist, or no version of its kind does.
func (l liveReader) object(ctx context.Context, namespace string, ref objectRef) (*unstructured.Unstructured, error) {
	obj := newXR(ref.GroupVersionKind)
	err := l.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.name}, obj)
	if meta.IsNoMatchError(err) {
		// The version may have ceased to be served while the object lives on at another.
		mapping, mapErr := l.mapper.RESTMapping(ref.GroupKind())
		if meta.IsNoMatchError(mapErr) {
			return nil, nil
		}
		if mapErr != nil {
			return nil, fmt.Errorf("cannot find the kind of %v: %w", ref, mapErr)
		}
		obj = newXR(mapping.GroupVersionKind)
		err = l.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.name}, obj)
	}
	switch {
	case err == nil:
		return obj, nil
	case apierrors.IsNotFound(err):
		return nil, nil
	}
	return nil, fmt.Errorf("cannot read %v: %w", ref, err)
}

// A composition is what has become of the objects that a composite resource has composed.
type composition struct {
	// objects belong to it; ownerless ones may have.
	objects, ownerless []*unstructured.Unstructured
	// absent are the references whose object does not exist.
	absent []objectRef
}

// composed returns what has become of the objects that xr has composed.
func (l liveReader) composed(ctx context.Context, xr *unstructured.Unstructured) (composition, error) {
	refs, err := composedRefs(xr)
	if err != nil {
		return composition{}, err
	}
	c := composition{}
	for _, ref := range refs {
		obj, err := l.object(ctx, xr.GetNamespace(), ref)
		switch {
		case err != nil:
			return composition{}, err
		case obj == nil:
			c.absent = append(c.absent, ref)
		case belongsTo(xr, obj):
			c.objects = append(c.objects, obj)
		case ownerless(xr, obj):
			c.ownerless = append(c.ownerless, obj)
		}
	}
	return c, nil
}
