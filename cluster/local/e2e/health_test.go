package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// healthPath is what the path of each question to Azure Resource Health has.
const healthPath = "/providers/Microsoft.ResourceHealth/"

// setHealth has Azure Resource Health say something of the AKS cluster; nothing says that all is well.
func setHealth(state, reason, summary string) func(*world) error {
	return func(w *world) error {
		cluster, err := w.resource("/managedClusters/" + clusterName)
		if err != nil || cluster == nil {
			return fmt.Errorf("the AKS cluster is not in Azure: %w", err)
		}
		return w.azure.SetHealth(w.ctx, admin.Health{ID: cluster.ID, State: state, ReasonType: reason, Summary: summary})
	}
}

// askHealth turns the questions on, each so often.
func askHealth(interval string) func(*world) error {
	return configure(map[string]any{"resourceHealth": map[string]any{"interval": interval}})
}

// healthSays expects the condition, with a text in its message.
func healthSays(status, message string) expectation {
	return condition(typedControlPlaneKind, clusterName, "AzureResourceAvailable", status, message)
}

// healthNotAsked expects that nobody has asked about the cluster since a time that was noted.
func healthNotAsked(note string) expectation {
	return func(w *world) []string {
		since, noted := w.noted[note].(time.Time)
		if !noted {
			since = w.begun
		}
		requests, err := w.requests(since, http.MethodGet)
		if err != nil {
			return []string{err.Error()}
		}
		for _, r := range requests {
			if strings.Contains(r.Path, healthPath) {
				return []string{fmt.Sprintf("%s was asked at %s", r.Path, r.Time)}
			}
		}
		return nil
	}
}

// healthUntold has Azure refuse to tell the health, as it does an application without the right.
func healthUntold(w *world) error {
	return w.fault("health", admin.Fault{
		Method: http.MethodGet, Path: "/managedClusters/" + clusterName + healthPath + "availabilityStatuses/current", Status: http.StatusForbidden,
		Code: "AuthorizationFailed", Message: "The client does not have authorization to perform action 'Microsoft.ResourceHealth/availabilityStatuses/read'.",
	})
}

// health has Azure Resource Health asked about a cluster, which is available, is not, and is again. Another interval has it asked at once.
var health = &scenario{
	name: "health", family: typedFamily, calmOnly: true, configures: true, rights: settings.rights,
	steps: []step{
		{name: "create", act: applyTyped("aks", onePool), expect: []expectation{available, healthNotAsked("")}, lasts: 15 * time.Second},
		{name: "ask for the health", act: askHealth("1m"), expect: []expectation{applied, healthSays("True", ""), available}},
		{
			name: "the cluster becomes unavailable", lasts: 70 * time.Second,
			act:    setHealth("Unavailable", "Unplanned", "At this time nobody answers."),
			expect: []expectation{healthSays("False", "Unavailable: At this time nobody answers."), available, contractKept},
		},
		{name: "scale it all the same", act: scaleTo(systemPool, 3), expect: []expectation{replicas(systemPool, 3), available}},
		{
			name: "Azure does not tell", act: all(healthUntold, askHealth("2m")),
			expect: []expectation{applied, healthSays("Unknown", "Microsoft.ResourceHealth/availabilityStatuses/read"), available},
		},
		{
			name: "the cluster is available again", act: all(fix("health"), setHealth("", "", ""), askHealth("3m")),
			expect: []expectation{applied, healthSays("True", ""), available},
		},
		{
			name: "ask no more", act: leaveToCommandLine, expect: []expectation{healthSays("Unknown", "is not asked"), available},
		},
		{name: "nobody asks", act: now("quiet"), expect: []expectation{available}, stays: []expectation{healthNotAsked("quiet")}, staysFor: 10 * time.Second},
		downTyped,
	},
}
