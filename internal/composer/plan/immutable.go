package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// immutable refuses a change of owner or Azure name, which ASO's webhook would answer by failing the whole composite
// (ASO documentation: both are immutable once the resource has been created in Azure).
func immutable(r *Resource, observed *unstructured.Unstructured) *composer.Blocked {
	if observed.GetAnnotations()[aso.AnnotationResourceID] == "" {
		return nil
	}
	for _, path := range []field.Path[string]{aso.SpecAzureName, aso.SpecOwnerName, aso.SpecOwnerARMID} {
		now, wanted := path.Value(observed), path.Value(r.Object)
		if path.String() == aso.SpecAzureName.String() && wanted == "" {
			wanted = defaultAzureName(r, observed, now)
		}
		if now != wanted {
			return mustStay(r, observed, path, now, wanted)
		}
	}
	return nil
}

// mustStay returns the error about a field that ASO's webhook keeps once ASO knows the resource's address.
func mustStay(r *Resource, observed *unstructured.Unstructured, path field.Path[string], now, wanted string) *composer.Blocked {
	because := "the resource exists in Azure"
	if aso.Held(observed) {
		because = "Azure Service Operator has taken it up so"
	}
	return composer.Blockedf(composer.ReasonImmutableField, "%s.%s is %q, but must stay %q because %s; give another resource another metadata.name",
		r.Source, path, wanted, now, because)
}

// defaultAzureName returns the Azure name that an object without one would have: ASO's webhook takes metadata.name,
// unless somebody else than Crossplane has set it.
func defaultAzureName(r *Resource, observed *unstructured.Unstructured, now string) string {
	applied, err := AsApplied(observed)
	if err != nil || aso.SpecAzureName.Value(applied) == "" {
		return now
	}
	return r.Object.GetName()
}
