package preview

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// groups composes one ResourceGroup for each composite resource but templates.
var groups = functionFunc{run: func(xr map[string]any, _ *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	name := (&unstructured.Unstructured{Object: xr}).GetName()
	desired := &fnv1.State{Composite: &fnv1.Resource{}, Resources: map[string]*fnv1.Resource{}}
	if xr["kind"] == "AzureASOManagedCluster" || xr["kind"] == "AzureASOManagedMachinePool" {
		s, err := structpb.NewStruct(map[string]any{"apiVersion": "resources.azure.com/v1", "kind": "ResourceGroup", "metadata": map[string]any{"name": name}})
		if err != nil {
			return nil, err
		}
		desired.Resources["group"] = &fnv1.Resource{Resource: s}
	}
	return &fnv1.RunFunctionResponse{Desired: desired}, nil
}}

// TestInputs shows that each composite resource comes with what it composes as observed, and with everything else as required.
func TestInputs(t *testing.T) {
	p, err := Make(context.Background(), groups, objects(t, newCluster, infra, controlPlane, pool, newPool))
	if err != nil {
		t.Fatal(err)
	}
	names := func(objects []*unstructured.Unstructured) []string {
		var out []string
		for _, o := range objects {
			out = append(out, o.GetKind()+" "+o.GetName())
		}
		return out
	}
	type input struct {
		Observed []string
		Required int
	}
	got := map[string]input{}
	for _, in := range p.Inputs() {
		got[in.Composite.GetKind()] = input{names(in.Observed), len(in.Required)}
	}
	want := map[string]input{
		"AzureASOManagedCluster":      {[]string{"ResourceGroup c"}, 5},
		"AzureASOManagedControlPlane": {nil, 6},
		"AzureASOManagedMachinePool":  {[]string{"ResourceGroup p"}, 5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

const password = `
apiVersion: v1
kind: Secret
metadata: {name: my-identity}
stringData: {clientSecret: pl4nted-7f3a9c}
`

// TestNoSecrets shows that the Secrets among the manifests reach neither a function nor a file.
func TestNoSecrets(t *testing.T) {
	asked := 0
	looks := functionFunc{run: func(xr map[string]any, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		asked++
		if strings.Contains(req.String(), "pl4nted") {
			t.Error("the function gets a Secret")
		}
		return groups.run(xr, req)
	}}
	p, err := Make(context.Background(), looks, objects(t, newCluster, infra, controlPlane, pool, newPool, password))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range p.Inputs() {
		for _, o := range in.Required {
			if o.GetKind() == "Secret" {
				t.Errorf("Secret %s is among the inputs of %s", o.GetName(), in.Composite.GetKind())
			}
		}
	}
	if asked == 0 {
		t.Error("no function was called")
	}
}

// TestAttached shows that resources look as Crossplane applies them.
func TestAttached(t *testing.T) {
	p, err := Make(context.Background(), groups, objects(t, newCluster, infra))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": "c", "namespace": "default",
		"annotations": map[string]any{"crossplane.io/composition-resource-name": "group"},
		"labels":      map[string]any{"crossplane.io/composite": "c"},
		"ownerReferences": []any{map[string]any{
			"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "AzureASOManagedCluster", "name": "c",
			"uid": string(p.Inputs()[0].Composite.GetUID()), "controller": true, "blockOwnerDeletion": true,
		}},
	}
	if len(p.Resources) != 1 {
		t.Fatalf("want one resource, got %v", p.Resources)
	}
	if diff := cmp.Diff(want, p.Resources[0].Object["metadata"]); diff != "" {
		t.Errorf("metadata: -want, +got:\n%s", diff)
	}
}

// TestSchemas shows that there is a document for each API version, from which the kind can be told.
func TestSchemas(t *testing.T) {
	crd := func(version string, served bool) []extv1.CustomResourceDefinition {
		schema := &extv1.CustomResourceValidation{OpenAPIV3Schema: &extv1.JSONSchemaProps{Type: "object", Description: "a group"}}
		return []extv1.CustomResourceDefinition{{Spec: extv1.CustomResourceDefinitionSpec{
			Group: "resources.azure.com", Names: extv1.CustomResourceDefinitionNames{Kind: "ResourceGroup"},
			Versions: []extv1.CustomResourceDefinitionVersion{{Name: version, Served: served, Schema: schema}},
		}}}
	}
	kind := []any{map[string]any{"group": "resources.azure.com", "version": "v1", "kind": "ResourceGroup"}}
	cases := map[string]struct {
		crds []extv1.CustomResourceDefinition
		want map[string]any
	}{
		"no CRDs":     {nil, map[string]any{"resources.azure.com.v1.ResourceGroup": map[string]any{"type": "object", "x-kubernetes-group-version-kind": kind}}},
		"CRD":         {crd("v1", true), map[string]any{"resources.azure.com.v1.ResourceGroup": map[string]any{"type": "object", "description": "a group", "x-kubernetes-group-version-kind": kind}}},
		"not served":  {crd("v1", false), map[string]any{}},
		"another one": {crd("v2", true), map[string]any{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := Make(context.Background(), groups, objects(t, newCluster, infra, pool, newPool), c.crds...)
			if err != nil {
				t.Fatal(err)
			}
			documents, err := p.Schemas()
			if err != nil || len(documents) != 1 {
				t.Fatalf("want one document, got %d, %v", len(documents), err)
			}
			document := struct {
				Components struct{ Schemas map[string]any }
			}{}
			if err := json.Unmarshal(documents["resources.azure.com_v1.json"], &document); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, document.Components.Schemas); diff != "" {
				t.Errorf("schemas: -want, +got:\n%s", diff)
			}
		})
	}
}
