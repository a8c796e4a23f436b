package arm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// typeHealth is what Azure Resource Health says of any resource, as a resource of its own (Azure REST API reference, "Availability Statuses").
const typeHealth = "Microsoft.ResourceHealth/availabilityStatuses"

const healthPrefix = "arm/health/"

// A Health is what Azure Resource Health says of a resource.
type Health struct {
	// State is Available, Unavailable, Degraded or Unknown.
	State string `json:"state"`
	// ReasonType and Summary are Azure's words about it.
	ReasonType string `json:"reasonType,omitempty"`
	Summary    string `json:"summary,omitempty"`
	// Since is when it came to be so, of the resource that was made with the sequence number.
	Since    time.Time `json:"since"`
	Sequence int64     `json:"sequence"`
}

// healths knows of the resources that are not as they usually are, by their identifiers in lower case.
type healths struct {
	journal *state.Journal
	of      map[string]Health
}

func loadHealths(journal *state.Journal) (*healths, error) {
	h := &healths{journal: journal, of: map[string]Health{}}
	return h, journal.Each(healthPrefix, func(key string, value json.RawMessage) error {
		var one Health
		if err := json.Unmarshal(value, &one); err != nil {
			return fmt.Errorf("health %s: %w", key, err)
		}
		h.of[strings.TrimPrefix(key, healthPrefix)] = one
		return nil
	})
}

// SetHealth says what Azure Resource Health says of a resource from now on; with no state that all is well again.
func (s *Service) SetHealth(id string, health Health) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.ToLower(id)
	resource := s.Store.Get(id)
	if resource == nil {
		return fmt.Errorf("no resource has the id %s", id)
	}
	if health.State == "" {
		delete(s.healths.of, key)
		return s.healths.journal.Delete(healthPrefix + key)
	}
	health.Since, health.Sequence = s.Clock.Now().UTC(), resource.Sequence
	s.healths.of[key] = health
	return s.healths.journal.Put(healthPrefix+key, health)
}

// health answers a request about the health of a resource.
func (s *Service) health(w http.ResponseWriter, r *http.Request, id ID) *Error {
	resource := s.Store.Get(id.Parent)
	switch {
	case r.Method != http.MethodGet:
		return &Error{Status: http.StatusMethodNotAllowed, Code: "HttpMethodNotSupported", Message: "The HTTP method " + r.Method + " is not supported at scope '" + id.Path + "'."}
	case !strings.EqualFold(id.Name, "current"):
		return NotFound("NotFound", "No resource has the path '%s'.", id.Path)
	case resource == nil:
		scope, err := ParseID(id.Parent)
		if err != nil {
			return BadRequest("InvalidResourceId", "%s", err)
		}
		if e := s.checkScope(scope); e != nil {
			return e
		}
		return ResourceNotFound(scope)
	}
	now := s.Clock.Now().UTC()
	health, told := s.healths.of[strings.ToLower(id.Parent)]
	if !told || health.Sequence != resource.Sequence {
		health = Health{State: "Available", Summary: "There aren't any known Azure platform problems affecting this resource", Since: now}
	}
	properties := map[string]any{
		"availabilityState": health.State, "title": health.State, "summary": health.Summary,
		"occurredTime": health.Since.Format(time.RFC3339), "reportedTime": now.Format(time.RFC3339Nano),
	}
	if health.ReasonType != "" {
		properties["reasonType"] = health.ReasonType
	}
	WriteJSON(w, http.StatusOK, NewBody(id.Path, "current", typeHealth, properties))
	return nil
}
