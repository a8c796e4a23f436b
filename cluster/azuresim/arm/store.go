package arm

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const resourcePrefix = "arm/resources/"

// Resource is one resource as it is stored: its children are resources of their own.
type Resource struct {
	// ID is as the client that created the resource spelled it.
	ID         string         `json:"id"`
	Type       string         `json:"type"`
	Name       string         `json:"name"`
	Created    time.Time      `json:"created"`
	Sequence   int64          `json:"sequence"`
	APIVersion string         `json:"apiVersion"`
	Body       map[string]any `json:"body"`
	// Private is what the simulator remembers of the resource and never shows.
	Private map[string]any `json:"private,omitempty"`
}

func (r *Resource) key() string {
	return strings.ToLower(r.ID)
}

func (r *Resource) id() ID {
	id, err := ParseID(r.ID)
	if err != nil {
		return ID{Path: r.ID, Type: r.Type, Name: r.Name} // it was parsed before it was stored
	}
	return id
}

func (r *Resource) properties() map[string]any {
	return child(r.Body, "properties")
}

func (r *Resource) provisioningState() string {
	state, _ := r.properties()["provisioningState"].(string)
	return state
}

func (r *Resource) location() string {
	location, _ := r.Body["location"].(string)
	return location
}

// store keeps resources by their lower-case identifier.
type store struct {
	journal   *state.Journal
	resources map[string]*Resource
	sequence  int64
}

func loadStore(journal *state.Journal) (*store, error) {
	s := &store{journal: journal, resources: map[string]*Resource{}}
	err := journal.Each(resourcePrefix, func(key string, raw json.RawMessage) error {
		r := &Resource{}
		if err := utiljson.Unmarshal(raw, r); err != nil {
			return fmt.Errorf("decode %s: %w", key, err)
		}
		if r.Body != nil {
			if err := utiljson.ConvertMapNumbers(r.Body, 0); err != nil {
				return fmt.Errorf("decode %s: %w", key, err)
			}
		}
		s.resources[r.key()] = r
		s.sequence = max(s.sequence, r.Sequence)
		return nil
	})
	return s, err
}

// get returns the resource at path, or nil.
func (s *store) get(path string) *Resource {
	return s.resources[strings.ToLower(path)]
}

func (s *store) put(r *Resource) error {
	if r.Sequence == 0 {
		s.sequence++
		r.Sequence = s.sequence
	}
	s.resources[r.key()] = r
	return s.journal.Put(resourcePrefix+r.key(), r)
}

// forget makes a resource be as if removed until the journal is read again.
func (s *store) forget(path string) { delete(s.resources, strings.ToLower(path)) }

func (s *store) remove(path string) error {
	s.forget(path)
	return s.journal.Delete(resourcePrefix + strings.ToLower(path))
}

// under returns the resources whose identifier begins with path and a slash, in the order of their creation.
func (s *store) under(path string) []*Resource {
	prefix := strings.ToLower(path) + "/"
	var found []*Resource
	for key, r := range s.resources {
		if strings.HasPrefix(key, prefix) {
			found = append(found, r)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Sequence < found[j].Sequence })
	return found
}

// children returns the resources of that type directly below path.
func (s *store) children(path, resourceType string) []*Resource {
	var found []*Resource
	for _, r := range s.under(path) {
		if strings.EqualFold(r.Type, resourceType) {
			found = append(found, r)
		}
	}
	return found
}

// newBody is what every resource has.
func newBody(id, name, resourceType string, properties map[string]any) map[string]any {
	return map[string]any{"id": id, "name": name, "type": resourceType, fieldProperties: properties}
}

// child returns the object at name, which is added if absent or no object.
func child(body map[string]any, name string) map[string]any {
	if c, ok := body[name].(map[string]any); ok {
		return c
	}
	c := map[string]any{}
	body[name] = c
	return c
}

// at returns the value at the path of field names, or nil.
func at(body map[string]any, path ...string) any {
	var value any = body
	for _, name := range path {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[name]
	}
	return value
}

func text(body map[string]any, path ...string) string {
	s, _ := at(body, path...).(string)
	return s
}

func number(body map[string]any, path ...string) (int64, bool) {
	switch n := at(body, path...).(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), true
	}
	return 0, false
}

func boolean(body map[string]any, path ...string) bool {
	b, _ := at(body, path...).(bool)
	return b
}

// objects returns the objects in the list at path.
func objects(body map[string]any, path ...string) []map[string]any {
	list, _ := at(body, path...).([]any)
	var found []map[string]any
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}

// withoutNulls returns a copy of value without the fields that are null: in a PUT they mean "not given".
func withoutNulls(value map[string]any) map[string]any {
	out := map[string]any{}
	for name, field := range value {
		switch f := field.(type) {
		case nil:
		case map[string]any:
			out[name] = withoutNulls(f)
		case []any:
			out[name] = listWithoutNulls(f)
		default:
			out[name] = f
		}
	}
	return out
}

func listWithoutNulls(list []any) []any {
	out := make([]any, 0, len(list))
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			item = withoutNulls(m)
		}
		out = append(out, item)
	}
	return out
}

// fill adds to body what it lacks of defaults, object by object.
func fill(body, defaults map[string]any) {
	for name, value := range defaults {
		present, ok := body[name]
		if !ok {
			body[name] = runtime.DeepCopyJSONValue(value)
			continue
		}
		if inner, ok := present.(map[string]any); ok {
			if more, ok := value.(map[string]any); ok {
				fill(inner, more)
			}
		}
	}
}

// decode parses a JSON object whose numbers are int64 or float64.
func decode(raw []byte) (map[string]any, error) {
	var body map[string]any
	if err := utiljson.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	return body, nil
}

func clone(body map[string]any) map[string]any {
	return runtime.DeepCopyJSON(body)
}
