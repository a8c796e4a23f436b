// Package fields reads, writes and compares the fields of resources.
package fields

import (
	"k8s.io/apimachinery/pkg/runtime"
)

// Texts returns the strings in the list at path.
func Texts(body map[string]any, path ...string) []string {
	list, _ := At(body, path...).([]any)
	var found []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			found = append(found, s)
		}
	}
	return found
}

// Names of fields that many kinds of resources have.
const (
	Properties = "properties"
	State      = "provisioningState"
	Principal  = "principalId"
	Created    = "timeCreated"
	Location   = "location"
	Status     = "status"
)

// Api-versions from or up to which many fields of the network provider and of AKS are shown.
const (
	Version2024 = "2024-01-01"
	Version2025 = "2025-01-01"
)

// List returns strings as a list in a body.
func List(list []string) []any {
	found := []any{}
	for _, one := range list {
		found = append(found, one)
	}
	return found
}

// Child returns the object at name, which is added if absent or no object.
func Child(body map[string]any, name string) map[string]any {
	if c, ok := body[name].(map[string]any); ok {
		return c
	}
	c := map[string]any{}
	body[name] = c
	return c
}

// At returns the value at the path of field names, or nil.
func At(body map[string]any, path ...string) any {
	var value any = body
	for _, name := range path {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[name]
	}
	return value
}

// Text returns the string at path; empty when there is none.
func Text(body map[string]any, path ...string) string {
	s, _ := At(body, path...).(string)
	return s
}

// Number returns the whole number at path, and whether there is one.
func Number(body map[string]any, path ...string) (int64, bool) {
	switch n := At(body, path...).(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), true
	}
	return 0, false
}

// Bool reports whether the value at path is true.
func Bool(body map[string]any, path ...string) bool {
	b, _ := At(body, path...).(bool)
	return b
}

// Objects returns the objects in the list at path.
func Objects(body map[string]any, path ...string) []map[string]any {
	list, _ := At(body, path...).([]any)
	var found []map[string]any
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}

// Clone returns a deep copy of a body.
func Clone(body map[string]any) map[string]any {
	return runtime.DeepCopyJSON(body)
}
