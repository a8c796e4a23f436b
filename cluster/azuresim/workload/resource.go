package workload

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// object is a Kubernetes object that is stored.
type object interface {
	metav1.Object
	runtime.Object
}

// apiResource says how the objects of a kind are served.
type apiResource struct {
	// api is the resource's entry in the discovery document.
	api metav1.APIResource
	// subresources are those that read and write the whole object.
	subresources []string
	newObject    func() object
	newList      func() runtime.Object
	columns      []metav1.TableColumnDefinition
	// cells are what kubectl prints of an object.
	cells func(object) []any
}

var (
	nodeResource = &apiResource{
		api: metav1.APIResource{Name: "nodes", SingularName: "node", Kind: "Node", ShortNames: []string{"no"},
			Verbs: metav1.Verbs{"delete", "get", "list", "patch", "update", "watch"}},
		subresources: []string{"status"},
		newObject:    func() object { return &corev1.Node{} },
		newList:      func() runtime.Object { return &corev1.NodeList{} },
		columns:      nodeColumns,
		cells:        func(o object) []any { return nodeCells(o.(*corev1.Node)) }, //nolint:forcetypeassert // Made by newObject.
	}
	configMapResource = &apiResource{
		api: metav1.APIResource{Name: "configmaps", SingularName: "configmap", Namespaced: true, Kind: "ConfigMap", ShortNames: []string{"cm"},
			Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}},
		newObject: func() object { return &corev1.ConfigMap{} },
		newList:   func() runtime.Object { return &corev1.ConfigMapList{} },
		columns:   configMapColumns,
		cells:     func(o object) []any { return configMapCells(o.(*corev1.ConfigMap)) }, //nolint:forcetypeassert // Made by newObject.
	}
)

func (r *apiResource) groupResource() schema.GroupResource {
	return schema.GroupResource{Resource: r.api.Name}
}

func (r *apiResource) kind() schema.GroupVersionKind {
	return corev1.SchemeGroupVersion.WithKind(r.api.Kind)
}

func (r *apiResource) creates() bool {
	return slices.Contains(r.api.Verbs, "create")
}

func (r *apiResource) notFound(name string) error {
	return apierrors.NewNotFound(r.groupResource(), name)
}

func (r *apiResource) methodNotSupported(method string) error {
	return apierrors.NewMethodNotSupported(r.groupResource(), method)
}

// decode returns the object in a JSON or protobuf body.
func (r *apiResource) decode(raw []byte) (object, error) {
	o := r.newObject()
	return o, decodeInto(raw, o)
}

// nameOf is the name of an object in its resource: with the namespace, if it has one.
func nameOf(o object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// keyOf is the end of the journal's key for the object of a name.
func (r *apiResource) keyOf(name types.NamespacedName) string {
	kind := strings.ToLower(r.api.Kind)
	if !r.api.Namespaced {
		return kind + "/" + name.Name
	}
	return fmt.Sprintf("%s/%s/%s", kind, name.Namespace, name.Name)
}
