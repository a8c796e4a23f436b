package composer

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// composerFunc makes a Composer of a function.
type composerFunc func(*Request) (*Result, error)

func (f composerFunc) Compose(in *Request) (*Result, error) { return f(in) }

func TestRunErrors(t *testing.T) {
	pod := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	namespace, message := "ns", "because"
	requirements := &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"pod": {
		ApiVersion: "v1", Kind: "Pod", Namespace: &namespace, Match: &fnv1.ResourceSelector_MatchName{MatchName: "p"}}}}
	stopped := func(message string) []*fnv1.Result {
		return []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}
	}
	cases := map[string]struct {
		compose composerFunc
		want    *fnv1.RunFunctionResponse
	}{
		"pending": {
			func(in *Request) (*Result, error) {
				_, err := in.Get("pod", pod, "p")
				return nil, fmt.Errorf("x: %w", err)
			},
			&fnv1.RunFunctionResponse{Requirements: requirements}},
		"an error": {
			func(*Request) (*Result, error) { return nil, errors.New("no") },
			&fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{}, Results: stopped("no")}},
		"an error with conditions": {
			func(*Request) (*Result, error) {
				return nil, fmt.Errorf("x: %w", &FatalError{Err: errors.New("no"), Conditions: []Condition{False("A", "R", "because"), True(ConditionReady, "X", "")}})
			},
			&fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{}, Results: stopped("x: no"),
				Conditions: []*fnv1.Condition{{Type: "A", Status: fnv1.Status_STATUS_CONDITION_FALSE, Reason: "R", Message: &message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}}},
		"a panic": {
			func(*Request) (*Result, error) { panic("nobody thought of this") },
			&fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{}, Results: stopped("composing XR xr: internal error: nobody thought of this")}},
		"a status that protobuf has no words for": {
			func(*Request) (*Result, error) { return &Result{Status: map[string]any{"x": struct{}{}}}, nil },
			&fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{}, Desired: &fnv1.State{}, Results: stopped("cannot return the status: proto: invalid type: struct {}")}},
		"something awaited that is not watched": {
			func(*Request) (*Result, error) {
				return &Result{Ready: true, Unwatched: true, Status: map[string]any{}}, nil
			},
			&fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Ttl: durationpb.New(unwatchedTTL)}, Requirements: &fnv1.Requirements{},
				Desired: &fnv1.State{Composite: &fnv1.Resource{Resource: status(t)}}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := Run(requestFor(t, "{}"), c.compose)
			for _, r := range got.GetResults() {
				// protobuf writes either space, on purpose.
				r.Message = strings.ReplaceAll(r.GetMessage(), "\u00a0", " ")
			}
			if c.want.GetMeta() == nil {
				c.want.Meta = &fnv1.ResponseMeta{Ttl: durationpb.New(settledTTL)}
			}
			if diff := cmp.Diff(c.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("Run: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestRunWhileEventsAreDropped shows that a composite resource is composed again soon, whatever comes of it now, while Crossplane's
// circuit breaker drops its events, and only then.
func TestRunWhileEventsAreDropped(t *testing.T) {
	pod := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	composers := map[string]composerFunc{
		"ready":     func(*Request) (*Result, error) { return &Result{Ready: true, Status: map[string]any{}}, nil },
		"not ready": func(*Request) (*Result, error) { return &Result{Status: map[string]any{}}, nil },
		"pending":   func(in *Request) (*Result, error) { _, err := in.Get("pod", pod, "p"); return nil, err },
	}
	ttls := map[string]time.Duration{
		"[]":                                    settledTTL,
		"[{type: Synced, status: 'False'}]":     settledTTL,
		"[{type: Responsive, status: 'True'}]":  settledTTL,
		"[{type: Responsive, status: 'False'}]": unwatchedTTL,
		"[{type: Ready, status: 'True'}, {type: Responsive, status: 'False', reason: WatchCircuitOpen}]": unwatchedTTL,
	}
	for conditions, want := range ttls {
		for name, c := range composers {
			t.Run(conditions+" "+name, func(t *testing.T) {
				req := requestFor(t, "{}")
				s, err := structpb.NewStruct(object(t, "{conditions: "+conditions+"}").Object)
				must(t, err)
				req.Observed.Composite.Resource.Fields["status"] = structpb.NewStructValue(s)
				if got := Run(req, c).GetMeta().GetTtl().AsDuration(); got != want {
					t.Errorf("TTL: want %v, got %v", want, got)
				}
			})
		}
	}
}

func status(t *testing.T) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(map[string]any{"apiVersion": "example.org/v1", "kind": "XR", "status": map[string]any{}})
	must(t, err)
	return s
}

func TestGet(t *testing.T) {
	pod := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	item := func(name string) *fnv1.Resource {
		s, err := structpb.NewStruct(object(t, "{apiVersion: v1, kind: Pod, metadata: {name: "+name+"}}").Object)
		must(t, err)
		return &fnv1.Resource{Resource: s}
	}
	cases := map[string]struct {
		given   map[string]*fnv1.Resources
		want    string
		pending bool
	}{
		"not read":                {nil, "", true},
		"another read":            {map[string]*fnv1.Resources{"other": {}}, "", true},
		"not found":               {map[string]*fnv1.Resources{"pod": nil}, "", false},
		"not found, empty":        {map[string]*fnv1.Resources{"pod": {}}, "", false},
		"found":                   {map[string]*fnv1.Resources{"pod": {Items: []*fnv1.Resource{item("p")}}}, "p", false},
		"read for another before": {map[string]*fnv1.Resources{"pod": {Items: []*fnv1.Resource{item("q")}}}, "", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			req := requestFor(t, "{}")
			req.RequiredResources = c.given
			in, err := NewRequest(req)
			must(t, err)
			got, err := in.Get("pod", pod, "p")
			if errors.Is(err, ErrPending) != c.pending || !c.pending && err != nil {
				t.Errorf("pending: want %v, got %v", c.pending, err)
			}
			if got == nil && c.want != "" || got != nil && got.GetName() != c.want {
				t.Errorf("want %q, got %v", c.want, got)
			}
		})
	}
}

func TestListIsSorted(t *testing.T) {
	req := requestFor(t, "{}")
	pods := &fnv1.Resources{}
	for _, name := range []string{"c", "a", "b"} {
		s, err := structpb.NewStruct(object(t, "{metadata: {name: "+name+"}}").Object)
		must(t, err)
		pods.Items = append(pods.Items, &fnv1.Resource{Resource: s})
	}
	req.RequiredResources = map[string]*fnv1.Resources{"pods": pods}
	in, err := NewRequest(req)
	must(t, err)
	found, err := in.List("pods", schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "l", "v")
	must(t, err)
	var names []string
	for _, f := range found {
		names = append(names, f.GetName())
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" {
		t.Errorf("List: -want, +got:\n%s", diff)
	}
}
