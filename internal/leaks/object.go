package leaks

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// secretField are the fields whose texts are secret, by the end of their names. References are objects, and named otherwise.
var secretField = regexp.MustCompile(`(?i)` + secretWords + `$`)

// RedactObject takes out of an object what Redact takes out of texts, and the texts of fields that are secret by their name. where names the object.
func (s *Search) RedactObject(where string, object map[string]any) {
	r := redaction{search: s, where: where}
	r.fields(object, nil)
}

// A redaction of an object.
type redaction struct {
	search *Search
	where  string
}

// value returns what is left of a value, which it changes.
func (r redaction) value(value any, path []string) any {
	switch value := value.(type) {
	case map[string]any:
		r.fields(value, path)
	case []any:
		for i, item := range value {
			value[i] = r.value(item, append(slices.Clip(path), strconv.Itoa(i)))
		}
	case string:
		return r.text(value, path)
	}
	return value
}

func (r redaction) fields(object map[string]any, path []string) {
	name, _ := object["name"].(string)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		at := append(slices.Clip(path), key)
		text, isText := object[key].(string)
		switch {
		case isText && text != "" && (secretField.MatchString(key) || key == "value" && secretField.MatchString(name) || isContent(at)):
			object[key] = r.note("the text of a field that is secret", at)
		default:
			object[key] = r.value(object[key], at)
		}
		if clean := r.text(key, path); clean != key {
			object[clean] = object[key]
			delete(object, key)
		}
	}
}

// isContent reports whether a field is what a file of a machine consists of, as kubeadm's bootstrap provider has it.
func isContent(path []string) bool {
	n := len(path)
	return n >= 3 && path[n-1] == "content" && path[n-3] == "files"
}

// text returns what is left of a text. JSON in it stays JSON.
func (r redaction) text(text string, path []string) string {
	if isBootstrapData(text) {
		return r.note("bootstrap data", path)
	}
	if strings.HasPrefix(text, "{") {
		var inner map[string]any
		if before := r.search.noted; json.Unmarshal([]byte(text), &inner) == nil {
			r.fields(inner, path)
			if again, err := json.Marshal(inner); err == nil && r.search.noted > before {
				text = string(again)
			}
		}
	}
	at := fieldNamed(path)
	return string(r.search.redact(finding{where: r.where, field: at}, []byte(text), func(int) string { return at }))
}

// note notes that a field is taken out, and returns what stands in its place.
func (r redaction) note(what string, path []string) string {
	f := finding{where: r.where, what: what, field: fieldNamed(path)}
	r.search.note(f, func() string { return f.field })
	return mark(f)
}

func fieldNamed(path []string) string { return "field " + strings.Join(path, ".") }
