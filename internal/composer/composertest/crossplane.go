// Package composertest plays Crossplane for composers under test: it reads for them what they ask for, as strictly as a
// cluster would, and says what would come of their answers.
package composertest

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

const (
	// MostCalls is how often Crossplane calls a function in one reconcile (its internal/xfn, MaxRequirementsIterations + 1).
	MostCalls = 6
	// neverSettles is the number of calls after which no more are made.
	neverSettles = 20
)

// Composers are the composers of a function, by the kind of the composite resource.
type Composers map[string]composer.Composer

// Run calls the function once. It panics when there is no composer for the composite.
func (c Composers) Run(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	kind := req.GetObserved().GetComposite().GetResource().GetFields()["kind"].GetStringValue()
	if c[kind] == nil {
		panic("there is no composer under test for kind " + kind)
	}
	return composer.Run(req, c[kind])
}

// Settle calls the function as Crossplane does, until it has all that it asks for. It returns the last answer, and
// leaves in req what that was given for.
func (c Composers) Settle(t testing.TB, w World, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, calls := c.Calls(t, w, req)
	withinCalls(t, calls)
	return rsp
}

// withinCalls ends the test where Crossplane would have given up.
func withinCalls(t testing.TB, calls int) {
	t.Helper()
	if calls > MostCalls {
		t.Fatalf("Crossplane gives up: requirements did not settle within %d calls, but %d", MostCalls, calls)
	}
}

// SettleByObjects is Settle for what is tested with ClusterFacts elsewhere: it does not compare the answer with the one by facts.
func (c Composers) SettleByObjects(t testing.TB, w World, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, calls := c.settle(t, w, req)
	withinCalls(t, calls)
	return rsp
}

// Calls is Settle for a Crossplane that does not give up; it returns the number of calls, too.
func (c Composers) Calls(t testing.TB, w World, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, int) {
	t.Helper()
	first := proto.CloneOf(req)
	rsp, calls := c.settle(t, w, req)
	c.sameByFacts(t, w, first, rsp)
	return rsp, calls
}

// settled is the answer of a function in a world, within as many calls as Crossplane makes.
func (c Composers) settled(t testing.TB, w World, first *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	return c.SettleByObjects(t, w, proto.CloneOf(first))
}

func (c Composers) settle(t testing.TB, w World, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, int) {
	t.Helper()
	var before *fnv1.Requirements
	for n := 1; n < neverSettles; n++ {
		rsp := c.Run(req)
		if escapes := Escapes(t, req, rsp); len(escapes) > 0 {
			t.Fatalf("the answer reaches beyond the composite's namespace: %v", escapes)
		}
		if Fatal(rsp) != "" || proto.Equal(before, rsp.GetRequirements()) {
			return rsp, n
		}
		before = rsp.GetRequirements()
		w.resolve(t, req, before)
	}
	t.Fatal("requirements never settle")
	return nil, 0
}

// LeaveUnanswered settles the request and takes each required object out of it, as if Crossplane had not found it or
// not read it: then nothing may be dropped, and the answer must ask for it again, or stop.
func (c Composers) LeaveUnanswered(t testing.TB, w World, settled *fnv1.RunFunctionRequest) {
	t.Helper()
	c.Settle(t, w, settled)
	if len(settled.GetRequiredResources()) == 0 {
		t.Fatal("nothing is asked for")
	}
	for requirement := range settled.GetRequiredResources() {
		req := proto.CloneOf(settled)
		req.RequiredResources[requirement] = &fnv1.Resources{}
		if dropped := Dropped(req, c.Run(req)); len(dropped) > 0 {
			t.Errorf("%s not found: %v would be deleted", requirement, dropped)
		}
		delete(req.RequiredResources, requirement)
		rsp := c.Run(req)
		if rsp.GetRequirements().GetResources()[requirement] == nil && Fatal(rsp) == "" {
			t.Errorf("%s not read: not asked for again", requirement)
		}
	}
}

// Request is what Crossplane first asks for the composite xr of which the observed objects exist.
func Request(t testing.TB, xr *unstructured.Unstructured, observed ...*unstructured.Unstructured) *fnv1.RunFunctionRequest {
	t.Helper()
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: Struct(t, xr)}, Resources: map[string]*fnv1.Resource{}},
	}
	for _, o := range observed {
		req.Observed.Resources[ResourceName(o)] = &fnv1.Resource{Resource: Struct(t, o)}
	}
	return req
}

// ResourceName is the composition resource name that the API promises: kind, group and name.
func ResourceName(o *unstructured.Unstructured) string {
	return o.GroupVersionKind().GroupKind().String() + "/" + o.GetName()
}

// Struct returns the object as it is in a request.
func Struct(t testing.TB, o *unstructured.Unstructured) *structpb.Struct {
	t.Helper()
	s, err := resource.AsStruct(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Object returns the object that is s in a response.
func Object(t testing.TB, s *structpb.Struct) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := resource.AsObject(s, o); err != nil {
		t.Fatal(err)
	}
	return o
}
