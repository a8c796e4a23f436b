package kubeconfig

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestLocalAccountsDisabled(t *testing.T) {
	tests := map[string]struct {
		object map[string]any
		want   bool
	}{
		"nothing set": {object: map[string]any{}},
		"not managed": {object: map[string]any{"status": map[string]any{"disableLocalAccounts": true}}},
		"by status":   {object: map[string]any{"status": map[string]any{"disableLocalAccounts": true, "aadProfile": map[string]any{"managed": true}}}, want: true},
		// ASO writes the kubeconfig before the status.
		"all by spec": {object: map[string]any{"spec": map[string]any{"disableLocalAccounts": true, "aadProfile": map[string]any{"managed": true}}}, want: true},
		"by spec":     {object: map[string]any{"spec": map[string]any{"disableLocalAccounts": true}, "status": map[string]any{"aadProfile": map[string]any{"managed": true}}}, want: true},
		"enabled":     {object: map[string]any{"status": map[string]any{"disableLocalAccounts": false, "aadProfile": map[string]any{"managed": true}}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := localAccountsDisabled(&unstructured.Unstructured{Object: tc.object}); got != tc.want {
				t.Errorf("localAccountsDisabled = %v, want %v", got, tc.want)
			}
		})
	}
}
