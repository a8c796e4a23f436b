// Package preview shows what a composition function would make of manifests, without a cluster: it plays Crossplane,
// Cluster API and an Azure where everything succeeds, and asks the very function that Crossplane asks.
package preview

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

const (
	// mostRounds ends a preview in which something never becomes ready; each round composes every object once.
	mostRounds = 50
	// mostCalls is how often Crossplane asks a function again that asks for more objects.
	mostCalls = 6
)

// A Preview holds the objects of the manifests and what has been composed of them.
type Preview struct {
	// Resources are the ASO objects that the composite resources stand for, as Crossplane would apply them and in the order
	// in which they would be created.
	Resources []*unstructured.Unstructured
	// Problems are what a user would be shown.
	Problems []Problem

	function fnv1.FunctionRunnerServiceServer
	azure    Azure
	// cluster is what the preview begins from; nil for nothing.
	cluster Cluster
	steps   []*Step
	// counts are how many machines those stand for that stand for all of a control plane or MachineDeployment.
	counts   map[types.UID]int64
	crds     []extv1.CustomResourceDefinition
	objects  []*unstructured.Unstructured
	composed map[types.UID]map[string]*unstructured.Unstructured
	// answered is what the function was asked last about each composite resource, and its answer.
	answered map[types.UID]answer
}

// An answer is that of a function to a request.
type answer struct {
	req *fnv1.RunFunctionRequest
	rsp *fnv1.RunFunctionResponse
}

// An Azure says what there is before anything is made: the status that Azure Service Operator gives an object which looks for it; nil if
// there is nothing.
type Azure func(o *unstructured.Unstructured) map[string]any

// A Problem is what keeps one composite resource from being complete.
type Problem struct {
	Kind, Name, Message string
}

func (p Problem) String() string { return fmt.Sprintf("%s %s: %s", p.Kind, p.Name, p.Message) }

// Make previews the composite resources among objects. An error means that there is nothing to preview. The kinds of Azure Service
// Operator that a cluster would serve are those of crds; if there are none, every kind is taken to be served, and nothing more is known
// of it.
func Make(ctx context.Context, function fnv1.FunctionRunnerServiceServer, objects []*unstructured.Unstructured, crds ...extv1.CustomResourceDefinition) (*Preview, error) {
	return MakeIn(ctx, func(*unstructured.Unstructured) map[string]any { return nil }, function, objects, crds...)
}

// MakeIn previews the composite resources among objects, as Make does, in an Azure that is not empty.
func MakeIn(ctx context.Context, azure Azure, function fnv1.FunctionRunnerServiceServer, objects []*unstructured.Unstructured, crds ...extv1.CustomResourceDefinition) (*Preview, error) {
	p := &Preview{azure: azure, function: function, crds: crds}
	if err := p.play(ctx, objects); err != nil {
		return nil, err
	}
	return p, nil
}

// play composes until nothing changes any more.
func (p *Preview) play(ctx context.Context, objects []*unstructured.Unstructured) error {
	p.counts = map[types.UID]int64{}
	p.composed, p.answered = map[types.UID]map[string]*unstructured.Unstructured{}, map[types.UID]answer{}
	if err := p.load(objects); err != nil {
		return err
	}
	if err := p.begin(ctx); err != nil {
		return err
	}
	if len(p.composites()) == 0 {
		return fmt.Errorf("there is no object of group %s in it", composite.InfrastructureGroup)
	}
	for range mostRounds {
		changed, problems, err := p.round(ctx)
		if err != nil {
			return err
		}
		if !changed {
			p.Problems = problems
			return nil
		}
	}
	return fmt.Errorf("nothing settles within %d rounds", mostRounds)
}

func (p *Preview) composites() []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, o := range p.objects {
		if IsComposite(o) {
			out = append(out, o)
		}
	}
	return out
}

// IsComposite reports whether an object is a composite resource that a preview composes.
func IsComposite(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().Group == composite.InfrastructureGroup
}

// round composes every composite resource once.
func (p *Preview) round(ctx context.Context) (changed bool, problems []Problem, err error) {
	for _, xr := range p.composites() {
		rsp, err := p.call(ctx, xr)
		if err != nil {
			return false, nil, err
		}
		problem, fatal := problemOf(xr, rsp)
		if problem != nil {
			problems = append(problems, *problem)
		}
		if fatal {
			continue
		}
		more, err := p.accept(xr, rsp)
		if err != nil {
			return false, nil, err
		}
		changed = changed || more
	}
	return changed, problems, nil
}

// call asks the function as Crossplane does: again with what it asked for, until it asks for nothing new. What it asked for last time is
// there at once, and when it would be told the same it is not asked again: a function's answer depends on nothing else.
func (p *Preview) call(ctx context.Context, xr *unstructured.Unstructured) (*fnv1.RunFunctionResponse, error) {
	req, err := p.request(xr)
	if err != nil {
		return nil, err
	}
	last := p.answered[xr.GetUID()]
	if _, err := p.resolve(ctx, req, last.rsp.GetRequirements()); err != nil {
		return nil, err
	}
	if last.rsp != nil && proto.Equal(req, last.req) {
		return last.rsp, nil
	}
	for range mostCalls {
		rsp, err := p.function.RunFunction(ctx, req)
		if err != nil {
			return nil, err
		}
		asked, err := p.resolve(ctx, req, rsp.GetRequirements())
		if err != nil {
			return nil, err
		}
		if !asked {
			p.answered[xr.GetUID()] = answer{req, rsp}
			return rsp, nil
		}
	}
	return nil, fmt.Errorf("%s %s: requirements do not settle", xr.GetKind(), xr.GetName())
}

func (p *Preview) request(xr *unstructured.Unstructured) (*fnv1.RunFunctionRequest, error) {
	s, err := resource.AsStruct(xr)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", xr.GetKind(), xr.GetName(), err)
	}
	capabilities := []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
	if len(p.crds) > 0 || p.cluster != nil {
		capabilities = append(capabilities, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)
	}
	req := &fnv1.RunFunctionRequest{
		Meta:              &fnv1.RequestMeta{Capabilities: capabilities},
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: s}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{}, RequiredSchemas: map[string]*fnv1.Schema{},
	}
	for name, o := range p.composed[xr.GetUID()] {
		s, err := resource.AsStruct(o)
		if err != nil {
			return nil, err
		}
		req.Observed.Resources[name] = &fnv1.Resource{Resource: s}
	}
	return req, nil
}

// resolve adds what the function asked for to the request; asked reports whether that was new.
func (p *Preview) resolve(ctx context.Context, req *fnv1.RunFunctionRequest, requirements *fnv1.Requirements) (asked bool, err error) {
	for name, selector := range requirements.GetSchemas() {
		if _, there := req.GetRequiredSchemas()[name]; there {
			continue
		}
		asked = true
		if req.RequiredSchemas[name], err = p.schema(ctx, schema.FromAPIVersionAndKind(selector.GetApiVersion(), selector.GetKind())); err != nil {
			return false, err
		}
	}
	for name, selector := range requirements.GetResources() {
		if _, there := req.GetRequiredResources()[name]; there {
			continue
		}
		asked = true
		found := &fnv1.Resources{}
		objects, err := p.selected(ctx, selector)
		if err != nil {
			return false, err
		}
		for _, o := range objects {
			s, err := resource.AsStruct(o)
			if err != nil {
				return false, err
			}
			found.Items = append(found.Items, &fnv1.Resource{Resource: s})
		}
		req.RequiredResources[name] = found
	}
	return asked, nil
}

// schema answers as an API server that has the CRDs; it has none for a kind that it does not serve.
func (p *Preview) schema(ctx context.Context, gvk schema.GroupVersionKind) (*fnv1.Schema, error) {
	openAPI, served, err := schemaOf(gvk, p.crds)
	if p.cluster != nil {
		openAPI, err = p.cluster.Schema(ctx, gvk)
		served = openAPI != nil
	}
	if err != nil || !served {
		return &fnv1.Schema{}, err
	}
	s := &structpb.Struct{}
	content, err := json.Marshal(openAPI)
	if err == nil {
		err = protojson.Unmarshal(content, s)
	}
	return &fnv1.Schema{OpenapiV3: s}, err
}

func (p *Preview) all() []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, uid := range slices.Sorted(maps.Keys(p.composed)) {
		for _, name := range slices.Sorted(maps.Keys(p.composed[uid])) {
			out = append(out, p.composed[uid][name])
		}
	}
	return out
}

func selects(s *fnv1.ResourceSelector, o *unstructured.Unstructured) bool {
	if o.GroupVersionKind() != schema.FromAPIVersionAndKind(s.GetApiVersion(), s.GetKind()) || s.Namespace != nil && o.GetNamespace() != s.GetNamespace() {
		return false
	}
	if labels := s.GetMatchLabels(); labels != nil {
		for k, v := range labels.GetLabels() {
			if o.GetLabels()[k] != v {
				return false
			}
		}
		return true
	}
	return o.GetName() == s.GetMatchName()
}

// accept takes the function's answer over as Crossplane does, and has Azure succeed at once.
func (p *Preview) accept(xr *unstructured.Unstructured, rsp *fnv1.RunFunctionResponse) (changed bool, err error) {
	before := xr.DeepCopy()
	if status := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue(); status != nil {
		xr.Object["status"] = status.AsMap()
	}
	existing := p.composed[xr.GetUID()]
	for _, name := range slices.Sorted(maps.Keys(rsp.GetDesired().GetResources())) {
		made := existing[name] != nil && !looking(existing[name]) && !aso.Held(existing[name])
		if made && p.cluster == nil {
			continue
		}
		o, err := desired(rsp.GetDesired().GetResources()[name], xr, name)
		if err != nil {
			return false, err
		}
		if made {
			changed = p.update(xr, name, o) || changed
		} else {
			changed = p.take(xr, name, o) || changed
		}
	}
	changed = p.drop(xr, rsp.GetDesired().GetResources()) || changed
	p.mirror(xr)
	if err := p.createMachine(xr); err != nil {
		return false, fmt.Errorf("%s %s: %w", xr.GetKind(), xr.GetName(), err)
	}
	return changed || !equalStatus(before, xr), nil
}

// take has Azure answer to a desired object, and reports whether that is news.
func (p *Preview) take(xr *unstructured.Unstructured, name string, o *unstructured.Unstructured) bool {
	existing := p.composed[xr.GetUID()]
	before := existing[name]
	if p.cluster != nil {
		o = applied(before, o)
	}
	existing[name] = o
	news := func() bool {
		return before == nil || p.cluster != nil && !equality.Semantic.DeepEqual(before.Object, o.Object)
	}
	switch {
	case aso.Held(o):
		p.ownAnnotations(o)
		return news()
	case looking(o):
		if status := p.azure(o); status != nil {
			found(o, status)
		} else {
			notFound(o)
		}
		p.ownAnnotations(o)
		return news()
	case o.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipExternal:
		found(o, p.azure(o))
		p.ownAnnotations(o)
		return true
	}
	meta.RemoveAnnotations(o, v1beta1.AnnotationNew) // It goes when the resource is ready.
	p.Resources = append(p.Resources, o.DeepCopy())
	p.record(xr, name, nil, o)
	succeed(o)
	if p.cluster != nil {
		finish(o)
	}
	return true
}

// desired returns an object as Crossplane applies it.
func desired(r *fnv1.Resource, xr *unstructured.Unstructured, name string) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{}
	err := resource.AsObject(r.GetResource(), o)
	if err == nil {
		err = attach(o, xr, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %s: %w", xr.GetKind(), xr.GetName(), name, err)
	}
	return o, nil
}

// Wanted returns the ASO objects as the function wants them once all is there. What of one is not as among the Resources, would be sent to
// Azure again; one that is not among them would be deleted.
func (p *Preview) Wanted() ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, xr := range p.composites() {
		of := p.answered[xr.GetUID()].rsp.GetDesired().GetResources()
		for _, name := range slices.Sorted(maps.Keys(of)) {
			o, err := desired(of[name], xr, name)
			if err != nil {
				return nil, err
			}
			all = append(all, o)
		}
	}
	return all, nil
}
