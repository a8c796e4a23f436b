// Package drift finds where Azure has a resource otherwise than its object asks for, field by field, by the spec and the status of the object
// of Azure Service Operator (ASO). It asks Azure nothing: the status is as old as ASO's last look.
//
// Only what both say can differ. A field that the spec leaves out is Azure's to choose, and one that the status leaves out is one that Azure does
// not tell, such as a secret, but for those in told. What Azure spells otherwise than it was asked is the same.
package drift

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Difference is a field of which Azure reports another value than the spec has.
type Difference struct {
	// Field is its path in the object, such as spec.sku.tier.
	Field string
	// Wanted and Reported are the two values as a message shows them, cut where they are long; empty where they may be secret.
	Wanted, Reported string
}

// String returns the difference as a sentence without its end.
func (d Difference) String() string {
	if d.Wanted == "" {
		return d.Field + " is not what Azure reports"
	}
	return fmt.Sprintf("%s is %s, but Azure reports %s", d.Field, d.Wanted, d.Reported)
}

// A Resolve function returns the ID in Azure of what a reference by name means; empty when that is not known.
type Resolve func(aso.Reference) string

// Of returns the differences between the spec and the status of an object, in the order of the spec's paths; none while they cannot be compared,
// see Settled. The numbers of both may have come through protobuf.
func Of(obj *unstructured.Unstructured, resolve Resolve) []Difference {
	spec, _ := obj.Object["spec"].(map[string]any)
	status, _ := obj.Object["status"].(map[string]any)
	if len(spec) == 0 || len(status) == 0 || !Settled(obj) {
		return nil
	}
	c := &comparison{rules: rulesOf(obj), resolve: resolve}
	c.fields(spec, status, place{shown: "spec"})
	return c.found
}

// Settled reports whether the status of an object tells how Azure has what its spec asks for: ASO has sent that spec, or who creates the resource
// has, nobody is at work on it, and Azure is to have it so.
func Settled(obj *unstructured.Unstructured) bool {
	annotations := obj.GetAnnotations()
	kind, known := aso.KindOf(obj.GroupVersionKind().GroupKind())
	switch ownership := annotations[v1beta1.AnnotationOwnership]; {
	case !known, obj.GetDeletionTimestamp() != nil, aso.Held(obj), aso.Doubted(obj):
		return false
	case ownership == v1beta1.OwnershipExternal, ownership == v1beta1.OwnershipUndecided:
		return false // Somebody else says what it is to be.
	case annotations[aso.AnnotationReconcilePolicy] == aso.PolicySkip && !aso.SkippedByProject(obj):
		return false // A user leaves it to Azure.
	case !aso.StateOf(obj).Ready || !finished(aso.StatusProvisioningState.Value(obj)) || statusFollows(obj):
		return false
	case aso.LifecycleOf(obj) == aso.ProviderCreated:
		return ofCreation[kind.GroupKind()] != nil
	}
	return annotations[aso.AnnotationSent] == strconv.FormatInt(aso.Generation(obj), 10)
}

// finished reports whether Azure has done what it was last asked for. Not every kind has a state.
func finished(provisioningState string) bool {
	return provisioningState == "" || strings.EqualFold(provisioningState, "Succeeded")
}

var managedFields = field.At[[]any]("metadata", "managedFields")

// statusFollows reports whether ASO has written an object since it has last written its status: first it notes what it has sent, then what it has
// read. Times are in whole seconds, so within one of them that is not known.
func statusFollows(obj *unstructured.Unstructured) bool {
	written := map[string]string{}
	entries := field.Maps(managedFields.Value(obj))
	for _, entry := range entries {
		if entry["subresource"] == nil && entry["operation"] == "Update" {
			written[field.Text(entry["manager"])] = field.Text(entry["time"])
		}
	}
	for _, entry := range entries {
		// Times of one form are in the order of their texts.
		if entry["subresource"] == "status" && written[field.Text(entry["manager"])] > field.Text(entry["time"]) {
			return true
		}
	}
	return false
}

// comparison compares one object.
type comparison struct {
	rules   rules
	resolve Resolve
	found   []Difference
}

// A place is a field: as a message shows it, and by the names of the fields alone, from the spec on.
type place struct {
	shown string
	path  string
	// name is the last of the names, and in is where the field is.
	name string
	in   *place
}

func (p place) field(name string) place {
	path := name
	if p.path != "" {
		path = p.path + "." + name
	}
	return place{p.shown + "." + name, path, name, &p}
}

// key is field for a key of a map that users choose.
func (p place) key(name string) place {
	return place{p.shown + "[" + name + "]", p.path, name, &p}
}

func (p place) item(i int) place { return place{field.Item(p.shown, i), p.path, p.name, p.in} }

// hidden reports whether values may be secret. Only what differs is asked, as that takes a pattern for each name.
func (p place) hidden() bool { return secretive(p.name) || p.in != nil && p.in.hidden() }

func (c *comparison) differs(at place, wanted, reported any) {
	d := Difference{Field: at.shown}
	if !at.hidden() && !confidential(wanted) && !confidential(reported) {
		d.Wanted, d.Reported = shown(wanted), shown(reported)
	}
	c.found = append(c.found, d)
}

// absent stands for a value that there is not, present for one that is not shown.
const (
	absent  = literal("nothing")
	present = literal("there")
)

// literal is shown as it is.
type literal string

func shown(value any) string {
	if word, ok := value.(literal); ok {
		return string(word)
	}
	return field.Show(value)
}

// fields compares what an object of the spec has.
func (c *comparison) fields(spec, status map[string]any, at place) {
	for _, name := range slices.Sorted(maps.Keys(spec)) {
		inner := at.field(name)
		if isMap(at.path) {
			inner = at.key(name)
		}
		if wanted := spec[name]; !c.rules.skips(inner, name) && !empty(wanted) {
			c.field(name, wanted, status, at, inner)
		}
	}
}

// field compares one field of an object, which is at, with the object of the status.
func (c *comparison) field(name string, wanted any, status map[string]any, at, inner place) {
	if base, isReference := referenceName(name, wanted); isReference {
		c.reference(base, wanted, status, inner)
		return
	}
	reported, told := c.reported(name, status, at)
	switch {
	case told:
		c.value(name, wanted, reported, inner)
	case isMap(at.path) && len(status) > 0:
		c.differs(inner, wanted, absent)
	case c.rules.told(inner.path):
		c.differs(inner, wanted, absent)
	default:
		if object, ok := wanted.(map[string]any); ok && !isMap(inner.path) {
			c.fields(object, nil, inner) // What is told, although it is in something that is not.
		}
	}
}

// reported returns what the status has for a field of the spec. What Azure has among the properties of a resource under a name that the resource itself has
// a field of, too, such as its type, ASO calls by another name.
func (c *comparison) reported(name string, status map[string]any, at place) (value any, told bool) {
	if at.path == "" {
		if value, told = status["properties"+strings.ToUpper(name[:1])+name[1:]]; told {
			return value, told
		}
		if slices.Contains(ofResource, name) {
			return nil, false
		}
	}
	return lookUp(status, name)
}

// value compares two values of a field. Those of another shape are another thing under the same name.
func (c *comparison) value(name string, wanted, reported any, at place) {
	switch w := wanted.(type) {
	case map[string]any:
		if r, ok := reported.(map[string]any); ok {
			c.fields(w, r, at)
		}
	case []any:
		c.list(name, w, reported, at)
	default:
		if !scalar(reported) || c.rules.same(name, w, reported) {
			return
		}
		c.differs(at, w, reported)
	}
}

// lookUp returns a field of an object. Azure does not keep the case of the keys of its maps.
func lookUp(object map[string]any, name string) (value any, found bool) {
	value, found = object[name]
	if !found {
		for key, other := range object {
			if strings.EqualFold(key, name) {
				value, found = other, true
			}
		}
	}
	return value, found && value != nil && value != ""
}

// empty reports whether a value of the spec asks for nothing.
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func scalar(value any) bool {
	switch value.(type) {
	case map[string]any, []any, nil:
		return false
	}
	return true
}
