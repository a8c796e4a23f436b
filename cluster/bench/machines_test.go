package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// found are objects as a timeline has them, each there unless it is gone.
type found map[objectKey]*event

func (f found) add(group, kind, name string, gone bool, content map[string]any) found {
	u := &unstructured.Unstructured{Object: content}
	u.SetName(name)
	e := &event{object: u, came: time.Unix(1, 0)}
	if gone {
		e.gone = time.Unix(2, 0)
	}
	f[objectKey{schema.GroupKind{Group: group, Kind: kind}, namespace, name}] = e
	return f
}

// member is a Machine of a set, by the label that says so.
func member(label, set, providerID string, provisioned bool) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"labels": map[string]any{label: set}},
		"spec":     map[string]any{"providerID": providerID},
		"status":   map[string]any{"initialization": map[string]any{"infrastructureProvisioned": provisioned}},
	}
}

// TestDeployed shows that only the MachineDeployment's own machines count that are there, provisioned, and have a provider ID.
func TestDeployed(t *testing.T) {
	const label = "cluster.x-k8s.io/deployment-name"
	cases := map[string]struct {
		second map[string]any
		gone   bool
		want   bool
	}{
		"Both":           {second: member(label, "md", "azure:///2", true), want: true},
		"OfAnother":      {second: member(label, "another", "azure:///2", true)},
		"NotProvisioned": {second: member(label, "md", "azure:///2", false)},
		"WithoutID":      {second: member(label, "md", "", true)},
		"Gone":           {second: member(label, "md", "azure:///2", true), gone: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects := found{}.add(capiGroup, "Machine", "first", false, member(label, "md", "azure:///1", true)).add(capiGroup, "Machine", "second", tc.gone, tc.second)
			if got := deployed("md", 2)(objects); got != tc.want {
				t.Errorf("deployed() = %v, want %v", got, tc.want)
			}
		})
	}
}

// TestPooled shows that an AzureMachinePool needs as many provider IDs as Machines.
func TestPooled(t *testing.T) {
	for name, tc := range map[string]struct {
		ids, machines int
		want          bool
	}{"Both": {2, 2, true}, "AMachineLacks": {2, 1, false}, "AnIDLacks": {1, 2, false}} {
		t.Run(name, func(t *testing.T) {
			objects := found{}.add(capiGroup, "Machine", "of-another", false, member("cluster.x-k8s.io/pool-name", "another", "", true))
			for i := range tc.machines {
				objects.add(capiGroup, "Machine", fmt.Sprint(i), false, member("cluster.x-k8s.io/pool-name", "mp", "", false))
			}
			ids := make([]any, tc.ids)
			objects.add(infraGroup, "AzureMachinePool", "mp", false, map[string]any{"spec": map[string]any{"providerIDList": ids}})
			if got := pooled("mp", 2)(objects); got != tc.want {
				t.Errorf("pooled() = %v, want %v", got, tc.want)
			}
		})
	}
}

// TestAlone shows that a set is gone when only what was there besides is left.
func TestAlone(t *testing.T) {
	rest := others{objects: map[objectKey]bool{{schema.GroupKind{Group: capiGroup, Kind: "Cluster"}, namespace, "bench"}: true}}
	for name, gone := range map[string]bool{"SetIsThere": false, "SetIsGone": true} {
		t.Run(name, func(t *testing.T) {
			objects := found{}.add(capiGroup, "Cluster", "bench", false, map[string]any{}).add(capiGroup, "Machine", "bench-md-0-x", gone, map[string]any{})
			if got := rest.alone(objects); got != gone {
				t.Errorf("alone() = %v, want %v", got, gone)
			}
		})
	}
}

// TestBenchmarksOfGoals shows that each row is of a benchmark that there is.
func TestBenchmarksOfGoals(t *testing.T) {
	known := map[string]bool{}
	for _, b := range benchmarks() {
		known[b.name] = true
	}
	for _, g := range goals {
		if name, _, _ := strings.Cut(g.Name, "/"); !known[name] {
			t.Errorf("row %q is of benchmark %q, which is not there", g.Title, name)
		}
	}
}
