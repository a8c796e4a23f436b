package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/forecast"
)

// planVariable has the plan be asked for before each step that applies or edits manifests, and held against what Azure is sent then: "all" for
// each, "say" for each without failing where it does not hold.
const planVariable = "E2E_PLAN"

const (
	// settling is how long it is waited for everything to be still before a plan, and sending how long for what was planned after a step.
	settling = 15 * time.Second
	sending  = 60 * time.Second
)

// A saying is what a plan has said at a time.
type saying struct {
	*forecast.Forecast
	at time.Time
}

// plan returns what kubectl capz plan says of objects that somebody applies; nil when it does not say all.
func (w *world) plan(manager string, objects ...*unstructured.Unstructured) (*saying, error) {
	manifests, err := w.manifests(objects)
	if err != nil {
		return nil, err
	}
	said := &saying{at: time.Now()}
	out, changes, err := w.kubectlCapz(manifests, "plan", "--server-side", "--force-conflicts", "--field-manager", manager, "--filename", "-", "--output", "json")
	if err != nil {
		return nil, err
	}
	var complete bool
	said.Forecast, complete, err = forecast.Read(out)
	switch {
	case err != nil || !complete:
		return nil, err
	case said.Changes() != changes:
		return nil, fmt.Errorf("kubectl capz plan ends as if there were changes: %v, and says %s", changes, said)
	}
	w.logf("the plan: %s", said)
	return said, nil
}

// holds returns in what Azure was sent something else since.
func (s *saying) holds(w *world) []string {
	requests, err := w.requests(s.at, http.MethodPut, http.MethodPatch, http.MethodDelete)
	if err != nil {
		return []string{err.Error()}
	}
	return s.Holds(requests)
}

// foresee returns what a plan says of a step; nil where it is not asked, or cannot be known: the scenario may be about a mistake.
func (w *world) foresee(s step) *saying {
	if os.Getenv(planVariable) == "" || s.act == nil || s.deletes || len(w.killed) > 0 {
		return nil
	}
	manager, manifests, err := w.rehearse(s.act)
	if err == nil && len(manifests) == 0 {
		err = errNoManifest
	}
	if err == nil {
		err = w.settle()
	}
	if err != nil {
		w.logf("%s: not planned: %v", s.name, err)
		return nil
	}
	begun := time.Now()
	said, err := w.plan(manager, manifests...)
	w.logf("%s: planned in %s", s.name, time.Since(begun).Round(10*time.Millisecond))
	switch {
	case err != nil:
		w.logf("%s: not planned: %v", s.name, err)
		return nil
	case said == nil:
		w.logf("%s: not planned: the plan is incomplete", s.name)
	}
	return said
}

// settle returns when nothing is under way that a step before has begun, and an error when that does not come.
func (w *world) settle() error {
	var missing []string
	for end := time.Now().Add(settling * slack()); time.Now().Before(end); time.Sleep(checkInterval) {
		if missing = everythingReady(w); len(missing) == 0 {
			return nil
		}
	}
	return fmt.Errorf("something is under way: %s", strings.Join(missing, "; "))
}

// cameTrue returns an error when Azure was sent something else than a plan has said. A nil plan says nothing.
func (w *world) cameTrue(s step, said *saying) error {
	if said == nil {
		return nil
	}
	var missing []string
	for end := time.Now().Add(sending * slack()); time.Now().Before(end); time.Sleep(checkInterval) {
		if missing = said.holds(w); len(missing) == 0 {
			w.logf("%s: Azure was sent what was planned", s.name)
			return nil
		}
	}
	w.logf("%s: Azure was sent something else than was planned:\n  %s", s.name, strings.Join(missing, "\n  "))
	if os.Getenv(planVariable) == "say" {
		return nil
	}
	return fmt.Errorf("not as planned:\n  %s", strings.Join(missing, "\n  "))
}
