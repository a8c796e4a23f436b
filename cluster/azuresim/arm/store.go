package arm

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
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

// Key returns the ID as it is compared, in lower case.
func (r *Resource) Key() string {
	return strings.ToLower(r.ID)
}

// Identity returns the parts of the ID.
func (r *Resource) Identity() ID {
	id, err := ParseID(r.ID)
	if err != nil {
		return ID{Path: r.ID, Type: r.Type, Name: r.Name} // it was parsed before it was stored
	}
	return id
}

// Properties returns the properties, which are added if absent.
func (r *Resource) Properties() map[string]any {
	return fields.Child(r.Body, "properties")
}

// ProvisioningState returns properties.provisioningState; empty when there is none.
func (r *Resource) ProvisioningState() string {
	state, _ := r.Properties()["provisioningState"].(string)
	return state
}

// Location returns where the resource is, as it was given.
func (r *Resource) Location() string {
	location, _ := r.Body[fields.Location].(string)
	return location
}

// store keeps resources by their lower-case identifier.
type store struct {
	journal   *state.Journal
	resources map[string]*Resource
	sequence  int64
	// inOrder has the resources in the order of creation; nil when that has to be made anew.
	inOrder []*Resource
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
		s.resources[r.Key()] = r
		s.sequence = max(s.sequence, r.Sequence)
		return nil
	})
	return s, err
}

// Get returns the resource at path, or nil.
func (s *store) Get(path string) *Resource {
	return s.resources[strings.ToLower(path)]
}

func (s *store) Put(r *Resource) error {
	if r.Sequence == 0 {
		s.sequence++
		r.Sequence = s.sequence
	}
	if key := r.Key(); s.resources[key] != r {
		s.resources[key], s.inOrder = r, nil
	}
	return s.journal.Put(resourcePrefix+r.Key(), r)
}

// forget makes a resource be as if removed until the journal is read again.
func (s *store) forget(path string) {
	delete(s.resources, strings.ToLower(path))
	s.inOrder = nil
}

func (s *store) remove(path string) error {
	s.forget(path)
	return s.journal.Delete(resourcePrefix + strings.ToLower(path))
}

// Under returns the resources whose identifier begins with path and a slash, in the order of their creation.
func (s *store) Under(path string) []*Resource {
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

// Children returns the resources of that type directly below path.
func (s *store) Children(path, resourceType string) []*Resource {
	var found []*Resource
	for _, r := range s.Under(path) {
		if strings.EqualFold(r.Type, resourceType) {
			found = append(found, r)
		}
	}
	return found
}

// NewBody is what every resource has.
func NewBody(id, name, resourceType string, properties map[string]any) map[string]any {
	return map[string]any{"id": id, "name": name, "type": resourceType, fields.Properties: properties}
}
