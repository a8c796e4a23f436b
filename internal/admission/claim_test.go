package admission

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func TestHandle(t *testing.T) {
	const spec = `"spec":{"resources":[{"unknown":1e3,"big":9007199254740993}]}`
	tests := map[string]struct {
		scope     Scope
		operation admissionv1.Operation
		object    string
		want      map[string]any
	}{
		"new": {object: `{"metadata":{"name":"a"},` + spec + `}`, want: map[string]any{
			"/metadata/finalizers":  []any{"infrastructure.cluster.x-k8s.io/provider-capz"},
			"/metadata/annotations": map[string]any{"clusterctl.cluster.x-k8s.io/block-move": "true"},
		}},
		"without a spec": {scope: Scope{Namespace: "other"}, object: `{"metadata":{"name":"a"}}`, want: map[string]any{"/spec": map[string]any{}}},
		"with metadata of its own": {object: `{"metadata":{"name":"a","finalizers":["f"],"annotations":{"b":"c"}},"spec":{}}`, want: map[string]any{
			"/metadata/finalizers/1": "infrastructure.cluster.x-k8s.io/provider-capz",
			"/metadata/annotations/clusterctl.cluster.x-k8s.io~1block-move": "true",
		}},
		"claimed already": {object: `{"metadata":{"name":"a","finalizers":["infrastructure.cluster.x-k8s.io/provider-capz"],"annotations":{"clusterctl.cluster.x-k8s.io/block-move":""}},"spec":{}}`},
		"externally managed": {object: `{"metadata":{"name":"a","annotations":{"cluster.x-k8s.io/managed-by":""}},"spec":{}}`, want: map[string]any{
			"/metadata/annotations/crossplane.io~1paused":                      "true",
			"/metadata/annotations/infrastructure.cluster.x-k8s.io~1paused-by": "provider-capz",
		}},
		"another operation":    {operation: admissionv1.Update, object: `{"metadata":{"name":"a"}}`},
		"another namespace":    {scope: Scope{Namespace: "other"}, object: `{"metadata":{"name":"a"},"spec":{}}`},
		"another watch filter": {scope: Scope{WatchFilter: "mine"}, object: `{"metadata":{"name":"a","labels":{"cluster.x-k8s.io/watch-filter":"yours"}},"spec":{}}`},
		"the watch filter": {scope: Scope{WatchFilter: "mine", Namespace: "default"}, object: `{"metadata":{"name":"a","labels":{"cluster.x-k8s.io/watch-filter":"mine"}},"spec":{}}`, want: map[string]any{
			"/metadata/finalizers":  []any{"infrastructure.cluster.x-k8s.io/provider-capz"},
			"/metadata/annotations": map[string]any{"clusterctl.cluster.x-k8s.io/block-move": "true"},
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.operation == "" {
				tc.operation = admissionv1.Create
			}
			response := (&Claimer{Scope: func() Scope { return tc.scope }}).Handle(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Operation: tc.operation, Namespace: "default", Object: runtime.RawExtension{Raw: []byte(tc.object)},
			}})
			if !response.Allowed {
				t.Fatalf("refused: %v", response.Result)
			}
			var got map[string]any
			for _, patch := range response.Patches {
				if got == nil {
					got = map[string]any{}
				}
				got[patch.Path] = patch.Value
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("patches: -want +got:\n%s", diff)
			}
		})
	}
}

func TestHandleRefusesWhatItCannotRead(t *testing.T) {
	for _, object := range []string{`{`, `{"metadata":"x"}`} {
		for _, handler := range []admission.Handler{&Claimer{}, &PlatformClaimer{}} {
			response := handler.Handle(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: []byte(object)},
			}})
			if response.Allowed {
				t.Errorf("%T allowed %s", handler, object)
			}
		}
	}
}
