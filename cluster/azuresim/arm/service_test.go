package arm

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/tenants"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

const (
	testGroup   = "/subscriptions/s/resourceGroups/rg"
	testCluster = testGroup + "/providers/Microsoft.ContainerService/managedClusters/aks"
	testPool    = testCluster + "/agentPools/pool0"
	testNetwork = testGroup + "/providers/Microsoft.Network/virtualNetworks/vnet"
	testSubnet  = testNetwork + "/subnets/nodes"

	groupBody   = `{"location":"eastus"}`
	networkBody = `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]}}}`
	subnetBody  = `{"properties":{"addressPrefix":"10.1.0.0/16"}}`
	clusterBody = `{"location":"eastus","identity":{"type":"SystemAssigned"},"properties":{"dnsPrefix":"aks","kubernetesVersion":"1.32.5",
		"agentPoolProfiles":[{"name":"pool0","mode":"System","count":1,"vmSize":"x"}]}}`
	clusterInSubnet = `{"location":"eastus","properties":{"dnsPrefix":"aks",
		"agentPoolProfiles":[{"name":"pool0","mode":"System","count":1,"vmSize":"x","vnetSubnetID":"` + testSubnet + `"}]}}`
)

// autoscaled has AKS scale a pool.
const autoscaled = `"enableAutoScaling":true,"minCount":1,"maxCount":5`

// latency is how long every operation of these tests takes.
const latency = time.Minute

type fixture struct {
	t        *testing.T
	service  *Service
	clock    *clocktesting.FakePassiveClock
	clusters *workload.Servers
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return restore(t, state.InMemory(), clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
}

// restore returns the simulator that the journal is of.
func restore(t *testing.T, journal *state.Journal, clock *clocktesting.FakePassiveClock) *fixture {
	t.Helper()
	clusters, err := workload.NewServers(workload.Options{Journal: journal, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	registry, err := tenants.Load(journal, "t")
	if err != nil {
		t.Fatal(err)
	}
	service, err := NewService(Options{
		Journal: journal, Clock: clock, Clusters: clusters, Tenants: registry,
		Latency: func(string, string) time.Duration { return latency },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t: t, service: service, clock: clock, clusters: clusters}
}

// send sends one request: method, path with an optional query, and body.
func (f *fixture) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	f.t.Helper()
	address, err := url.Parse("https://" + clouds.Public.ARMHost + path)
	if err != nil {
		f.t.Fatal(err)
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
	f.service.ServeHTTP(w, r)
	return w
}

// settle sends a request that must be accepted, and lets its operation end.
func (f *fixture) settle(method, path, body string) {
	f.t.Helper()
	if w := f.send(method, path, body); w.Code >= 300 {
		f.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	f.clock.SetTime(f.clock.Now().Add(latency))
}

func (f *fixture) get(path string) map[string]any {
	f.t.Helper()
	w := f.send(http.MethodGet, path, "")
	if w.Code != http.StatusOK {
		f.t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	body, err := decode(w.Body.Bytes())
	if err != nil {
		f.t.Fatal(err)
	}
	return body
}

func (f *fixture) resources(prefix string) []*Resource {
	f.t.Helper()
	found, err := f.service.Resources(prefix)
	if err != nil {
		f.t.Fatal(err)
	}
	return found
}

func errorCodeOf(w *httptest.ResponseRecorder) string {
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

// request is a method, a path and a body.
type request struct{ method, path, body string }

var (
	createGroup   = request{http.MethodPut, testGroup, groupBody}
	createNetwork = request{http.MethodPut, testNetwork, networkBody}
	createSubnet  = request{http.MethodPut, testSubnet, subnetBody}
	createGuard   = request{http.MethodPut, testGroup + "/providers/Microsoft.Network/networkSecurityGroups/guard", groupBody}
	createCluster = request{http.MethodPut, testCluster, clusterBody}
	createFleet   = request{http.MethodPut, testGroup + "/providers/Microsoft.ContainerService/fleets/fleet", groupBody}

	createEndpoint = request{
		http.MethodPut, testGroup + "/providers/Microsoft.Network/privateEndpoints/endpoint",
		`{"location":"eastus","properties":{"subnet":{"id":"` + testSubnet + `"},"privateLinkServiceConnections":[{"name":"a","properties":{"privateLinkServiceId":"/b"}}]}}`,
	}
)

// TestRefusals checks what Azure does not do.
func TestRefusals(t *testing.T) {
	cases := map[string]struct {
		before []request
		request
		status int
		code   string
	}{
		"no api-version":           {nil, request{http.MethodGet, testGroup + "?api-version=", ""}, 400, "MissingApiVersionParameter"},
		"no JSON":                  {[]request{createGroup}, request{http.MethodPut, testNetwork, "{"}, 400, "InvalidRequestContent"},
		"unknown region":           {nil, request{http.MethodPut, testGroup, `{"location":"moon"}`}, 400, "LocationNotAvailableForResourceGroup"},
		"group without location":   {nil, request{http.MethodPut, testGroup, `{}`}, 400, "LocationRequired"},
		"no group":                 {nil, createNetwork, 404, "ResourceGroupNotFound"},
		"delete without group":     {nil, request{http.MethodDelete, testNetwork, ""}, 404, "ResourceGroupNotFound"},
		"no location":              {[]request{createGroup}, request{http.MethodPut, testNetwork, `{"properties":{}}`}, 400, "LocationRequired"},
		"another location":         {[]request{createGroup, createNetwork}, request{http.MethodPut, testNetwork, `{"location":"westus","properties":{}}`}, 409, "InvalidResourceLocation"},
		"no parent":                {[]request{createGroup}, createSubnet, 404, "ParentResourceNotFound"},
		"get below an absent one":  {[]request{createGroup}, request{http.MethodGet, testSubnet, ""}, 404, "ResourceNotFound"},
		"absent child":             {[]request{createGroup, createNetwork}, request{http.MethodGet, testSubnet, ""}, 404, "NotFound"},
		"subnet in use":            {[]request{createGroup, createNetwork, createSubnet, {http.MethodPut, testCluster, clusterInSubnet}}, request{http.MethodDelete, testSubnet, ""}, 400, "InUseSubnetCannotBeDeleted"},
		"network in use":           {[]request{createGroup, createNetwork, createSubnet, {http.MethodPut, testCluster, clusterInSubnet}}, request{http.MethodDelete, testNetwork, ""}, 400, "InUseSubnetCannotBeDeleted"},
		"subnet dropped in use":    {[]request{createGroup, createNetwork, createSubnet, {http.MethodPut, testCluster, clusterInSubnet}}, request{http.MethodPut, testNetwork, `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]},"subnets":[]}}`}, 400, "InUseSubnetCannotBeDeleted"},
		"security group in use":    {[]request{createGroup, createNetwork, createGuard, {http.MethodPut, testSubnet, `{"properties":{"addressPrefix":"10.0.0.0/16","networkSecurityGroup":{"id":"` + createGuard.path + `"}}}`}}, request{http.MethodDelete, createGuard.path, ""}, 400, "InUseNetworkSecurityGroupCannotBeDeleted"},
		"subnet of pool absent":    {[]request{createGroup}, request{http.MethodPut, testCluster, clusterInSubnet}, 400, "InvalidResourceReference"},
		"cluster without pools":    {[]request{createGroup}, request{http.MethodPut, testCluster, `{"location":"eastus","properties":{"dnsPrefix":"a"}}`}, 400, "InvalidParameter"},
		"cluster without system":   {[]request{createGroup}, request{http.MethodPut, testCluster, `{"location":"eastus","properties":{"dnsPrefix":"a","agentPoolProfiles":[{"name":"a","mode":"User"}]}}`}, 400, "MustDefineAtLeastOneSystemPool"},
		"unknown version":          {[]request{createGroup}, request{http.MethodPut, testCluster, strings.Replace(clusterBody, "1.32.5", "1.99.0", 1)}, 400, "K8sVersionNotSupported"},
		"unknown patch version":    {[]request{createGroup}, request{http.MethodPut, testCluster, strings.Replace(clusterBody, "1.32.5", "1.32.99", 1)}, 400, "K8sVersionNotSupported"},
		"downgrade":                {[]request{createGroup, createCluster}, request{http.MethodPut, testCluster, strings.Replace(clusterBody, "1.32.5", "1.31.5", 1)}, 400, "OperationNotAllowed"},
		"minor version skipped":    {[]request{createGroup, createCluster}, request{http.MethodPut, testCluster, strings.Replace(clusterBody, "1.32.5", "1.34.0", 1)}, 400, "OperationNotAllowed"},
		"pool above control plane": {[]request{createGroup, createCluster}, request{http.MethodPut, testCluster + "/agentPools/b", `{"properties":{"count":1,"orchestratorVersion":"1.33.1","vmSize":"x"}}`}, 400, "NodePoolMcVersionIncompatible"},
		"autoscaling unbounded":    {[]request{createGroup, createCluster}, request{http.MethodPut, testPool, `{"properties":{"mode":"System","enableAutoScaling":true,"vmSize":"x"}}`}, 400, "InvalidParameter"},
		"pool without count":       {[]request{createGroup, createCluster}, request{http.MethodPut, testCluster + "/agentPools/b", `{"properties":{"enableAutoScaling":true,"minCount":1,"maxCount":3}}`}, 400, "InvalidParameter"},
		"System pool of nothing":   {[]request{createGroup}, request{http.MethodPut, testCluster, strings.Replace(clusterBody, `"count":1`, `"count":0`, 1)}, 400, "InvalidParameter"},
		"System pool to nothing":   {[]request{createGroup, createCluster}, request{http.MethodPut, testPool, `{"properties":{"mode":"System","count":0}}`}, 400, "InvalidParameter"},
		"System pool from nothing": {[]request{createGroup, createCluster}, request{http.MethodPut, testPool, `{"properties":{"mode":"System","enableAutoScaling":true,"minCount":0,"maxCount":3}}`}, 400, "InvalidParameter"},
		"empty pool made System":   {[]request{createGroup, createCluster, {http.MethodPut, testCluster + "/agentPools/b", `{"properties":{"count":0}}`}}, request{http.MethodPut, testCluster + "/agentPools/b", `{"properties":{"mode":"System"}}`}, 400, "InvalidParameter"},
		"pool of too many":         {[]request{createGroup, createCluster}, request{http.MethodPut, testCluster + "/agentPools/b", `{"properties":{"count":1001}}`}, 400, "InvalidParameter"},
		"autoscaled pool scaled":   {[]request{createGroup, createCluster, {http.MethodPut, testPool, `{"properties":{"mode":"System",` + autoscaled + `}}`}}, request{http.MethodPut, testPool, `{"properties":{"mode":"System","count":2,` + autoscaled + `}}`}, 400, "InvalidParameter"},
		"autoscaled in the cluster": {[]request{createGroup, createCluster, {http.MethodPut, testPool, `{"properties":{"mode":"System",` + autoscaled + `}}`}},
			request{http.MethodPut, testCluster, strings.Replace(clusterBody, `"count":1`, `"count":2,`+autoscaled, 1)}, 400, "InvalidParameter"},
		"scaled and autoscaled":    {[]request{createGroup, createCluster}, request{http.MethodPut, testPool, `{"properties":{"mode":"System","count":2,` + autoscaled + `}}`}, 400, "InvalidParameter"},
		"group of odd letters":     {nil, request{http.MethodPut, "/subscriptions/s/resourceGroups/my%20group", `{"location":"eastus"}`}, 400, "InvalidResourceGroup"},
		"group that ends in .":     {nil, request{http.MethodPut, testGroup + ".", `{"location":"eastus"}`}, 400, "InvalidResourceGroup"},
		"group of a long name":     {nil, request{http.MethodPut, testGroup + strings.Repeat("x", 90), `{"location":"eastus"}`}, 400, "InvalidResourceGroup"},
		"not hosted, no pools":     {[]request{createGroup}, request{http.MethodPut, testCluster, `{"location":"eastus","sku":{"name":"Automatic","tier":"Standard"},"properties":{"dnsPrefix":"a","hostedSystemProfile":{"enabled":false}}}`}, 400, "InvalidParameter"},
		"last system pool":         {[]request{createGroup, createCluster}, request{http.MethodDelete, testPool, ""}, 400, "OperationNotAllowed"},
		"last system pool to user": {[]request{createGroup, createCluster}, request{http.MethodPut, testPool, `{"properties":{"mode":"User","vmSize":"x"}}`}, 400, "OperationNotAllowed"},
		"absent pool":              {[]request{createGroup, createCluster}, request{http.MethodGet, testCluster + "/agentPools/b", ""}, 404, "NotFound"},
		"unknown action":           {[]request{createGroup, createCluster}, request{http.MethodPost, testCluster + "/dance", ""}, 404, "InvalidResourceType"},
		"pool of another size":     {[]request{createGroup, createCluster}, request{http.MethodPut, testPool, `{"properties":{"mode":"System","vmSize":"another"}}`}, 400, "PropertyChangeNotAllowed"},
		"another DNS prefix":       {[]request{createGroup, createCluster}, request{http.MethodPut, testCluster, strings.Replace(clusterBody, `"dnsPrefix":"`, `"dnsPrefix":"other`, 1)}, 400, "PropertyChangeNotAllowed"},
		"services among the nodes": {[]request{createGroup, createNetwork, {http.MethodPut, testSubnet, `{"properties":{"addressPrefix":"10.0.0.0/24"}}`}}, request{http.MethodPut, testCluster, clusterInSubnet}, 400, "ServiceCidrOverlapExistingSubnetsCidr"},
		"DNS outside of services":  {[]request{createGroup}, request{http.MethodPut, testCluster, strings.Replace(clusterBody, `"dnsPrefix"`, `"networkProfile":{"serviceCidr":"192.168.0.0/16","dnsServiceIP":"10.0.0.10"},"dnsPrefix"`, 1)}, 400, "InvalidDnsServiceIP"},
		"OIDC issuer off":          {[]request{createGroup, {http.MethodPut, testCluster, strings.Replace(clusterBody, `"dnsPrefix"`, `"oidcIssuerProfile":{"enabled":true},"dnsPrefix"`, 1)}}, request{http.MethodPut, testCluster, strings.Replace(clusterBody, `"dnsPrefix"`, `"oidcIssuerProfile":{"enabled":false},"dnsPrefix"`, 1)}, 400, "OIDCIssuerFeatureCannotBeDisabled"},
		"endpoint in no subnet":    {[]request{createGroup, createNetwork}, createEndpoint, 400, "InvalidResourceReference"},
		"subnet with an endpoint":  {[]request{createGroup, createNetwork, createSubnet, createEndpoint}, request{http.MethodDelete, testSubnet, ""}, 400, "InUseSubnetCannotBeDeleted"},
		"fleet member of nothing":  {[]request{createGroup, createFleet}, request{http.MethodPut, createFleet.path + "/members/a", `{"properties":{"clusterResourceId":"` + testCluster + `"}}`}, 400, "InvalidResourceReference"},
		"peering to nowhere":       {[]request{createGroup, createNetwork}, request{http.MethodPut, testNetwork + "/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"` + testGroup + `/providers/Microsoft.Network/virtualNetworks/b"}}}`}, 400, "InvalidResourceReference"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, r := range c.before {
				f.settle(r.method, r.path, r.body)
			}
			w := f.send(c.method, c.path, c.body)
			if w.Code != c.status || errorCodeOf(w) != c.code {
				t.Errorf("%s %s: %d %s, want %d %s\n%s", c.method, c.path, w.Code, errorCodeOf(w), c.status, c.code, w.Body)
			}
		})
	}
}

// TestBusy checks what is refused while another operation runs.
func TestBusy(t *testing.T) {
	newPool := request{http.MethodPut, testCluster + "/agentPools/b", `{"properties":{"count":1,"vmSize":"x"}}`}
	cases := map[string]struct {
		settled []request
		running request
		request
		status int
		code   string
	}{
		"pool while the cluster is created":        {[]request{createGroup}, createCluster, newPool, 409, "OperationNotAllowed"},
		"cluster while it is created":              {[]request{createGroup}, createCluster, createCluster, 409, "OperationNotAllowed"},
		"delete of a pool while cluster updates":   {[]request{createGroup, createCluster, newPool}, createCluster, request{http.MethodDelete, newPool.path, ""}, 409, "OperationNotAllowed"},
		"cluster while a pool is created":          {[]request{createGroup, createCluster}, newPool, createCluster, 409, "OperationNotAllowed"},
		"put while it is deleted":                  {[]request{createGroup, createNetwork}, request{http.MethodDelete, testNetwork, ""}, createNetwork, 409, "AnotherOperationInProgress"},
		"put while the group is deleted":           {[]request{createGroup}, request{http.MethodDelete, testGroup, ""}, createNetwork, 409, "ResourceGroupBeingDeleted"},
		"subnet while the network is created":      {[]request{createGroup}, createNetwork, createSubnet, 409, "AnotherOperationInProgress"},
		"subnet while another subnet is created":   {[]request{createGroup, createNetwork}, createSubnet, request{http.MethodPut, testNetwork + "/subnets/b", subnetBody}, 409, "AnotherOperationInProgress"},
		"peering while the network is not settled": {[]request{createGroup}, createNetwork, request{http.MethodPut, testNetwork + "/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"` + testNetwork + `"}}}`}, 400, "ReferencedResourceNotProvisioned"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, r := range c.settled {
				f.settle(r.method, r.path, r.body)
			}
			if w := f.send(c.running.method, c.running.path, c.running.body); w.Code >= 300 {
				t.Fatalf("%s %s: %d %s", c.running.method, c.running.path, w.Code, w.Body)
			}
			w := f.send(c.method, c.path, c.body)
			if w.Code != c.status || errorCodeOf(w) != c.code {
				t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, w.Code, errorCodeOf(w), c.status, c.code)
			}
		})
	}
}

// TestProtocols checks the headers of long-running operations and their course.
func TestProtocols(t *testing.T) {
	type answered struct {
		Status         int
		AsyncOperation bool
		Location       bool
		RetryAfter     string
		State          string
	}
	cases := map[string]struct {
		before []request
		request
		want answered
	}{
		"create group":     {nil, createGroup, answered{Status: 201, State: "Succeeded"}},
		"update group":     {[]request{createGroup}, createGroup, answered{Status: 200, State: "Succeeded"}},
		"delete group":     {[]request{createGroup}, request{http.MethodDelete, testGroup, ""}, answered{Status: 202, Location: true, RetryAfter: "15"}},
		"create network":   {[]request{createGroup}, createNetwork, answered{Status: 201, AsyncOperation: true, RetryAfter: "3", State: "Updating"}},
		"same network":     {[]request{createGroup, createNetwork}, createNetwork, answered{Status: 200, AsyncOperation: true, State: "Succeeded"}},
		"delete network":   {[]request{createGroup, createNetwork}, request{http.MethodDelete, testNetwork, ""}, answered{Status: 202, AsyncOperation: true, Location: true, RetryAfter: "10"}},
		"delete absent":    {[]request{createGroup}, request{http.MethodDelete, testNetwork, ""}, answered{Status: 204}},
		"create cluster":   {[]request{createGroup}, createCluster, answered{Status: 201, AsyncOperation: true, State: "Creating"}},
		"update cluster":   {[]request{createGroup, createCluster}, createCluster, answered{Status: 200, AsyncOperation: true, State: "Updating"}},
		"scale pool":       {[]request{createGroup, createCluster}, request{http.MethodPut, testPool, `{"properties":{"mode":"System","count":3}}`}, answered{Status: 200, AsyncOperation: true, State: "Scaling"}},
		"update pool":      {[]request{createGroup, createCluster}, request{http.MethodPut, testPool, `{"properties":{"mode":"System","nodeLabels":{"a":"b"}}}`}, answered{Status: 200, AsyncOperation: true, State: "Updating"}},
		"delete cluster":   {[]request{createGroup, createCluster}, request{http.MethodDelete, testCluster, ""}, answered{Status: 202, AsyncOperation: true, Location: true}},
		"create identity":  {[]request{createGroup}, request{http.MethodPut, testGroup + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i", groupBody}, answered{Status: 201}},
		"create any other": {[]request{createGroup}, request{http.MethodPut, testGroup + "/providers/Microsoft.Example/things/t", groupBody}, answered{Status: 201, AsyncOperation: true, State: "Creating"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, r := range c.before {
				f.settle(r.method, r.path, r.body)
			}
			w := f.send(c.method, c.path, c.body)
			got := answered{
				Status:         w.Code,
				AsyncOperation: w.Header().Get("Azure-AsyncOperation") != "",
				Location:       w.Header().Get("Location") != "",
				RetryAfter:     w.Header().Get("Retry-After"),
			}
			if body, err := decode(w.Body.Bytes()); err == nil {
				got.State = text(body, "properties", "provisioningState")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s%s", diff, w.Body)
			}
		})
	}
}
