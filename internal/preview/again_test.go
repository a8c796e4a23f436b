package preview

import (
	"context"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// group answers with a ResourceGroup that has a location and annotations.
func group(t *testing.T, location string, annotations map[string]any) *fnv1.RunFunctionResponse {
	t.Helper()
	s, err := structpb.NewStruct(map[string]any{"apiVersion": "resources.azure.com/v1", "kind": "ResourceGroup",
		"metadata": map[string]any{"name": "g", "annotations": annotations}, "spec": map[string]any{"location": location}})
	if err != nil {
		t.Fatal(err)
	}
	return &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"g": {Resource: s}}}}
}

// locations returns those of objects.
func locations(objects []*unstructured.Unstructured) []string {
	all := []string{}
	for _, o := range objects {
		location, _, _ := unstructured.NestedString(o.Object, "spec", "location")
		all = append(all, location)
	}
	return all
}

// TestWanted shows what the function wants of a resource that is there, beside what was created.
func TestWanted(t *testing.T) {
	p, err := Make(context.Background(), functionFunc{run: func(_ map[string]any, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		if req.GetObserved().GetResources()["g"] != nil {
			return group(t, "later", nil), nil
		}
		return group(t, "first", nil), nil
	}}, objects(t, newCluster, infra))
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := p.Wanted()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"first"}, {"later"}}, [][]string{locations(p.Resources), locations(wanted)}); diff != "" {
		t.Errorf("created and wanted: -want, +got:\n%s", diff)
	}
	if wanted[0].GetNamespace() != "default" || len(wanted[0].GetOwnerReferences()) != 1 {
		t.Errorf("it is not as Crossplane applies it: %v", wanted[0].Object)
	}
}

// TestMakeIn shows that the function reads what Azure has, and that what is not the Cluster's is not among what would be created.
func TestMakeIn(t *testing.T) {
	looks := functionFunc{run: func(_ map[string]any, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		ownership := v1beta1.OwnershipUndecided
		if g := req.GetObserved().GetResources()["g"]; g != nil {
			switch found, _, _ := unstructured.NestedString(g.GetResource().AsMap(), "status", "location"); found {
			case "there":
				ownership = v1beta1.OwnershipExternal
			case "":
				ownership = v1beta1.OwnershipOwned
			}
		}
		return group(t, "here", map[string]any{v1beta1.AnnotationOwnership: ownership}), nil
	}}
	for name, c := range map[string]struct {
		status map[string]any
		want   []string
	}{
		"there":     {map[string]any{"location": "there"}, []string{}},
		"not there": {nil, []string{"here"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := MakeIn(context.Background(), func(*unstructured.Unstructured) map[string]any { return c.status }, looks, objects(t, newCluster, infra))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, locations(p.Resources)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
