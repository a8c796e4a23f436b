package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// ComposedManager is how Crossplane's field managers of composed objects begin.
const ComposedManager = "apiextensions.crossplane.io/composed"

// AsApplied returns observed as Crossplane last applied it: just the fields that it owns. To return that as desired
// changes nothing, while to return less would remove fields, and to return more would take them from their owners.
// The error says why it is not known.
func AsApplied(observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return AsAppliedBy(observed, "Crossplane", ComposedManager)
}

// AsAppliedBy returns observed as somebody last applied it whose field managers begin with manager.
func AsAppliedBy(observed *unstructured.Unstructured, who, manager string) (*unstructured.Unstructured, error) {
	for _, m := range observed.GetManagedFields() {
		if !appliedBy(m, manager) {
			continue
		}
		if m.APIVersion != observed.GetAPIVersion() {
			return nil, fmt.Errorf("%s was applied as %s and read as %s", NameOf(observed), m.APIVersion, observed.GetAPIVersion())
		}
		owned := &fieldpath.Set{}
		if m.FieldsV1 == nil {
			return nil, fmt.Errorf("%s: the fields that %s applied are not recorded", NameOf(observed), who)
		}
		if err := owned.FromJSON(m.FieldsV1.GetRawReader()); err != nil {
			return nil, fmt.Errorf("%s: cannot read the fields that %s applied: %w", NameOf(observed), who, err)
		}
		return extract(observed, owned)
	}
	return nil, fmt.Errorf("%s: %s has not applied it", NameOf(observed), who)
}

// byCrossplane reports whether the fields are those that Crossplane applies to what it composes.
func byCrossplane(m metav1.ManagedFieldsEntry) bool { return appliedBy(m, ComposedManager) }

func appliedBy(m metav1.ManagedFieldsEntry, manager string) bool {
	return m.Operation == metav1.ManagedFieldsOperationApply && strings.HasPrefix(m.Manager, manager) && m.Subresource == ""
}

func extract(observed *unstructured.Unstructured, owned *fieldpath.Set) (*unstructured.Unstructured, error) {
	// A copy by JSON, as numbers may be of any type here.
	raw, err := json.Marshal(pick(observed.Object, owned))
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{Object: map[string]any{}}
	if err := json.Unmarshal(raw, &out.Object); err != nil {
		return nil, err
	}
	// Crossplane sets the rest of metadata itself, each time, and who may edit an object may write into its managedFields that
	// Crossplane has applied more.
	if metadata, ok := out.Object["metadata"].(map[string]any); ok {
		maps.DeleteFunc(metadata, func(field string, _ any) bool { return field != "labels" && field != "annotations" })
	}
	unstructured.RemoveNestedField(out.Object, "status")
	out.SetAPIVersion(observed.GetAPIVersion())
	out.SetKind(observed.GetKind())
	out.SetName(observed.GetName())
	out.SetNamespace(observed.GetNamespace())
	if aso.AwaitsRemoval(observed) { // The only finalizer that is ever applied.
		out.SetFinalizers([]string{aso.RemovalFinalizer})
	}
	return out, nil
}

// pick returns the part of from that owned names. A list goes whole if anything in it is owned: lists in ASO's CRDs
// are atomic.
func pick(from map[string]any, owned *fieldpath.Set) map[string]any {
	out := map[string]any{}
	owned.Members.Iterate(func(e fieldpath.PathElement) {
		if e.FieldName == nil {
			return
		}
		if value, exists := from[*e.FieldName]; exists {
			out[*e.FieldName] = value
		}
	})
	// A map that is owned in part stands among the members, too; the part it is.
	owned.Children.Iterate(func(e fieldpath.PathElement) {
		if e.FieldName == nil {
			return
		}
		child, _ := owned.Children.Get(e)
		switch value := from[*e.FieldName].(type) {
		case map[string]any:
			out[*e.FieldName] = pick(value, child)
		case nil:
		default:
			out[*e.FieldName] = value
		}
	})
	return out
}
