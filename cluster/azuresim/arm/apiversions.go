package arm

import "strings"

// field is a property that an API version shows from or up to a date.
type field struct {
	path string
	// since and before are api-version dates; an empty one is no bound.
	since, before string
	// preview shows the field in preview versions only.
	preview bool
}

// visible tells whether a client of that api-version sees the field.
func (f field) visible(apiVersion string) bool {
	date, preview := strings.CutSuffix(apiVersion, "-preview")
	return date >= f.since && (f.before == "" || date < f.before) && (preview || !f.preview)
}

// hideFields removes from body what clients of that api-version do not see.
func hideFields(body map[string]any, fields []field, apiVersion string) {
	for _, f := range fields {
		if !f.visible(apiVersion) {
			hide(body, strings.Split(f.path, "."))
		}
	}
}

func hide(body map[string]any, path []string) {
	name := path[0]
	if len(path) == 1 {
		delete(body, name)
		return
	}
	switch inner := body[name].(type) {
	case map[string]any:
		hide(inner, path[1:])
	case []any:
		for _, item := range inner {
			if m, ok := item.(map[string]any); ok {
				hide(m, path[1:])
			}
		}
	}
}
