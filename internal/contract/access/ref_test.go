package access

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
			refs, err := ComposedRefs(xr)
			if (err != nil) != tc.wantErr {
				t.Fatalf("ComposedRefs: error %v, want one: %v", err, tc.wantErr)
			}
			if err != nil {
				return
			}
			got := []string{}
			for _, ref := range refs {
				got = append(got, ref.String())
				back, err := ParseRef(ref.String())
				if err != nil || back != ref {
					t.Errorf("ParseRef(%q) = %v, %v; want it back", ref, back, err)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("ComposedRefs: -want +got:\n%s", diff)
			}
		})
	}
}

func TestParseRefRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{"", "a", "Kind/name", "Kind.version.group", "Kind.version.group/"} {
		if ref, err := ParseRef(text); err == nil {
			t.Errorf("ParseRef(%q) = %v, want an error", text, ref)
		}
	}
}
