package arm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Resources are what ARM is told of resources, by ID in lower case.
type Resources map[string]map[string]any

// AddBody adds a body, as JSON, that is sent to ARM for the resource with an ID.
func (r Resources) AddBody(id string, body []byte) error {
	content := map[string]any{}
	if err := json.Unmarshal(body, &content); err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	r.take(strings.ToLower(id), content)
	return nil
}

func (r Resources) add(id string, body any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	return r.AddBody(id, content)
}

// inBody are fields of a body that say what its address says already, or that ARM decides.
var inBody = []string{"name", "id", "type", "etag"}

// ownResources are lists of a parent's body that are resources of their own, by the type of the parent.
var ownResources = map[string]string{"/networksecuritygroups/": "securityRules", "/routetables/": "routes", "/loadbalancers/": "inboundNatRules"}

// take adds a body, and what in it is a resource of its own.
func (r Resources) take(id string, body map[string]any) {
	for _, field := range inBody {
		delete(body, field)
	}
	properties, _ := body["properties"].(map[string]any)
	for parent, list := range ownResources {
		at := strings.LastIndex(id, parent)
		if at < 0 || strings.Contains(id[at+len(parent):], "/") {
			continue
		}
		children, _ := properties[list].([]any)
		delete(properties, list)
		for _, child := range children {
			object, _ := child.(map[string]any)
			r.take(strings.ToLower(fmt.Sprintf("%s/%s/%v", id, list, object["name"])), object)
		}
	}
	r[id] = inOrder(lowerIDs(body)).(map[string]any)
}

// lowerIDs writes every ID in lower case: Azure does not tell the cases apart.
func lowerIDs(v any) any {
	switch v := v.(type) {
	case string:
		if isID(v) {
			return strings.ToLower(v)
		}
	case []any:
		for i := range v {
			v[i] = lowerIDs(v[i])
		}
	case map[string]any:
		for key, inner := range v {
			if isID(key) {
				delete(v, key)
				key = strings.ToLower(key)
			}
			v[key] = lowerIDs(inner)
		}
	}
	return v
}

func isID(text string) bool { return strings.HasPrefix(strings.ToLower(text), "/subscriptions/") }

// sets are lists of texts whose order means nothing to Azure.
var sets = []string{"zones", "subscriptions", "locations", "groupIds", "addressPrefixes", "sourceAddressPrefixes"}

// inOrder sorts lists whose order means nothing to Azure: those of named objects, of references, and sets.
func inOrder(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = inOrder(v[i])
		}
		slices.SortStableFunc(v, func(a, b any) int { return strings.Compare(sortedBy(a), sortedBy(b)) })
	case map[string]any:
		for key, inner := range v {
			v[key] = inOrder(inner)
			if list, isList := inner.([]any); isList && slices.Contains(sets, key) {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
		}
	}
	return v
}

// sortedBy returns what a list is sorted by; empty for texts and objects of which the order may matter.
func sortedBy(item any) string {
	object, _ := item.(map[string]any)
	for _, field := range []string{"name", "id", "service", "lun"} {
		if value, set := object[field]; set {
			return fmt.Sprint(value)
		}
	}
	return ""
}
