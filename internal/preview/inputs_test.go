package preview

import (
	"context"
	"encoding/json"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
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

// TestInputs says that each composite resource comes with what it composes as observed, and with everything else as required.
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

// TestAttached says that resources look as Crossplane applies them.
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

// TestSchemas says that there is a document for each API version, from which the kind can be told.
func TestSchemas(t *testing.T) {
	p, err := Make(context.Background(), groups, objects(t, newCluster, infra, pool, newPool))
	if err != nil {
		t.Fatal(err)
	}
	documents, err := p.Schemas()
	if err != nil {
		t.Fatal(err)
	}
	if len(documents) != 1 {
		t.Errorf("want one document, got %d", len(documents))
	}
	document := struct {
		Components struct {
			Schemas map[string]struct {
				Kinds []map[string]string `json:"x-kubernetes-group-version-kind"`
			}
		}
	}{}
	if err := json.Unmarshal(documents["resources.azure.com_v1.json"], &document); err != nil {
		t.Fatal(err)
	}
	want := []map[string]string{{"group": "resources.azure.com", "version": "v1", "kind": "ResourceGroup"}}
	if diff := cmp.Diff(want, document.Components.Schemas["resources.azure.com.v1.ResourceGroup"].Kinds); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
