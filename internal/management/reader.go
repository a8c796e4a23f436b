// Package management reads a management cluster with the rights of a person, and asks it what it would make of manifests.
package management

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/openapi"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Reader reads a management cluster. It keeps what it has read.
type Reader struct {
	Client dynamic.Interface
	Mapper meta.RESTMapper
	// OpenAPI has the schemas of the kinds.
	OpenAPI openapi.Client

	lists   map[listKey][]*unstructured.Unstructured
	schemas map[schema.GroupVersion]map[schema.GroupVersionKind]map[string]any
}

type listKey struct {
	kind                schema.GroupVersionKind
	namespace, selector string
}

// resource returns the client for a kind; nil when the cluster does not serve it.
func (r *Reader) resource(gvk schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := r.Mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return r.Client.Resource(mapping.Resource).Namespace(scoped(mapping, namespace)), nil
}

// scoped returns the namespace of an object of a kind; none where the kind has no namespaces.
func scoped(mapping *meta.RESTMapping, namespace string) string {
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return namespace
	}
	return ""
}

// Get returns an object; nil when there is none.
func (r *Reader) Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	client, err := r.resource(gvk, namespace)
	if client == nil || err != nil {
		return nil, err
	}
	o, err := client.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s %s/%s: %w", gvk.Kind, namespace, name, err)
	}
	return o, nil
}

// list returns the objects of a kind in a namespace; empty when the cluster does not serve it.
func (r *Reader) list(ctx context.Context, gvk schema.GroupVersionKind, namespace, selector string) ([]*unstructured.Unstructured, error) {
	key := listKey{gvk, namespace, selector}
	if found, read := r.lists[key]; read {
		return found, nil
	}
	client, err := r.resource(gvk, namespace)
	if client == nil || err != nil {
		return nil, err
	}
	list, err := client.List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("cannot read objects of kind %s in namespace %s: %w", gvk.Kind, namespace, err)
	}
	found := make([]*unstructured.Unstructured, 0, len(list.Items))
	for i := range list.Items {
		found = append(found, &list.Items[i])
	}
	return r.keep(key, found), nil
}

// Composed returns the objects that a composite resource consists of, by composition resource name: those that Crossplane has noted and that
// are the composite resource's.
func (r *Reader) Composed(ctx context.Context, xr *unstructured.Unstructured) (map[string]*unstructured.Unstructured, error) {
	composed := map[string]*unstructured.Unstructured{}
	refs, err := access.ComposedRefs(xr)
	if err != nil {
		return nil, fmt.Errorf("%s %s/%s: %w", xr.GetKind(), xr.GetNamespace(), xr.GetName(), err)
	}
	for _, ref := range refs {
		all, err := r.list(ctx, ref.GroupVersionKind, xr.GetNamespace(), "")
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(o *unstructured.Unstructured) bool { return o.GetName() == ref.Name })
		if i < 0 {
			continue
		}
		if name := xcrd.GetCompositionResourceName(all[i]); name != "" && metav1.IsControlledBy(all[i], xr) {
			composed[name] = all[i]
		}
	}
	return composed, nil
}

// Select returns the objects that a function asks for.
func (r *Reader) Select(ctx context.Context, s *fnv1.ResourceSelector) ([]*unstructured.Unstructured, error) {
	gvk := schema.FromAPIVersionAndKind(s.GetApiVersion(), s.GetKind())
	if gvk.Group == "" && gvk.Kind == "Secret" {
		return nil, nil // No function gets one.
	}
	if s.GetMatchLabels() != nil {
		return r.list(ctx, gvk, s.GetNamespace(), labels.SelectorFromSet(s.GetMatchLabels().GetLabels()).String())
	}
	for key, found := range r.lists {
		if key.kind == gvk && key.namespace == s.GetNamespace() && key.selector == "" {
			return slices.DeleteFunc(slices.Clone(found), func(o *unstructured.Unstructured) bool { return o.GetName() != s.GetMatchName() }), nil
		}
	}
	return r.list1(ctx, gvk, s.GetNamespace(), s.GetMatchName())
}

// keep has a list not be read again.
func (r *Reader) keep(key listKey, found []*unstructured.Unstructured) []*unstructured.Unstructured {
	if r.lists == nil {
		r.lists = map[listKey][]*unstructured.Unstructured{}
	}
	r.lists[key] = found
	return found
}

// list1 is Get that keeps what it has read, as each play asks again.
func (r *Reader) list1(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) ([]*unstructured.Unstructured, error) {
	key := listKey{gvk, namespace, "name=" + name}
	if found, read := r.lists[key]; read {
		return found, nil
	}
	o, err := r.Get(ctx, gvk, namespace, name)
	if err != nil {
		return nil, err
	}
	var found []*unstructured.Unstructured
	if o != nil {
		found = append(found, o)
	}
	return r.keep(key, found), nil
}

// Schema returns the OpenAPI schema of a kind; nil when the cluster does not serve it.
func (r *Reader) Schema(_ context.Context, gvk schema.GroupVersionKind) (map[string]any, error) {
	gv := gvk.GroupVersion()
	if _, err := r.Mapper.RESTMapping(gvk.GroupKind(), gvk.Version); meta.IsNoMatchError(err) {
		return nil, nil
	}
	if r.schemas[gv] == nil {
		read, err := r.readSchemas(gv)
		if err != nil {
			return nil, fmt.Errorf("cannot read the schemas of %s: %w", gv, err)
		}
		if r.schemas == nil {
			r.schemas = map[schema.GroupVersion]map[schema.GroupVersionKind]map[string]any{}
		}
		r.schemas[gv] = read
	}
	return r.schemas[gv][gvk], nil
}

func (r *Reader) readSchemas(gv schema.GroupVersion) (map[schema.GroupVersionKind]map[string]any, error) {
	schemas := map[schema.GroupVersionKind]map[string]any{}
	paths, err := r.OpenAPI.Paths()
	if err != nil {
		return nil, err
	}
	path := paths["apis/"+gv.String()]
	if path == nil {
		return schemas, nil
	}
	raw, err := path.Schema("application/json")
	if err != nil {
		return nil, err
	}
	document := struct {
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}{}
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	for _, s := range document.Components.Schemas {
		kinds, _ := s["x-kubernetes-group-version-kind"].([]any)
		for _, k := range field.Maps(kinds) {
			schemas[schema.GroupVersionKind{Group: field.Text(k["group"]), Version: field.Text(k["version"]), Kind: field.Text(k["kind"])}] = s
		}
	}
	return schemas, nil
}
