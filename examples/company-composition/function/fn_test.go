package main

import (
	"context"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
)

const (
	policyJSON = `{"apiVersion":"policy.example.org/v1","kind":"Policy","tags":{"cost-center":"4711","team":"platform"},"allowedVMSizes":["Standard_D2s_v5","Standard_D4s_v5"]}`
	tagged     = `{"type":"object","properties":{"spec":{"type":"object","properties":{"tags":{"type":"object"}}}}}`
	untagged   = `{"type":"object","properties":{"spec":{"type":"object","properties":{"location":{"type":"string"}}}}}`
)

// ask has one desired object of kind K and version v, the schema of that kind unless it is empty, and the policy.
func ask(policy, object, schema string) *fnv1.RunFunctionRequest {
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS}},
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":{"ready":true}}`)},
			Resources: map[string]*fnv1.Resource{"o": {Resource: resource.MustStructJSON(object), Ready: fnv1.Ready_READY_TRUE}},
		},
	}
	if policy != "" {
		req.Input = resource.MustStructJSON(policy)
	}
	if schema != "" {
		req.RequiredSchemas = map[string]*fnv1.Schema{"v/K": {OpenapiV3: resource.MustStructJSON(schema)}}
	}
	return req
}

func object(spec string) string {
	return `{"apiVersion":"v","kind":"K","metadata":{"name":"o"},"spec":` + spec + `}`
}

func TestTags(t *testing.T) {
	cases := map[string]struct{ policy, schema, spec, want string }{
		"no tags yet":         {policyJSON, tagged, `{"a":1}`, `{"a":1,"tags":{"cost-center":"4711","team":"platform"}}`},
		"tags of the user":    {policyJSON, tagged, `{"tags":{"team":"shop","own":"x"}}`, `{"tags":{"cost-center":"4711","team":"platform","own":"x"}}`},
		"a kind without":      {policyJSON, untagged, `{"a":1}`, `{"a":1}`},
		"schema not told yet": {policyJSON, "", `{"a":1}`, `{"a":1}`},
		"no tags in policy":   {`{"apiVersion":"policy.example.org/v1","kind":"Policy","allowedVMSizes":[]}`, tagged, `{"vmSize":"huge"}`, `{"vmSize":"huge"}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			req := ask(c.policy, object(c.spec), c.schema)
			rsp, err := (&Function{}).RunFunction(context.Background(), req)
			if err != nil || len(rsp.GetResults()) > 0 {
				t.Fatal(err, rsp.GetResults())
			}
			want := &fnv1.State{Composite: req.GetDesired().GetComposite(),
				Resources: map[string]*fnv1.Resource{"o": {Resource: resource.MustStructJSON(object(c.want)), Ready: fnv1.Ready_READY_TRUE}}}
			if diff := cmp.Diff(want, rsp.GetDesired(), protocmp.Transform()); diff != "" {
				t.Errorf("desired: -want, +got:\n%s", diff)
			}
			asked := map[string]*fnv1.SchemaSelector{"v/K": {ApiVersion: "v", Kind: "K"}}
			if diff := cmp.Diff(asked, rsp.GetRequirements().GetSchemas(), protocmp.Transform()); diff != "" {
				t.Errorf("schemas asked for: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestRefused shows that what the policy does not allow ends the pipeline with a message to act on.
func TestRefused(t *testing.T) {
	cases := map[string]struct{ policy, spec, want string }{
		"size of a pool": {policyJSON, `{"vmSize":"Standard_M128s"}`,
			`K o: spec.vmSize is "Standard_M128s", but the company allows Standard_D2s_v5, Standard_D4s_v5`},
		"size of a profile": {policyJSON, `{"agentPoolProfiles":[{"vmSize":"Standard_D2s_v5"},{"vmSize":"Standard_M128s"}]}`,
			`K o: spec.agentPoolProfiles[1].vmSize is "Standard_M128s", but the company allows Standard_D2s_v5, Standard_D4s_v5`},
		"tags that are none": {policyJSON, `{"tags":{"a":1}}`, "K o: .spec.tags accessor error: contains non-string value in the map under key \"a\": 1 is of the type float64, expected string"},
		"another input":      {`{"apiVersion":"v1","kind":"P"}`, `{}`, `cannot read the input of this step: it is "P" of "v1", but must be Policy of policy.example.org/v1`},
		"misspelled policy":  {`{"apiVersion":"policy.example.org/v1","kind":"Policy","tag":{"a":"b"}}`, `{}`, `cannot read the input of this step: strict decoding error: unknown field "tag"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rsp, err := (&Function{}).RunFunction(context.Background(), ask(c.policy, object(c.spec), tagged))
			if err != nil {
				t.Fatal(err)
			}
			want := []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: c.want, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}
			if diff := cmp.Diff(want, rsp.GetResults(), protocmp.Transform()); diff != "" {
				t.Errorf("results: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestNeedsInputAndSchemas(t *testing.T) {
	old := ask(policyJSON, object("{}"), tagged)
	old.Meta = nil
	for name, req := range map[string]*fnv1.RunFunctionRequest{"no input": ask("", object("{}"), tagged), "an old Crossplane": old} {
		rsp, err := (&Function{}).RunFunction(context.Background(), req)
		if err != nil || len(rsp.GetResults()) != 1 || rsp.GetResults()[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL {
			t.Errorf("%s: want a fatal result, got %v, %v", name, rsp.GetResults(), err)
		}
	}
}
