package arm

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPoolCount checks whose count an agent pool has after a PUT.
func TestPoolCount(t *testing.T) {
	autoscaled := `"enableAutoScaling":true,"minCount":2,"maxCount":5`
	cases := map[string]struct {
		puts []string
		want int64
	}{
		"given":                           {[]string{`{"count":3}`}, 3},
		"null keeps the count":            {[]string{`{"count":3}`, `{"count":null}`}, 3},
		"absent keeps the count":          {[]string{`{"count":3}`, `{}`}, 3},
		"scaled":                          {[]string{`{"count":3}`, `{"count":1}`}, 1},
		"scaled to none":                  {[]string{`{"count":3}`, `{"count":0}`}, 0},
		"autoscaling keeps the count":     {[]string{`{"count":3}`, `{` + autoscaled + `}`}, 3},
		"autoscaling off keeps the count": {[]string{`{"count":3,` + autoscaled + `}`, `{}`}, 3},
		"autoscaling keeps the bounds":    {[]string{`{"count":1}`, `{"count":1,` + autoscaled + `}`}, 2},
		"autoscaling off takes the count": {[]string{`{"count":3,` + autoscaled + `}`, `{"count":4}`}, 4},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.settle(createGroup.method, createGroup.path, createGroup.body)
			f.settle(createCluster.method, createCluster.path, createCluster.body)
			for _, properties := range c.puts {
				f.settle(http.MethodPut, testCluster+"/agentPools/b", `{"properties":`+properties+`}`)
			}
			if got, _ := number(f.get(testCluster+"/agentPools/b"), "properties", "count"); got != c.want {
				t.Errorf("count %d, want %d", got, c.want)
			}
		})
	}
}

// TestClusterKeepsPools checks that a PUT of the cluster without a pool leaves the pool alone.
func TestClusterKeepsPools(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	f.settle(createCluster.method, createCluster.path, createCluster.body)
	f.settle(http.MethodPut, testCluster+"/agentPools/b", `{"properties":{"count":2}}`)
	for _, profiles := range []string{`null`, `[{"name":"pool0","mode":"System","count":1}]`} {
		f.settle(http.MethodPut, testCluster, fmt.Sprintf(`{"location":"East US","properties":{"agentPoolProfiles":%s},"tags":{"a":"b"}}`, profiles))
		var names []string
		for _, profile := range objects(f.get(testCluster), "properties", "agentPoolProfiles") {
			names = append(names, text(profile, "name"))
		}
		if diff := cmp.Diff([]string{"pool0", "b"}, names); diff != "" {
			t.Errorf("pools after agentPoolProfiles %s: -want +got\n%s", profiles, diff)
		}
	}
}

// TestUpgrade checks the versions of a cluster and of its pools.
func TestUpgrade(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	f.settle(createCluster.method, createCluster.path, createCluster.body)
	versions := func() []string {
		body := f.get(testCluster)
		found := []string{text(body, "properties", "kubernetesVersion"), text(body, "properties", "currentKubernetesVersion")}
		for _, profile := range objects(body, "properties", "agentPoolProfiles") {
			found = append(found, text(profile, "currentOrchestratorVersion"))
		}
		return found
	}
	steps := []struct {
		path, body string
		want       []string
	}{
		{testCluster, `{"location":"eastus","properties":{}}`, []string{"1.32.5", "1.32.5", "1.32.5"}},
		{testCluster, `{"location":"eastus","properties":{"kubernetesVersion":"1.33"}}`, []string{"1.33", "1.33.6", "1.32.5"}},
		{testPool, `{"properties":{"mode":"System","orchestratorVersion":"1.33"}}`, []string{"1.33", "1.33.6", "1.33.6"}},
		{testPool, `{"properties":{"mode":"System"}}`, []string{"1.33", "1.33.6", "1.33.6"}},
	}
	for _, step := range steps {
		f.settle(http.MethodPut, step.path, step.body)
		if diff := cmp.Diff(step.want, versions()); diff != "" {
			t.Errorf("after PUT %s %s: -want +got\n%s", step.path, step.body, diff)
		}
	}
}

// TestSubnets checks that subnets are resources of their own and show in their virtual network.
func TestSubnets(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	subnets := func() string {
		var names []string
		for _, subnet := range objects(f.get(testNetwork), "properties", "subnets") {
			names = append(names, text(subnet, "name")+" "+text(subnet, "properties", "provisioningState"))
		}
		return strings.Join(names, ", ")
	}
	put := func(more string) {
		f.settle(http.MethodPut, testNetwork, `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]}`+more+`}}`)
	}
	steps := []struct {
		what string
		do   func()
		want string
	}{
		{"network with a subnet", func() { put(`,"subnets":[{"name":"a","properties":{"addressPrefix":"10.2.0.0/16"}}]`) }, "a Succeeded"},
		{"second subnet", func() { f.settle(createSubnet.method, createSubnet.path, createSubnet.body) }, "a Succeeded, nodes Succeeded"},
		{"network without the list", func() { put("") }, "a Succeeded, nodes Succeeded"},
		{"network with a shorter list", func() { put(`,"subnets":[{"name":"nodes","properties":{"addressPrefix":"10.0.0.0/16"}}]`) }, "nodes Succeeded"},
		{"subnet deleted", func() { f.settle(http.MethodDelete, testSubnet, "") }, ""},
	}
	for _, step := range steps {
		step.do()
		if got := subnets(); got != step.want {
			t.Errorf("%s: subnets %q, want %q", step.what, got, step.want)
		}
	}
}

// TestPeering checks that two virtual networks are connected when each has a peering to the other.
func TestPeering(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	other := testGroup + "/providers/Microsoft.Network/virtualNetworks/other"
	f.settle(http.MethodPut, testNetwork, networkBody)
	f.settle(http.MethodPut, other, strings.Replace(networkBody, "10.0.0.0/8", "172.16.0.0/12", 1))
	peering := func(from, to string) {
		f.settle(http.MethodPut, from+"/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"`+to+`"}}}`)
	}
	state := func(network string) string {
		return text(f.get(network+"/virtualNetworkPeerings/p"), "properties", "peeringState")
	}
	peering(testNetwork, other)
	if got := state(testNetwork); got != "Initiated" {
		t.Errorf("peeringState %s, want Initiated", got)
	}
	peering(other, testNetwork)
	if got := state(testNetwork) + state(other); got != "ConnectedConnected" {
		t.Errorf("peeringStates %s, want Connected twice", got)
	}
	f.send(http.MethodPut, testNetwork+"/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"`+other+`"}}}`)
	if got := state(testNetwork); got != "Connected" {
		t.Errorf("peeringState %s while the peering is written again, want Connected", got)
	}
	f.settle(http.MethodPut, testNetwork+"/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"`+other+`"}}}`)
	f.settle(http.MethodDelete, other+"/virtualNetworkPeerings/p", "")
	if got := state(testNetwork); got != "Disconnected" {
		t.Errorf("peeringState %s, want Disconnected", got)
	}
}

// TestGeneric checks that a resource type of which nothing is known works, identifiers compare without regard to case, and
// PATCH, HEAD, lists and conditions work for any.
func TestGeneric(t *testing.T) {
	f := newFixture(t)
	thing := testGroup + "/providers/Microsoft.Example/things/One"
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	f.settle(http.MethodPut, thing, `{"location":"eastus","properties":{"a":1,"b":null,"c":{"d":[1,{"e":null}]}}}`)
	got := f.get(strings.ToLower(thing))
	want := map[string]any{
		"id": thing, "name": "One", "type": "Microsoft.Example/things", "location": "eastus",
		"properties": map[string]any{"a": int64(1), "c": map[string]any{"d": []any{int64(1), map[string]any{}}}, "provisioningState": "Succeeded"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	f.settle(http.MethodPatch, thing, `{"tags":{"x":"y"}}`)
	if got := text(f.get(thing), "tags", "x"); got != "y" {
		t.Errorf("tag after PATCH %q, want y", got)
	}
	f.settle(http.MethodPut, thing+"/parts/p", `{"properties":{}}`)
	for path, count := range map[string]int{
		testGroup + "/providers/Microsoft.Example/things":     1,
		"/subscriptions/s/providers/Microsoft.Example/things": 1,
		thing + "/parts": 1,
		testGroup + "/providers/Microsoft.Example/others": 0,
		"/subscriptions/s/resourceGroups":                 1,
		"/subscriptions/other/resourcegroups":             0,
	} {
		if list, _ := f.get(path)["value"].([]any); len(list) != count {
			t.Errorf("GET %s lists %d, want %d", path, len(list), count)
		}
	}
	codes := []int{
		f.send(http.MethodHead, thing, "").Code,
		f.send(http.MethodHead, thing+"x", "").Code,
		f.send(http.MethodPut, thing, `{"location":"eastus"}`, "If-None-Match", "*").Code,
		f.send(http.MethodPut, thing+"x", `{"location":"eastus"}`, "If-Match", "*").Code,
	}
	if diff := cmp.Diff([]int{204, 404, 412, 412}, codes); diff != "" {
		t.Errorf("HEAD and conditions: -want +got\n%s", diff)
	}
	f.settle(http.MethodDelete, thing, "")
	if left := f.resources(thing); len(left) != 0 {
		t.Errorf("%d resources are left of a deleted one and its children", len(left))
	}
}

// TestETag checks that a network resource's etag changes with it and is a header too.
func TestETag(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	f.settle(createNetwork.method, createNetwork.path, createNetwork.body)
	first := f.send(http.MethodGet, testNetwork, "")
	etag := first.Header().Get("ETag")
	if body, err := decode(first.Body.Bytes()); err != nil || etag == "" || text(body, "etag") != etag {
		t.Errorf("ETag header %q, body %q, %v", etag, text(body, "etag"), err)
	}
	f.settle(http.MethodPut, testNetwork, strings.Replace(networkBody, "{", `{"tags":{"a":"b"},`, 1))
	if again := f.send(http.MethodGet, testNetwork, "").Header().Get("ETag"); again == etag {
		t.Errorf("ETag %s did not change", again)
	}
	if w := f.send(http.MethodPut, testNetwork, networkBody, "If-Match", etag); w.Code != http.StatusPreconditionFailed {
		t.Errorf("PUT with an old ETag: %d, want 412", w.Code)
	}
}

// TestRegistration checks that a provider that is not registered refuses changes until a client registers it.
func TestRegistration(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	if err := f.service.SetProviderRegistered("Microsoft.Network", false); err != nil {
		t.Fatal(err)
	}
	if w := f.send(createNetwork.method, createNetwork.path, createNetwork.body); w.Code != http.StatusConflict || errorCodeOf(w) != "MissingSubscriptionRegistration" {
		t.Errorf("PUT: %d %s", w.Code, w.Body)
	}
	if w := f.send(http.MethodPost, "/subscriptions/s/providers/Microsoft.Network/register", ""); w.Code != http.StatusOK {
		t.Errorf("register: %d %s", w.Code, w.Body)
	}
	f.settle(createNetwork.method, createNetwork.path, createNetwork.body)
}

// TestAPIVersions checks that a property shows only in the versions that have it.
func TestAPIVersions(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	f.settle(createCluster.method, createCluster.path, createCluster.body)
	cases := map[string]map[string]bool{
		"2021-05-01":         {"kind": false, "eTag": false, "currentKubernetesVersion": false, "nodeProvisioningProfile": false, "enableFIPS": false},
		"2024-09-01":         {"kind": false, "eTag": false, "currentKubernetesVersion": true, "nodeProvisioningProfile": false, "enableFIPS": false},
		"2025-08-01":         {"kind": true, "eTag": false, "currentKubernetesVersion": true, "nodeProvisioningProfile": true, "enableFIPS": false},
		"2025-10-02-preview": {"kind": true, "eTag": true, "currentKubernetesVersion": true, "nodeProvisioningProfile": true, "enableFIPS": true},
	}
	for version, want := range cases {
		body := f.get(testCluster + "?api-version=" + version)
		got := map[string]bool{}
		for name := range want {
			_, top := body[name]
			_, inner := child(body, "properties")[name]
			got[name] = top || inner
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", version, diff)
		}
	}
}

// TestHostedSystemPool checks that AKS Automatic needs no System pool where it hosts one.
func TestHostedSystemPool(t *testing.T) {
	const pools = `"agentPoolProfiles":[{"name":"pool0","mode":"System","count":1,"vmSize":"x"}]`
	sku := func(name, properties string) string {
		return `{"location":"eastus","sku":{"name":"` + name + `","tier":"Standard"},"properties":{"dnsPrefix":"a",` + properties + `}}`
	}
	cases := map[string]struct {
		cluster string
		hosted  bool
	}{
		"Automatic":                     {sku("Automatic", `"tags":{}`), true},
		"Automatic, said":               {sku("Automatic", `"hostedSystemProfile":{"enabled":true}`), true},
		"Base, said":                    {sku("Base", `"hostedSystemProfile":{"enabled":true}`), true},
		"Automatic with a System pool":  {sku("Automatic", pools), false},
		"Automatic, said, with a pool":  {sku("Automatic", `"hostedSystemProfile":{"enabled":true},`+pools), true},
		"Base with a System pool":       {sku("Base", pools), false},
		"Automatic without, said, pool": {sku("Automatic", `"hostedSystemProfile":{"enabled":false},`+pools), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.settle(createGroup.method, createGroup.path, createGroup.body)
			f.settle(http.MethodPut, testCluster, c.cluster)
			if got := boolean(f.service.store.get(testCluster).Body, "properties", "hostedSystemProfile", "enabled"); got != c.hosted {
				t.Errorf("hosted: %v, want %v", got, c.hosted)
			}
			f.settle(http.MethodPut, testCluster+"/agentPools/b", `{"properties":{"mode":"System","count":1}}`)
			f.settle(http.MethodDelete, testCluster+"/agentPools/b", "")
			f.settle(http.MethodPut, testPool, `{"properties":{"mode":"System","count":1}}`)
			w := f.send(http.MethodDelete, testPool, "")
			if refused := w.Code == http.StatusBadRequest; refused == c.hosted {
				t.Errorf("DELETE of the last System pool: %d %s", w.Code, w.Body)
			}
		})
	}
}
