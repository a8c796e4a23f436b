package typed

import (
	"testing"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// TestVersions shows that the version of each kind in the catalogue is one that objects are made in: provider-capz reads users' objects
// in the former.
func TestVersions(t *testing.T) {
	for _, kind := range aso.Catalogue() {
		if gvk := kind.GroupKind().WithVersion(kind.Version); kind.Version != "" && !Scheme.Recognizes(gvk) {
			t.Errorf("no mapping file makes %s", gvk)
		}
	}
}
