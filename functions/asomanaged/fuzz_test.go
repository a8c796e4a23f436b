package asomanaged

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds are values of spec.resources.
var seeds = []string{
	`[]`, `null`, `{}`, `"x"`, `[null, 1, "x", [], {}]`,
	`[{"apiVersion": "resources.azure.com/v1api20200601", "kind": "ResourceGroup", "metadata": {"name": "rg"}, "spec": {"location": "westeurope"}}]`,
	`[{"apiVersion": "resources.azure.com/v1api20200601", "kind": "ResourceGroup", "metadata": {"name": "rg", "namespace": "other"}, "spec": null}]`,
	`[{"apiVersion": "containerservice.azure.com/v1api20250801", "kind": "ManagedCluster", "metadata": {"name": "mc"}, "spec": {"owner": {"name": "rg"}, "networkProfile": [], "operatorSpec": {"secrets": null}}}]`,
	`[{"apiVersion": "containerservice.azure.com/v1api20250801", "kind": "ManagedCluster", "metadata": {"name": "mc", "annotations": null, "labels": {"a": 1}}, "spec": {"kubernetesVersion": 1.33, "agentPoolProfiles": null}}]`,
	`[{"apiVersion": "containerservice.azure.com/x", "kind": "ManagedClustersAgentPool", "metadata": {"name": "p0"}, "spec": {"owner": {"armId": 1}, "count": "3", "enableAutoScaling": "true"}}]`,
	`[{"apiVersion": "containerservice.azure.com/x", "kind": "ManagedClustersAgentPool", "metadata": {"name": "p0"}}, {"apiVersion": "containerservice.azure.com/y", "kind": "ManagedClustersAgentPool", "metadata": {"name": "p0"}}]`,
}

// FuzzRunFunction puts arbitrary JSON into spec.resources of each kind, with what existed before there. Whatever that is,
// the function must withstand it and must keep each existing object, unless the JSON is a well-formed list that does not have it.
func FuzzRunFunction(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	all := scenes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var value any
		if json.Unmarshal(data, &value) != nil || !utf8.Valid(data) {
			return
		}
		for _, title := range sortedKeys(all) {
			s := all[title]
			xr := s.XR.DeepCopy()
			xr.Object["spec"].(map[string]any)["resources"] = value
			req := request(t, xr, s.Observed...)
			rsp := composers.Withstand(t, s.World, req)
			for _, m := range dropped(req, rsp) {
				if !wellFormed(value) || slices.Contains(namesIn(value), m) {
					t.Errorf("%s: %s would be deleted", title, m)
				}
			}
		}
	})
}

// wellFormed reports whether each item of the list says what it is: then what it does not have is not wanted.
func wellFormed(value any) bool {
	items, ok := value.([]any)
	for _, i := range items {
		o, isMap := i.(map[string]any)
		if !isMap {
			return false
		}
		u := &unstr{Object: o}
		ok = ok && u.GetKind() != "" && u.GetName() != "" && strings.Contains(u.GetAPIVersion(), ".azure.com/")
	}
	return ok
}

func namesIn(value any) []string {
	items, _ := value.([]any)
	var out []string
	for _, i := range items {
		if o, ok := i.(map[string]any); ok {
			out = append(out, name(&unstr{Object: o}))
		}
	}
	return out
}

// FuzzObjects changes one object of a scene.
func FuzzObjects(f *testing.F) { composers.FuzzScenes(f, scenes(f)) }
