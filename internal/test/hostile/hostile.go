// Package hostile makes odd objects of ordinary ones for fuzz tests: text that is changed at random is hardly ever JSON any
// more, and an object that is none is refused before most of the code sees it.
package hostile

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// mostChanges is how often an object is changed at most, so that a long input takes no longer.
const mostChanges = 8

// A place is a field of an object or an item of a list in it.
type place struct {
	get func() any
	set func(any)
	// remove is nil for items of lists.
	remove func()
}

// Object returns a copy of the object, changed as data says. Each change takes three bytes: two say where, one says what.
func Object(object map[string]any, data []byte) map[string]any {
	changed := runtime.DeepCopyJSON(object)
	for n := 0; n < mostChanges && len(data) >= 3; n++ {
		places := placesIn(changed)
		if len(places) == 0 {
			return changed
		}
		at := (int(data[0])<<8 | int(data[1])) % len(places)
		change(places[at], places[(at*31+int(data[2]))%len(places)], data[2])
		data = data[3:]
	}
	return changed
}

// change puts one of the values into a place, takes it away, adds a field to it, or copies what another place has.
func change(here, other place, what byte) {
	values := Values()
	n := int(what)
	switch {
	case n < len(values):
		here.set(values[n])
	case n < len(values)+len(fields):
		if m, ok := here.get().(map[string]any); ok {
			m[fields[n-len(values)]] = runtime.DeepCopyJSONValue(other.get())
		}
	case n%3 == 0 && here.remove != nil:
		here.remove()
	default:
		here.set(runtime.DeepCopyJSONValue(other.get()))
	}
}

func placesIn(value any) []place {
	var places []place
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			places = append(places, place{
				get: func() any { return v[name] }, set: func(x any) { v[name] = x }, remove: func() { delete(v, name) },
			})
			places = append(places, placesIn(v[name])...)
		}
	case []any:
		for i := range v {
			places = append(places, place{get: func() any { return v[i] }, set: func(x any) { v[i] = x }})
			places = append(places, placesIn(v[i])...)
		}
	}
	return places
}

// Values are what people do not think of, each of a type that JSON has. No two calls share a map or a list.
func Values() []any {
	return []any{
		nil, "", "x", " ", true, false, int64(0), int64(-1), int64(1 << 62), 1e300, -0.5,
		[]any{}, map[string]any{}, []any{nil}, []any{[]any{map[string]any{}}}, []any{"x", "x"}, map[string]any{"": ""}, map[string]any{"name": "x"},
		"\u0000", "\u202egnp.exe", "a\u200bb", "e\u0301", "\u00e9", strings.Repeat("\u0301", 300), strings.Repeat("👩‍👩‍👧", 100), "\ufffd",
		strings.Repeat("a", 64), strings.Repeat("long", 3000), "line\nline: [", "{{ .Values }}", "%s%n%!d", "../../../etc/passwd", "*", "a.b/c",
		"10.0.0.0/8", "10.0.0.0/33", "::/0", "fd00::/108", "v1.33.6", "1.33", "v1.999999999999999999999.0", "v", "2026-01-01T00:00:00Z", "9999-99-99",
		"other-namespace", "Secret", "v1", "resources.azure.com/v1", ".azure.com/v1", "a/b/c", "PT1H", "skip", "true",
		"/subscriptions/0/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/mc", "/subscriptions//resourceGroups/",
		map[string]any{"armId": "/subscriptions/x"}, map[string]any{"name": "other", "namespace": "other-namespace"},
		Nested(40), list(40),
	}
}

// fields are those that mean something to the code under test; a change may add one to any object.
var fields = []string{
	"name", "namespace", "kind", "apiVersion", "group", "owner", "armId", "azureName", "operatorSpec", "secrets", "resources", "conditions", "status", "spec",
	"ownerReferences", "finalizers", "annotations", "labels", "managedFields", "deletionTimestamp", "generation", "count", "version", "replicas", "agentPoolProfiles",
}

// Nested returns an object of so many levels.
func Nested(levels int) map[string]any {
	inner := map[string]any{}
	for range levels {
		inner = map[string]any{"a": inner}
	}
	return inner
}

func list(items int) []any {
	out := make([]any, items)
	for i := range out {
		out[i] = map[string]any{"name": "x"}
	}
	return out
}
