package shape

import (
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// mostNamed is how many fields of an object a message names.
const mostNamed = 3

// words are what values of the types are called.
var words = map[Type]string{
	Any: "anything", String: "a string", Integer: "a whole number", Number: "a number", Boolean: "true or false", List: "a list", Object: "an object",
}

// Words returns what a field of the shape takes, in words.
func Words(s Shape) string {
	switch s.Type() {
	case List:
		if item := s.Item(); item != nil && items[item.Type()] != "" {
			return "a list of " + items[item.Type()]
		}
	case Object:
		return objectWords(s)
	}
	return words[s.Type()]
}

var items = map[Type]string{String: "strings", Integer: "whole numbers", Number: "numbers", Object: "objects", List: "lists"}

func objectWords(s Shape) string {
	fields := slices.Sorted(slices.Values(s.Fields()))
	switch {
	case len(fields) == 0:
		return words[Object]
	case slices.Contains(fields, "armId"):
		return "an object such as {armId: /subscriptions/...} or, for an object in Kubernetes, {group: ..., kind: ..., name: ...}"
	case secret(s):
		return "an object such as {name: ..., key: ...} that names a Secret and a key of it"
	case len(fields) <= mostNamed:
		return "an object with " + strings.Join(fields, ", ")
	}
	return "an object with fields such as " + strings.Join(fields[:mostNamed], ", ")
}

// secret reports whether a shape is that of a reference to a key of a Secret.
func secret(s Shape) bool {
	fields := slices.Sorted(slices.Values(s.Fields()))
	return slices.Equal(fields, []string{"key", "name"})
}

// shown returns a value of the wrong type as it stands in the manifest, unless it may be a secret: in place of a reference to one.
func shown(value any, s Shape) string {
	if _, text := value.(string); text && s.Type() == Object && secret(s) {
		return "a string"
	}
	return field.Show(value)
}
