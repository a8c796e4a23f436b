// Package memory is the part of a management cluster that CAPZ's webhooks and services use, in memory.
package memory

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// An API is the part of a Kubernetes API that CAPZ uses, for one namespace, in memory. A fake client of controller-runtime would do
// the same hundred times slower.
type API struct {
	client.Client
	scheme  *runtime.Scheme
	objects map[string]client.Object
}

// NewAPI returns an API with the objects.
func NewAPI(scheme *runtime.Scheme, objects ...client.Object) *API {
	a := &API{scheme: scheme, objects: map[string]client.Object{}}
	for _, o := range objects {
		a.Put(o)
	}
	return a
}

// Manager returns a manager that gives its webhooks a client of the API. It is never started.
func (a *API) Manager() (ctrl.Manager, error) {
	return ctrl.NewManager(&rest.Config{Host: "https://127.0.0.1:1"}, ctrl.Options{
		Scheme:         a.scheme,
		Metrics:        metricsserver.Options{BindAddress: "0"},
		NewClient:      func(*rest.Config, client.Options) (client.Client, error) { return a, nil },
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return meta.NewDefaultRESTMapper(nil), nil },
	})
}

func key(obj client.Object) string { return fmt.Sprintf("%T/%s", obj, obj.GetName()) }

// Put keeps a copy of an object.
func (a *API) Put(obj client.Object) {
	a.objects[key(obj)] = obj.DeepCopyObject().(client.Object)
}

// Keep keeps copies of the objects and nothing else.
func (a *API) Keep(objects ...client.Object) {
	clear(a.objects)
	for _, o := range objects {
		a.Put(o)
	}
}

// Objects returns what is kept, in no order. Who changes one changes what is kept.
func (a *API) Objects() iter.Seq[client.Object] { return maps.Values(a.objects) }

// Kept returns what is kept under the type and name of an object; nil if there is nothing.
func (a *API) Kept(obj client.Object) client.Object { return a.objects[key(obj)] }

// Scheme implements client.Client.
func (a *API) Scheme() *runtime.Scheme { return a.scheme }

// Get implements client.Client.
func (a *API) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	into.SetName(name.Name)
	found, ok := a.objects[key(into)]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", into)}, name.Name)
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	return nil
}

// List implements client.Client for MachinePools. It finds nothing else: CAPZ looks for subnets that a network had before it was CAPZ's.
func (a *API) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	pools, ok := into.(*clusterv1.MachinePoolList)
	if !ok {
		return nil
	}
	for _, obj := range a.objects {
		if pool, ok := obj.(*clusterv1.MachinePool); ok {
			pools.Items = append(pools.Items, *pool.DeepCopy())
		}
	}
	return nil
}

// Create implements client.Client.
func (a *API) Create(_ context.Context, obj client.Object, _ ...client.CreateOption) error {
	a.Put(obj)
	return nil
}

// Patch implements client.Client for patches from one whole object to another, which is all that the services do.
func (a *API) Patch(_ context.Context, obj client.Object, _ client.Patch, _ ...client.PatchOption) error {
	a.Put(obj)
	return nil
}

// GroupVersionKindFor implements client.Client.
func (a *API) GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(obj, a.scheme)
}
