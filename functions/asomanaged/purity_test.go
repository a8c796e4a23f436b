package asomanaged

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// earlier is what a function before this one in the pipeline has asked for.
func earlier(t *testing.T) *fnv1.State {
	t.Helper()
	xr, err := structpb.NewStruct(dict("status", dict("platform", "x"), "spec", dict("a", "b")))
	must(t, err)
	return &fnv1.State{
		Composite: &fnv1.Resource{Resource: xr, ConnectionDetails: map[string][]byte{"a": []byte("b")}},
		Resources: map[string]*fnv1.Resource{"bucket": {Resource: composertest.Struct(t, inline("example.org/v1", "Bucket", "bucket")), Ready: fnv1.Ready_READY_TRUE}},
	}
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	must(t, err)
	return b
}

// TestPurity shows that the same request gives the same bytes, whatever Go's order of maps, and stays as it was.
func TestPurity(t *testing.T) {
	const times = 2
	for title, s := range scenes(t) {
		t.Run(title, func(t *testing.T) {
			for _, d := range disturbances(s) {
				s := s
				d.do(&s)
				req := request(t, s.XR, s.Observed...)
				req.Desired = earlier(t)
				composers.SettleByObjects(t, s.World, req)
				before := marshal(t, req)
				want := composers.Run(req)
				for range times {
					if got := composers.Run(req); string(marshal(t, want)) != string(marshal(t, got)) {
						t.Fatalf("%s: two answers to one request:\n%s", d.name, cmp.Diff(want, got, protocmp.Transform()))
					}
				}
				if string(before) != string(marshal(t, req)) {
					t.Fatalf("%s: the request has changed", d.name)
				}
			}
		})
	}
}

func TestEarlierFunctionsAreKept(t *testing.T) {
	for title, s := range scenes(t) {
		t.Run(title, func(t *testing.T) {
			req := request(t, s.XR, s.Observed...)
			req.Desired = earlier(t)
			req.Context = &structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewStringValue("v")}}
			rsp := composers.Settle(t, s.World, req)
			if diff := cmp.Diff(earlier(t).GetResources()["bucket"], rsp.GetDesired().GetResources()["bucket"], protocmp.Transform()); diff != "" {
				t.Errorf("composed by an earlier function: -want, +got:\n%s", diff)
			}
			composite := rsp.GetDesired().GetComposite().GetResource().AsMap()
			if diff := cmp.Diff(dict("a", "b"), composite["spec"]); diff != "" {
				t.Errorf("spec: -want, +got:\n%s", diff)
			}
			if status(rsp)["platform"] != "x" || status(rsp)["resources"] == nil {
				t.Errorf("status: want the earlier function's and ours, got %v", status(rsp))
			}
			if string(rsp.GetDesired().GetComposite().GetConnectionDetails()["a"]) != "b" || rsp.GetContext().GetFields()["k"].GetStringValue() != "v" {
				t.Error("connection details or context are lost")
			}
		})
	}
}

// TestEarlierObjectsAreNotTakenOver shows that in doubt only what nobody else composes is kept as it was.
func TestEarlierObjectsAreNotTakenOver(t *testing.T) {
	bucket := exists(t, infraXR(), inline("example.org/v1", "Bucket", "bucket", set("old", "spec", "x")))
	req := request(t, infraXR(&unstr{Object: map[string]any{}}))
	req.Observed.Resources["bucket"] = &fnv1.Resource{Resource: composertest.Struct(t, bucket)}
	req.Desired = earlier(t)
	rsp := composers.Settle(t, world{Objects: []*unstr{cluster(), controlPlaneXR()}}, req)
	if diff := cmp.Diff(earlier(t).GetResources()["bucket"], rsp.GetDesired().GetResources()["bucket"], protocmp.Transform()); diff != "" {
		t.Errorf("composed by an earlier function: -want, +got:\n%s", diff)
	}
}

// TestStatusDoesNotFlap feeds the answer's status back, as Crossplane does: nothing may change then.
func TestStatusDoesNotFlap(t *testing.T) {
	for title, s := range scenes(t) {
		t.Run(title, func(t *testing.T) {
			for _, d := range disturbances(s) {
				s := s
				d.do(&s)
				var before map[string]any
				for range 3 {
					rsp := composers.SettleByObjects(t, s.World, request(t, s.XR, s.Observed...))
					if fatal(rsp) != "" {
						break
					}
					if diff := cmp.Diff(before, status(rsp)); before != nil && diff != "" {
						t.Fatalf("%s: status: -before, +after:\n%s", d.name, diff)
					}
					before = status(rsp)
					s.XR = edited(s.XR, func(o *unstr) { o.Object["status"] = structured(t, before) })
				}
			}
		})
	}
}

func structured(t *testing.T, m map[string]any) map[string]any {
	t.Helper()
	s, err := structpb.NewStruct(m)
	must(t, err)
	return s.AsMap()
}

func TestTransitionTimes(t *testing.T) {
	const long, newest = "2020-01-01T00:00:00Z", "2026-05-06T07:08:09Z"
	xr := func(status any) *unstr {
		return edited(infraXR(group("rg")), set(list(dict("type", "ResourcesReady", "status", status, "reason", "Old", "message", "old", "lastTransitionTime", long, "observedGeneration", 1.0)), "status", "v1beta2", "conditions"))
	}
	later := func(o *unstr) {
		fields := o.GetManagedFields()
		_ = fields[0].Time.UnmarshalQueryParameter(newest)
		o.SetManagedFields(fields)
	}
	rg := exists(t, infraXR(), group("rg"), later)
	cases := map[string]struct {
		xr   *unstr
		want string
	}{
		"the same status keeps its time":           {xr("True"), long},
		"another status gets the newest time":      {xr("False"), newest},
		"a new condition gets the newest time":     {infraXR(group("rg")), newest},
		"one without a time gets the newest":       {edited(xr("True"), set(list(dict("type", "ResourcesReady", "status", "True")), "status", "v1beta2", "conditions")), newest},
		"a malformed list counts as no conditions": {edited(infraXR(group("rg")), set(list("x", 1.0), "status", "v1beta2", "conditions")), newest},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			rsp := composers.Settle(t, world{Objects: []*unstr{cluster(), controlPlaneXR()}}, request(t, c.xr, rg))
			got := contract(rsp, "ResourcesReady")
			if diff := cmp.Diff(dict("type", "ResourcesReady", "status", "True", "reason", "AllReady", "message", "", "lastTransitionTime", c.want, "observedGeneration", 1.0), got); diff != "" {
				t.Errorf("ResourcesReady: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestReadyIsSticky shows that what the contract calls completed stays so, whatever happens.
func TestReadyIsSticky(t *testing.T) {
	fields := map[string][][]string{
		"AzureASOManagedCluster":      {{"ready"}, {"initialization", "provisioned"}},
		"AzureASOManagedMachinePool":  {{"ready"}, {"initialization", "provisioned"}},
		"AzureASOManagedControlPlane": {{"ready"}, {"initialized"}, {"initialization", "controlPlaneInitialized"}},
	}
	for title, s := range scenes(t) {
		t.Run(title, func(t *testing.T) {
			for _, d := range disturbances(s) {
				s := s
				d.do(&s)
				if s.XR.Object["status"] == nil {
					continue
				}
				rsp := composers.Settle(t, s.World, request(t, s.XR, s.Observed...))
				if fatal(rsp) != "" {
					continue
				}
				for _, f := range fields[s.XR.GetKind()] {
					if done, _, _ := unstructured.NestedBool(status(rsp), f...); !done {
						t.Errorf("%s: status.%v has been taken back", d.name, f)
					}
				}
			}
		})
	}
}

func BenchmarkRunFunctionTenPools(b *testing.B) {
	var pools []string
	for n := range 10 {
		pools = append(pools, fmt.Sprintf("p%d", n))
	}
	w := aksWorld(pools...)
	xr := controlPlaneXR(aksCluster())
	var profiles []any
	for _, p := range pools {
		profiles = append(profiles, profile(p))
	}
	cases := map[string][]*unstr{
		"new":   nil,
		"ready": {exists(b, xr, edited(settledCluster(), set(profiles, "spec", "agentPoolProfiles")), inAzure)},
	}
	for title, observed := range cases {
		b.Run(title, func(b *testing.B) {
			req := request(b, xr, observed...)
			if f := fatal(composers.Settle(b, w, req)); f != "" {
				b.Fatal(f)
			}
			b.ReportAllocs()
			for b.Loop() {
				composers.Run(req)
			}
		})
	}
}
