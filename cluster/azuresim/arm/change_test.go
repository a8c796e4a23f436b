package arm_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

// TestChange says of one more PUT or PATCH whether it changes what the PUTs before it made.
func TestChange(t *testing.T) {
	const pool = `{"properties":{"mode":"System","count":1,"vmSize":"x"}}`
	base := [][2]string{{armtest.Group, armtest.GroupBody}, {armtest.Network, armtest.NetworkBody}, {armtest.Subnet, armtest.SubnetBody}, {armtest.Cluster, armtest.ClusterBody}, {armtest.Pool, pool}}
	for name, c := range map[string]struct {
		method, path, body string
		changed            bool
	}{
		"the same resource group":   {http.MethodPut, armtest.Group, armtest.GroupBody, false},
		"tags of a resource group":  {http.MethodPut, armtest.Group, `{"location":"eastus","tags":{"a":"b"}}`, true},
		"another resource group":    {http.MethodPut, armtest.Group + "2", armtest.GroupBody, true},
		"the same network":          {http.MethodPut, armtest.Network, armtest.NetworkBody, false},
		"the same subnet":           {http.MethodPut, armtest.Subnet, armtest.SubnetBody, false},
		"one more subnet":           {http.MethodPut, armtest.Network + "/subnets/more", `{"properties":{"addressPrefix":"10.2.0.0/16"}}`, true},
		"the same AKS cluster":      {http.MethodPut, armtest.Cluster, armtest.ClusterBody, false},
		"a pool with nothing more":  {http.MethodPut, armtest.Pool, strings.Replace(pool, `"mode"`, `"nodeLabels":{},"nodeTaints":[],"mode"`, 1), false},
		"labels of a pool":          {http.MethodPut, armtest.Pool, strings.Replace(pool, `"mode"`, `"nodeLabels":{"a":"b"},"mode"`, 1), true},
		"version of an AKS cluster": {http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, "1.32.5", "1.33.6", 1), true},
		"the same pool":             {http.MethodPut, armtest.Pool, pool, false},
		"size of a pool":            {http.MethodPut, armtest.Pool, strings.Replace(pool, `"count":1`, `"count":2`, 1), true},
		"size of a pool, by the AKS cluster": {
			http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"count":1`, `"count":2`, 1), true,
		},
		"a refused location":           {http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, "eastus", "westus", 1), false},
		"a patch of nothing":           {http.MethodPatch, armtest.Group, `{}`, false},
		"a patch of a group's tags":    {http.MethodPatch, armtest.Group, `{"tags":{"a":"b"}}`, true},
		"a patch of what is not there": {http.MethodPatch, armtest.Group + "3", `{"tags":{"a":"b"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			for _, b := range base {
				if answer := f.Send(http.MethodPut, b[0], b[1]); answer.Code >= 400 {
					t.Fatalf("PUT %s: %d %s", b[0], answer.Code, answer.Body)
				}
				f.Clock.SetTime(f.Clock.Now().Add(2 * armtest.Latency))
			}
			var changes []string
			r := httptest.NewRequest(c.method, "https://"+clouds.Public.ARMHost+c.path+"?api-version=2025-08-01", strings.NewReader(c.body))
			w := httptest.NewRecorder()
			f.Service.ServeHTTP(w, r.WithContext(arm.WithChange(r.Context(), &changes)))
			if len(changes) > 0 != c.changed {
				t.Errorf("%s %s changed %q, want something: %v (%d %s)", c.method, c.path, changes, c.changed, w.Code, w.Body)
			}
		})
	}
}
