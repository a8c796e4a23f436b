package azuresim_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	azurearm "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	armruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/requestlog"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const (
	subscription = "00000000-0000-0000-0000-000000000000"
	tenant       = "11111111-1111-1111-1111-111111111111"
	group        = "/subscriptions/" + subscription + "/resourceGroups/rg"
	cluster      = group + "/providers/Microsoft.ContainerService/managedClusters/aks"
)

// azure is a running simulator and clients for it.
type azure struct {
	t         *testing.T
	dir       string
	address   string
	simulator *azuresim.Simulator
	admin     *admin.Client
	transport *http.Client
	stop      func()
}

// start runs a simulator on 127.0.0.1 with the state in dir; an empty address takes a free port.
func start(t *testing.T, dir, address string) *azure {
	t.Helper()
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	journal, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := &azure{t: t, dir: dir, address: listener.Addr().String()}
	a.simulator, err = azuresim.New(azuresim.Options{
		Journal:   journal,
		Clock:     clock.RealClock{},
		Latencies: azuresim.Latencies{"default": 50 * time.Millisecond},
		ProxyURL:  "http://" + a.address,
		TenantID:  tenant,
		Log:       &requestlog.Log{},
		Report:    func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	proxy := a.simulator.Proxy()
	served := make(chan error, 1)
	go func() { served <- proxy.Serve(listener) }()
	adminServer := httptest.NewServer(a.simulator.AdminHandler())
	done := make(chan struct{})
	go a.simulator.Run(done)
	a.admin = &admin.Client{URL: adminServer.URL}
	a.transport = a.client()
	stopped := false
	a.stop = func() {
		if stopped {
			return
		}
		stopped = true
		close(done)
		adminServer.Close()
		if err := proxy.Shutdown(context.Background()); err != nil {
			t.Errorf("shut the proxy down: %v", err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the proxy ended: %v", err)
		}
		if err := journal.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(a.stop)
	return a
}

// client returns an HTTP client that goes through the proxy and trusts the simulator's authority, and nothing else.
func (a *azure) client() *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.simulator.Authority.PEM())
	proxyURL := &url.URL{Scheme: "http", Host: a.address}
	return &http.Client{Transport: &http.Transport{
		Proxy:             http.ProxyURL(proxyURL),
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	}}
}

func (a *azure) credential() *azidentity.ClientSecretCredential {
	a.t.Helper()
	options := &azidentity.ClientSecretCredentialOptions{ClientOptions: policy.ClientOptions{Transport: a.transport}}
	credential, err := azidentity.NewClientSecretCredential(tenant, "client", "secret", options)
	if err != nil {
		a.t.Fatal(err)
	}
	return credential
}

// pipeline is what every Azure SDK sends its requests through.
func (a *azure) pipeline() azruntime.Pipeline {
	a.t.Helper()
	options := &azurearm.ClientOptions{ClientOptions: policy.ClientOptions{Transport: a.transport, Retry: policy.RetryOptions{MaxRetries: -1}}}
	options.DisableRPRegistration = true
	pipeline, err := armruntime.NewPipeline("azuresim-test", "v0", a.credential(), azruntime.PipelineOptions{}, options)
	if err != nil {
		a.t.Fatal(err)
	}
	return pipeline
}

// do sends one request.
func (a *azure) do(method, path, version, body string) *http.Response {
	a.t.Helper()
	request, err := azruntime.NewRequest(context.Background(), method, "https://management.azure.com"+path+"?api-version="+version)
	if err != nil {
		a.t.Fatal(err)
	}
	if body != "" {
		if err := request.SetBody(readSeekCloser{bytes.NewReader([]byte(body))}, "application/json"); err != nil {
			a.t.Fatal(err)
		}
	}
	pipeline := a.pipeline()
	response, err := pipeline.Do(request)
	if err != nil {
		a.t.Fatalf("%s %s: %v", method, path, err)
	}
	return response
}

// call sends one request and returns the status and the body of the answer.
func (a *azure) call(method, path, version, body string) (int, string) {
	a.t.Helper()
	response := a.do(method, path, version, body)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

type readSeekCloser struct{ *bytes.Reader }

func (readSeekCloser) Close() error { return nil }

// finish sends a change and waits with the SDK's poller until its operation has ended.
func (a *azure) finish(method, path, version, body string) {
	a.t.Helper()
	response := a.do(method, path, version, body)
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		a.t.Fatalf("%s %s: %s", method, path, response.Status)
	}
	poller, err := azruntime.NewPoller[map[string]any](response, a.pipeline(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if _, err := poller.PollUntilDone(ctx, &azruntime.PollUntilDoneOptions{Frequency: 20 * time.Millisecond}); err != nil {
		a.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// createCluster makes the resource group and an AKS cluster with one pool.
func (a *azure) createCluster(more string, nodes int) {
	a.t.Helper()
	a.finish(http.MethodPut, group, "2020-06-01", `{"location":"eastus"}`)
	a.finish(http.MethodPut, cluster, "2025-08-01", fmt.Sprintf(`{"location":"eastus","identity":{"type":"SystemAssigned"},
		"properties":{"dnsPrefix":"aks",%s"agentPoolProfiles":[{"name":"pool0","mode":"System","count":%d,"vmSize":"Standard_D2s_v3"}]}}`, more, nodes))
}

// kubeconfig returns what one of the list*Credential actions answers.
func (a *azure) kubeconfig(action string) []byte {
	a.t.Helper()
	status, raw := a.call(http.MethodPost, cluster+"/"+action, "2022-04-01", "")
	if status != http.StatusOK {
		a.t.Fatalf("%s: %d %s", action, status, raw)
	}
	var answer struct {
		Kubeconfigs []struct {
			Value []byte `json:"value"`
		} `json:"kubeconfigs"`
	}
	if err := json.Unmarshal([]byte(raw), &answer); err != nil || len(answer.Kubeconfigs) != 1 {
		a.t.Fatalf("%s: %v, %d kubeconfigs", action, err, len(answer.Kubeconfigs))
	}
	return answer.Kubeconfigs[0].Value
}

// TestProxyRefusesOtherHosts checks that nothing leaves the machine.
func TestProxyRefusesOtherHosts(t *testing.T) {
	a := start(t, t.TempDir(), "")
	cases := map[string]string{
		"another host":               "https://example.com/",
		"a name that looks alike":    "https://management.azure.com.example.com/",
		"another port":               "https://management.azure.com:8443/",
		"a request without a tunnel": "http://management.azure.com/",
	}
	for name, address := range cases {
		t.Run(name, func(t *testing.T) {
			response, err := a.transport.Get(address)
			if err == nil {
				defer response.Body.Close()
				if response.StatusCode != http.StatusForbidden {
					t.Errorf("GET %s: %s, want 403", address, response.Status)
				}
				return
			}
			if !strings.Contains(err.Error(), "Forbidden") {
				t.Errorf("GET %s: %v, want Forbidden", address, err)
			}
		})
	}
}

// TestAnswersAreIdentified checks that an answer has an ID of its own, and the one by which the client correlates requests.
func TestAnswersAreIdentified(t *testing.T) {
	const correlation = "x-ms-correlation-request-id"
	a := start(t, t.TempDir(), "127.0.0.1:0")
	ids := map[string]bool{}
	for _, sent := range []string{"", "mine"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://management.azure.com"+group, nil)
		if err != nil {
			t.Fatal(err)
		}
		if sent != "" {
			req.Header.Set(correlation, sent)
		}
		resp, err := a.client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		ids[resp.Header.Get("x-ms-request-id")] = true
		if got := resp.Header.Get(correlation); got == "" || sent != "" && got != sent {
			t.Errorf("the client sends %s %q, and gets %q", correlation, sent, got)
		}
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("the IDs of two answers are %v", ids)
	}
}

// TestUnauthorized checks that Azure Resource Manager takes tokens of its own only.
func TestUnauthorized(t *testing.T) {
	a := start(t, t.TempDir(), "")
	foreign, _, err := a.simulator.Directory.Issue(clouds.Public, tenant, "client", "https://vault.azure.net")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ authorization, code string }{
		"none":             {"", "AuthenticationFailed"},
		"forged":           {"Bearer x.y.z", "InvalidAuthenticationToken"},
		"another audience": {"Bearer " + foreign, "InvalidAuthenticationToken"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequest(http.MethodGet, "https://management.azure.com"+group+"?api-version=2020-06-01", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", c.authorization)
			response, err := a.transport.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			raw, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != http.StatusUnauthorized || !strings.Contains(string(raw), c.code) {
				t.Errorf("%s %s, want 401 %s", response.Status, raw, c.code)
			}
		})
	}
}
