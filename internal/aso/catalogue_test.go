package aso

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
)

// TestCatalogue shows that each kind is there once.
func TestCatalogue(t *testing.T) {
	seen := sets.New[string]()
	for _, k := range Catalogue() {
		if seen.Has(k.GroupKind().String()) {
			t.Errorf("%s is declared twice", k.GroupKind())
		}
		seen.Insert(k.GroupKind().String())
		if k.ARM() == "" {
			t.Errorf("%s has no type in ARM", k.GroupKind())
		}
		if found, ok := KindOf(k.GroupKind()); !ok || found != k {
			t.Errorf("KindOf(%s) is %+v", k.GroupKind(), found)
		}
	}
	if _, ok := KindOf(Kind{Group: "new.azure.com", Name: "Thing"}.GroupKind()); ok {
		t.Error("a kind that nobody declared is in the catalogue")
	}
}

// TestAKindMustDeclareItsOwnership shows that no binary starts with a kind that is taken for the Cluster's because somebody forgot a line.
func TestAKindMustDeclareItsOwnership(t *testing.T) {
	cases := map[string]struct {
		kind Kind
		want string
	}{
		"none":              {Kind{Group: networkGroup, Name: "LoadBalancer"}, "declares no Ownership"},
		"by tag":            {Kind{Group: networkGroup, Name: "LoadBalancer", Ownership: ByTag}, ""},
		"by tag, has none":  {Kind{Group: networkGroup, Name: "LoadBalancersInboundNatRule", Ownership: ByTag}, "has no tags"},
		"no kind of ASO":    {Kind{Group: networkGroup, Name: "LoadBalancers", Ownership: ByTag}, "is no kind of Azure Service Operator"},
		"of another group":  {Kind{Group: "example.com", Name: "LoadBalancer", Ownership: ByTag}, "is no kind of Azure Service Operator"},
		"within its parent": {Kind{Group: networkGroup, Name: "LoadBalancersInboundNatRule", Ownership: OfParent}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := len(catalogue)
			defer func() {
				catalogue = catalogue[:before]
				got, _ := recover().(error)
				if (got != nil) != (c.want != "") || got != nil && !strings.Contains(got.Error(), c.want) {
					t.Errorf("want %q, got %v", c.want, got)
				}
			}()
			declare(c.kind)
		})
	}
}
