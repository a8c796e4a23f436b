package changes

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// functionCAPZ ends the name of the Function that composes the kinds, wherever its package comes from.
const functionCAPZ = "function-capz"

// A Pipeline runs the functions of the Composition of each composite resource, as Crossplane does.
type Pipeline struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	// Run is function-capz.
	Run func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse
	// Others are further functions that can be reached, by the name of their Function.
	Others map[string]fnv1.FunctionRunnerServiceClient
	// Composition returns the Composition of a name; nil for the one of this project, which has function-capz alone.
	Composition func(ctx context.Context, name string) (*unstructured.Unstructured, error)

	notRun map[string]bool
}

var (
	compositionRef = field.At[string]("spec", "crossplane", "compositionRef", "name")
	// legacyCompositionRef is that of composite resources which have claims.
	legacyCompositionRef = field.At[string]("spec", "compositionRef", "name")
	pipelineSteps        = field.At[[]any]("spec", "pipeline")
)

// Notes say which functions were not run.
func (p *Pipeline) Notes() []string { return slices.Sorted(maps.Keys(p.notRun)) }

// RunFunction composes the composite resource of the request.
func (p *Pipeline) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	xr := &unstructured.Unstructured{Object: req.GetObserved().GetComposite().GetResource().AsMap()}
	composition, err := p.compositionOf(ctx, xr)
	if err != nil {
		return nil, err
	}
	if composition == nil {
		return p.Run(req), nil
	}
	merged := &fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{}, Schemas: map[string]*fnv1.SchemaSelector{}}}
	for _, step := range field.Maps(pipelineSteps.Value(composition)) {
		rsp, err := p.step(ctx, composition.GetName(), step, withDesired(req, merged))
		if err != nil {
			return nil, err
		}
		if rsp == nil {
			continue
		}
		merged.Meta, merged.Desired, merged.Context = rsp.GetMeta(), rsp.GetDesired(), rsp.GetContext()
		merged.Results = append(merged.Results, rsp.GetResults()...)
		merged.Conditions = append(merged.Conditions, rsp.GetConditions()...)
		maps.Copy(merged.Requirements.Resources, rsp.GetRequirements().GetResources())
		maps.Copy(merged.Requirements.Schemas, rsp.GetRequirements().GetSchemas())
		if slices.ContainsFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL }) {
			return merged, nil
		}
	}
	return merged, nil
}

func (p *Pipeline) compositionOf(ctx context.Context, xr *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if p.Composition == nil {
		return nil, nil
	}
	name := cmp.Or(compositionRef.Value(xr), legacyCompositionRef.Value(xr))
	if name == "" {
		kind, _ := composite.Lookup(xr.GroupVersionKind().GroupKind())
		if kind.Kind == "" {
			return nil, nil
		}
		name = kind.Plural()
	}
	return p.Composition(ctx, name)
}

// step runs one function; nil when it cannot be.
func (p *Pipeline) step(ctx context.Context, composition string, step map[string]any, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	name := field.At[string]("functionRef", "name").ValueIn(step)
	if input, ok := step["input"].(map[string]any); ok {
		s, err := structpb.NewStruct(input)
		if err != nil {
			return nil, fmt.Errorf("the input of step %s of Composition %s: %w", field.Text(step["step"]), composition, err)
		}
		req.Input = s
	}
	if other := p.Others[name]; other != nil {
		rsp, err := other.RunFunction(ctx, req)
		if err != nil {
			return nil, fmt.Errorf("cannot run function %s: %w", name, err)
		}
		return rsp, nil
	}
	if strings.HasSuffix(name, functionCAPZ) {
		return p.Run(req), nil
	}
	if p.notRun == nil {
		p.notRun = map[string]bool{}
	}
	p.notRun[fmt.Sprintf("function %s of Composition %s, step %s, was not run: the plan is without what it adds or changes; --function %s=ADDRESS runs it",
		name, composition, field.Text(step["step"]), name)] = true
	return nil, nil
}

// withDesired returns a request with what the functions before want.
func withDesired(req *fnv1.RunFunctionRequest, before *fnv1.RunFunctionResponse) *fnv1.RunFunctionRequest {
	if before.GetDesired() == nil {
		return proto.CloneOf(req)
	}
	next := proto.CloneOf(req)
	next.Desired, next.Context = before.GetDesired(), before.GetContext()
	return next
}

// CompositionKind is that of Compositions.
var CompositionKind = schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: "v1", Kind: "Composition"}
