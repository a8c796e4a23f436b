package admission

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// TestHandleOfMachines shows which new AzureMachines Crossplane is kept from, until a Machine owns them.
func TestHandleOfMachines(t *testing.T) {
	const cloned = `"annotations":{"cluster.x-k8s.io/cloned-from-name":"t"}`
	owned := func(group, kind string) string {
		return `{"metadata":{"name":"a",` + cloned + `,"ownerReferences":[{"apiVersion":"` + group + `/v1beta2","kind":"` + kind + `","name":"o","uid":"u"}]},"spec":{}}`
	}
	tests := map[string]struct {
		object string
		paused bool
		kind   string
	}{
		"cloned for a MachineSet":     {object: owned("cluster.x-k8s.io", "MachineSet"), paused: true},
		"cloned for a control plane":  {object: owned("controlplane.cluster.x-k8s.io", "KubeadmControlPlane"), paused: true},
		"cloned, nobody owns it":      {object: `{"metadata":{"name":"a",` + cloned + `},"spec":{}}`, paused: true},
		"a Machine of another group":  {object: owned("cluster.x-k8s.io.example.com", "Machine"), paused: true},
		"moved with its Machine":      {object: owned("cluster.x-k8s.io", "Machine")},
		"written by a person":         {object: `{"metadata":{"name":"a"},"spec":{}}`},
		"paused by a person":          {object: `{"metadata":{"name":"a","annotations":{"cluster.x-k8s.io/cloned-from-name":"t","crossplane.io/paused":"false"}},"spec":{}}`},
		"cloned, but of another kind": {kind: "AzureASOManagedMachinePool", object: owned("cluster.x-k8s.io", "MachineSet")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.kind == "" {
				tc.kind = "AzureMachine"
			}
			response := (&Claimer{}).Handle(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Kind: metav1.GroupVersionKind{Kind: tc.kind}, Operation: admissionv1.Create, Namespace: "default", Object: runtime.RawExtension{Raw: []byte(tc.object)},
			}})
			raw, err := json.Marshal(response.Patches)
			if err != nil || !response.Allowed {
				t.Fatalf("refused: %v, %v", response.Result, err)
			}
			if paused := strings.Contains(string(raw), "crossplane.io~1paused"); paused != tc.paused {
				t.Errorf("paused: %v: %s", paused, raw)
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
