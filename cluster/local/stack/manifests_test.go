package stack

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestServeWebhooks(t *testing.T) {
	service := map[string]any{"service": map[string]any{"name": "webhook-service", "namespace": "system", "path": "/convert"}}
	url := map[string]any{"url": "https://127.0.0.1:9443/convert", "caBundle": "Y2E="}
	crd := func(config map[string]any) map[string]any {
		return map[string]any{"kind": crdKind, "spec": map[string]any{"conversion": map[string]any{
			"strategy": "Webhook", "webhook": map[string]any{"clientConfig": config},
		}}}
	}
	hook := func(kind string, config map[string]any) map[string]any {
		return map[string]any{"kind": kind, "webhooks": []any{map[string]any{"name": "a", "clientConfig": config}}}
	}
	plain := map[string]any{"kind": crdKind, "spec": map[string]any{}}
	cases := map[string]struct{ in, want map[string]any }{
		"Conversion":   {in: crd(service), want: crd(url)},
		"NoConversion": {in: plain, want: plain},
		"Mutating":     {in: hook(mutatingKind, service), want: hook(mutatingKind, url)},
		"Validating":   {in: hook(validatingKind, service), want: hook(validatingKind, url)},
		"Others":       {in: hook("Something", service), want: hook("Something", service)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := (&unstructured.Unstructured{Object: tc.in}).DeepCopy()
			if err := (manifests{u}).serveWebhooks(9443, []byte("ca")); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, u.Object); diff != "" {
				t.Errorf("serveWebhooks(): -want, +got:\n%s", diff)
			}
		})
	}
}
