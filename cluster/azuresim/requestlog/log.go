// Package requestlog records every request that the simulator answers, for tests to assert on.
package requestlog

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// capacity bounds the memory of a long run; the oldest requests are forgotten first.
const capacity = 50000

// secretField names the JSON fields whose values are never kept.
var secretField = regexp.MustCompile(`(?i)(password|secret|token|kubeconfig|private_?key|certificate|connectionstring|customdata|assertion)`)

const redacted = "(redacted)"

// Log holds the most recent requests. Its zero value keeps them in memory only.
type Log struct {
	mu       sync.Mutex
	requests []admin.Request
	file     *os.File
}

// Open returns a log that goes on with the requests in the file, and appends to it.
func Open(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open request log: %w", err)
	}
	l := &Log{file: f}
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return l, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read request log: %w", err)
		}
		var r admin.Request
		if err := json.Unmarshal(line, &r); err != nil {
			continue // the end of a line that a crash cut short
		}
		l.keep(r)
	}
}

// Add records a request.
func (l *Log) Add(r admin.Request) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(r)
	if l.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("append to request log: %w", err)
	}
	return nil
}

func (l *Log) keep(r admin.Request) {
	if len(l.requests) >= capacity {
		l.requests = append(l.requests[:0:0], l.requests[capacity/10:]...)
	}
	l.requests = append(l.requests, r)
}

// Select returns the requests that the filter selects, oldest first.
func (l *Log) Select(filter admin.RequestFilter) ([]admin.Request, error) {
	path, err := regexp.Compile("(?i)" + filter.Path)
	if err != nil {
		return nil, fmt.Errorf("path %q: %w", filter.Path, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	selected := []admin.Request{}
	for _, r := range l.requests {
		if (filter.Method == "" || strings.EqualFold(filter.Method, r.Method)) &&
			(filter.Host == "" || strings.EqualFold(filter.Host, r.Host)) &&
			path.MatchString(r.Path) && !r.Time.Before(filter.Since) {
			selected = append(selected, r)
		}
	}
	return selected, nil
}

// Clear forgets every request.
func (l *Log) Clear() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = nil
	if l.file == nil {
		return nil
	}
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("clear request log: %w", err)
	}
	return nil
}

// Redact returns a JSON body with the values of secret fields replaced; anything that is no JSON object is left out.
func Redact(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	var value map[string]any
	if err := json.Unmarshal(body, &value); err != nil {
		return "(no JSON object)"
	}
	redact(value)
	out, err := json.Marshal(value)
	if err != nil {
		return "(no JSON object)"
	}
	return string(out)
}

func redact(value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if _, text := field.(string); text && secretField.MatchString(name) {
				v[name] = redacted
				continue
			}
			if strings.EqualFold(name, "protectedSettings") {
				v[name] = redacted // Its fields are anything, and all secret.
				continue
			}
			redact(field)
		}
	case []any:
		for _, item := range v {
			redact(item)
		}
	}
}
