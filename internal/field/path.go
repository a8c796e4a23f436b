// Package field reads and writes single fields of objects whose Go type is not known, such as composite resources and
// the objects of Azure Service Operator (ASO) in whatever API version a user chose.
package field

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Path names a field of an object, and the type of what is there. Each path is declared once, as a variable.
type Path[T any] struct{ names []string }

// At returns the path with the given names, from the object's root.
func At[T any](names ...string) Path[T] { return Path[T]{names} }

// Get returns the value and whether it is there; null counts as absent. A value of another type is an error that names the path.
func (p Path[T]) Get(obj *unstructured.Unstructured) (T, bool, error) {
	value, found, err := p.In(obj.Object)
	if err != nil {
		err = fmt.Errorf("%s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	return value, found, err
}

// In is Get for the content of an object, or for an item of a list.
func (p Path[T]) In(content map[string]any) (T, bool, error) {
	var zero T
	value, found, err := Nested(content, p.names...)
	if err != nil || !found || value == nil {
		return zero, false, err
	}
	typed, ok := convert[T](value)
	if !ok {
		return zero, false, fmt.Errorf("%v is %s, but must be %s", p, Show(value), typeWords[T]())
	}
	return typed, true, nil
}

// Value returns the value, or the zero value when it is absent or of another type.
func (p Path[T]) Value(obj *unstructured.Unstructured) T {
	if obj == nil {
		var zero T
		return zero
	}
	return p.ValueIn(obj.Object)
}

// ValueIn is Value for the content of an object, or for an item of a list.
func (p Path[T]) ValueIn(content map[string]any) T {
	value, _, _ := p.In(content)
	return value
}

// Has reports whether the field is there with a value of its type.
func (p Path[T]) Has(obj *unstructured.Unstructured) bool {
	if obj == nil {
		return false
	}
	_, found, err := p.In(obj.Object)
	return found && err == nil
}

// Set gives the field the value, which must be of a type that JSON has. The error says that a parent is no object.
func (p Path[T]) Set(obj *unstructured.Unstructured, value T) error {
	return unstructured.SetNestedField(obj.Object, any(value), p.names...)
}

// Remove takes the field away.
func (p Path[T]) Remove(obj *unstructured.Unstructured) {
	unstructured.RemoveNestedField(obj.Object, p.names...)
}

// Patch returns a merge patch that sets the field to value.
func (p Path[T]) Patch(value T) map[string]any {
	var nested any = value
	for i := len(p.names) - 1; i >= 0; i-- {
		nested = map[string]any{p.names[i]: nested}
	}
	patch, _ := nested.(map[string]any)
	return patch
}

// Names returns the names of the path.
func (p Path[T]) Names() []string { return p.names }

// String returns the path as Kubernetes writes it.
func (p Path[T]) String() string {
	path := ""
	for _, name := range p.names {
		path += "." + name
	}
	return path[min(1, len(path)):]
}

// convert returns the value as a T. Through protobuf each number has become a float, and a list is one of anything.
func convert[T any](value any) (T, bool) {
	var out T
	switch target := any(&out).(type) {
	case *int64:
		switch value.(type) {
		case int64, float64, int32, int:
			*target = Integer(value)
			return out, true
		}
		return out, false
	case *[]string:
		items, ok := value.([]any)
		for _, item := range items {
			text, isText := item.(string)
			*target, ok = append(*target, text), ok && isText
		}
		return out, ok
	case *map[string]string:
		items, ok := value.(map[string]any)
		*target = make(map[string]string, len(items))
		for key, item := range items {
			text, isText := item.(string)
			(*target)[key], ok = text, ok && isText
		}
		return out, ok
	}
	typed, ok := value.(T)
	return typed, ok
}

// Integer reads a number that may have come through protobuf, where every number is a float.
func Integer(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	case int32:
		return int64(n)
	case int:
		return int64(n)
	}
	return 0
}

// Maps returns the objects in a list; anything else in it is passed over.
func Maps(items []any) []map[string]any {
	out := make([]map[string]any, 0, len(items))
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// Where conditions are: an object's own, and those of a composite resource that Cluster API reads.
var (
	conditions         = At[[]any]("status", "conditions")
	contractConditions = At[[]any]("status", "v1beta2", "conditions")
)

// Condition returns the condition of a type in the object's status.conditions; nil when there is none.
func Condition(obj *unstructured.Unstructured, conditionType string) map[string]any {
	return conditionIn(conditions.Value(obj), conditionType)
}

// ContractCondition returns the condition of a type in status.v1beta2.conditions, which Cluster API reads of infrastructure, control planes and bootstrap
// (CAPI contract, "conditions"); nil when there is none.
func ContractCondition(obj *unstructured.Unstructured, conditionType string) map[string]any {
	return conditionIn(contractConditions.Value(obj), conditionType)
}

func conditionIn(list []any, conditionType string) map[string]any {
	for _, c := range Maps(list) {
		if c["type"] == conditionType {
			return c
		}
	}
	return nil
}

// Text returns the value if it is a string, else nothing.
func Text(v any) string {
	s, _ := v.(string)
	return s
}
