package machines

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// counts returns the counters about requests to Azure as text; what was counted before by this process is in them.
func counts(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := registered(t).Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			if m.GetCounter() != nil {
				all[f.GetName()+" "+strings.Join(labels, " ")] = m.GetCounter().GetValue()
			}
		}
	}
	return all
}

// refused is a credential that Entra refuses.
type refused struct{}

func (refused) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{}, &azidentity.AuthenticationFailedError{}
}

// unreachable is a way to Azure on which nothing comes through.
type unreachable struct{}

func (unreachable) Do(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route to host")
}

func TestCounted(t *testing.T) {
	const machines, read, refusal = "Microsoft.Compute/virtualMachines", "capz_azure_requests_total GET ", "capz_azure_errors_total "
	cases := map[string]struct {
		answer    answer
		method    string
		signIn    bool
		transport policy.Transporter
		want      []string
	}{
		"there":         {answer: answer{status: 200, body: `{}`}, want: []string{read + "2xx " + machines}},
		"not there":     {answer: answer{status: 404, body: `{"error":{"code":"ResourceNotFound"}}`}, want: []string{read + "4xx " + machines}},
		"no such group": {answer: answer{status: 404, body: `{"error":{"code":"ResourceGroupNotFound"}}`}, want: []string{read + "4xx " + machines}},
		"no such subscription": {answer: answer{status: 404, body: `{"error":{"code":"SubscriptionNotFound"}}`},
			want: []string{read + "4xx " + machines, refusal + "SubscriptionNotFound " + machines}},
		"limited": {answer: answer{status: 429, body: `{"error":{"code":"TooManyRequests"}}`},
			want: []string{read + "429 " + machines, refusal + "TooManyRequests " + machines}},
		"of a proxy":       {answer: answer{status: 502, body: `oh no`}, want: []string{read + "5xx " + machines, refusal + "other " + machines}},
		"not known":        {answer: answer{status: 400, body: `{"error":{"code":"MadeUp"}}`}, want: []string{read + "4xx " + machines, refusal + "other " + machines}},
		"deleted, is gone": {answer: answer{status: 404, body: `{"error":{"code":"ResourceNotFound"}}`}, method: http.MethodDelete, want: []string{"capz_azure_requests_total DELETE 4xx " + machines, refusal + "ResourceNotFound " + machines}},
		"no token":         {signIn: true, want: []string{read + "none " + machines, refusal + "SignIn " + machines}},
		"no answer":        {transport: unreachable{}, want: []string{read + "none " + machines, refusal + "Unreachable " + machines}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			method := c.method
			if method == "" {
				method = http.MethodGet
			}
			azure := newAzure(t, map[string][]answer{method + " " + machineID: {c.answer}})
			client := azure.client()
			if c.transport != nil {
				client = NewClient(c.transport)
			}
			if c.signIn {
				azure.account.Credential = refused{}
			}
			before := counts(t)
			resp, err := client.do(t.Context(), azure.account, call{method: method, path: machineID, version: computeVersion})
			if err == nil {
				_ = resp.Body.Close()
			}
			got := map[string]bool{}
			for name, value := range counts(t) {
				if value != before[name] {
					got[name] = true
				}
			}
			for _, name := range c.want {
				if !got[name] {
					t.Errorf("%s is not counted, but %v", name, got)
				}
				delete(got, name)
			}
			if len(got) > 0 {
				t.Errorf("%v are counted, too; error %v", got, err)
			}
		})
	}
	if n, err := testutil.GatherAndCount(registered(t), "capz_azure_request_seconds"); n < 2 || err != nil {
		t.Errorf("%d methods have a duration, want 2; error %v", n, err)
	}
}

// TestOperationCounted counts an operation that Azure has accepted and that fails afterwards.
func TestOperationCounted(t *testing.T) {
	before := counts(t)
	countFailure(&Answer{Status: 200, Code: "AllocationFailed"})
	countFailure(&Answer{Status: 409, Code: "Conflict"}) // The policy has counted it.
	countFailure(errors.New("no answer"))
	after := counts(t)
	if name := "capz_azure_errors_total AllocationFailed operations"; after[name] != before[name]+1 {
		t.Errorf("%s is %v after %v", name, after[name], before[name])
	}
	if name := "capz_azure_errors_total Conflict operations"; after[name] != before[name] {
		t.Errorf("%s is %v after %v", name, after[name], before[name])
	}
}

func registered(t *testing.T) *prometheus.Registry {
	t.Helper()
	registry := prometheus.NewRegistry()
	if err := telemetry.Register(registry, telemetry.Provider); err != nil {
		t.Fatal(err)
	}
	return registry
}
