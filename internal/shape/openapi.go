package shape

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// OpenAPI returns the shape of a kind from its OpenAPI v3 schema, as the API server publishes it; nil for no schema.
func OpenAPI(schema *structpb.Struct) Shape {
	if schema == nil {
		return nil
	}
	return openAPI{schema.GetFields()}
}

// An openAPI is a schema. What it means that a part is not there is as for server-side apply in kube-openapi's schemaconv.
type openAPI struct{ schema map[string]*structpb.Value }

func (s openAPI) Type() Type {
	if s.schema["x-kubernetes-int-or-string"].GetBoolValue() {
		return Any
	}
	return Type(s.schema["type"].GetStringValue())
}

func (s openAPI) properties() map[string]*structpb.Value {
	return s.schema["properties"].GetStructValue().GetFields()
}

func (s openAPI) Fields() []string { return slices.Sorted(maps.Keys(s.properties())) }

func (s openAPI) Field(name string) (Shape, bool) {
	if property := s.properties()[name]; property != nil {
		return OpenAPI(property.GetStructValue()), true
	}
	other := s.schema["additionalProperties"]
	if below := other.GetStructValue(); below != nil {
		return OpenAPI(below), true
	}
	return nil, other.GetBoolValue() || len(s.properties()) == 0 || s.schema["x-kubernetes-preserve-unknown-fields"].GetBoolValue()
}

func (s openAPI) Item() Shape { return OpenAPI(s.schema["items"].GetStructValue()) }

func (s openAPI) Required() []string {
	var names []string
	for _, name := range s.schema["required"].GetListValue().GetValues() {
		names = append(names, name.GetStringValue())
	}
	return names
}

func (s openAPI) Limit(value any) string {
	if admitted := s.schema["enum"].GetListValue().AsSlice(); len(admitted) > 0 && !slices.ContainsFunc(admitted, func(v any) bool { return field.Show(v) == field.Show(value) }) {
		var shown []string
		for _, v := range admitted {
			shown = append(shown, field.Show(v))
		}
		return "one of " + strings.Join(shown, ", ")
	}
	switch v := value.(type) {
	case string:
		return s.limitText(v)
	case []any:
		return s.between(float64(len(v)), "minItems", "maxItems", "%s items")
	case float64:
		return s.between(v, "minimum", "maximum", "%s")
	case int64:
		return s.between(float64(v), "minimum", "maximum", "%s")
	}
	return ""
}

func (s openAPI) limitText(text string) string {
	if pattern := s.schema["pattern"].GetStringValue(); pattern != "" {
		// What is no pattern to Go is none to the API server, either.
		if p, err := regexp.Compile(pattern); err == nil && !p.MatchString(text) {
			return "text that matches " + pattern
		}
	}
	return s.between(float64(utf8.RuneCountInString(text)), "minLength", "maxLength", "text of %s characters")
}

// between returns the words with the bounds that a number is not within.
func (s openAPI) between(n float64, least, most, words string) string {
	low, hasLow := s.schema[least]
	high, hasHigh := s.schema[most]
	switch {
	case hasLow && n < low.GetNumberValue():
		return fmt.Sprintf(words, fmt.Sprintf("at least %v", low.GetNumberValue()))
	case hasHigh && n > high.GetNumberValue():
		return fmt.Sprintf(words, fmt.Sprintf("at most %v", high.GetNumberValue()))
	}
	return ""
}
