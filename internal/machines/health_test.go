package machines

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

const (
	clusterID     = "/subscriptions/" + subscription + "/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/c"
	clusterHealth = clusterID + "/providers/Microsoft.ResourceHealth/availabilityStatuses/current"
)

func TestHealthOf(t *testing.T) {
	refusal := func(status int, code string) error { return &Answer{Status: status, Code: code, Message: "no"} }
	cases := map[string]struct {
		answer answer
		want   Availability
		found  bool
		err    error
	}{
		"available": {
			answer: answer{status: 200, body: `{"properties": {"availabilityState": "Available", "summary": "All is well.", "reportedTime": "2026-11-27T10:00:00Z"}}`},
			want:   Availability{State: "Available", Summary: "All is well."}, found: true,
		},
		"unavailable": {
			answer: answer{status: 200, body: `{"properties": {"availabilityState": "Unavailable", "reasonType": "Unplanned", "summary": "Nobody answers."}}`},
			want:   Availability{State: "Unavailable", Reason: "Unplanned", Summary: "Nobody answers."}, found: true,
		},
		"says nothing":   {answer: answer{status: 200, body: `{}`}, found: true},
		"not there":      {answer: answer{status: 404, body: `{"error": {"code": "ResourceNotFound", "message": "no"}}`}},
		"right missing":  {answer: answer{status: 403, body: `{"error": {"code": "AuthorizationFailed", "message": "no"}}`}, err: refusal(403, "AuthorizationFailed")},
		"too often":      {answer: answer{status: 429, body: `{"error": {"code": "TooManyRequests", "message": "no"}}`}, err: refusal(429, "TooManyRequests")},
		"no such answer": {answer: answer{status: 200, body: `[]`}, err: errors.New("the answer of Azure about " + clusterHealth + " is not JSON of the expected shape")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newAzure(t, map[string][]answer{"GET " + clusterHealth: {c.answer}})
			got, found, err := NewHealth(f.client()).Of(t.Context(), f.account, clusterID)
			if diff := cmp.Diff(c.want, got); diff != "" || found != c.found {
				t.Errorf("found %v; -want, +got:\n%s", found, diff)
			}
			if (err == nil) != (c.err == nil) || err != nil && err.Error() != c.err.Error() {
				t.Errorf("want error %v, got %v", c.err, err)
			}
		})
	}
}

// TestHealthIsToWait has the time that Azure asks for reach whoever asks.
func TestHealthIsToWait(t *testing.T) {
	f := newAzure(t, map[string][]answer{"GET " + clusterHealth: {{status: 429, body: `{}`, header: map[string]string{"Retry-After": "600"}}}})
	_, _, err := NewHealth(f.client()).Of(t.Context(), f.account, clusterID)
	var a *Answer
	if !errors.As(err, &a) || a.RetryAfter != 10*time.Minute || a.Status != http.StatusTooManyRequests {
		t.Errorf("got %v", err)
	}
}

// TestHealthOfASimulatedResource asks about a network interface, as any resource can be asked about.
func TestHealthOfASimulatedResource(t *testing.T) {
	s := simulate(t)
	health := NewHealth(s.client)
	set := func(a Availability) {
		t.Helper()
		if err := s.admin.SetHealth(t.Context(), admin.Health{ID: simulatedNIC, State: a.State, ReasonType: a.Reason, Summary: a.Summary}); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want Availability) {
		t.Helper()
		got, found, err := health.Of(t.Context(), s.account, simulatedNIC)
		if diff := cmp.Diff(want, got); diff != "" || !found || err != nil {
			t.Errorf("found %v, %v; -want, +got:\n%s", found, err, diff)
		}
	}
	well := Availability{State: "Available", Summary: "There aren't any known Azure platform problems affecting this resource"}
	ill := Availability{State: "Unavailable", Reason: "Unplanned", Summary: "Nobody answers."}
	expect(well)
	set(ill)
	expect(ill)
	set(Availability{})
	expect(well)
	if _, found, err := health.Of(t.Context(), s.account, simulatedNIC+"-none"); found || err != nil {
		t.Errorf("of one that does not exist: found %v, %v", found, err)
	}
}
