// Package specs makes manifests of the typed AKS kinds: random ones by CAPZ's schema, and those that CAPZ publishes.
package specs

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A generator makes a random value for a schema. Where the schema does not say what a text looks like, values does.
type generator struct {
	*rand.Rand
	// density is the probability that an optional field is set.
	density float64
	values  map[string]func(*rand.Rand) any
	// free means that any text will do where nothing says what it looks like.
	free bool
}

// value returns a value for the field at path, in which [] stands for any item of a list.
func (g *generator) value(path string, s *extv1.JSONSchemaProps) any {
	if choose, ok := g.values[path]; ok {
		return choose(g.Rand)
	}
	if len(s.Enum) > 0 {
		var v any
		if err := json.Unmarshal(s.Enum[g.IntN(len(s.Enum))].Raw, &v); err != nil {
			panic(err)
		}
		return v
	}
	switch {
	case s.Type == "boolean":
		return g.IntN(2) == 0
	case s.Type == "integer":
		return g.integer(s)
	case s.Type == "array":
		return g.list(path, s)
	case s.Type == "object" && s.AdditionalProperties != nil:
		return g.dictionary()
	case s.Type == "object":
		return g.object(path, s)
	case s.Type == "string" && s.Pattern != "":
		return g.matching(path, s.Pattern)
	case g.free:
		return g.text()
	}
	panic(fmt.Sprintf("nobody says what %s (%s) looks like", path, s.Type))
}

func (g *generator) object(path string, s *extv1.JSONSchemaProps) map[string]any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property, inner := s.Properties[name], strings.TrimPrefix(path+"."+name, ".")
		needed := slices.Contains(s.Required, name) && property.Default == nil
		if slices.Contains(outputs, inner) || !needed && g.Float64() >= g.density {
			continue
		}
		object[name] = g.value(inner, &property)
	}
	return object
}

func (g *generator) list(path string, s *extv1.JSONSchemaProps) []any {
	list := []any{}
	for range g.IntN(4) {
		list = append(list, g.value(path+"[]", s.Items.Schema))
	}
	return list
}

func (g *generator) dictionary() map[string]any {
	dictionary := map[string]any{}
	for range g.IntN(4) {
		dictionary[pick(g.Rand, "team", "Name", "example.com/cost-center", "a.b")] = pick(g.Rand, "", "x", "Some Value", "1")
	}
	return dictionary
}

func (g *generator) integer(s *extv1.JSONSchemaProps) int64 {
	least, most := int64(0), int64(1000)
	if s.Minimum != nil {
		least = int64(*s.Minimum)
		most = least + 1000
	}
	if s.Maximum != nil {
		most = int64(*s.Maximum)
	}
	return least + g.Int64N(most-least+1)
}

// matching returns a text that matches one of the patterns in CAPZ's schemas.
func (g *generator) matching(path, pattern string) string {
	n := g.IntN(100)
	switch pattern {
	case `^(\d+)$`:
		return fmt.Sprint(n)
	case `^(\d+)m$`:
		return fmt.Sprintf("%dm", n)
	case `^(\d+)s$`:
		return fmt.Sprintf("%ds", n)
	case `^https://`:
		return fmt.Sprintf("https://account%d.blob.core.windows.net/", n)
	}
	panic(fmt.Sprintf("nobody says what matches %s of %s", pattern, path))
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }
