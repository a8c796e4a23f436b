package asomanaged

import (
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// mostCalls is how often Crossplane calls a function in one reconcile (its internal/xfn, MaxRequirementsIterations + 1).
const mostCalls = 6

var composers = map[string]composer.Composer{
	"AzureASOManagedCluster": Cluster{}, "AzureASOManagedControlPlane": ControlPlane{}, "AzureASOManagedMachinePool": MachinePool{},
	"AzureASOManagedClusterTemplate": member.Template{}, "AzureASOManagedControlPlaneTemplate": member.Template{}, "AzureASOManagedMachinePoolTemplate": member.Template{},
}

// A world is what an API server holds besides the composite and its composed objects.
type world struct {
	objects []*unstr
	// schemas has those that differ from the one of any object; nil stands for a kind that is not served.
	schemas map[schema.GroupVersionKind]*structpb.Struct
}

// aksWorld has a whole cluster with pools of the given names, all of it ready in Azure.
func aksWorld(pools ...string) world {
	w := world{objects: []*unstr{cluster(), ready(infraXR(group("rg"))), ready(controlPlaneXR(aksCluster()))}}
	for _, p := range pools {
		w.objects = append(w.objects, machinePool(p), poolXR(p, aksPool(p)))
	}
	return w
}

// with returns the world with the objects in place of those of the same kind and name.
func (w world) with(objects ...*unstr) world {
	return world{objects: append(w.without(objects...).objects, objects...), schemas: w.schemas}
}

func (w world) without(objects ...*unstr) world {
	kept := slices.DeleteFunc(slices.Clone(w.objects), func(o *unstr) bool {
		return slices.ContainsFunc(objects, func(n *unstr) bool { return kindOf(n) == kindOf(o) && n.GetName() == o.GetName() })
	})
	return world{objects: kept, schemas: w.schemas}
}

func (w world) serving(gvk schema.GroupVersionKind, s *structpb.Struct) world {
	return world{objects: w.objects, schemas: map[schema.GroupVersionKind]*structpb.Struct{gvk: s}}
}

func gvk(apiVersion, kind string) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

func request(t testing.TB, xr *unstr, observed ...*unstr) *fnv1.RunFunctionRequest {
	t.Helper()
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: asStruct(t, xr)}, Resources: map[string]*fnv1.Resource{}},
	}
	for _, o := range observed {
		req.Observed.Resources[name(o)] = &fnv1.Resource{Resource: asStruct(t, o)}
	}
	return req
}

func asStruct(t testing.TB, o *unstr) *structpb.Struct {
	t.Helper()
	s, err := resource.AsStruct(o)
	must(t, err)
	return s
}

func asObject(t testing.TB, s *structpb.Struct) *unstr {
	t.Helper()
	o := &unstr{}
	must(t, resource.AsObject(s, o))
	return o
}

func run(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	kind := req.GetObserved().GetComposite().GetResource().GetFields()["kind"].GetStringValue()
	return composer.Run(req, composers[kind])
}

// settle calls the function as Crossplane does, until it has all that it asks for. It returns the last answer, and
// leaves in req what that was given for.
func (w world) settle(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, calls := w.calls(t, req)
	if calls > mostCalls {
		t.Fatalf("Crossplane gives up: requirements did not settle within %d calls", mostCalls)
	}
	return rsp
}

func (w world) calls(t testing.TB, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, int) {
	t.Helper()
	var before *fnv1.Requirements
	for n := 1; n < 20; n++ {
		rsp := run(req)
		if fatal(rsp) != "" || proto.Equal(before, rsp.GetRequirements()) {
			return rsp, n
		}
		before = rsp.GetRequirements()
		w.resolve(t, req, before)
	}
	t.Fatal("requirements never settle")
	return nil, 0
}

func (w world) resolve(t testing.TB, req *fnv1.RunFunctionRequest, asked *fnv1.Requirements) {
	t.Helper()
	req.RequiredResources, req.RequiredSchemas = map[string]*fnv1.Resources{}, map[string]*fnv1.Schema{}
	for n, s := range asked.GetResources() {
		kind := gvk(s.GetApiVersion(), s.GetKind())
		if served, told := w.schemas[kind]; told && served == nil {
			t.Fatalf("Crossplane fails: requirement %q is for %s, which is not served", n, kind)
		}
		found := &fnv1.Resources{}
		for _, o := range w.objects {
			if kindOf(o) == kind && s.Namespace != nil && o.GetNamespace() == s.GetNamespace() && selected(s, o) {
				found.Items = append(found.Items, &fnv1.Resource{Resource: asStruct(t, o)})
			}
		}
		req.RequiredResources[n] = found
	}
	for n, s := range asked.GetSchemas() {
		served, told := w.schemas[gvk(s.GetApiVersion(), s.GetKind())]
		if !told {
			served = &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}}
		}
		req.RequiredSchemas[n] = &fnv1.Schema{OpenapiV3: served}
	}
}

func selected(s *fnv1.ResourceSelector, o *unstr) bool {
	for k, v := range s.GetMatchLabels().GetLabels() {
		if o.GetLabels()[k] != v {
			return false
		}
	}
	return s.GetMatchLabels() != nil || o.GetName() == s.GetMatchName()
}

// fatal returns the message of the response's fatal result, "" if it has none.
func fatal(rsp *fnv1.RunFunctionResponse) string {
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return r.GetMessage()
		}
	}
	return ""
}

func desired(t testing.TB, rsp *fnv1.RunFunctionResponse) map[string]*unstr {
	t.Helper()
	out := map[string]*unstr{}
	for n, r := range rsp.GetDesired().GetResources() {
		out[n] = asObject(t, r.GetResource())
	}
	return out
}

func status(rsp *fnv1.RunFunctionResponse) map[string]any {
	return rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().AsMap()
}

// outcome returns what status.resources says of the object of the given name: ready, reason and message.
func outcome(rsp *fnv1.RunFunctionResponse, name string) (isReady bool, reason, message string) {
	items, _, _ := unstructured.NestedSlice(status(rsp), "resources")
	for _, i := range items {
		m := i.(map[string]any)
		if r, _, _ := unstructured.NestedString(m, "resource", "name"); r == name {
			return m["ready"] == true, m["reason"].(string), m["message"].(string)
		}
	}
	return false, "", "not in status.resources"
}

// contract returns the condition of the given type as Cluster API reads it.
func contract(rsp *fnv1.RunFunctionResponse, conditionType string) map[string]any {
	items, _, _ := unstructured.NestedSlice(status(rsp), "v1beta2", "conditions")
	for _, i := range items {
		if m := i.(map[string]any); m["type"] == conditionType {
			return m
		}
	}
	return nil
}
