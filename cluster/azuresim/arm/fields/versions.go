package fields

import (
	"strings"
)

// Versioned is a property that an API version shows from or up to a date.
type Versioned struct {
	Path string
	// Since and Before are api-version dates; an empty one is no bound.
	Since, Before string
	// Preview shows the field in preview versions only.
	Preview bool
}

// visible tells whether a client of that api-version sees the field.
func (f Versioned) visible(apiVersion string) bool {
	date, preview := strings.CutSuffix(apiVersion, "-preview")
	return date >= f.Since && (f.Before == "" || date < f.Before) && (preview || !f.Preview)
}

// Hide removes from body what clients of that api-version do not see.
func Hide(body map[string]any, fields []Versioned, apiVersion string) {
	for _, f := range fields {
		if !f.visible(apiVersion) {
			hide(body, strings.Split(f.Path, "."))
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
