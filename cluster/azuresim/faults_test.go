package azuresim_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

// outcome is what a client sees of a request.
type outcome struct {
	status     int
	retryAfter string
	body       string
	err        error
	took       time.Duration
}

func (a *azure) try(method, path string) outcome {
	a.t.Helper()
	request, err := http.NewRequest(method, "https://management.azure.com"+path+"?api-version=2020-06-01", strings.NewReader(`{"location":"eastus"}`))
	if err != nil {
		a.t.Fatal(err)
	}
	token, _, err := a.simulator.Directory.Issue(clouds.Public, tenant, "client", "https://management.azure.com")
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	begin := time.Now()
	response, err := a.transport.Do(request)
	if err != nil {
		return outcome{err: err}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return outcome{status: response.StatusCode, retryAfter: response.Header.Get("Retry-After"), body: string(raw), err: err, took: time.Since(begin)}
}

// TestFaults injects each kind of fault and sees it at the client, as often as asked for and only where it matches.
func TestFaults(t *testing.T) {
	cases := map[string]struct {
		fault admin.Fault
		seen  func(outcome) bool
	}{
		"throttled": {admin.Fault{Status: 429, Code: "TooManyRequests", Message: "slow down", RetryAfter: 7}, func(o outcome) bool {
			return o.status == 429 && o.retryAfter == "7" && strings.Contains(o.body, `"TooManyRequests"`)
		}},
		"conflict":        {admin.Fault{Status: 409, Code: "Conflict"}, func(o outcome) bool { return o.status == 409 }},
		"not found":       {admin.Fault{Status: 404, Code: "ResourceNotFound"}, func(o outcome) bool { return o.status == 404 }},
		"server error":    {admin.Fault{Status: 503, Code: "ServiceUnavailable"}, func(o outcome) bool { return o.status == 503 }},
		"malformed":       {admin.Fault{Malformed: true}, func(o outcome) bool { return o.status == 200 && !json.Valid([]byte(o.body)) }},
		"malformed error": {admin.Fault{Malformed: true, Status: 500}, func(o outcome) bool { return o.status == 500 && !json.Valid([]byte(o.body)) }},
		"dropped":         {admin.Fault{Drop: true}, func(o outcome) bool { return o.err != nil }},
		"delayed":         {admin.Fault{Delay: 300 * time.Millisecond}, func(o outcome) bool { return o.status == 201 && o.took >= 300*time.Millisecond }},
		"truncated": {admin.Fault{Truncate: true}, func(o outcome) bool {
			return o.status == 201 && o.err != nil && strings.HasPrefix(o.body, "{") && !json.Valid([]byte(o.body))
		}},
		"answer lost":       {admin.Fault{LoseAnswer: true}, func(o outcome) bool { return o.err != nil && o.status == 0 }},
		"delayed, an error": {admin.Fault{Delay: 300 * time.Millisecond, Status: 500}, func(o outcome) bool { return o.status == 500 && o.took >= 300*time.Millisecond }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := start(t, t.TempDir(), "")
			ctx := context.Background()
			c.fault.Method, c.fault.Path, c.fault.Times = http.MethodPut, "/resourcegroups/RG$", 1
			if _, err := a.admin.Inject(ctx, c.fault); err != nil {
				t.Fatal(err)
			}
			if o := a.try(http.MethodGet, group); o.status != http.StatusNotFound || o.err != nil {
				t.Errorf("GET met the fault: %+v", o)
			}
			if o := a.try(http.MethodPut, group+"2"); o.status != http.StatusCreated {
				t.Errorf("PUT of another group met the fault: %+v", o)
			}
			if o := a.try(http.MethodPut, group); !c.seen(o) {
				t.Errorf("PUT: %+v", o)
			}
			done := c.fault.LoseAnswer || c.fault.Truncate || c.fault.Status == 0 && c.fault.Delay > 0
			if o := a.try(http.MethodGet, group); done != (o.status == http.StatusOK) {
				t.Errorf("GET after it: %+v, want the group to be there: %v", o, done)
			}
			if o := a.try(http.MethodPut, group); o.err != nil || o.status > 201 {
				t.Errorf("second PUT met the fault again: %+v", o)
			}
		})
	}
}

// TestFaultsUntilCleared checks a fault without a count, its name in the log, and that it survives a restart.
func TestFaultsUntilCleared(t *testing.T) {
	dir := t.TempDir()
	a := start(t, dir, "")
	ctx := context.Background()
	for _, fault := range []admin.Fault{{Name: "down", Status: 500, Code: "Down"}, {Name: "token", Host: `^login\.`, Status: 503}} {
		if _, err := a.admin.Inject(ctx, fault); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range []admin.Fault{{Path: "("}, {Status: 1}, {Every: -1}, {Lasts: -time.Second}, {ProlongOperation: -1}} {
		if _, err := a.admin.Inject(ctx, wrong); err == nil {
			t.Errorf("fault %+v was accepted", wrong)
		}
	}
	for range 3 {
		if o := a.try(http.MethodPut, group); o.status != 500 {
			t.Errorf("PUT: %+v, want 500", o)
		}
	}
	requests, err := a.admin.Requests(ctx, admin.RequestFilter{Method: http.MethodPut})
	if err != nil || len(requests) != 3 || requests[0].Fault != "down" || requests[0].Status != 500 || requests[0].APIVersion != "2020-06-01" {
		t.Errorf("requests: %v, %+v", err, requests)
	}
	a.stop()
	b := start(t, dir, "")
	if o := b.try(http.MethodPut, group); o.status != 500 {
		t.Errorf("PUT after the restart: %+v, want 500", o)
	}
	if err := b.admin.ClearFault(ctx, "down"); err != nil {
		t.Fatal(err)
	}
	if o := b.try(http.MethodPut, group); o.status != 201 {
		t.Errorf("PUT after the fault was cleared: %+v, want 201", o)
	}
	if err := b.admin.ClearFaults(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestFaultOfEveryThird has a fault answer each third request that matches, twice.
func TestFaultOfEveryThird(t *testing.T) {
	a := start(t, t.TempDir(), "")
	if _, err := a.admin.Inject(context.Background(), admin.Fault{Path: "/rg$", Status: 500, Code: "Down", Every: 3, Times: 2}); err != nil {
		t.Fatal(err)
	}
	var got []int
	for range 8 {
		a.try(http.MethodGet, group+"2")
		got = append(got, a.try(http.MethodGet, group).status)
	}
	if diff := cmp.Diff([]int{404, 404, 500, 404, 404, 500, 404, 404}, got); diff != "" {
		t.Errorf("statuses: -want +got\n%s", diff)
	}
}

// TestOutage has Azure be down for half an hour of its own time, over a restart.
func TestOutage(t *testing.T) {
	dir := t.TempDir()
	a := start(t, dir, "")
	ctx := context.Background()
	if _, err := a.admin.Inject(ctx, admin.Fault{Status: 503, Code: "ServiceUnavailable", Lasts: 30 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	for _, minutes := range []time.Duration{0, 29} {
		if err := a.admin.SetClockOffset(ctx, minutes*time.Minute); err != nil {
			t.Fatal(err)
		}
		if o := a.try(http.MethodGet, group); o.status != 503 {
			t.Errorf("after %d minutes: %+v, want 503", minutes, o)
		}
	}
	a.stop()
	b := start(t, dir, "")
	if o := b.try(http.MethodGet, group); o.status != 503 {
		t.Errorf("after the restart: %+v, want 503", o)
	}
	if err := b.admin.SetClockOffset(ctx, 31*time.Minute); err != nil {
		t.Fatal(err)
	}
	if o := b.try(http.MethodGet, group); o.status != 404 {
		t.Errorf("after 31 minutes: %+v, want 404", o)
	}
}

// TestTokenRefused has Entra answer in its own form.
func TestTokenRefused(t *testing.T) {
	a := start(t, t.TempDir(), "")
	if _, err := a.admin.Inject(context.Background(), admin.Fault{
		Host: `^login\.`, Path: "/token$", Status: 503, Code: "temporarily_unavailable", Message: "The server is temporarily too busy.", RetryAfter: 3,
	}); err != nil {
		t.Fatal(err)
	}
	response, err := a.transport.PostForm("https://login.microsoftonline.com/"+tenant+"/oauth2/v2.0/token", url.Values{"client_id": {"x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer := struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "3" || answer.Error != "temporarily_unavailable" ||
		!strings.HasPrefix(answer.Description, "AADSTS90033: The server is temporarily too busy.") {
		t.Errorf("%s %v %+v", response.Status, response.Header, answer)
	}
}

func TestParseLatencies(t *testing.T) {
	cases := map[string]struct {
		text string
		want int
		ok   bool
	}{
		"none":            {"", 0, true},
		"two":             {"default=1s, Microsoft.Network/virtualNetworks=3s", 2, true},
		"no value":        {"default", 0, false},
		"no duration":     {"default=1", 0, false},
		"negative":        {"default=-1s", 0, false},
		"one wrong entry": {"default=1s,x=y", 0, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := azuresim.ParseLatencies(c.text)
			if (err == nil) != c.ok || len(got) != c.want {
				t.Errorf("ParseLatencies(%q) = %v, %v", c.text, got, err)
			}
		})
	}
}
