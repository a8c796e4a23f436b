package composertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Disturbance changes one input of a scene. What exists must still be desired after it, or nothing may be applied.
type Disturbance struct {
	Name string
	Do   func(*Scene)
}

// OnXR returns the disturbance of a composite resource.
func OnXR(name string, edits ...Edit) Disturbance {
	return Disturbance{name, func(s *Scene) { s.XR = Edited(s.XR, edits...) }}
}

// Disturbances returns those of a scene that every composer has to bear: of the composite resource, of what is around it, and of what it
// has composed.
func Disturbances(s Scene) []Disturbance {
	all := []Disturbance{
		OnXR("nothing"), OnXR("owner references gone", Remove("metadata", "ownerReferences")), OnXR("labels gone", Remove("metadata", "labels")),
		OnXR("annotations gone", Remove("metadata", "annotations")), OnXR("status wiped", Remove("status")),
		OnXR("status garbage", Set("x", "status", "resources")), OnXR("paused", Annotate("cluster.x-k8s.io/paused", "")),
	}
	for _, o := range s.World.Objects {
		all = append(all, Disturbance{fmt.Sprintf("%s %s gone", o.GetKind(), o.GetName()), func(s *Scene) { s.World = s.World.Without(o) }})
		for name, edits := range map[string][]Edit{
			"deleting": {Set("2026-01-02T03:04:05Z", "metadata", "deletionTimestamp")}, "without spec and status": {Remove("spec"), Remove("status")},
			"without labels": {Remove("metadata", "labels")}, "without status": {Remove("status")}, "with garbage": {Set("x", "spec")},
			"paused": {func(o *unstructured.Unstructured) { _ = unstructured.SetNestedField(o.Object, true, "spec", "paused") }},
		} {
			all = append(all, Disturbance{fmt.Sprintf("%s %s %s", o.GetKind(), o.GetName(), name), func(s *Scene) { s.World = s.World.With(Edited(o, edits...)) }})
		}
	}
	all = append(all, Disturbance{"everything else gone", func(s *Scene) { s.World = World{} }})
	for n, o := range s.Observed {
		for name, edits := range map[string][]Edit{
			"not ready": {Set([]any{}, "status", "conditions")}, "without status": {Remove("status")}, "status garbage": {Set("x", "status")},
			"changed": {Set(int64(17), "metadata", "generation")}, "deleting": {Set("2026-01-02T03:04:05Z", "metadata", "deletionTimestamp")},
			"without annotations": {Remove("metadata", "annotations")}, "without owner references": {Remove("metadata", "ownerReferences")},
			"without managed fields": {Remove("metadata", "managedFields")}, "without spec": {Remove("spec")},
		} {
			all = append(all, Disturbance{fmt.Sprintf("%s %s %s", o.GetKind(), o.GetName(), name), func(s *Scene) {
				s.Observed = slices.Clone(s.Observed)
				s.Observed[n] = Edited(o, edits...)
			}})
		}
	}
	slices.SortFunc(all, func(a, b Disturbance) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Garbled returns copies of a value in each of which one field or item has another value, which no API server should let through, by what
// was done.
func Garbled(value any, path ...string) map[string]any {
	out := map[string]any{}
	for _, other := range []any{nil, "other", "", int64(-1), true, []any{}, []any{nil}, map[string]any{}, map[string]any{"x": nil}} {
		if len(path) > 0 {
			out[fmt.Sprintf("%s = %#v", strings.Join(path, "."), other)] = other
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for field, inner := range v {
			for done, changed := range Garbled(inner, append(slices.Clone(path), field)...) {
				m := maps.Clone(v)
				m[field] = changed
				out[done] = m
			}
			without := maps.Clone(v)
			delete(without, field)
			out[strings.Join(append(slices.Clone(path), field), ".")+" gone"] = without
		}
	case []any:
		for n, inner := range v {
			for done, changed := range Garbled(inner, append(slices.Clone(path), fmt.Sprint(n))...) {
				list := slices.Clone(v)
				list[n] = changed
				out[done] = list
			}
		}
	}
	return out
}
