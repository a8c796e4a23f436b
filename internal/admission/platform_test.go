package admission

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func TestPlatformHandle(t *testing.T) {
	claimed := map[string]any{"/metadata/finalizers": []any{"platform.capz.crossplane.io/provider-capz"}}
	tests := map[string]struct {
		scope     Scope
		operation admissionv1.Operation
		namespace string
		object    string
		want      map[string]any
	}{
		"AKSCluster":                  {namespace: "team", object: `{"metadata":{"name":"a"},"spec":{"version":"v1.33.6"}}`, want: claimed},
		"XAKSCluster":                 {object: `{"metadata":{"name":"a"},"spec":{"claimRef":{"namespace":"team"}}}`, want: claimed},
		"claimed already":             {namespace: "team", object: `{"metadata":{"finalizers":["platform.capz.crossplane.io/provider-capz"]}}`},
		"another operation":           {operation: admissionv1.Update, namespace: "team", object: `{"metadata":{"name":"a"}}`},
		"its namespace":               {scope: Scope{Namespace: "team"}, namespace: "team", object: `{"metadata":{"name":"a"}}`, want: claimed},
		"another namespace":           {scope: Scope{Namespace: "other"}, namespace: "team", object: `{"metadata":{"name":"a"}}`},
		"a claim's namespace":         {scope: Scope{Namespace: "team"}, object: `{"metadata":{"name":"a"},"spec":{"claimRef":{"namespace":"team"}}}`, want: claimed},
		"a claim's another namespace": {scope: Scope{Namespace: "other"}, object: `{"metadata":{"name":"a"},"spec":{"claimRef":{"namespace":"team"}}}`},
		"another watch filter":        {scope: Scope{WatchFilter: "mine"}, namespace: "team", object: `{"metadata":{"name":"a"}}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.operation == "" {
				tc.operation = admissionv1.Create
			}
			response := (&PlatformClaimer{Scope: func() Scope { return tc.scope }}).Handle(context.Background(), admission.Request{
				AdmissionRequest: admissionv1.AdmissionRequest{
					Operation: tc.operation, Namespace: tc.namespace, Object: runtime.RawExtension{Raw: []byte(tc.object)},
				},
			})
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
