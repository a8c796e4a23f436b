package arm

import (
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// RefersTo tells whether value has an object whose id is that of another resource.
func RefersTo(value any, id string) bool {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if text, ok := field.(string); ok && name == "id" && strings.EqualFold(text, id) || RefersTo(field, id) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if RefersTo(item, id) {
				return true
			}
		}
	}
	return false
}

// References returns the identifiers of resources that a value names in fields id, sorted and each once.
func References(value any) []string {
	var found []string
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if id, ok := field.(string); ok && name == "id" && strings.HasPrefix(strings.ToLower(id), "/subscriptions/") {
				found = append(found, id)
				continue
			}
			found = append(found, References(field)...)
		}
	case []any:
		for _, item := range v {
			found = append(found, References(item)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Find returns the resource that a path is of or that it names a part of, and whether there is that part. The resource is nil if there is none.
func (s *Service) Find(path string) (*Resource, bool) {
	if r := s.Store.Get(path); r != nil {
		return r, true
	}
	owner, list, name := CutPart(path)
	r := s.Store.Get(owner)
	return r, r != nil && HasPart(r.Body, list, name)
}

// CutPart cuts the last two segments off a path: a list and the name of something in it.
func CutPart(path string) (owner, list, name string) {
	end := strings.LastIndex(path, "/")
	if end < 0 {
		return "", "", ""
	}
	start := strings.LastIndex(path[:end], "/")
	if start < 0 {
		return "", "", ""
	}
	return path[:start], path[start+1 : end], path[end+1:]
}

// HasPart tells whether the list of that name in a body's properties has something of that name.
func HasPart(body map[string]any, list, name string) bool {
	properties, _ := body["properties"].(map[string]any)
	for field := range properties {
		if !strings.EqualFold(field, list) {
			continue
		}
		for _, part := range fields.Objects(body, "properties", field) {
			if strings.EqualFold(fields.Text(part, "name"), name) {
				return true
			}
		}
	}
	return false
}
