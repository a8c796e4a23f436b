// Package armtest sets up a simulated Azure for tests of its providers.
package armtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/catalogue"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/compute"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/tenants"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

// What most tests have: identifiers, and the bodies of PUTs.
const (
	Group   = "/subscriptions/s/resourceGroups/rg"
	Cluster = Group + "/providers/Microsoft.ContainerService/managedClusters/aks"
	Pool    = Cluster + "/agentPools/pool0"
	Network = Group + "/providers/Microsoft.Network/virtualNetworks/vnet"
	Subnet  = Network + "/subnets/nodes"
	Guard   = Group + "/providers/Microsoft.Network/networkSecurityGroups/guard"

	GroupBody   = `{"location":"eastus"}`
	NetworkBody = `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]}}}`
	SubnetBody  = `{"properties":{"addressPrefix":"10.1.0.0/16"}}`
	ClusterBody = `{"location":"eastus","identity":{"type":"SystemAssigned"},"properties":{"dnsPrefix":"aks","kubernetesVersion":"1.32.5",
		"agentPoolProfiles":[{"name":"pool0","mode":"System","count":1,"vmSize":"x"}]}}`
	ClusterInSubnet = `{"location":"eastus","properties":{"dnsPrefix":"aks",
		"agentPoolProfiles":[{"name":"pool0","mode":"System","count":1,"vmSize":"x","vnetSubnetID":"` + Subnet + `"}]}}`
)

// Autoscaled has AKS scale a pool.
const Autoscaled = `"enableAutoScaling":true,"minCount":1,"maxCount":5`

// Latency is how long every operation of these tests takes.
const Latency = time.Minute

// Fixture is a simulated Azure with a clock that stands still.
type Fixture struct {
	T        testing.TB
	Service  *arm.Service
	Machines *compute.Provider
	Clock    *clocktesting.FakePassiveClock
	Clusters *workload.Servers
}

// New returns an empty one.
func New(t testing.TB) *Fixture {
	t.Helper()
	return Restore(t, state.InMemory(), nil, clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
}

// Restore returns the simulator that a journal is of; a host runs its machines if it is not nil.
func Restore(t testing.TB, journal *state.Journal, host power.Host, clock *clocktesting.FakePassiveClock) *Fixture {
	t.Helper()
	clusters, err := workload.NewServers(workload.Options{Journal: journal, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	registry, err := tenants.Load(journal, "t")
	if err != nil {
		t.Fatal(err)
	}
	service, machines, err := catalogue.NewService(arm.Options{
		Journal: journal, Clock: clock, Clusters: clusters, Tenants: registry,
		Latency: func(string, string) time.Duration { return Latency },
	}, host)
	if err != nil {
		t.Fatal(err)
	}
	return &Fixture{T: t, Service: service, Machines: machines, Clock: clock, Clusters: clusters}
}

// Send sends one request: method, path with an optional query, and body.
func (f *Fixture) Send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	f.T.Helper()
	address, err := url.Parse("https://" + clouds.Public.ARMHost + path)
	if err != nil {
		f.T.Fatal(err)
	}
	query := address.Query()
	if !query.Has("api-version") {
		query.Set("api-version", "2025-08-01")
	}
	address.RawQuery = query.Encode()
	r := httptest.NewRequest(method, address.String(), strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.Service.ServeHTTP(w, r)
	return w
}

// Settle sends a request that must be accepted, and lets its operation end.
func (f *Fixture) Settle(method, path, body string) {
	f.T.Helper()
	if w := f.Send(method, path, body); w.Code >= 300 {
		f.T.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	f.Clock.SetTime(f.Clock.Now().Add(Latency))
}

// Get returns the resource at a path, which has to be there.
func (f *Fixture) Get(path string) map[string]any {
	f.T.Helper()
	w := f.Send(http.MethodGet, path, "")
	if w.Code != http.StatusOK {
		f.T.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	body, err := fields.Decode(w.Body.Bytes())
	if err != nil {
		f.T.Fatal(err)
	}
	return body
}

// Resources returns what is stored.
func (f *Fixture) Resources(prefix string) []*arm.Resource {
	f.T.Helper()
	found, err := f.Service.Resources(prefix)
	if err != nil {
		f.T.Fatal(err)
	}
	return found
}

// ErrorCodeOf is the code of an error that was answered.
func ErrorCodeOf(w *httptest.ResponseRecorder) string {
	var body struct {
		Code  string `json:"code"`
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(w.Body.Bytes(), &body) != nil {
		return ""
	}
	return body.Error.Code + body.Code
}

// Request is a method, a path and a body.
type Request [3]string

// String implements fmt.Stringer.
func (r Request) String() string { return r[0] + " " + r[1] }

// Ask sends a request.
func (f *Fixture) Ask(r Request) *httptest.ResponseRecorder {
	f.T.Helper()
	return f.Send(r[0], r[1], r[2])
}

// Make sends a request that must be accepted, and lets its operation end.
func (f *Fixture) Make(r Request) {
	f.T.Helper()
	f.Settle(r[0], r[1], r[2])
}

// CheckRefused checks what a request is answered with, once those before it have been carried out.
func CheckRefused(t *testing.T, before []Request, r Request, status int, code string) {
	t.Helper()
	f := New(t)
	for _, b := range before {
		f.Make(b)
	}
	if w := f.Ask(r); w.Code != status || ErrorCodeOf(w) != code {
		t.Errorf("%s: %d %s, want %d %s\n%s", r, w.Code, ErrorCodeOf(w), status, code, w.Body)
	}
}

// Requests that make what most tests need.
var (
	CreateGroup   = Request{http.MethodPut, Group, GroupBody}
	CreateNetwork = Request{http.MethodPut, Network, NetworkBody}
	CreateSubnet  = Request{http.MethodPut, Subnet, SubnetBody}
	CreateGuard   = Request{http.MethodPut, Guard, GroupBody}
	CreateCluster = Request{http.MethodPut, Cluster, ClusterBody}
	CreateFleet   = Request{http.MethodPut, Group + "/providers/Microsoft.ContainerService/fleets/fleet", GroupBody}

	CreateEndpoint = Request{
		http.MethodPut, Group + "/providers/Microsoft.Network/privateEndpoints/endpoint",
		`{"location":"eastus","properties":{"subnet":{"id":"` + Subnet + `"},"privateLinkServiceConnections":[{"name":"a","properties":{"privateLinkServiceId":"/b"}}]}}`,
	}
)

// Poll gets an operation's URL from a header and polls it.
func (f *Fixture) Poll(w *httptest.ResponseRecorder, header string) *httptest.ResponseRecorder {
	f.T.Helper()
	address, err := url.Parse(w.Header().Get(header))
	if err != nil || address.Path == "" {
		f.T.Fatalf("header %s is %q", header, w.Header().Get(header))
	}
	return f.Send(http.MethodGet, address.RequestURI(), "")
}

// ProvisioningState is that of the resource at a path.
func (f *Fixture) ProvisioningState(path string) string {
	f.T.Helper()
	return fields.Text(f.Get(path), "properties", "provisioningState")
}
