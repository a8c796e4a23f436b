package containerservice_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TestKept sends a property, then a request without it or with something else in its place, and reads what Azure has.
func TestKept(t *testing.T) {
	cluster := func(properties string) string {
		return strings.Replace(armtest.ClusterBody, `"properties":{`, `"properties":{`+properties, 1)
	}
	ofCluster := func(more string) string { return strings.Replace(armtest.ClusterBody, `{`, `{`+more, 1) }
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
		"ranges left out":            {armtest.Cluster, cluster(ranges), armtest.ClusterBody, []string{"apiServerAccessProfile", "authorizedIPRanges"}, []any{"10.0.0.0/8"}},
		"ranges null":                {armtest.Cluster, cluster(ranges), cluster(`"apiServerAccessProfile":{"authorizedIPRanges":null},`), []string{"apiServerAccessProfile", "authorizedIPRanges"}, []any{"10.0.0.0/8"}},
		"ranges emptied":             {armtest.Cluster, cluster(ranges), cluster(`"apiServerAccessProfile":{"authorizedIPRanges":[]},`), []string{"apiServerAccessProfile", "authorizedIPRanges"}, nil},
		"ranges of everybody":        {armtest.Cluster, cluster(ranges), cluster(`"apiServerAccessProfile":{"authorizedIPRanges":["0.0.0.0/0"]},`), []string{"apiServerAccessProfile", "authorizedIPRanges"}, []any{"0.0.0.0/0"}},
		"autoscaler left out":        {armtest.Cluster, cluster(scaler), armtest.ClusterBody, []string{"autoScalerProfile", "scan-interval"}, "20s"},
		"autoscaler empty":           {armtest.Cluster, cluster(scaler), cluster(`"autoScalerProfile":{},`), []string{"autoScalerProfile", "scan-interval"}, "10s"},
		"autoscaler with one other":  {armtest.Cluster, cluster(scaler), cluster(`"autoScalerProfile":{"expander":"random"},`), []string{"autoScalerProfile", "scan-interval"}, "10s"},
		"addresses left out":         {armtest.Cluster, balancer(`{"managedOutboundIPs":{"count":3}}`), armtest.ClusterBody, []string{"networkProfile", "loadBalancerProfile", "managedOutboundIPs", "count"}, int64(3)},
		"addresses of another sort":  {armtest.Cluster, balancer(`{"outboundIPs":{"publicIPs":[{"id":"/a"}]}}`), balancer(`{"managedOutboundIPs":{"count":1}}`), []string{"networkProfile", "loadBalancerProfile", "outboundIPs"}, nil},
		"timeout left out":           {armtest.Cluster, balancer(`{"idleTimeoutInMinutes":8}`), balancer(`{}`), []string{"networkProfile", "loadBalancerProfile", "idleTimeoutInMinutes"}, int64(8)},
		"add-on left out":            {armtest.Cluster, cluster(`"addonProfiles":{"a":{"enabled":true,"config":{"x":"y"}}},`), armtest.ClusterBody, []string{"addonProfiles", "a", "config"}, map[string]any{"x": "y"}},
		"add-on with another config": {armtest.Cluster, cluster(`"addonProfiles":{"a":{"enabled":true,"config":{"x":"y"}}},`), cluster(`"addonProfiles":{"a":{"enabled":true,"config":{"z":"y"}}},`), []string{"addonProfiles", "a", "config"}, map[string]any{"z": "y"}},
		"channel left out":           {armtest.Cluster, cluster(`"autoUpgradeProfile":{"upgradeChannel":"patch"},`), armtest.ClusterBody, []string{"autoUpgradeProfile", "upgradeChannel"}, "patch"},
		"tags left out":              {armtest.Cluster, ofCluster(`"tags":{"a":"b"},`), armtest.ClusterBody, []string{"..", "tags"}, map[string]any{"a": "b"}},
		"tags emptied":               {armtest.Cluster, ofCluster(`"tags":{"a":"b"},`), ofCluster(`"tags":{},`), []string{"..", "tags"}, nil},
		"labels left out":            {armtest.Pool, pool(`,"nodeLabels":{"a":"b"}`), pool(``), []string{"nodeLabels"}, map[string]any{"a": "b"}},
		"labels null":                {armtest.Pool, pool(`,"nodeLabels":{"a":"b"}`), pool(`,"nodeLabels":null`), []string{"nodeLabels"}, map[string]any{"a": "b"}},
		"labels emptied":             {armtest.Pool, pool(`,"nodeLabels":{"a":"b"}`), pool(`,"nodeLabels":{}`), []string{"nodeLabels"}, nil},
		"one label less":             {armtest.Pool, pool(`,"nodeLabels":{"a":"b","c":"d"}`), pool(`,"nodeLabels":{"a":"b"}`), []string{"nodeLabels"}, map[string]any{"a": "b"}},
		"taints left out":            {armtest.Pool, pool(`,"nodeTaints":["a=b:NoSchedule"]`), pool(``), []string{"nodeTaints"}, []any{"a=b:NoSchedule"}},
		"taints emptied":             {armtest.Pool, pool(`,"nodeTaints":["a=b:NoSchedule"]`), pool(`,"nodeTaints":[]`), []string{"nodeTaints"}, nil},
		"tags of a pool emptied":     {armtest.Pool, pool(`,"tags":{"a":"b"}`), pool(`,"tags":{}`), []string{"tags"}, nil},
		"autoscaling off":            {armtest.Pool, pool(`,"enableAutoScaling":true,"minCount":1,"maxCount":3`), pool(`,"enableAutoScaling":false`), []string{"maxCount"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			f.Settle(http.MethodPut, armtest.Group, armtest.GroupBody)
			f.Settle(http.MethodPut, armtest.Network, armtest.NetworkBody)
			f.Settle(http.MethodPut, armtest.Subnet, armtest.SubnetBody)
			if c.at != armtest.Cluster {
				f.Settle(http.MethodPut, armtest.Cluster, armtest.ClusterBody)
			}
			f.Settle(http.MethodPut, c.at, c.before)
			f.Settle(http.MethodPut, c.at, c.after)
			body, path := f.Get(c.at), append([]string{"properties"}, c.path...)
			if c.path[0] == ".." {
				path = c.path[1:]
			}
			if diff := cmp.Diff(c.want, fields.At(body, path...)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
