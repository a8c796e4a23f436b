package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestRelease(t *testing.T) {
	const annotation = "serviceoperator.azure.com/reconcile-policy"
	field := func(name string) []string { return []string{"spec", name} }
	cases := map[string]struct {
		observed map[string]any
		owned    string // by somebody, as FieldsV1
		set      map[string]any
		fields   []string
		want     any // nil when the field is left out
	}{
		"owned, it goes by being left out":      {map[string]any{"spec": map[string]any{"count": int64(2)}}, `{"f:spec":{"f:count":{}}}`, nil, field("count"), nil},
		"owned in part":                         {map[string]any{"spec": map[string]any{"tags": map[string]any{"a": "b"}}}, `{"f:spec":{"f:tags":{"f:a":{}}}}`, nil, field("tags"), nil},
		"owned with its parent":                 {map[string]any{"spec": map[string]any{"count": int64(2)}}, `{"f:spec":{".":{},"f:count":{}}}`, nil, field("count"), nil},
		"unowned, it is taken over":             {map[string]any{"spec": map[string]any{"count": int64(2)}}, `{"f:spec":{"f:mode":{}}}`, nil, field("count"), int64(2)},
		"unowned list":                          {map[string]any{"spec": map[string]any{"pools": []any{"a"}}}, `{}`, nil, field("pools"), []any{"a"}},
		"unowned annotation":                    {map[string]any{"metadata": map[string]any{"annotations": map[string]any{annotation: "skip"}}}, `{"f:spec":{}}`, nil, []string{"metadata", "annotations", annotation}, "skip"},
		"unowned, but the user sets it himself": {map[string]any{"spec": map[string]any{"count": int64(2)}}, `{}`, map[string]any{"spec": map[string]any{"count": int64(3)}}, field("count"), int64(3)},
		"not there":                             {map[string]any{"spec": map[string]any{}}, `{}`, nil, field("count"), nil},
		"nothing observed":                      {nil, `{}`, nil, field("count"), nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var observed *unstructured.Unstructured
			if c.observed != nil {
				observed = &unstructured.Unstructured{Object: c.observed}
				observed.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "x", Operation: "Apply", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(c.owned)}})
			}
			i := &Resource{Object: &unstructured.Unstructured{Object: map[string]any{}}}
			if c.set != nil {
				i.Object.Object = c.set
			}
			i.Release(observed, c.fields...)
			got, _, _ := unstructured.NestedFieldNoCopy(i.Object.Object, c.fields...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestHasApplied(t *testing.T) {
	const crossplane = "apiextensions.crossplane.io/composed/0123"
	spec := map[string]any{"spec": map[string]any{"access": map[string]any{"ranges": []any{"a"}}}}
	entry := func(manager, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: "Apply", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields)}
	}
	for name, c := range map[string]struct {
		observed map[string]any
		entries  []metav1.ManagedFieldsEntry
		want     bool
	}{
		"the field":             {spec, []metav1.ManagedFieldsEntry{entry("x", `{}`), entry(crossplane, `{"f:spec":{"f:access":{"f:ranges":{}}}}`)}, true},
		"an item":               {spec, []metav1.ManagedFieldsEntry{entry(crossplane, `{"f:spec":{"f:access":{"f:ranges":{"v:\"a\"":{}}}}}`)}, true},
		"another field":         {spec, []metav1.ManagedFieldsEntry{entry(crossplane, `{"f:spec":{"f:access":{"f:private":{}}}}`)}, false},
		"somebody else":         {spec, []metav1.ManagedFieldsEntry{entry("kubectl", `{"f:spec":{"f:access":{"f:ranges":{}}}}`)}, false},
		"no longer there":       {map[string]any{"spec": map[string]any{}}, []metav1.ManagedFieldsEntry{entry(crossplane, `{"f:spec":{"f:access":{"f:ranges":{}}}}`)}, false},
		"nothing that is known": {spec, nil, false},
		"no object":             {nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			var observed *unstructured.Unstructured
			if c.observed != nil {
				observed = (&unstructured.Unstructured{Object: c.observed}).DeepCopy()
				observed.SetManagedFields(c.entries)
			}
			if got := HasApplied(observed, "spec", "access", "ranges"); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
