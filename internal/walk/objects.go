package walk

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// List lists the objects of a kind, in all namespaces where the options name none; none when the kind is not served.
func (w *Walker) List(ctx context.Context, kind schema.GroupVersionKind, options ...client.ListOption) ([]*unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := w.Client.List(ctx, list, options...); err != nil {
		if isNotServed(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("cannot read objects of kind %s: %w", kind.Kind, err)
	}
	all := make([]*unstructured.Unstructured, 0, len(list.Items))
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	return all, nil
}

// Get returns an object; nil when there is none.
func (w *Walker) Get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	err := w.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)
	switch {
	case err == nil:
		return o, nil
	case isNotServed(err) || client.IgnoreNotFound(err) == nil:
		return nil, nil
	}
	return nil, fmt.Errorf("cannot read %s %s: %w", kind.Kind, name, err)
}

// Metadata lists the metadata of the objects of a kind; none when it is not served.
func (w *Walker) Metadata(ctx context.Context, kind schema.GroupVersionKind, options ...client.ListOption) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := w.Client.List(ctx, list, options...); err != nil {
		if isNotServed(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("cannot read objects of kind %s: %w", kind.Kind, err)
	}
	for i := range list.Items {
		list.Items[i].SetGroupVersionKind(kind)
	}
	return list.Items, nil
}

// Patch changes an object that is still as it was read. It returns a conflict if it is not.
func (w *Walker) Patch(ctx context.Context, from, to client.Object) error {
	return w.Client.Patch(ctx, to.DeepCopyObject().(client.Object), client.MergeFromWithOptions(from, client.MergeFromWithOptimisticLock{}), client.FieldOwner(w.FieldOwner)) //nolint:forcetypeassert // A copy of one.
}

// PatchStatus changes the status of an object that is still as it was read, and returns the object as it is then. It returns a conflict if it is not.
func (w *Walker) PatchStatus(ctx context.Context, from, to *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	changed := to.DeepCopy()
	return changed, w.Client.Status().Patch(ctx, changed, client.MergeFromWithOptions(from, client.MergeFromWithOptimisticLock{}), client.FieldOwner(w.FieldOwner))
}

// Remove returns what deletes an object, if it is there.
func (w *Walker) Remove(o client.Object) func(context.Context) error {
	return func(ctx context.Context) error { return client.IgnoreNotFound(w.Client.Delete(ctx, o)) }
}

// Annotate has an object's annotations be as change leaves them.
func Annotate(o client.Object, change func(map[string]string)) {
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	change(annotations)
	o.SetAnnotations(annotations)
}

// ConditionTrue reports whether a condition of an object is True.
func ConditionTrue(o *unstructured.Unstructured, condition string) bool {
	return field.Condition(o, condition)["status"] == "True"
}

// isNotServed reports whether the API server does not have a kind.
func isNotServed(err error) bool {
	return meta.IsNoMatchError(err) ||
		apierrors.IsNotFound(err) && strings.Contains(err.Error(), "the server could not find the requested resource")
}
