package drift

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// ASO has references in the spec where Azure has IDs, in fields such as diskEncryptionSetReference or reference for diskEncryptionSetId or id. The
// status has Azure's.
const (
	oneReference  = "reference"
	theReferences = "references"
)

// referenceName returns how the field begins that has the ID in Azure; not ok when the field of the spec is no reference.
func referenceName(name string, value any) (base string, ok bool) {
	lower := strings.ToLower(name)
	switch v := value.(type) {
	case map[string]any:
		return strings.TrimSuffix(lower, oneReference), strings.HasSuffix(lower, oneReference) && isReference(v)
	case []any:
		for _, item := range v {
			if object, _ := item.(map[string]any); !isReference(object) {
				return "", false
			}
		}
		return strings.TrimSuffix(lower, theReferences), strings.HasSuffix(lower, theReferences)
	}
	return "", false
}

// isReference reports whether an object has the fields of a reference only, as others are called so, too, such as the imageReference of a machine.
func isReference(object map[string]any) bool {
	for name := range object {
		switch name {
		case "armId", "group", "kind", "name", "wellKnownName":
		default:
			return false
		}
	}
	return field.Text(object["armId"]) != "" || field.Text(object["kind"]) != ""
}

// reference compares one reference, or a list of them, with the IDs in the status.
func (c *comparison) reference(base string, wanted any, status map[string]any, at place) {
	reported, told := any(nil), false
	for _, name := range []string{base + "id", base + "ids", base} {
		if reported, told = lookUp(status, name); told {
			break
		}
	}
	if !told {
		if id := c.idOf(wanted); id != "" && c.rules.told(at.path) {
			c.differs(at, id, absent)
		}
		return
	}
	if list, ok := wanted.([]any); ok {
		ids, isList := reported.([]any)
		for i, item := range list {
			if id := c.idOf(item); isList && id != "" && !contains(ids, id) {
				c.differs(at.item(i), id, absent)
			}
		}
		return
	}
	id, have := c.idOf(wanted), field.Text(reported)
	if id != "" && have != "" && !sameID(id, have) {
		c.differs(at, id, have)
	}
}

func contains(ids []any, id string) bool {
	for _, other := range ids {
		text := field.Text(other)
		if object, ok := other.(map[string]any); ok {
			found, _ := lookUp(object, "id")
			text = field.Text(found)
		}
		if sameID(text, id) {
			return true
		}
	}
	return false
}

// idOf returns the ID that a reference means; empty when that is not known.
func (c *comparison) idOf(reference any) string {
	object, _ := reference.(map[string]any)
	if id := field.Text(object["armId"]); id != "" {
		return id
	}
	name, kind := field.Text(object["name"]), schema.GroupKind{Group: field.Text(object["group"]), Kind: field.Text(object["kind"])}
	if name == "" || kind.Kind == "" || c.resolve == nil {
		return ""
	}
	return c.resolve(aso.Reference{GroupKind: kind, Name: name})
}

// sameID reports whether two texts are the ID of one resource. Azure puts the subscription before what every subscription has, such as the
// definitions of its own roles.
func sameID(a, b string) bool {
	a, b = strings.ToLower(strings.TrimRight(a, "/")), strings.ToLower(strings.TrimRight(b, "/"))
	const everywhere = "/providers/"
	return a == b || strings.HasPrefix(a, everywhere) && strings.HasSuffix(b, a) || strings.HasPrefix(b, everywhere) && strings.HasSuffix(a, b)
}
