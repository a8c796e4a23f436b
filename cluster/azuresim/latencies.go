package azuresim

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const (
	latenciesKey = "latencies"
	offsetKey    = "clock/offset"
	// DefaultLatency is the key of the latency of resource types that have none of their own.
	DefaultLatency = "default"
)

// Latencies are how long operations take by resource type in lower case, or by "<resource type>:<create|update|delete>".
type Latencies map[string]time.Duration

// ParseLatencies reads "default=1s,Microsoft.ContainerService/managedClusters=3s".
func ParseLatencies(text string) (Latencies, error) {
	parsed := Latencies{}
	for _, entry := range strings.Split(text, ",") {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		name, value, ok := strings.Cut(entry, "=")
		if !ok {
			return nil, fmt.Errorf("latency %q: want <resource type>=<duration>", entry)
		}
		d, err := time.ParseDuration(strings.TrimSpace(value))
		if err != nil || d < 0 {
			return nil, fmt.Errorf("latency %q: want a duration of at least 0 such as 3s", entry)
		}
		parsed[strings.ToLower(strings.TrimSpace(name))] = d
	}
	return parsed, nil
}

// latencies are the present latencies.
type latencies struct {
	journal *state.Journal

	mu      sync.Mutex
	initial Latencies
	set     Latencies
}

func loadLatencies(journal *state.Journal, initial Latencies) (*latencies, error) {
	l := &latencies{journal: journal, initial: initial, set: Latencies{}}
	_, err := journal.Get(latenciesKey, &l.set)
	return l, err
}

// of implements arm.Options.Latency; the most particular entry wins, one set later over one from the start.
func (l *latencies) of(resourceType, kind string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := strings.ToLower(resourceType)
	for _, key := range []string{name + ":" + kind, name, DefaultLatency} {
		for _, from := range []Latencies{l.set, l.initial} {
			if d, ok := from[key]; ok {
				return d
			}
		}
	}
	return 0
}

// SetLatency sets how long operations on a resource type take, for "default" on all that have no latency of their own.
func (s *Simulator) SetLatency(name string, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("latency %s of %s: want at least 0", d, name)
	}
	l := s.latencies
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set[strings.ToLower(name)] = d
	return l.journal.Put(latenciesKey, l.set)
}

// adjustableClock is a clock that the administration API can put forward.
type adjustableClock struct {
	clock.PassiveClock
	journal *state.Journal

	mu     sync.Mutex
	offset time.Duration
}

func loadClock(journal *state.Journal, base clock.PassiveClock) (*adjustableClock, error) {
	c := &adjustableClock{PassiveClock: base, journal: journal}
	_, err := journal.Get(offsetKey, &c.offset)
	return c, err
}

// Now implements clock.PassiveClock.
func (c *adjustableClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.PassiveClock.Now().Add(c.offset)
}

// Since implements clock.PassiveClock.
func (c *adjustableClock) Since(t time.Time) time.Duration {
	return c.Now().Sub(t)
}

// SetClockOffset puts the simulator's clock that far ahead of the real one.
func (s *Simulator) SetClockOffset(offset time.Duration) error {
	c := s.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = offset
	return c.journal.Put(offsetKey, offset)
}
