package changes

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// absent stands for a value that is not there.
type absent struct{}

// A difference is what a field was and what it is.
type difference struct {
	path     string
	old, new any
}

func (d difference) change() FieldChange {
	c := FieldChange{Path: d.path}
	if d.old != (any)(absent{}) {
		c.Old = d.old
	}
	if d.new != (any)(absent{}) {
		c.New = d.new
	}
	return c
}

// differences returns the fields in which two values differ.
func differences(path string, old, new any) []difference {
	var all []difference
	walk(path, old, new, func(d difference) bool {
		all = append(all, d)
		return false
	})
	return all
}

// walk calls visit for each field in which two values differ, and returns the new value with those fields as they were for which visit
// returns true.
func walk(path string, old, new any, visit func(difference) bool) any {
	if equality.Semantic.DeepEqual(old, new) {
		return new
	}
	oldMap, wasMap := old.(map[string]any)
	newMap, isMap := new.(map[string]any)
	if wasMap && isMap {
		return walkMaps(path, oldMap, newMap, visit)
	}
	oldList, wasList := old.([]any)
	newList, isList := new.([]any)
	if wasList && isList {
		if byName(oldList) && byName(newList) && !inPlace(oldList, newList) {
			return walkNamed(path, oldList, newList, visit)
		}
		if len(oldList) == len(newList) {
			out := make([]any, len(newList))
			for i := range newList {
				out[i] = walk(field.Item(path, i), oldList[i], newList[i], visit)
			}
			return out
		}
	}
	if visit(difference{path, old, new}) {
		return old
	}
	return new
}

func walkMaps(path string, old, new map[string]any, visit func(difference) bool) any {
	names := slices.Collect(maps.Keys(old))
	for name := range new {
		if _, both := old[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	out := map[string]any{}
	for _, name := range names {
		below := name
		if path != "" {
			below = path + "." + name
		}
		if value := walk(below, at(old, name), at(new, name), visit); value != (any)(absent{}) {
			out[name] = value
		}
	}
	return out
}

func at(of map[string]any, name string) any {
	if value, there := of[name]; there {
		return value
	}
	return absent{}
}

// walkNamed is walk for lists whose items have names: those in the order of the new list, then those that are gone.
func walkNamed(path string, old, new []any, visit func(difference) bool) any {
	out := []any{}
	add := func(name string, was, is any) {
		if value := walk(fmt.Sprintf("%s[name=%s]", path, name), was, is, visit); value != (any)(absent{}) {
			out = append(out, value)
		}
	}
	for _, item := range new {
		add(nameOf(item), named(old, nameOf(item)), item)
	}
	for _, item := range old {
		if named(new, nameOf(item)) == (any)(absent{}) {
			add(nameOf(item), item, absent{})
		}
	}
	return out
}

// inPlace reports whether the items of both lists stand for one another by their places: at most one of them has another name.
func inPlace(old, new []any) bool {
	if len(old) != len(new) {
		return false
	}
	renamed := 0
	for i := range new {
		if nameOf(old[i]) != nameOf(new[i]) {
			renamed++
		}
	}
	return renamed <= 1
}

func named(list []any, name string) any {
	if i := slices.IndexFunc(list, func(item any) bool { return nameOf(item) == name }); i >= 0 {
		return list[i]
	}
	return absent{}
}

// nameOf returns the name of an item, or that in its metadata.
func nameOf(item any) string {
	m, _ := item.(map[string]any)
	if name, ok := m["name"].(string); ok {
		return name
	}
	metadata, _ := m["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if kind, ok := m["kind"].(string); ok && name != "" {
		return kind + " " + name
	}
	return name
}

// byName reports whether each item of a list has a name of its own.
func byName(list []any) bool {
	seen := map[string]bool{}
	for _, item := range list {
		name := nameOf(item)
		if name == "" || seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}
