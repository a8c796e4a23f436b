package adopt

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// envelope are the fields of every body that say which resource it is, and when who wrote it.
var envelope = []string{"id", "name", "type", "systemData", "etag", "eTag", "properties.provisioningState"}

// A comparison is of what Azure answers with what ASO would send for the object made from it.
type comparison struct {
	kind   Kind
	id     string
	losses []Loss
}

// compare returns what of a resource is neither in what is sent, nor stands elsewhere, nor is Azure's alone to say.
func compare(kind Kind, r Resource, obj genruntime.ARMMetaObject, sent map[string]any) ([]Loss, error) {
	body := map[string]any{}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return nil, err
	}
	spec, _ := obj.GetSpec().(genruntime.FromARMConverter)
	status, _ := obj.GetStatus().(genruntime.FromARMConverter)
	if spec == nil || status == nil {
		return nil, fmt.Errorf("ASO does not convert %s", kind.Name)
	}
	c := &comparison{kind: kind, id: r.ID}
	c.object("", body, sent, reflect.TypeOf(spec.NewEmptyARMValue()), reflect.TypeOf(status.NewEmptyARMValue()))
	return c.losses, nil
}

func (c *comparison) lose(path, reason string, args ...any) {
	c.losses = append(c.losses, Loss{ID: c.id, Field: path, Reason: fmt.Sprintf(reason, args...)})
}

// value compares one value; written and read are the types that it has in specs and in answers, nil where it has none.
func (c *comparison) value(path string, have, sent any, written, read reflect.Type) {
	if none(have) || slices.Contains(envelope, path) || below(path, c.kind.elsewhere) {
		return
	}
	switch {
	case below(path, c.kind.secrets):
		c.lose(path, "it is secret, so Azure does not tell it")
		return
	case written == nil && read != nil:
		return // It is Azure's to say.
	case written == nil:
		c.lose(path, "version %s of %s does not have the field; Azure keeps it as it is", c.kind.Version, c.kind.Name)
		return
	case sent == nil:
		if zero(have) {
			return // What is not sent is nothing.
		}
		c.lose(path, "it is not in what Azure Service Operator would send")
		return
	}
	switch h := have.(type) {
	case map[string]any:
		s, _ := sent.(map[string]any)
		c.object(path, h, s, written, read)
	case []any:
		s, _ := sent.([]any)
		if len(s) != len(h) {
			c.lose(path, "of %d items Azure Service Operator would send %d", len(h), len(s))
			return
		}
		for i := range h {
			c.value(field.Item(path, i), h[i], s[i], elementOf(written), elementOf(read))
		}
	default:
		if !strings.EqualFold(fmt.Sprint(have), fmt.Sprint(sent)) {
			c.lose(path, "it is %v, but Azure Service Operator would send %v", have, sent)
		}
	}
}

func (c *comparison) object(path string, have, sent map[string]any, written, read reflect.Type) {
	for _, name := range slices.Sorted(maps.Keys(have)) {
		at := strings.TrimPrefix(path+"."+name, ".")
		value := sent[name]
		if value == nil {
			value = folded(sent, name)
		}
		c.value(at, have[name], value, memberOf(written, name), memberOf(read, name))
	}
}

// folded returns the value whose key is the name in other letters: Azure does not tell upper from lower case in IDs, which are keys, too.
func folded(in map[string]any, name string) any {
	for key, value := range in {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return nil
}

// none reports whether a value says nothing.
func none(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, inner := range v {
			if !none(inner) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	case string:
		return v == ""
	}
	return false
}

// zero reports whether a value is the same as none where it is not a matter of yes, no or nobody having said.
func zero(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			if !none(inner) && !zero(inner) {
				return false
			}
		}
		return true
	case bool:
		return !v
	case float64:
		return v == 0
	}
	return false
}

// memberOf returns the type of a field by its name in JSON, or of the values of a map; nil where there is none.
func memberOf(t reflect.Type, name string) reflect.Type {
	t = target(t)
	switch {
	case t == nil:
		return nil
	case t.Kind() == reflect.Map:
		return t.Elem()
	case t.Kind() == reflect.Interface:
		return t // Anything may be there.
	case t.Kind() != reflect.Struct:
		return nil
	}
	for i := range t.NumField() {
		tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if strings.EqualFold(tag, name) {
			return t.Field(i).Type
		}
	}
	return nil
}

func elementOf(t reflect.Type) reflect.Type {
	t = target(t)
	switch {
	case t == nil:
		return nil
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Map:
		return t.Elem()
	case t.Kind() == reflect.Interface:
		return t
	}
	return nil
}

func target(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
