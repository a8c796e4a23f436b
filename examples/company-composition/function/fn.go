package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
	"github.com/crossplane/function-sdk-go/response"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// ttl is how long an answer holds if nothing changes that Crossplane watches. The shortest one of a pipeline counts.
const ttl = 10 * time.Hour

// A Policy is the input of the pipeline step.
type Policy struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Tags are put on every object that has spec.tags; of a tag that is set already, the value is replaced.
	Tags map[string]string `json:"tags"`
	// AllowedVMSizes are the only sizes that node pools may have. With none, any will do.
	AllowedVMSizes []string `json:"allowedVMSizes"`
}

// Function answers Crossplane's requests.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

// RunFunction carries the policy out on what the steps before this one compose. A fatal result has Crossplane apply nothing
// and delete nothing, and is shown on the composite resource.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, ttl)
	policy, err := readPolicy(req)
	if err != nil {
		response.Fatal(rsp, errors.Wrap(err, "cannot read the input of this step"))
		return rsp, nil
	}
	if !request.HasCapability(req, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS) {
		response.Fatal(rsp, errors.New("this function asks for schemas, which this Crossplane cannot tell; it needs 2.2 or later"))
		return rsp, nil
	}
	desired, err := request.GetDesiredComposedResources(req)
	if err != nil {
		response.Fatal(rsp, errors.Wrap(err, "cannot read what is composed"))
		return rsp, nil
	}
	for _, name := range slices.Sorted(maps.Keys(desired)) {
		if err := policy.apply(&desired[name].Resource.Unstructured, req, rsp); err != nil {
			response.Fatal(rsp, err)
			return rsp, nil
		}
	}
	if err := response.SetDesiredComposedResources(rsp, desired); err != nil {
		response.Fatal(rsp, errors.Wrap(err, "cannot return what is composed"))
	}
	return rsp, nil
}

func readPolicy(req *fnv1.RunFunctionRequest) (*Policy, error) {
	input, policy := &unstructured.Unstructured{}, &Policy{}
	if err := request.GetInput(req, input); err != nil {
		return nil, err
	}
	if input.GetAPIVersion() != "policy.example.org/v1" || input.GetKind() != "Policy" {
		return nil, fmt.Errorf("it is %q of %q, but must be Policy of policy.example.org/v1", input.GetKind(), input.GetAPIVersion())
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(input.Object, policy, true)
	return policy, err
}

// apply changes one object as the policy says. The error says what the policy does not allow.
func (p *Policy) apply(o *unstructured.Unstructured, req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) error {
	for field, size := range vmSizes(o) {
		if len(p.AllowedVMSizes) > 0 && !slices.Contains(p.AllowedVMSizes, size) {
			return fmt.Errorf("%s %s: %s is %q, but the company allows %s", o.GetKind(), o.GetName(), field, size, strings.Join(p.AllowedVMSizes, ", "))
		}
	}
	// Crossplane asks again with the schemas that are asked for here, and applies nothing before.
	name := o.GetAPIVersion() + "/" + o.GetKind()
	response.RequireSchema(rsp, name, o.GetAPIVersion(), o.GetKind())
	schema, _ := request.GetRequiredSchema(req, name)
	if len(p.Tags) == 0 || !hasField(schema, "spec", "tags") {
		return nil
	}
	tags, _, err := unstructured.NestedStringMap(o.Object, "spec", "tags")
	if err != nil {
		return fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	if tags == nil {
		tags = map[string]string{}
	}
	maps.Copy(tags, p.Tags)
	return unstructured.SetNestedStringMap(o.Object, tags, "spec", "tags")
}

// vmSizes yields each field of an AKS node pool that has a size, with the size.
func vmSizes(o *unstructured.Unstructured) func(yield func(field, size string) bool) {
	return func(yield func(field, size string) bool) {
		if size, found, _ := unstructured.NestedString(o.Object, "spec", "vmSize"); found && !yield("spec.vmSize", size) {
			return
		}
		profiles, _, _ := unstructured.NestedSlice(o.Object, "spec", "agentPoolProfiles")
		for i := range profiles {
			profile, _ := profiles[i].(map[string]any)
			size, found := profile["vmSize"].(string)
			if found && !yield(fmt.Sprintf("spec.agentPoolProfiles[%d].vmSize", i), size) {
				return
			}
		}
	}
}

func hasField(schema *structpb.Struct, fields ...string) bool {
	for _, field := range fields {
		schema = schema.GetFields()["properties"].GetStructValue().GetFields()[field].GetStructValue()
	}
	return schema != nil
}
