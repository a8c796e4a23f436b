package plan

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		if owns(m, fields) {
			return nil, false
		}
	}
	return value, true
}

// HasApplied reports whether Crossplane is an owner of a field that observed has, or of a part of it: whether it was desired the last
// time. Observed is nil when there is no object.
func HasApplied(observed *unstructured.Unstructured, fields ...string) bool {
	if observed == nil {
		return false
	}
	if _, exists, err := unstructured.NestedFieldNoCopy(observed.Object, fields...); err != nil || !exists {
		return false
	}
	return slices.ContainsFunc(observed.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool { return byCrossplane(m) && owns(m, fields) })
}

// owns reports whether a field, or a part of it, is among those of a field manager.
func owns(m metav1.ManagedFieldsEntry, fields []string) bool {
	owned := &fieldpath.Set{}
	if m.FieldsV1 == nil || owned.FromJSON(m.FieldsV1.GetRawReader()) != nil {
		return false
	}
	path, within := fieldpath.Path{}, owned
	for _, field := range fields {
		path = append(path, fieldpath.PathElement{FieldName: &field})
		within = within.WithPrefix(path[len(path)-1])
	}
	return owned.Has(path) || !within.Empty()
}
