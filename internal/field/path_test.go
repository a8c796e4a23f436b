package field

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var testObject = &unstructured.Unstructured{Object: map[string]any{
	"kind": "Pool", "metadata": map[string]any{"name": "p0"},
	"spec": map[string]any{"count": 3.0, "name": "x", "on": true, "none": nil, "list": []any{"a", "b"}, "mixed": []any{"a", 1.0}, "map": map[string]any{"k": "v"}},
}}

func check[T any](t *testing.T, path Path[T], want T, found bool, problem string) {
	t.Helper()
	got, has, err := path.Get(testObject)
	if diff := cmp.Diff(want, got); diff != "" || has != found {
		t.Errorf("%v: -want, +got (found %v):\n%s", path, has, diff)
	}
	if (err != nil) != (problem != "") || err != nil && !strings.Contains(err.Error(), problem) {
		t.Errorf("%v: want error %q, got %v", path, problem, err)
	}
	if path.Has(testObject) != found {
		t.Errorf("%v: Has: want %v", path, found)
	}
	if diff := cmp.Diff(got, path.Value(testObject)); diff != "" {
		t.Errorf("%v: Value differs from Get:\n%s", path, diff)
	}
}

func TestGet(t *testing.T) {
	check(t, At[string]("spec", "name"), "x", true, "")
	check(t, At[int64]("spec", "count"), 3, true, "")
	check(t, At[bool]("spec", "on"), true, true, "")
	check(t, At[string]("spec", "none"), "", false, "")
	check(t, At[string]("spec", "absent"), "", false, "")
	check(t, At[[]string]("spec", "list"), []string{"a", "b"}, true, "")
	check(t, At[map[string]string]("spec", "map"), map[string]string{"k": "v"}, true, "")
	check(t, At[string]("spec", "count"), "", false, "Pool p0: spec.count is 3, but must be a string")
	check(t, At[int64]("spec", "name"), 0, false, "Pool p0: spec.name is \"x\", but must be a whole number")
	check(t, At[[]string]("spec", "mixed"), nil, false, "Pool p0: spec.mixed is")
	check(t, At[string]("spec", "name", "deeper"), "", false, "Pool p0:")
}

func TestSetAndRemove(t *testing.T) {
	obj := testObject.DeepCopy()
	path := At[string]("spec", "new", "field")
	if err := path.Set(obj, "v"); err != nil || path.Value(obj) != "v" {
		t.Errorf("Set: %v, %v", path.Value(obj), err)
	}
	if path.Remove(obj); path.Has(obj) {
		t.Error("Remove left it")
	}
	if err := At[string]("spec", "name", "deeper").Set(obj, "v"); err == nil {
		t.Error("a field within a text was set")
	}
	want := map[string]any{"spec": map[string]any{"new": map[string]any{"field": "v"}}}
	if diff := cmp.Diff(want, path.Patch("v")); diff != "" {
		t.Errorf("Patch: -want, +got:\n%s", diff)
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "null"}, {"a", `"a"`}, {3.0, "3"}, {map[string]any{"b": 1, "a": true}, `{"a":true,"b":1}`},
		{strings.Repeat("é", 100), `"` + strings.Repeat("é", 59) + "…"}, {func() {}, ""},
	} {
		if got := Show(c.value); c.want != "" && got != c.want {
			t.Errorf("Show(%v): want %s, got %s", c.value, c.want, got)
		}
	}
	if got := Item(Item("spec.a", 1), 2); got != "spec.a[1][2]" {
		t.Errorf("Item: %s", got)
	}
}

func TestInteger(t *testing.T) {
	for _, c := range []struct {
		value any
		want  int64
	}{{3, 3}, {int32(3), 3}, {int64(3), 3}, {3.0, 3}, {"3", 0}, {nil, 0}} {
		if got := Integer(c.value); got != c.want {
			t.Errorf("Integer(%T %v): want %d, got %d", c.value, c.value, c.want, got)
		}
	}
}
