package hostile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestObject(t *testing.T) {
	object := map[string]any{"spec": map[string]any{"a": "b", "list": []any{"c", map[string]any{"d": int64(1)}}}}
	before := runtime.DeepCopyJSON(object)
	places, values := len(placesIn(object)), len(Values())
	seen := map[string]bool{}
	for where := range places {
		for what := range 256 {
			data := []byte{0, byte(where), byte(what)}
			changed := Object(object, data)
			if diff := cmp.Diff(changed, Object(object, data)); diff != "" {
				t.Fatalf("%v: two objects of the same data:\n%s", data, diff)
			}
			if diff := cmp.Diff(before, changed); diff != "" {
				seen[diff] = true
			}
		}
	}
	if diff := cmp.Diff(before, object); diff != "" {
		t.Errorf("the object itself was changed:\n%s", diff)
	}
	if len(seen) < places*values/2 {
		t.Errorf("%d different objects of %d places and %d values", len(seen), places, values)
	}
	if diff := cmp.Diff(object, Object(object, nil)); diff != "" {
		t.Errorf("no data changes the object:\n%s", diff)
	}
}
