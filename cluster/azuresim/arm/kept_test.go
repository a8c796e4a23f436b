package arm

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKept sends a property, then a request without it or with something else in its place, and reads what Azure has.
func TestKept(t *testing.T) {
	cluster := func(properties string) string {
		return strings.Replace(clusterBody, `"properties":{`, `"properties":{`+properties, 1)
	}
	ofCluster := func(more string) string { return strings.Replace(clusterBody, `{`, `{`+more, 1) }
	pool := func(properties string) string {
		return `{"properties":{"mode":"System","count":1,"vmSize":"x"` + properties + `}}`
	}
	balancer := func(profile string) string {
		return cluster(`"networkProfile":{"networkPlugin":"azure","loadBalancerProfile":` + profile + `},`)
	}
	const ranges, scaler = `"apiServerAccessProfile":{"authorizedIPRanges":["10.0.0.0/8"]},`, `"autoScalerProfile":{"scan-interval":"20s","expander":"priority"},`
	for name, c := range map[string]struct {
		at, before, after string
		path              []string
		want              any
	}{
		"ranges left out":            {testCluster, cluster(ranges), clusterBody, []string{"apiServerAccessProfile", "authorizedIPRanges"}, []any{"10.0.0.0/8"}},
		"ranges null":                {testCluster, cluster(ranges), cluster(`"apiServerAccessProfile":{"authorizedIPRanges":null},`), []string{"apiServerAccessProfile", "authorizedIPRanges"}, []any{"10.0.0.0/8"}},
		"ranges emptied":             {testCluster, cluster(ranges), cluster(`"apiServerAccessProfile":{"authorizedIPRanges":[]},`), []string{"apiServerAccessProfile", "authorizedIPRanges"}, nil},
		"ranges of everybody":        {testCluster, cluster(ranges), cluster(`"apiServerAccessProfile":{"authorizedIPRanges":["0.0.0.0/0"]},`), []string{"apiServerAccessProfile", "authorizedIPRanges"}, []any{"0.0.0.0/0"}},
		"autoscaler left out":        {testCluster, cluster(scaler), clusterBody, []string{"autoScalerProfile", "scan-interval"}, "20s"},
		"autoscaler empty":           {testCluster, cluster(scaler), cluster(`"autoScalerProfile":{},`), []string{"autoScalerProfile", "scan-interval"}, "10s"},
		"autoscaler with one other":  {testCluster, cluster(scaler), cluster(`"autoScalerProfile":{"expander":"random"},`), []string{"autoScalerProfile", "scan-interval"}, "10s"},
		"addresses left out":         {testCluster, balancer(`{"managedOutboundIPs":{"count":3}}`), clusterBody, []string{"networkProfile", "loadBalancerProfile", "managedOutboundIPs", "count"}, int64(3)},
		"addresses of another sort":  {testCluster, balancer(`{"outboundIPs":{"publicIPs":[{"id":"/a"}]}}`), balancer(`{"managedOutboundIPs":{"count":1}}`), []string{"networkProfile", "loadBalancerProfile", "outboundIPs"}, nil},
		"timeout left out":           {testCluster, balancer(`{"idleTimeoutInMinutes":8}`), balancer(`{}`), []string{"networkProfile", "loadBalancerProfile", "idleTimeoutInMinutes"}, int64(8)},
		"add-on left out":            {testCluster, cluster(`"addonProfiles":{"a":{"enabled":true,"config":{"x":"y"}}},`), clusterBody, []string{"addonProfiles", "a", "config"}, map[string]any{"x": "y"}},
		"add-on with another config": {testCluster, cluster(`"addonProfiles":{"a":{"enabled":true,"config":{"x":"y"}}},`), cluster(`"addonProfiles":{"a":{"enabled":true,"config":{"z":"y"}}},`), []string{"addonProfiles", "a", "config"}, map[string]any{"z": "y"}},
		"channel left out":           {testCluster, cluster(`"autoUpgradeProfile":{"upgradeChannel":"patch"},`), clusterBody, []string{"autoUpgradeProfile", "upgradeChannel"}, "patch"},
		"tags left out":              {testCluster, ofCluster(`"tags":{"a":"b"},`), clusterBody, []string{"..", "tags"}, map[string]any{"a": "b"}},
		"tags emptied":               {testCluster, ofCluster(`"tags":{"a":"b"},`), ofCluster(`"tags":{},`), []string{"..", "tags"}, nil},
		"labels left out":            {testPool, pool(`,"nodeLabels":{"a":"b"}`), pool(``), []string{"nodeLabels"}, map[string]any{"a": "b"}},
		"labels null":                {testPool, pool(`,"nodeLabels":{"a":"b"}`), pool(`,"nodeLabels":null`), []string{"nodeLabels"}, map[string]any{"a": "b"}},
		"labels emptied":             {testPool, pool(`,"nodeLabels":{"a":"b"}`), pool(`,"nodeLabels":{}`), []string{"nodeLabels"}, nil},
		"one label less":             {testPool, pool(`,"nodeLabels":{"a":"b","c":"d"}`), pool(`,"nodeLabels":{"a":"b"}`), []string{"nodeLabels"}, map[string]any{"a": "b"}},
		"taints left out":            {testPool, pool(`,"nodeTaints":["a=b:NoSchedule"]`), pool(``), []string{"nodeTaints"}, []any{"a=b:NoSchedule"}},
		"taints emptied":             {testPool, pool(`,"nodeTaints":["a=b:NoSchedule"]`), pool(`,"nodeTaints":[]`), []string{"nodeTaints"}, nil},
		"tags of a pool emptied":     {testPool, pool(`,"tags":{"a":"b"}`), pool(`,"tags":{}`), []string{"tags"}, nil},
		"autoscaling off":            {testPool, pool(`,"enableAutoScaling":true,"minCount":1,"maxCount":3`), pool(`,"enableAutoScaling":false`), []string{"maxCount"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.settle(http.MethodPut, testGroup, groupBody)
			f.settle(http.MethodPut, testNetwork, networkBody)
			f.settle(http.MethodPut, testSubnet, subnetBody)
			if c.at != testCluster {
				f.settle(http.MethodPut, testCluster, clusterBody)
			}
			f.settle(http.MethodPut, c.at, c.before)
			f.settle(http.MethodPut, c.at, c.after)
			body, path := f.get(c.at), append([]string{"properties"}, c.path...)
			if c.path[0] == ".." {
				path = c.path[1:]
			}
			if diff := cmp.Diff(c.want, at(body, path...)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
