package field

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Nested returns the value at a path and whether it is there, without a copy. The error says, in the words of a manifest, which
// field on the way is no object.
func Nested(content map[string]any, names ...string) (value any, found bool, err error) {
	value, found, err = unstructured.NestedFieldNoCopy(content, names...)
	if err == nil {
		return value, found, nil
	}
	parent := content
	for i, name := range names {
		below, ok := parent[name].(map[string]any)
		if !ok {
			return nil, false, fmt.Errorf("%s is %s, but must be an object", strings.Join(names[:i+1], "."), Show(parent[name]))
		}
		parent = below
	}
	return nil, false, err
}

// typeWords returns what values of a type are called in a manifest.
func typeWords[T any]() string {
	var zero T
	switch any(zero).(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case int64:
		return "a whole number"
	case float64:
		return "a number"
	case []any:
		return "a list"
	case []string:
		return "a list of strings"
	case map[string]string:
		return "an object of strings"
	}
	return "an object"
}
