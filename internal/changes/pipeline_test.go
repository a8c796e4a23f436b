package changes

import (
	"context"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const company = `{apiVersion: apiextensions.crossplane.io/v1, kind: Composition, metadata: {name: company}, spec: {pipeline: [
  {step: first, functionRef: {name: vendor-function-capz}, input: {kind: Input}},
  {step: second, functionRef: {name: function-company}}]}}`

// other is a function that wants a resource more.
type other struct{}

func (other) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest, _ ...grpc.CallOption) (*fnv1.RunFunctionResponse, error) {
	rsp := &fnv1.RunFunctionResponse{Desired: req.GetDesired()}
	rsp.Desired.Resources["second"] = &fnv1.Resource{}
	return rsp, nil
}

// TestPipeline shows that the Composition that a composite resource names is followed, as far as its functions can be reached.
func TestPipeline(t *testing.T) {
	first := func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		if kind := req.GetInput().GetFields()["kind"].GetStringValue(); kind != "Input" {
			t.Errorf("the input of the step is of kind %q", kind)
		}
		return &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"first": {}}}}
	}
	cases := map[string]struct {
		others map[string]fnv1.FunctionRunnerServiceClient
		want   []string
		notes  int
	}{
		"one is not run": {want: []string{"first"}, notes: 1},
		"all are run":    {others: map[string]fnv1.FunctionRunnerServiceClient{"function-company": other{}}, want: []string{"first", "second"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := &Pipeline{Run: first, Others: c.others, Composition: func(_ context.Context, name string) (*unstructured.Unstructured, error) {
				o := &unstructured.Unstructured{}
				if name != "company" {
					t.Errorf("it asks for Composition %q", name)
				}
				return o, yaml.Unmarshal([]byte(company), &o.Object)
			}}
			xr, err := structpb.NewStruct(map[string]any{"kind": "AzureASOManagedCluster", "spec": map[string]any{"crossplane": map[string]any{"compositionRef": map[string]any{"name": "company"}}}})
			if err != nil {
				t.Fatal(err)
			}
			rsp, err := p.RunFunction(context.Background(), &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for name := range rsp.GetDesired().GetResources() {
				got = append(got, name)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("desired: -want, +got:\n%s", diff)
			}
			if notes := p.Notes(); len(notes) != c.notes || len(notes) > 0 && !strings.Contains(notes[0], "function function-company of Composition company, step second, was not run") {
				t.Errorf("notes: %v", notes)
			}
		})
	}
}
