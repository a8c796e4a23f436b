package oracle

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// A memory is the part of a Kubernetes API that CAPZ's services use, for one namespace, in memory. A fake client of
// controller-runtime would do the same hundred times slower.
type memory struct {
	client.Client
	scheme  *runtime.Scheme
	objects map[string]client.Object
}

func newMemory(scheme *runtime.Scheme, objects ...client.Object) *memory {
	m := &memory{scheme: scheme, objects: map[string]client.Object{}}
	for _, o := range objects {
		m.put(o)
	}
	return m
}

func key(obj client.Object) string { return fmt.Sprintf("%T/%s", obj, obj.GetName()) }

func (m *memory) put(obj client.Object) {
	m.objects[key(obj)] = obj.DeepCopyObject().(client.Object)
}

// Scheme implements client.Client.
func (m *memory) Scheme() *runtime.Scheme { return m.scheme }

// Get implements client.Client.
func (m *memory) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	into.SetName(name.Name)
	found, ok := m.objects[key(into)]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", into)}, name.Name)
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	return nil
}

// Create implements client.Client.
func (m *memory) Create(_ context.Context, obj client.Object, _ ...client.CreateOption) error {
	m.put(obj)
	return nil
}

// Patch implements client.Client for patches from one whole object to another, which is all that the services do.
func (m *memory) Patch(_ context.Context, obj client.Object, _ client.Patch, _ ...client.PatchOption) error {
	m.put(obj)
	return nil
}

// GroupVersionKindFor implements client.Client.
func (m *memory) GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(obj, m.scheme)
}
