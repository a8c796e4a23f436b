package specs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// An ObjectRequests creates an object of a self-managed kind, with mistakes or without, changes it in several ways, and deletes it.
type ObjectRequests struct {
	// Name says where it comes from, Kind which kind of object it is.
	Name, Kind string
	// Said is what the object has that is not in every one of its kind.
	Said    string
	Object  map[string]any
	Changes []Change
}

// A Change is one of an object.
type Change struct {
	// Said is what it writes or takes away.
	Said string
	// Applied means that the change is made in the object that the API server has, as `kubectl apply` does; otherwise a manifest takes its
	// place that has no defaults.
	Applied bool
	edits   []edit
}

// An edit writes a field, or takes it away where there is no value.
type edit struct {
	path  []string
	value any
}

// To returns a changed copy of an object.
func (c Change) To(object map[string]any) map[string]any {
	changed := runtime.DeepCopyJSON(object)
	for _, e := range c.edits {
		e.make(changed)
	}
	return changed
}

func (e edit) make(object map[string]any) {
	if e.value == nil {
		unstructured.RemoveNestedField(object, e.path...)
		return
	}
	at := object
	for _, name := range e.path[:len(e.path)-1] {
		if _, isObject := at[name].(map[string]any); !isObject {
			at[name] = map[string]any{}
		}
		at = at[name].(map[string]any)
	}
	at[e.path[len(e.path)-1]] = runtime.DeepCopyJSONValue(e.value)
}

// Changed reports whether the change is about a field of the spec that users write, or about one within it.
func (c Change) Changed(fields ...string) bool {
	return slices.ContainsFunc(c.edits, func(e edit) bool {
		path := strings.TrimPrefix(strings.Join(e.path, "."), "spec.template.")
		path = strings.TrimPrefix(path, "spec.")
		return slices.ContainsFunc(fields, func(field string) bool { return path == field || strings.HasPrefix(path, field+".") })
	})
}

// RandomObjectRequests returns the requests of a seed.
func RandomObjectRequests(seed uint64) *ObjectRequests {
	r := rand.New(rand.NewPCG(seed, 4)) //nolint:gosec // A seed must give the same requests again.
	kind := pick(r, selfManagedEdges...)
	created := kind.change(r, 1+r.IntN(4))
	requests := &ObjectRequests{Name: fmt.Sprintf("object %d", seed), Kind: kind.kind, Said: created.Said, Object: created.To(kind.least())}
	for range 3 {
		change := kind.change(r, 1+r.IntN(2))
		change.Applied = r.IntN(2) == 0
		requests.Changes = append(requests.Changes, change)
	}
	requests.Changes = append(requests.Changes, kind.again(r, created))
	return requests
}

// again returns a change of one of the fields that an object was created with, as rules about changes often need both.
func (e *objectEdges) again(r *rand.Rand, created Change) Change {
	path := pick(r, created.edits...).path
	field := strings.TrimPrefix(strings.TrimPrefix(strings.Join(path, "."), "spec."), "template.spec.")
	value := pick(r, e.values[field]...)
	return Change{Said: field + ": " + value, Applied: r.IntN(2) == 0, edits: []edit{{path, parsed(value)}}}
}

// WrittenObjectRequests returns the requests for an object of a kind, with fields of its spec as YAML by their paths, and a change of it.
func WrittenObjectRequests(kind string, created, changed map[string]string, applied bool) *ObjectRequests {
	at := slices.IndexFunc(selfManagedEdges, func(e *objectEdges) bool { return e.kind == kind })
	edges := selfManagedEdges[at]
	requests := &ObjectRequests{Name: "example", Kind: kind, Object: edges.written(created).To(edges.least())}
	if changed != nil {
		change := edges.written(changed)
		change.Applied = applied
		requests.Changes = []Change{change}
	}
	return requests
}

func (e *objectEdges) written(fields map[string]string) Change {
	c := Change{}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		c.edits = append(c.edits, edit{e.path(field), parsed(fields[field])})
	}
	return c
}

// objectEdges are values, as YAML, that are just right or just wrong, by the path of the field below the spec of a kind.
type objectEdges struct {
	kind string
	// minimum is the spec that both sides accept with the least of fields.
	minimum string
	values  map[string][]string
}

// least returns the object that both sides accept with the least of fields.
func (e *objectEdges) least() map[string]any {
	spec := parsed(e.minimum).(map[string]any)
	if e.template() {
		spec = map[string]any{"template": map[string]any{"spec": spec}}
	}
	return object(e.kind, "blue", "blue", spec)
}

func (e *objectEdges) template() bool { return strings.HasSuffix(e.kind, "Template") }

func (e *objectEdges) path(field string) []string {
	if e.template() {
		field = "template.spec." + field
	}
	return strings.Split("spec."+field, ".")
}

// change returns a change of a number of random fields.
func (e *objectEdges) change(r *rand.Rand, count int) Change {
	fields := slices.Sorted(maps.Keys(e.values))
	c := Change{}
	var said []string
	for range count {
		field := pick(r, fields...)
		if r.IntN(5) == 0 {
			c.edits = append(c.edits, edit{path: e.path(field)})
			said = append(said, "no "+field)
			continue
		}
		value := pick(r, e.values[field]...)
		c.edits = append(c.edits, edit{e.path(field), parsed(value)})
		said = append(said, field+": "+value)
	}
	c.Said = strings.Join(said, "; ")
	return c
}
