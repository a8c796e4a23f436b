// Package shape finds what in a value is not as its kind asks for, and says so in the words of a manifest: whether the kind is
// known from an OpenAPI schema or from a Go type, no message names a type of Go.
package shape

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Type is the type of a value in a manifest.
type Type string

// The types. Any is that of a field which takes all of them.
const (
	Any     Type = ""
	String  Type = "string"
	Integer Type = "integer"
	Number  Type = "number"
	Boolean Type = "boolean"
	List    Type = "array"
	Object  Type = "object"
)

// A Shape is what a field takes.
type Shape interface {
	Type() Type
	// Fields are the names of the fields of an object. Without any, and without a shape of other fields, it takes what it is given.
	Fields() []string
	// Field returns the shape of a field of an object; ok is false when it has no such field.
	Field(name string) (s Shape, ok bool)
	// Item returns the shape of each item of a list.
	Item() Shape
	// Required are the fields that an object must have.
	Required() []string
	// Limit returns what a value of the right type must be, in words, where it is not; empty where it is.
	Limit(value any) string
}

// A Mistake is one value that a shape does not take.
type Mistake struct {
	// Path leads to the value from the root, as Kubernetes writes it.
	Path string
	// Unknown is true for a field that there is not; Like is then the name of one that there is, if one is spelled much like it.
	Unknown bool
	Like    string
	// Missing is true for a field that is not there and must be.
	Missing bool
	// Value is what is there, as it stands in the manifest, and Wanted is what must be.
	Value, Wanted string
}

// Text says what is wrong: prefix goes before the path, and of names the kind.
func (m Mistake) Text(prefix, of string) string {
	path := cmp.Or(prefix+m.Path, "it")
	switch {
	case m.Unknown && m.Like != "":
		return path + " must be absent: " + of + " has no such field; did you mean " + m.Like + "?"
	case m.Unknown:
		return path + " must be absent: " + of + " has no such field"
	case m.Missing:
		return path + " is missing, but " + of + " needs it"
	}
	return path + " is " + m.Value + ", but must be " + m.Wanted
}

// Types finds the fields of a value that are unknown or of another type than its shape, in the order of their names: what is
// wrong whatever else is there.
func Types(value any, s Shape) []Mistake { return (&search{}).in("", value, s) }

// Values is Types, and finds also what is missing, and values of the right type that are not among those admitted.
func Values(value any, s Shape) []Mistake { return (&search{values: true}).in("", value, s) }

// search goes through a value.
type search struct{ values bool }

func (c *search) in(path string, value any, s Shape) []Mistake {
	if s == nil || value == nil {
		return nil
	}
	if wanted := s.Type(); wanted != Any && !wanted.takes(value) {
		return []Mistake{{Path: path, Value: shown(value, s), Wanted: Words(s)}}
	}
	if wanted := s.Limit(value); c.values && wanted != "" {
		return []Mistake{{Path: path, Value: field.Show(value), Wanted: wanted}}
	}
	switch v := value.(type) {
	case map[string]any:
		return append(c.inFields(path, v, s), c.missing(path, v, s)...)
	case []any:
		var found []Mistake
		for i, item := range v {
			found = append(found, c.in(field.Item(path, i), item, s.Item())...)
		}
		return found
	}
	return nil
}

func (c *search) inFields(path string, fields map[string]any, s Shape) []Mistake {
	var found []Mistake
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		below, ok := s.Field(name)
		if !ok {
			found = append(found, Mistake{Path: join(path, name), Unknown: true, Like: like(name, s.Fields())})
			continue
		}
		found = append(found, c.in(join(path, name), fields[name], below)...)
	}
	return found
}

func (c *search) missing(path string, fields map[string]any, s Shape) []Mistake {
	if !c.values {
		return nil
	}
	var found []Mistake
	for _, name := range s.Required() {
		if fields[name] == nil {
			found = append(found, Mistake{Path: join(path, name), Missing: true})
		}
	}
	return found
}

// join returns the path of a field as Kubernetes writes it.
func join(path, name string) string {
	switch {
	case strings.ContainsAny(name, "./ ") || name == "":
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// takes reports whether a value is of the type. Through protobuf each number has become a float.
func (t Type) takes(value any) bool {
	switch v := value.(type) {
	case string:
		return t == String
	case bool:
		return t == Boolean
	case float64:
		return t == Number || t == Integer && v == float64(int64(v))
	case int64, int32, int:
		return t == Number || t == Integer
	case []any:
		return t == List
	case map[string]any:
		return t == Object
	}
	return true
}

// like returns the name that another one is spelled much like; empty when there is none.
func like(name string, names []string) string {
	best, nearest := "", 1+len(name)/4
	for _, other := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(other)); d <= nearest && (best == "" || d < nearest) {
			best, nearest = other, d
		}
	}
	return best
}

// distance returns how many letters have to be changed, added or left out to make one name of the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
