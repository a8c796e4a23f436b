package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/openapi"
	clienttesting "k8s.io/client-go/testing"

	"github.com/crossplane-capz/crossplane-capz/functions/registry"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/changes"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/management"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/package/configuration"
)

// An empty cluster has nothing and serves all kinds.
type empty struct{}

func (empty) Composed(context.Context, *unstructured.Unstructured) (map[string]*unstructured.Unstructured, error) {
	return nil, nil
}

func (empty) Select(context.Context, *fnv1.ResourceSelector) ([]*unstructured.Unstructured, error) {
	return nil, nil
}

func (empty) Schema(context.Context, schema.GroupVersionKind) (map[string]any, error) {
	return map[string]any{"type": "object"}, nil
}

func pipeline() *changes.Pipeline {
	return &changes.Pipeline{Run: registry.Run, Composition: orOurs(amongManifests(nil))}
}

// manifests returns the objects in an example, changed.
func manifests(t *testing.T, example string, edit func(*unstructured.Unstructured)) []*unstructured.Unstructured {
	t.Helper()
	objects, err := kubeyaml.Read("../../examples/"+example, "")
	if err != nil {
		t.Fatal(err)
	}
	var all []*unstructured.Unstructured
	for _, o := range objects {
		o.SetNamespace("default")
		if edit != nil {
			edit(o)
		}
		if o.Object != nil {
			all = append(all, o)
		}
	}
	return all
}

// running returns what a cluster has in which manifests were applied some time ago, and Azure has done it all.
func running(t *testing.T, applied []*unstructured.Unstructured, edit func(*unstructured.Unstructured)) []*unstructured.Unstructured {
	t.Helper()
	var copies []*unstructured.Unstructured
	for _, o := range applied {
		raw, err := o.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		o = o.DeepCopy()
		aso.Annotate(o, corev1.LastAppliedConfigAnnotation, string(raw))
		copies = append(copies, o)
	}
	made, err := preview.MakeUpon(context.Background(), empty{}, pipeline(), copies)
	if err != nil || len(made.Problems) > 0 {
		t.Fatal(err, made)
	}
	var all []*unstructured.Unstructured
	for _, xr := range made.Composites() {
		var refs []any
		for _, o := range made.Composed(xr) {
			aso.Annotate(o, aso.AnnotationResourceID, "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/my-cluster")
			all = append(all, o)
			refs = append(refs, map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName()})
		}
		if err := unstructured.SetNestedSlice(xr.Object, refs, "spec", "crossplane", "resourceRefs"); err != nil {
			t.Fatal(err)
		}
	}
	all = append(all, made.Objects()...)
	for _, o := range all {
		if edit != nil {
			edit(o)
		}
		raw, err := o.MarshalJSON() // As it comes from an API server, whose whole numbers are no floats.
		if err == nil {
			err = o.UnmarshalJSON(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// asking returns what asks a cluster that has the objects, and whose schemas refuse what this project's do.
func asking(objects []*unstructured.Unstructured) *management.Applier {
	var served openAPI
	mapper := meta.NewDefaultRESTMapper(nil)
	kinds := map[schema.GroupVersionResource]string{}
	know := func(gvk schema.GroupVersionKind, scope meta.RESTScope) {
		if _, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
			return
		}
		mapper.Add(gvk, scope)
		served = append(served, gvk)
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		kinds[plural] = gvk.Kind + "List"
	}
	for _, k := range composite.Catalogue() {
		know(k.GroupVersionKind, meta.RESTScopeNamespace)
	}
	for _, k := range []string{"Cluster", "MachinePool", "MachineDeployment", "Machine"} {
		know(schema.GroupVersionKind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: k}, meta.RESTScopeNamespace)
	}
	know(changes.CompositionKind, meta.RESTScopeRoot)
	var all []runtime.Object
	for _, o := range objects {
		know(o.GroupVersionKind(), meta.RESTScopeNamespace)
		all = append(all, o.DeepCopy())
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, all...)
	client.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		o := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
		return true, o, refused(o)
	})
	client.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchAction)
		i := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool {
			plural, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
			return plural == patch.GetResource() && o.GetName() == patch.GetName()
		})
		raw, err := objects[i].MarshalJSON()
		if err != nil {
			return true, nil, err
		}
		if raw, err = jsonpatch.MergePatch(raw, patch.GetPatch()); err != nil {
			return true, nil, err
		}
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON(raw); err != nil {
			return true, nil, err
		}
		return true, o, refused(o)
	})
	return &management.Applier{Reader: &management.Reader{Client: client, Mapper: mapper, OpenAPI: served}}
}

// refused answers as an API server with the schemas of this project.
func refused(o *unstructured.Unstructured) error {
	mistakes, err := changes.Admit(context.Background(), configuration.Definitions, []*unstructured.Unstructured{o})
	if err != nil || len(mistakes) == 0 {
		return err
	}
	var words []string
	for _, m := range mistakes {
		words = append(words, m.Message)
	}
	return apierrors.NewBadRequest(strings.Join(words, "; "))
}

// poolFields are the fields of an agent pool that examples have.
func poolFields() map[string]any {
	fields := map[string]any{"count": map[string]any{"type": "integer"}}
	for _, name := range []string{"azureName", "mode", "orchestratorVersion", "type", "vmSize", "nodeLabels", "nodeTaints", "owner", "scaleDownMode", "osType", "tags", "vnetSubnetReference",
		"enableAutoScaling", "osDiskSizeGB", "osDiskType"} {
		fields[name] = map[string]any{}
	}
	return fields
}

// openAPI has a schema for each kind, which says something of agent pools only.
type openAPI []schema.GroupVersionKind

func (o openAPI) Paths() (map[string]openapi.GroupVersion, error) {
	paths := map[string]openapi.GroupVersion{}
	for _, gvk := range o {
		paths["apis/"+gvk.GroupVersion().String()] = groupVersion(o)
	}
	return paths, nil
}

type groupVersion []schema.GroupVersionKind

func (groupVersion) ServerRelativeURL() string { return "" }

func (g groupVersion) Schema(string) ([]byte, error) {
	schemas := map[string]any{}
	for _, gvk := range g {
		properties := map[string]any{}
		if gvk.Kind == "ManagedClustersAgentPool" {
			properties = map[string]any{"apiVersion": map[string]any{}, "kind": map[string]any{}, "metadata": map[string]any{}, "status": map[string]any{},
				"spec": map[string]any{"type": "object", "properties": poolFields()}}
		}
		schemas[gvk.String()] = map[string]any{"type": "object", "properties": properties, "x-kubernetes-group-version-kind": []any{map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}}}
	}
	return json.Marshal(map[string]any{"components": map[string]any{"schemas": schemas}})
}
