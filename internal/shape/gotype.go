package shape

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Go returns the shape of a Go type, as its JSON is. What reads itself takes anything.
func Go(t reflect.Type) Shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return goType{t}
}

type goType struct{ of reflect.Type }

var (
	readsJSON = reflect.TypeFor[json.Unmarshaler]()
	readsText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (t goType) Type() Type {
	if pointer := reflect.PointerTo(t.of); pointer.Implements(readsJSON) || pointer.Implements(readsText) {
		return Any
	}
	switch kind := t.of.Kind(); {
	case kind == reflect.String:
		return String
	case kind == reflect.Bool:
		return Boolean
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return Integer
	case kind == reflect.Float32 || kind == reflect.Float64:
		return Number
	case kind == reflect.Slice && t.of.Elem().Kind() == reflect.Uint8:
		return String // Base64.
	case kind == reflect.Slice || kind == reflect.Array:
		return List
	case kind == reflect.Struct || kind == reflect.Map:
		return Object
	}
	return Any
}

// fields returns the fields of a struct by their names in JSON.
func (t goType) fields() map[string]reflect.Type {
	out := map[string]reflect.Type{}
	if t.of.Kind() != reflect.Struct {
		return out
	}
	for i := range t.of.NumField() {
		f := t.of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			inline, _ := Go(f.Type).(goType)
			for inner, innerType := range inline.fields() {
				out[inner] = innerType
			}
		case name == "":
			out[f.Name] = f.Type
		default:
			out[name] = f.Type
		}
	}
	return out
}

func (t goType) Fields() []string {
	var names []string
	for name := range t.fields() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (t goType) Field(name string) (Shape, bool) {
	if t.Type() == Any {
		return nil, true
	}
	if t.of.Kind() == reflect.Map {
		return Go(t.of.Elem()), true
	}
	f, ok := t.fields()[name]
	if !ok {
		return nil, false
	}
	return Go(f), true
}

func (t goType) Item() Shape {
	if t.of.Kind() != reflect.Slice && t.of.Kind() != reflect.Array {
		return nil
	}
	return Go(t.of.Elem())
}

// Required is empty: what a Go type has may be left out.
func (t goType) Required() []string { return nil }

// Limit is empty: a Go type has no limits but its type.
func (t goType) Limit(any) string { return "" }
