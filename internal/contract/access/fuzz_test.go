package access_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// FuzzObjects changes what is read of composite resources and ASO objects. What can be found in it must be found.
func FuzzObjects(f *testing.F) {
	fixture.Odd(f, []string{fixture.ControlPlaneYAML, fixture.InfrastructureYAML, fixture.PoolYAML, fixture.VNetYAML}, func(t *testing.T, obj *unstructured.Unstructured) {
		refs, err := access.ComposedRefs(obj)
		if err != nil && !strings.Contains(err.Error(), "spec") {
			t.Errorf("%v names no field", err)
		}
		for _, ref := range refs {
			if ref.Name == "" || ref.Kind == "" {
				t.Errorf("reference %v", ref)
			}
		}
		_ = access.OwningManagedClusters(obj)
		_ = access.ControlledByComposite(obj)
	})
}

// FuzzEventNote compares notes of Events with what the API server accepts.
func FuzzEventNote(f *testing.F) {
	for _, s := range []string{"", "v1.33.6", strings.Repeat("é", 600), strings.Repeat("👩‍👩‍👧", 300), "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if note := access.EventNote(text); utf8.ValidString(text) && (len(note) > 1024 || !utf8.ValidString(note)) {
			t.Errorf("note %q", note)
		}
	})
}
