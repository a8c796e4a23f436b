package containerservice_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
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
			f := armtest.New(t)
			f.Make(armtest.CreateGroup)
			f.Make(armtest.CreateCluster)
			for _, properties := range c.puts {
				f.Settle(http.MethodPut, armtest.Cluster+"/agentPools/b", `{"properties":`+properties+`}`)
			}
			if got, _ := fields.Number(f.Get(armtest.Cluster+"/agentPools/b"), "properties", "count"); got != c.want {
				t.Errorf("count %d, want %d", got, c.want)
			}
		})
	}
}

// TestClusterKeepsPools checks that a PUT of the cluster without a pool leaves the pool alone.
func TestClusterKeepsPools(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.CreateCluster)
	f.Settle(http.MethodPut, armtest.Cluster+"/agentPools/b", `{"properties":{"count":2}}`)
	for _, profiles := range []string{`null`, `[{"name":"pool0","mode":"System","count":1}]`} {
		f.Settle(http.MethodPut, armtest.Cluster, fmt.Sprintf(`{"location":"East US","properties":{"agentPoolProfiles":%s},"tags":{"a":"b"}}`, profiles))
		var names []string
		for _, profile := range fields.Objects(f.Get(armtest.Cluster), "properties", "agentPoolProfiles") {
			names = append(names, fields.Text(profile, "name"))
		}
		if diff := cmp.Diff([]string{"pool0", "b"}, names); diff != "" {
			t.Errorf("pools after agentPoolProfiles %s: -want +got\n%s", profiles, diff)
		}
	}
}

// TestUpgrade checks the versions of a cluster and of its pools.
func TestUpgrade(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.CreateCluster)
	versions := func() []string {
		body := f.Get(armtest.Cluster)
		found := []string{fields.Text(body, "properties", "kubernetesVersion"), fields.Text(body, "properties", "currentKubernetesVersion")}
		for _, profile := range fields.Objects(body, "properties", "agentPoolProfiles") {
			found = append(found, fields.Text(profile, "currentOrchestratorVersion"))
		}
		return found
	}
	steps := []struct {
		path, body string
		want       []string
	}{
		{armtest.Cluster, `{"location":"eastus","properties":{}}`, []string{"1.32.5", "1.32.5", "1.32.5"}},
		{armtest.Cluster, `{"location":"eastus","properties":{"kubernetesVersion":"1.33"}}`, []string{"1.33", "1.33.6", "1.32.5"}},
		{armtest.Pool, `{"properties":{"mode":"System","orchestratorVersion":"1.33"}}`, []string{"1.33", "1.33.6", "1.33.6"}},
		{armtest.Pool, `{"properties":{"mode":"System"}}`, []string{"1.33", "1.33.6", "1.33.6"}},
	}
	for _, step := range steps {
		f.Settle(http.MethodPut, step.path, step.body)
		if diff := cmp.Diff(step.want, versions()); diff != "" {
			t.Errorf("after PUT %s %s: -want +got\n%s", step.path, step.body, diff)
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
			f := armtest.New(t)
			f.Make(armtest.CreateGroup)
			f.Settle(http.MethodPut, armtest.Cluster, c.cluster)
			if got := fields.Bool(f.Service.Store.Get(armtest.Cluster).Body, "properties", "hostedSystemProfile", "enabled"); got != c.hosted {
				t.Errorf("hosted: %v, want %v", got, c.hosted)
			}
			f.Settle(http.MethodPut, armtest.Cluster+"/agentPools/b", `{"properties":{"mode":"System","count":1}}`)
			f.Settle(http.MethodDelete, armtest.Cluster+"/agentPools/b", "")
			f.Settle(http.MethodPut, armtest.Pool, `{"properties":{"mode":"System","count":1}}`)
			w := f.Send(http.MethodDelete, armtest.Pool, "")
			if refused := w.Code == http.StatusBadRequest; refused == c.hosted {
				t.Errorf("DELETE of the last System pool: %d %s", w.Code, w.Body)
			}
		})
	}
}
