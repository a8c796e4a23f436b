package contract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestComposedRefs(t *testing.T) {
	tests := map[string]struct {
		refs    any
		want    []string
		wantErr bool
	}{
		"none":               {refs: nil, want: []string{}},
		"in order":           {refs: []any{map[string]any{"apiVersion": "network.azure.com/v1api20240301", "kind": "VirtualNetwork", "name": "b"}, map[string]any{"apiVersion": "resources.azure.com/v1api20200601", "kind": "ResourceGroup", "name": "a"}}, want: []string{"VirtualNetwork.v1api20240301.network.azure.com/b", "ResourceGroup.v1api20200601.resources.azure.com/a"}},
		"not named yet":      {refs: []any{map[string]any{"apiVersion": "a.azure.com/v1", "kind": "A"}}, want: []string{}},
		"no kind":            {refs: []any{map[string]any{"apiVersion": "a.azure.com/v1", "name": "a"}}, wantErr: true},
		"not a list":         {refs: "refs", wantErr: true},
		"apiVersion garbage": {refs: []any{map[string]any{"apiVersion": "a/b/c", "kind": "A", "name": "a"}}, wantErr: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			xr := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"crossplane": map[string]any{"resourceRefs": tc.refs}}}}
			refs, err := composedRefs(xr)
			if (err != nil) != tc.wantErr {
				t.Fatalf("composedRefs: error %v, want one: %v", err, tc.wantErr)
			}
			if err != nil {
				return
			}
			got := []string{}
			for _, ref := range refs {
				got = append(got, ref.String())
				back, err := parseRef(ref.String())
				if err != nil || back != ref {
					t.Errorf("parseRef(%q) = %v, %v; want it back", ref, back, err)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("composedRefs: -want +got:\n%s", diff)
			}
		})
	}
}

func TestParseRefRefuses(t *testing.T) {
	for _, text := range []string{"", "a", "Kind/name", "Kind.version.group", "Kind.version.group/"} {
		if ref, err := parseRef(text); err == nil {
			t.Errorf("parseRef(%q) = %v, want an error", text, ref)
		}
	}
}

func TestLocalAccountsDisabled(t *testing.T) {
	tests := map[string]struct {
		object map[string]any
		want   bool
	}{
		"nothing said": {object: map[string]any{}},
		"not managed":  {object: map[string]any{"status": map[string]any{"disableLocalAccounts": true}}},
		"by status":    {object: map[string]any{"status": map[string]any{"disableLocalAccounts": true, "aadProfile": map[string]any{"managed": true}}}, want: true},
		"by spec":      {object: map[string]any{"spec": map[string]any{"disableLocalAccounts": true}, "status": map[string]any{"aadProfile": map[string]any{"managed": true}}}, want: true},
		"enabled":      {object: map[string]any{"status": map[string]any{"disableLocalAccounts": false, "aadProfile": map[string]any{"managed": true}}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := localAccountsDisabled(&unstructured.Unstructured{Object: tc.object}); got != tc.want {
				t.Errorf("localAccountsDisabled = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestFieldSaysItsPath(t *testing.T) {
	if got := specResourceRefs.String(); got != "spec.crossplane.resourceRefs" {
		t.Errorf("String() = %q", got)
	}
	want := map[string]any{"spec": map[string]any{"controlPlaneEndpoint": map[string]any{"host": "h"}}}
	if diff := cmp.Diff(want, specControlPlaneEndpoint.patch(map[string]any{"host": "h"})); diff != "" {
		t.Errorf("patch: -want +got:\n%s", diff)
	}
}
