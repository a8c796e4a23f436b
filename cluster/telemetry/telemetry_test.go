package telemetry

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	apiv1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	// quietPatience is how long it may take after the clusters are up until no alert is pending: the windows of quick rules are as long.
	quietPatience = 6 * time.Minute
	// quietTime is for how long none may be then.
	quietTime = time.Minute
)

// TestTelemetry has Prometheus scrape a management cluster on which four clusters come up, which raises no alert, and then things go wrong.
func TestTelemetry(t *testing.T) {
	w := newWorld(t)
	w.say("the management cluster is up; building Prometheus")
	w.prometheus = startPrometheus(t, w.root, w.deployments())
	begun := time.Now()
	w.say("Prometheus scrapes")
	w.bringUp()
	w.say("all clusters are up")
	for _, url := range w.stack.MetricsURLs() {
		w.prometheus.checkMetrics(t, url)
	}
	w.checkKubeStateMetrics()
	w.quiet()
	w.checkLog()
	broken := time.Now()
	fired, err := w.prometheus.fired(t.Context(), begun, broken)
	if err != nil || len(fired) > 0 {
		t.Errorf("alerts %v have fired while all was well, error %v", fired, err)
	}
	if t.Failed() {
		t.FailNow()
	}
	w.breakThings()
	checkPanels(t.Context(), t, w.prometheus, w.root, begun, broken, time.Now())
	w.checkTable()
	if fired, err = w.prometheus.fired(t.Context(), broken, time.Now()); err != nil {
		t.Error(err)
	}
	t.Logf("of the rules as they are, these had the time to fire: %s", strings.Join(fired, ", "))
	t.Logf("alert | what has been done | fires after\n%s", strings.Join(w.rows, "\n"))
}

// checkLog expects that provider-capz has logged no error while all was well.
func (w *world) checkLog() {
	w.t.Helper()
	log, err := os.ReadFile(w.stack.LogFile(stack.Provider))
	w.must(err)
	for line := range bytes.Lines(log) {
		if bytes.Contains(line, []byte(" level=ERROR ")) {
			w.t.Errorf("all is well, but provider-capz logs %s", line)
		}
	}
}

// quiet waits until no alert is pending or fires, of quick rules and of those as they are, and has that stay so.
func (w *world) quiet() {
	w.t.Helper()
	active := func() (string, error) {
		alerts, err := w.prometheus.active(w.t.Context())
		return describe(alerts), err
	}
	begun := time.Now()
	await(w.t, quietPatience, "no alert is pending", active)
	w.say("no alert is pending any more (%s)", time.Since(begun).Round(time.Second))
	for begun := time.Now(); time.Since(begun) < quietTime; time.Sleep(lookInterval) {
		if alerts, err := active(); err != nil || alerts != "" {
			w.t.Errorf("all is well, but %s, error %v", alerts, err)
			return
		}
	}
	w.say("none has been for %s", quietTime)
}

// checkTable has each alert of the rules be in the table.
func (w *world) checkTable() {
	w.t.Helper()
	groups, err := readRules(w.root)
	w.must(err)
	slices.Sort(w.rows)
	for _, g := range groups {
		for _, r := range g.Rules {
			if !slices.ContainsFunc(w.rows, func(row string) bool { return strings.HasPrefix(row, r.Alert+" | ") }) {
				w.t.Errorf("%s has not fired", r.Alert)
			}
		}
	}
}

// An expected alert is one with some labels, given as name and value.
type expected []string

func (e expected) is(a apiv1.Alert) bool {
	if string(a.Labels["alertname"]) != e[0] {
		return false
	}
	for pair := range slices.Chunk(e[1:], 2) {
		if string(a.Labels[labelName(pair[0])]) != pair[1] {
			return false
		}
	}
	return true
}
