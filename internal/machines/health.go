package machines

import (
	"context"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

const (
	healthVersion = "2025-05-01"
	// currentHealth is the part of a resource's ID that its present availability is found under.
	currentHealth = "/providers/Microsoft.ResourceHealth/availabilityStatuses/current"
)

// Health asks Azure Resource Health.
type Health struct{ client *Client }

// NewHealth returns a Health.
func NewHealth(client *Client) *Health { return &Health{client: client} }

// An Availability is what Azure Resource Health says of a resource, in its own words: State is Available, Unavailable, Degraded or Unknown.
type Availability struct{ State, Reason, Summary string }

// Of returns what Azure says of the resource with the ID; not found when Azure does not have it.
func (h *Health) Of(ctx context.Context, as azure.Account, id string) (now Availability, found bool, err error) {
	status := struct {
		Properties struct {
			AvailabilityState string `json:"availabilityState"`
			ReasonType        string `json:"reasonType"`
			Summary           string `json:"summary"`
		} `json:"properties"`
	}{}
	found, err = h.client.get(ctx, as, call{path: strings.TrimRight(id, "/") + currentHealth, version: healthVersion}, &status)
	if err != nil || !found {
		return Availability{}, false, err
	}
	p := status.Properties
	return Availability{State: p.AvailabilityState, Reason: p.ReasonType, Summary: p.Summary}, true, nil
}
