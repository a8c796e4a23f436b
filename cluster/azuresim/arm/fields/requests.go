package fields

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Encode returns a body as JSON.
func Encode(body map[string]any) ([]byte, error) {
	return json.Marshal(body)
}

// SameSet reports whether both lists have the same strings, in whatever order.
func SameSet(a, b []string) bool {
	have := map[string]bool{}
	for _, one := range a {
		have[one] = true
	}
	for _, one := range b {
		if !have[one] {
			return false
		}
	}
	return len(a) == len(b)
}

// WithoutNulls returns a copy of value without the fields that are null: in a PUT they mean "not given".
func WithoutNulls(value map[string]any) map[string]any {
	out := map[string]any{}
	for name, field := range value {
		switch f := field.(type) {
		case nil:
		case map[string]any:
			out[name] = WithoutNulls(f)
		case []any:
			out[name] = listWithoutNulls(f)
		default:
			out[name] = f
		}
	}
	return out
}

func listWithoutNulls(list []any) []any {
	out := make([]any, 0, len(list))
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			item = WithoutNulls(m)
		}
		out = append(out, item)
	}
	return out
}

// Fill adds to body what it lacks of defaults, object by object.
func Fill(body, defaults map[string]any) {
	for name, value := range defaults {
		present, ok := body[name]
		if !ok {
			body[name] = runtime.DeepCopyJSONValue(value)
			continue
		}
		if inner, ok := present.(map[string]any); ok {
			if more, ok := value.(map[string]any); ok {
				Fill(inner, more)
			}
		}
	}
}

// Decode parses a JSON object whose numbers are int64 or float64.
func Decode(raw []byte) (map[string]any, error) {
	var body map[string]any
	if err := utiljson.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	return body, nil
}
