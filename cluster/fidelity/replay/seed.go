package replay

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// seed creates what existed before the recording began: each resource whose first recorded answer is not 404 and not a
// creation. It is created with the body of its first recorded PUT, the only thing known that a user wrote. Only the counted
// families are created.
func (s *session) seed() error {
	if err := s.simulator.SetLatency("default", 0); err != nil {
		return err
	}
	s.clock.SetTime(epoch.Add(-time.Hour))
	seen := map[string]bool{}
	for i := range s.recording.Interactions {
		interaction := &s.recording.Interactions[i]
		path := interaction.path()
		if seen[path] || familyOf(path) == Other || createdAsOK(path) || interaction.Request.Method == http.MethodPost {
			continue
		}
		seen[path] = true
		if interaction.Code() != http.StatusOK {
			continue
		}
		if put := s.firstPut(path); put != nil {
			answer := s.send(put, put.Request.URL)
			if answer.Code >= 300 {
				return fmt.Errorf("create %s as it was before the recording: status %d %s", path, answer.Code, answer.Body)
			}
		}
	}
	s.clock.SetTime(epoch.Add(-time.Minute))
	return s.simulator.ARM.Advance()
}

// createdAsOK tells whether the creation of a resource of that type is answered with 200, so that it does not tell that the
// resource existed, or the path is that of an operation.
func createdAsOK(path string) bool {
	return strings.Contains(path, "/maintenanceconfigurations/") || strings.Contains(path, "/locations/")
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
