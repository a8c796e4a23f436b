package replay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// seed creates what existed before the recording began: each resource whose first recorded answer is not 404 and not a
// creation. It is created with the body of its first recorded PUT, which is what its user wrote, and with the add-ons that
// somebody else had switched on before. Only the counted families are created.
func (s *session) seed() error {
	if err := s.simulator.SetLatency("default", 0); err != nil {
		return err
	}
	s.clock.SetTime(epoch.Add(-time.Hour))
	waiting, err := s.before()
	if err != nil {
		return err
	}
	// What refers to something else can be created after that only, and the recording tells no order.
	for len(waiting) > 0 {
		var refused []*Interaction
		var answer *httptest.ResponseRecorder
		for _, put := range waiting {
			if got := s.send(put, put.Request.URL); got.Code >= 300 {
				refused, answer = append(refused, put), got
			}
		}
		if len(refused) == len(waiting) {
			return fmt.Errorf("create %s as it was before the recording: status %d %s", refused[0].path(), answer.Code, answer.Body)
		}
		waiting = refused
	}
	s.clock.SetTime(epoch.Add(-time.Minute))
	return s.simulator.ARM.Advance()
}

// before returns the requests that create what existed before the recording began.
func (s *session) before() ([]*Interaction, error) {
	var puts []*Interaction
	seen := map[string]bool{}
	for i := range s.recording.Interactions {
		interaction := &s.recording.Interactions[i]
		path := interaction.path()
		if seen[path] || familyOf(path) == Other || createdAsOK(path) || interaction.Request.Method == http.MethodPost {
			continue
		}
		seen[path] = true
		put := s.firstPut(path)
		if interaction.Code() != http.StatusOK || put == nil {
			continue
		}
		made := *put
		if made.Request.Body = withAddOns(put.Request.Body, interaction.Response.Body); made.Request.Body == "" {
			return nil, fmt.Errorf("create %s as it was before the recording: body is no JSON object", path)
		}
		puts = append(puts, &made)
	}
	return puts, nil
}

// createdAsOK tells whether the creation of a resource of that type is answered with 200, so that it does not tell that the
// resource existed, or the path is that of an operation.
func createdAsOK(path string) bool {
	for _, part := range []string{"/maintenanceconfigurations/", "/availabilitysets/", "/locations/", "operationstatuses/", "operationresults/"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

// firstPut is the first PUT of the resource in the recording, or nil.
func (s *session) firstPut(path string) *Interaction {
	for i := range s.recording.Interactions {
		interaction := &s.recording.Interactions[i]
		if interaction.Request.Method == http.MethodPut && interaction.path() == path && interaction.Code() < 300 {
			return interaction
		}
	}
	return nil
}

// withAddOns adds to the body of a PUT which add-ons the body of a GET shows to be on: Azure Policy switches them on in a
// cluster that exists, and no PUT of the cluster's user ever has them. It is empty if a body is no JSON object.
func withAddOns(put, get string) string {
	var body, present map[string]any
	if json.Unmarshal([]byte(put), &body) != nil || json.Unmarshal([]byte(get), &present) != nil {
		return ""
	}
	properties, _ := body["properties"].(map[string]any)
	shown, _ := present["properties"].(map[string]any)
	addOns, _ := shown["addonProfiles"].(map[string]any)
	if properties == nil || len(addOns) == 0 || properties["addonProfiles"] != nil {
		return put
	}
	given := map[string]any{}
	for name, addOn := range addOns {
		if one, ok := addOn.(map[string]any); ok {
			given[name] = map[string]any{"enabled": one["enabled"]}
		}
	}
	properties["addonProfiles"] = given
	out, err := json.Marshal(body)
	if err != nil {
		return ""
	}
	return string(out)
}
