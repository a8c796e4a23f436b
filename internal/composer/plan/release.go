package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Release has the object end up without a field that it is not to have any more. Usually that is done by leaving the
// field out. But when ASO's conversion webhook fails during an update, the API server forgets who owns the fields of
// the object, and a field without an owner stays whatever is applied. Such a field is set once more, to what it is, so
// that it is owned and goes when it is left out the next time.
func (r *Resource) Release(observed *unstructured.Unstructured, fields ...string) {
	value, exists := unowned(observed, fields...)
	if !exists {
		return
	}
	if _, set, _ := unstructured.NestedFieldNoCopy(r.Object.Object, fields...); set {
		return
	}
	// It fails only where a parent is no map, which then is the problem that is shown.
	_ = unstructured.SetNestedField(r.Object.Object, value, fields...)
}

// unowned returns the value of a field of observed if the field is there and no field manager owns it or a part of it.
func unowned(observed *unstructured.Unstructured, fields ...string) (value any, exists bool) {
	if observed == nil {
		return nil, false
	}
	value, exists, err := unstructured.NestedFieldCopy(observed.Object, fields...)
	if err != nil || !exists {
		return nil, false
	}
	for _, m := range observed.GetManagedFields() {
		owned := &fieldpath.Set{}
		if m.FieldsV1 == nil || owned.FromJSON(m.FieldsV1.GetRawReader()) != nil {
			continue
		}
		path := fieldpath.Path{}
		within := owned
		for _, field := range fields {
			path = append(path, fieldpath.PathElement{FieldName: &field})
			within = within.WithPrefix(path[len(path)-1])
		}
		if owned.Has(path) || !within.Empty() {
			return nil, false
		}
	}
	return value, true
}
