package contract

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// composed returns the objects that xr has composed and still controls, and the references whose object is absent.
func (l liveReader) composed(ctx context.Context, xr *unstructured.Unstructured) (objects []*unstructured.Unstructured, absent []objectRef, err error) {
	refs, err := composedRefs(xr)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range refs {
		obj, err := l.object(ctx, xr.GetNamespace(), ref)
		switch {
		case err != nil:
			return nil, nil, err
		case obj == nil:
			absent = append(absent, ref)
		case metav1.IsControlledBy(obj, xr):
			objects = append(objects, obj)
		}
	}
	return objects, absent, nil
}
