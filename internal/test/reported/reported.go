// Package reported changes what Azure reports of an object, for tests of who compares that with what it was asked for.
package reported

import (
	"maps"
	"slices"
)

// Texts calls visit for each field with a text that both have, but for those in lists, with its path and with the object of the status that it is in.
func Texts(spec, status map[string]any, visit func(path string, in map[string]any, name string)) {
	texts(spec, status, "", visit)
}

func texts(spec, status map[string]any, path string, visit func(path string, in map[string]any, name string)) {
	for _, name := range slices.Sorted(maps.Keys(spec)) {
		switch wanted := spec[name].(type) {
		case string:
			if text, ok := status[name].(string); ok && wanted != "" && text != "" {
				visit(path+name, status, name)
			}
		case map[string]any:
			if below, ok := status[name].(map[string]any); ok {
				texts(wanted, below, path+name+".", visit)
			}
		}
	}
}
