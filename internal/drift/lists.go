package drift

import (
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// identifying are the fields that tell the items of a list apart, the first that all of them have.
var identifying = []string{"name", "id", "lun", "service", "key", "day"}

// list compares the lists of a field.
func (c *comparison) list(name string, wanted []any, reported any, at place) {
	if ids, ok := reported.(map[string]any); ok {
		c.keys(wanted, ids, at)
		return
	}
	r, ok := reported.([]any)
	switch {
	case !ok:
	case !slices.ContainsFunc(wanted, func(v any) bool { return !scalar(v) }):
		c.set(name, wanted, r, at)
	default:
		c.objects(wanted, r, at)
	}
}

// set compares lists of texts or numbers, whose order means nothing in Azure.
func (c *comparison) set(name string, wanted, reported []any, at place) {
	if slices.ContainsFunc(reported, func(v any) bool { return !scalar(v) }) || slices.Contains(wanted, any("*")) {
		return
	}
	lacks := func(list []any, value any) bool {
		return !slices.ContainsFunc(list, func(other any) bool { return c.rules.same(name, value, other) })
	}
	missing := slices.ContainsFunc(wanted, func(v any) bool { return lacks(reported, v) })
	more := slices.ContainsFunc(reported, func(v any) bool { return lacks(wanted, v) && !c.rules.mayBeAdded(name, v) })
	if missing || more {
		c.differs(at, wanted, reported)
	}
}

// objects compares lists of objects. What Azure has beside those that are asked for is somebody else's: an object of its own, or what a cloud
// controller manager has added.
func (c *comparison) objects(wanted, reported []any, at place) {
	candidates := field.Maps(reported)
	key := identifyingKey(wanted)
	if !slices.ContainsFunc(candidates, func(r map[string]any) bool { _, told := lookUp(r, key); return told }) {
		key = ""
	}
	for i, item := range wanted {
		w, ok := item.(map[string]any)
		if !ok {
			continue
		}
		inner := at.item(i)
		switch found, only := c.counterpart(w, candidates, key, inner), len(wanted) == 1 && len(candidates) == 1; {
		case found != nil:
			c.fields(w, found, inner)
		case key == "" && only:
			c.fields(w, candidates[0], inner)
		default:
			c.differs(inner, present, absent)
		}
	}
}

// counterpart returns the object that Azure reports for one that is asked for; nil when there is none.
func (c *comparison) counterpart(wanted map[string]any, candidates []map[string]any, key string, at place) map[string]any {
	for _, candidate := range candidates {
		if key != "" {
			if reported, told := lookUp(candidate, key); told && scalar(reported) && sameText(textOf(wanted[key]), textOf(reported)) {
				return candidate
			}
			continue
		}
		trial := &comparison{rules: c.rules, resolve: c.resolve}
		if trial.fields(wanted, candidate, at); len(trial.found) == 0 {
			return candidate
		}
	}
	return nil
}

// identifyingKey returns the field that tells the items of a list apart; empty when there is none.
func identifyingKey(items []any) string {
	for _, key := range identifying {
		if !slices.ContainsFunc(items, func(item any) bool {
			object, _ := item.(map[string]any)
			return !scalar(object[key])
		}) {
			return key
		}
	}
	return ""
}

// keys compares references with a map that has their IDs as keys, as that of identities.
func (c *comparison) keys(wanted []any, reported map[string]any, at place) {
	for i, item := range wanted {
		object, _ := item.(map[string]any)
		id := c.idOf(object["reference"])
		if id == "" {
			continue
		}
		found := false
		for key := range reported {
			found = found || strings.EqualFold(key, id) || sameID(key, id)
		}
		if !found {
			c.differs(at.item(i), id, absent)
		}
	}
}
