package management

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"github.com/crossplane-capz/crossplane-capz/internal/why"
)

// Objects reads single objects of a management cluster, in the version that the cluster prefers where none is given. It is a why.Reader.
type Objects struct {
	Dynamic dynamic.Interface
	Meta    metadata.Interface
	Mapper  meta.RESTMapper
}

func (r *Objects) mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	var versions []string
	if gvk.Version != "" {
		versions = append(versions, gvk.Version)
	}
	mapping, err := r.Mapper.RESTMapping(gvk.GroupKind(), versions...)
	if meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("%w: %s of %s", why.ErrNotServed, gvk.Kind, gvk.Group)
	}
	return mapping, err
}

// Get returns an object; nil when there is none.
func (r *Objects) Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	mapping, err := r.mapping(gvk)
	if err != nil {
		return nil, err
	}
	o, err := r.Dynamic.Resource(mapping.Resource).Namespace(scoped(mapping, namespace)).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return o, err
}

// Metadata returns an object with nothing but its metadata, which is all that the API server sends; nil when there is none.
func (r *Objects) Metadata(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	mapping, err := r.mapping(gvk)
	if err != nil {
		return nil, err
	}
	o, err := r.Meta.Resource(mapping.Resource).Namespace(scoped(mapping, namespace)).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	return &unstructured.Unstructured{Object: content}, err
}

// List returns the objects of a kind in a namespace that have the labels.
func (r *Objects) List(ctx context.Context, gvk schema.GroupVersionKind, namespace, selector string) ([]*unstructured.Unstructured, error) {
	mapping, err := r.mapping(gvk)
	if err != nil {
		return nil, err
	}
	list, err := r.Dynamic.Resource(mapping.Resource).Namespace(scoped(mapping, namespace)).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	found := make([]*unstructured.Unstructured, 0, len(list.Items))
	for i := range list.Items {
		found = append(found, &list.Items[i])
	}
	return found, nil
}
