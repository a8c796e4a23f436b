package telemetry

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// A rule is one of a file of rules of Prometheus.
type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type group struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

// readRules returns the groups of examples/monitoring.
func readRules(root string) ([]group, error) {
	content, err := os.ReadFile(filepath.Join(root, "examples", "monitoring", "prometheusrules.yaml"))
	if err != nil {
		return nil, err
	}
	object := struct {
		Spec struct {
			Groups []group `json:"groups"`
		} `json:"spec"`
	}{}
	return object.Spec.Groups, yaml.Unmarshal(content, &object)
}

// quickLabel tells the alerts of quick rules from those of the rules as they are.
const quickLabel = "quick"

// Nobody waits for hours in a test: what quick rules shorten, and by how much.
const (
	// shorterFor is for how long an alert has to last: a minute becomes a second.
	shorterFor = 60
	// shorterWindow is what increases and rates are looked at over. These cannot be shorter: what fails is tried again after up to half a
	// minute, and all that is counted is how often.
	shorterWindow = 10
	shortestFor   = 4 * time.Second
	shortWindow   = time.Minute
)

// thresholds are first ages, in seconds, that a test cannot wait for: two hours become two minutes. That of CapzSlowToReady must be longer
// than the clusters take that come up as they should, on a machine that does other work as well. Then there are counts, which are as much
// smaller as what they are counted in.
var thresholds = map[string][2]string{
	"CapzNotComposed":   {"> 900", "> 15"},
	"CapzWaitsLong":     {"> 7200", "> 120"},
	"CapzDeletionStuck": {"> 7200", "> 120"},
	"CapzHeldLong":      {"> 7200", "> 120"},
	"CapzSlowToReady":   {"> 1800", "> 300"},

	"CapzReconcileErrors":   {"> 5", "> 1"},
	"CapzTokenRequestsFail": {"> 3", "> 0.6"},
}

var window = regexp.MustCompile(`\[(\w+)\]`)

// quick returns the groups with durations that a test can wait for. Nothing else is otherwise.
func quick(groups []group) ([]group, error) {
	var all []group
	for _, g := range groups {
		changed := group{Name: quickLabel + "." + g.Name}
		for _, r := range g.Rules {
			q, err := quickRule(r)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Alert, err)
			}
			changed.Rules = append(changed.Rules, q)
		}
		all = append(all, changed)
	}
	return all, nil
}

func quickRule(r rule) (rule, error) {
	lasts, err := parseDuration(r.For)
	if err != nil {
		return r, err
	}
	r.For = max(lasts/shorterFor, shortestFor).String()
	var problem error
	r.Expr = window.ReplaceAllStringFunc(r.Expr, func(match string) string {
		d, err := parseDuration(strings.Trim(match, "[]"))
		if err != nil {
			problem = err
		}
		return "[" + strconv.Itoa(int(max(d/shorterWindow, shortWindow).Seconds())) + "s]"
	})
	if t, ok := thresholds[r.Alert]; ok {
		if strings.Count(r.Expr, t[0]) != 1 {
			return r, fmt.Errorf("%q is not in %q", t[0], r.Expr)
		}
		r.Expr = strings.Replace(r.Expr, t[0], t[1], 1)
	}
	labels := map[string]string{quickLabel: "yes"}
	for name, value := range r.Labels {
		labels[name] = value
	}
	r.Labels = labels
	return r, problem
}

// parseDuration reads a duration of one unit, as the rules have them.
func parseDuration(text string) (time.Duration, error) { return time.ParseDuration(text) }

// writeRules writes a file of rules as the operator of Prometheus does.
func writeRules(file string, groups []group) error {
	content, err := yaml.Marshal(map[string]any{"groups": groups})
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

func TestQuick(t *testing.T) {
	got, err := quick([]group{{Name: "g", Rules: []rule{
		{Alert: "CapzWaitsLong", Expr: "max by (kind) (age) > 7200", For: "5m", Labels: map[string]string{"severity": "warning"}},
		{Alert: "Counted", Expr: "sum(increase(a[1h])) > 3 and rate(b[5m]) > 7200", For: "90m"},
	}}})
	if err != nil || len(got) != 1 || len(got[0].Rules) != 2 {
		t.Fatalf("%v, error %v", got, err)
	}
	want := []string{
		"max by (kind) (age) > 120 for 5s, map[quick:yes severity:warning]",
		"sum(increase(a[360s])) > 3 and rate(b[60s]) > 7200 for 1m30s, map[quick:yes]",
	}
	for i, r := range got[0].Rules {
		if text := fmt.Sprintf("%s for %s, %v", r.Expr, r.For, r.Labels); text != want[i] {
			t.Errorf("got  %s\nwant %s", text, want[i])
		}
	}
	if _, err := quick([]group{{Rules: []rule{{Alert: "CapzWaitsLong", Expr: "age > 1", For: "5m"}}}}); err == nil {
		t.Error("a threshold that is not there is no error")
	}
}
