package arm

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

// TestChange says of one more PUT or PATCH whether it changes what the PUTs before it made.
func TestChange(t *testing.T) {
	const pool = `{"properties":{"mode":"System","count":1,"vmSize":"x"}}`
	base := [][2]string{{testGroup, groupBody}, {testNetwork, networkBody}, {testSubnet, subnetBody}, {testCluster, clusterBody}, {testPool, pool}}
	for name, c := range map[string]struct {
		method, path, body string
		changed            bool
	}{
		"the same resource group":   {http.MethodPut, testGroup, groupBody, false},
		"tags of a resource group":  {http.MethodPut, testGroup, `{"location":"eastus","tags":{"a":"b"}}`, true},
		"another resource group":    {http.MethodPut, testGroup + "2", groupBody, true},
		"the same network":          {http.MethodPut, testNetwork, networkBody, false},
		"the same subnet":           {http.MethodPut, testSubnet, subnetBody, false},
		"one more subnet":           {http.MethodPut, testNetwork + "/subnets/more", `{"properties":{"addressPrefix":"10.2.0.0/16"}}`, true},
		"the same AKS cluster":      {http.MethodPut, testCluster, clusterBody, false},
		"a pool with nothing more":  {http.MethodPut, testPool, strings.Replace(pool, `"mode"`, `"nodeLabels":{},"nodeTaints":[],"mode"`, 1), false},
		"labels of a pool":          {http.MethodPut, testPool, strings.Replace(pool, `"mode"`, `"nodeLabels":{"a":"b"},"mode"`, 1), true},
		"version of an AKS cluster": {http.MethodPut, testCluster, strings.Replace(clusterBody, "1.32.5", "1.33.6", 1), true},
		"the same pool":             {http.MethodPut, testPool, pool, false},
		"size of a pool":            {http.MethodPut, testPool, strings.Replace(pool, `"count":1`, `"count":2`, 1), true},
		"size of a pool, by the AKS cluster": {
			http.MethodPut, testCluster, strings.Replace(clusterBody, `"count":1`, `"count":2`, 1), true,
		},
		"a refused location":           {http.MethodPut, testCluster, strings.Replace(clusterBody, "eastus", "westus", 1), false},
		"a patch of nothing":           {http.MethodPatch, testGroup, `{}`, false},
		"a patch of a group's tags":    {http.MethodPatch, testGroup, `{"tags":{"a":"b"}}`, true},
		"a patch of what is not there": {http.MethodPatch, testGroup + "3", `{"tags":{"a":"b"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, b := range base {
				if answer := f.send(http.MethodPut, b[0], b[1]); answer.Code >= 400 {
					t.Fatalf("PUT %s: %d %s", b[0], answer.Code, answer.Body)
				}
				f.clock.SetTime(f.clock.Now().Add(2 * latency))
			}
			var changes []string
			r := httptest.NewRequest(c.method, "https://"+clouds.Public.ARMHost+c.path+"?api-version=2025-08-01", strings.NewReader(c.body))
			w := httptest.NewRecorder()
			f.service.ServeHTTP(w, r.WithContext(WithChange(r.Context(), &changes)))
			if len(changes) > 0 != c.changed {
				t.Errorf("%s %s changed %q, want something: %v (%d %s)", c.method, c.path, changes, c.changed, w.Code, w.Body)
			}
		})
	}
}
