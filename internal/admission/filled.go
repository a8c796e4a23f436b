package admission

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// fillTyped has fill change the part of an object at the path, as the Go type, and writes down what it has changed and nothing else.
// What is not of the type stays as it is: the schema refuses that.
func fillTyped[T any](obj *unstructured.Unstructured, path field.Path[map[string]any], fill func(*T)) error {
	content, found, err := path.Get(obj)
	if err != nil || !found {
		return nil //nolint:nilerr // The schema refuses what is no object.
	}
	typed := new(T)
	if err := shape.Convert(content, typed); err != nil {
		return nil //nolint:nilerr // The schema says better what is wrong.
	}
	before, err := fieldsOf(typed)
	if err != nil {
		return err
	}
	fill(typed)
	after, err := fieldsOf(typed)
	if err != nil {
		return err
	}
	carry(content, before, after)
	return path.Set(obj, content)
}

// fieldsOf returns a typed value as it is written.
func fieldsOf(typed any) (map[string]any, error) {
	raw, err := json.Marshal(typed)
	if err != nil {
		return nil, fmt.Errorf("cannot write the defaults: %w", err)
	}
	fields := map[string]any{}
	return fields, utiljson.Unmarshal(raw, &fields)
}

// carry makes the changes from before to after in content.
func carry(content, before, after map[string]any) {
	for name, value := range after {
		if !reflect.DeepEqual(before[name], value) {
			content[name] = carried(content[name], before[name], value)
		}
	}
	for name := range before {
		if _, stays := after[name]; !stays {
			delete(content, name)
		}
	}
}

// carried returns content with the changes from before to after.
func carried(content, before, after any) any {
	switch after := after.(type) {
	case map[string]any:
		c, isObject := content.(map[string]any)
		b, wasObject := before.(map[string]any)
		if isObject && wasObject {
			carry(c, b, after)
			return c
		}
	case []any:
		c, isList := content.([]any)
		b, wasList := before.([]any)
		if isList && wasList && len(c) == len(b) && len(b) <= len(after) {
			for i := range b {
				after[i] = carried(c[i], b[i], after[i])
			}
		}
	}
	return after
}
