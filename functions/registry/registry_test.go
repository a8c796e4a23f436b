package registry

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// TestEveryKindHasAComposer shows that no composite kind is served that the function does not compose.
func TestEveryKindHasAComposer(t *testing.T) {
	for _, k := range composite.Catalogue() {
		if _, ok := Composer(k.GroupKind()); !ok {
			t.Errorf("%s has no composer", k.GroupKind())
		}
	}
	if _, ok := Composer(schema.GroupKind{Group: composite.InfrastructureGroup, Kind: "AzureNothing"}); ok {
		t.Error("a kind that is not in the catalogue has a composer")
	}
}
