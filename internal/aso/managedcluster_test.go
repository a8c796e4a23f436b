package aso

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestHostsSystemPool(t *testing.T) {
	sku := func(name string) map[string]any { return map[string]any{"name": name} }
	hosted := func(enabled any) map[string]any { return map[string]any{"enabled": enabled} }
	tests := map[string]struct {
		spec map[string]any
		want bool
	}{
		"nothing said":        {},
		"Base":                {spec: map[string]any{"sku": sku("Base")}},
		"Automatic":           {spec: map[string]any{"sku": sku("Automatic")}, want: true},
		"automatic":           {spec: map[string]any{"sku": sku("automatic")}, want: true},
		"Automatic, but not":  {spec: map[string]any{"sku": sku("Automatic"), "hostedSystemProfile": hosted(false)}},
		"Base, hosted":        {spec: map[string]any{"sku": sku("Base"), "hostedSystemProfile": hosted(true)}, want: true},
		"of the wrong type":   {spec: map[string]any{"sku": "Automatic", "hostedSystemProfile": hosted("true")}},
		"Automatic, no value": {spec: map[string]any{"sku": sku("Automatic"), "hostedSystemProfile": map[string]any{}}, want: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := HostsSystemPool(&unstructured.Unstructured{Object: map[string]any{"spec": tc.spec}}); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
	if HostsSystemPool(nil) {
		t.Error("no cluster hosts a pool")
	}
}
