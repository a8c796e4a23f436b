package specs

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Coverage counts which fields specs have set.
type Coverage map[string]int

// Add counts the fields of a value.
func (c Coverage) Add(path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for field, inner := range v {
			c.Add(strings.TrimPrefix(path+"."+field, "."), inner)
		}
	case []any:
		for _, inner := range v {
			c.Add(path+"[]", inner)
		}
	}
	c[path]++
}

// Missing returns the fields of a Go type, by the names in its JSON tags, that were never set, but for those that
// controllers write.
func (c Coverage) Missing(typ reflect.Type) []string {
	var missing []string
	for _, field := range slices.Sorted(maps.Keys(fields(typ))) {
		isOutput := slices.ContainsFunc(outputs, func(o string) bool { return field == o || strings.HasPrefix(field, o+".") || field == o+"[]" })
		ofReference := strings.HasPrefix(field, "identityRef.")
		if c[field] == 0 && !isOutput && !ofReference {
			missing = append(missing, field)
		}
	}
	return missing
}

// fields returns the path of every field of a struct.
func fields(typ reflect.Type) map[string]bool {
	all := map[string]bool{}
	collect(typ, "", all)
	return all
}

func collect(typ reflect.Type, path string, all map[string]bool) {
	switch typ.Kind() {
	case reflect.Pointer:
		collect(typ.Elem(), path, all)
	case reflect.Slice:
		all[path] = true
		collect(typ.Elem(), path+"[]", all)
	case reflect.Struct:
		if path != "" {
			all[path] = true
		}
		switch typ.PkgPath() {
		case "k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/util/intstr":
			return // Text or a number.
		}
		for i := range typ.NumField() {
			name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			inner := strings.TrimPrefix(path+"."+name, ".")
			if options == "inline" {
				inner = path
			}
			collect(typ.Field(i).Type, inner, all)
		}
	default:
		all[path] = true
	}
}
