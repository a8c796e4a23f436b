package machines

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

const (
	subscription = "00000000-0000-0000-0000-00000000000a"
	machineID    = "/subscriptions/" + subscription + "/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm-0"
)

// fakeAzure answers as it is told, and notes what it was asked.
type fakeAzure struct {
	t       *testing.T
	account azure.Account
	server  *httptest.Server

	lock    sync.Mutex
	answers map[string][]answer
	asked   []string
	bodies  []string
}

// An answer is what a request is answered with.
type answer struct {
	status int
	body   string
	header map[string]string
}

// newAzure returns an Azure that answers to each method and path with one answer after another, and repeats the last.
func newAzure(t *testing.T, answers map[string][]answer) *fakeAzure {
	t.Helper()
	f := &fakeAzure{t: t, answers: answers}
	f.server = httptest.NewTLSServer(f)
	t.Cleanup(f.server.Close)
	f.account = azure.Account{
		Credential: token{}, SubscriptionID: subscription, TenantID: "tenant", ClientID: "client",
		Cloud: cloud.Configuration{Services: map[cloud.ServiceName]cloud.ServiceConfiguration{
			cloud.ResourceManager: {Endpoint: f.server.URL, Audience: "https://management"},
		}},
	}
	return f
}

// client returns a Client of this Azure.
func (f *fakeAzure) client() *Client { return NewClient(f.server.Client()) }

// token is a credential that is always taken.
type token struct{}

func (token) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "t", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

func (f *fakeAzure) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.lock.Lock()
	defer f.lock.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.t.Error(err)
	}
	key := r.Method + " " + r.URL.Path
	if expand := r.URL.Query().Get("$expand"); expand != "" {
		key += " " + expand
	}
	if page := r.URL.Query().Get("page"); page != "" {
		key += " page " + page
	}
	f.asked = append(f.asked, key)
	f.bodies = append(f.bodies, string(body))
	all := f.answers[key]
	if len(all) == 0 {
		f.t.Errorf("Azure is asked %s", key)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if len(all) > 1 {
		f.answers[key] = all[1:]
	}
	for name, value := range all[0].header {
		w.Header().Set(name, strings.ReplaceAll(value, "{host}", "https://"+r.Host))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(all[0].status)
	_, _ = io.WriteString(w, strings.ReplaceAll(all[0].body, "{host}", "https://"+r.Host))
}

// take returns what was asked since it was last called.
func (f *fakeAzure) take() []string {
	f.lock.Lock()
	defer f.lock.Unlock()
	asked := f.asked
	f.asked = nil
	return asked
}

// failure is an answer as Azure Resource Manager gives it.
func failure(status int, code, message string) answer {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"code": code, "message": message}})
	return answer{status: status, body: string(body)}
}
