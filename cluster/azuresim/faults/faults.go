// Package faults keeps the faults that tests inject and picks the one that a request meets.
package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const (
	keyPrefix   = "faults/"
	defaultHost = `^management\.(azure\.com|usgovcloudapi\.net|chinacloudapi\.cn)$`
)

type fault struct {
	admin.Fault
	Remaining int       `json:"remaining"`
	Order     int       `json:"order"`
	Until     time.Time `json:"until,omitzero"`

	host, path *regexp.Regexp
	// passed are the requests that matched since one was answered last. A simulator that is killed begins again with none.
	passed int
}

// Set is a list of faults; the first that matches a request answers it.
type Set struct {
	journal *state.Journal
	clock   clock.PassiveClock

	mu     sync.Mutex
	faults []*fault
	order  int
}

// Load restores the faults in the journal. The clock tells when those end that last for a time.
func Load(journal *state.Journal, c clock.PassiveClock) (*Set, error) {
	s := &Set{journal: journal, clock: c}
	err := journal.Each(keyPrefix, func(key string, raw json.RawMessage) error {
		f := &fault{}
		if err := json.Unmarshal(raw, f); err != nil {
			return fmt.Errorf("decode %s: %w", key, err)
		}
		if err := f.compile(); err != nil {
			return err
		}
		s.faults = append(s.faults, f)
		s.order = max(s.order, f.Order)
		return nil
	})
	s.sort()
	return s, err
}

func (s *Set) sort() {
	for i := 1; i < len(s.faults); i++ {
		for j := i; j > 0 && s.faults[j].Order < s.faults[j-1].Order; j-- {
			s.faults[j], s.faults[j-1] = s.faults[j-1], s.faults[j]
		}
	}
}

func (f *fault) compile() error {
	host := f.Host
	if host == "" {
		host = defaultHost
	}
	var err error
	if f.host, err = regexp.Compile("(?i)" + host); err != nil {
		return fmt.Errorf("fault host %q: %w", f.Host, err)
	}
	if f.path, err = regexp.Compile("(?i)" + f.Path); err != nil {
		return fmt.Errorf("fault path %q: %w", f.Path, err)
	}
	if f.Status != 0 && (f.Status < 100 || f.Status > 599) {
		return fmt.Errorf("fault status %d: want 100 to 599", f.Status)
	}
	if f.Every < 0 || f.Lasts < 0 || f.ProlongOperation < 0 {
		return fmt.Errorf("fault every %d, lasts %s, prolongOperation %s: want at least 0", f.Every, f.Lasts, f.ProlongOperation)
	}
	return nil
}

// Add puts a fault at the end of the list, or in place of the one with its name, and returns its name.
func (s *Set) Add(spec admin.Fault) (string, error) {
	if spec.Name == "" {
		spec.Name = uuid.NewString()
	}
	f := &fault{Fault: spec, Remaining: spec.Times}
	if err := f.compile(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(spec.Name)
	s.order++
	f.Order = s.order
	if f.Lasts > 0 {
		f.Until = s.clock.Now().Add(f.Lasts)
	}
	s.faults = append(s.faults, f)
	return f.Name, s.journal.Put(keyPrefix+f.Name, f)
}

func (s *Set) remove(name string) {
	kept := s.faults[:0]
	for _, f := range s.faults {
		if f.Name != name {
			kept = append(kept, f)
		}
	}
	s.faults = kept
}

// Clear removes the fault with that name, or all for an empty name.
func (s *Set) Clear(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range append([]*fault(nil), s.faults...) {
		if name == "" || f.Name == name {
			s.remove(f.Name)
			if err := s.journal.Delete(keyPrefix + f.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Take returns the fault that the request meets and counts it, or nil.
func (s *Set) Take(r *http.Request) (*admin.Fault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	host := strings.ToLower(strings.TrimSuffix(r.Host, ":443"))
	if err := s.expire(); err != nil {
		return nil, err
	}
	for _, f := range s.faults {
		if (f.Method != "" && !strings.EqualFold(f.Method, r.Method)) || !f.host.MatchString(host) || !f.path.MatchString(r.URL.Path) {
			continue
		}
		if f.passed++; f.passed < f.Every {
			continue
		}
		f.passed = 0
		taken := f.Fault
		return &taken, s.count(f)
	}
	return nil, nil
}

// expire removes the faults whose time is over.
func (s *Set) expire() error {
	now := s.clock.Now()
	for _, f := range append([]*fault(nil), s.faults...) {
		if f.Until.IsZero() || now.Before(f.Until) {
			continue
		}
		s.remove(f.Name)
		if err := s.journal.Delete(keyPrefix + f.Name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) count(f *fault) error {
	if f.Times == 0 {
		return nil
	}
	f.Remaining--
	if f.Remaining > 0 {
		return s.journal.Put(keyPrefix+f.Name, f)
	}
	s.remove(f.Name)
	return s.journal.Delete(keyPrefix + f.Name)
}
