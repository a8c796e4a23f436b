package identity

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// TestSetups adds the controllers of each kind, in whatever order they are served.
func TestSetups(t *testing.T) {
	for name, order := range map[string]func([]contract.Setup){"in order": func([]contract.Setup) {}, "the other way round": slices.Reverse[[]contract.Setup]} {
		t.Run(name, func(t *testing.T) {
			setups := Setups(t.Context(), fixture.Manager(t), contract.Options{}, "")
			var kinds []string
			for _, setup := range setups {
				if len(setup.Kinds) != 2 || setup.Kinds[0] != identityKind {
					t.Fatalf("it needs %v", setup.Kinds)
				}
				kinds = append(kinds, setup.Kinds[1].Kind)
			}
			if diff := cmp.Diff([]string{"AzureASOManagedControlPlane", "AzureManagedControlPlane", "AzureCluster"}, kinds); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			order(setups)
			for _, setup := range setups {
				if err := setup.Add(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestKindsThatAreNotServed shows that nothing is looked for among them.
func TestKindsThatAreNotServed(t *testing.T) {
	w := &watched{}
	if kinds := w.among(carriers()); len(kinds) > 0 {
		t.Errorf("got %v", kinds)
	}
	w.add(composite.AzureManagedControlPlane)
	if kinds := w.among(carriers()); len(kinds) != 1 || kinds[0].Kind != composite.AzureManagedControlPlane.Kind {
		t.Errorf("got %v", kinds)
	}
	var all *watched
	if kinds := all.among(carriers()); len(kinds) != len(carriers()) {
		t.Errorf("got %v", kinds)
	}
}
