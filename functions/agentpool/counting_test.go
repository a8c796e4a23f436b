package agentpool

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

var set, remove, annotate, edited = composertest.Set, composertest.Remove, composertest.Annotate, composertest.Edited

// pool is an agent pool of two nodes that Cluster API scales, as it is observed when ASO is done.
func pool(edits ...composertest.Edit) *unstructured.Unstructured {
	return edited(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "containerservice.azure.com/v1api20250801", "kind": "ManagedClustersAgentPool",
		"metadata": map[string]any{"name": "p0", "generation": int64(4), "managedFields": []any{map[string]any{
			"manager": "apiextensions.crossplane.io/composed/x", "operation": "Apply", "fieldsV1": map[string]any{"f:spec": map[string]any{"f:count": map[string]any{}}}}}},
		"spec": map[string]any{"count": int64(2), "enableAutoScaling": false},
		"status": map[string]any{"count": int64(2), "enableAutoScaling": false, "provisioningState": "Succeeded", "conditions": []any{
			map[string]any{"type": "Ready", "status": "True", "observedGeneration": int64(4)},
		}},
	}}, edits...)
}

func says(status, message string, generation int64) composertest.Edit {
	return set([]any{map[string]any{"type": "Ready", "status": status, "message": message, "observedGeneration": generation}}, "status", "conditions")
}

// TestCounting has AKS scale a pool from 2 to 4 nodes at any moment, and looks that no number is sent that AKS may not have.
func TestCounting(t *testing.T) {
	var (
		on       = set(true, "spec", "enableAutoScaling")
		off      = set(false, "spec", "enableAutoScaling")
		left     = remove("spec", "count")
		scales   = set(true, "status", "enableAutoScaling")
		has      = func(count int64) composertest.Edit { return set(count, "status", "count") }
		wants    = func(count int64) composertest.Edit { return set(count, "spec", "replicas") }
		by       = func(who string) composertest.Edit { return annotate("cluster.x-k8s.io/replicas-managed-by", who) }
		unknown  = remove("status")
		creating = set("Creating", "status", "provisioningState")
		of       = func(topology string) composertest.Edit {
			return set(topology, "metadata", "labels", "topology.cluster.x-k8s.io/pool-name")
		}
		refused = says("False", "InvalidParameter: Required parameter properties.count is missing (null).", 3)
	)
	topology := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"topology": map[string]any{"workers": map[string]any{
		"machinePools": []any{map[string]any{"name": "fixed", "replicas": int64(2)}, map[string]any{"name": "open"}},
	}}}}}
	type edits = []composertest.Edit
	tests := map[string]struct {
		// wanted is the pool as it shall be, in which the count is what the MachinePool wants.
		wanted      edits
		machinePool edits
		// observed is nil for a pool that has no object yet.
		observed  edits
		inCluster map[string]any
		// elsewhere is true when no count is sent.
		elsewhere bool
		waits     string
	}{
		"not there":                        {},
		"there":                            {observed: edits{has(2)}},
		"scaled by hand in Azure":          {observed: edits{has(5)}},
		"another number, not done":         {machinePool: edits{wants(7)}, observed: edits{says("False", "quota", 4)}},
		"not there, AKS shall scale":       {wanted: edits{on}},
		"sent, nothing known yet":          {wanted: edits{on}, observed: edits{on, unknown}},
		"AKS makes it":                     {wanted: edits{on}, observed: edits{on, creating, says("False", "", 4)}},
		"AKS has made it":                  {wanted: edits{on}, observed: edits{on, scales}, elsewhere: true},
		"AKS has made it and scaled":       {wanted: edits{on}, observed: edits{on, scales, has(4)}, elsewhere: true},
		"AKS scales":                       {wanted: edits{on}, machinePool: edits{by("aks")}, observed: edits{on, left, scales, has(4)}, elsewhere: true},
		"AKS scales, and changes it":       {wanted: edits{on}, machinePool: edits{by("aks")}, observed: edits{on, left, scales, creating}, elsewhere: true},
		"turned on":                        {wanted: edits{on}, elsewhere: true, observed: edits{}},
		"turned on and off":                {observed: edits{on, left}, elsewhere: true},
		"turned on and off, marked":        {machinePool: edits{by("aks")}, observed: edits{on, left}, elsewhere: true},
		"turned off":                       {machinePool: edits{by("aks")}, observed: edits{on, left, scales}, elsewhere: true},
		"turned off, not sent":             {machinePool: edits{by("aks")}, observed: edits{off, left, scales}, elsewhere: true},
		"turned off, not looked at since":  {machinePool: edits{by("aks")}, observed: edits{off, left, says("True", "", 3)}, elsewhere: true},
		"turned off, old number":           {machinePool: edits{by("aks")}, observed: edits{off, left, has(4)}, elsewhere: true, waits: "is scaled by spec.replicas of MachinePool mp when that is 4, as many nodes as it has"},
		"turned off, old number, unmarked": {observed: edits{off, left, has(4)}, elsewhere: true, waits: "is scaled by spec.replicas of MachinePool mp when that is 4, as many nodes as it has"},
		"turned off, number taken over":    {machinePool: edits{by("aks"), wants(4)}, observed: edits{off, left, has(4)}},
		"taken over":                       {machinePool: edits{by("aks"), wants(4)}, observed: edits{off, set(int64(4), "spec", "count"), has(4)}},
		"taken over, another number":       {machinePool: edits{wants(7)}, observed: edits{off, set(int64(4), "spec", "count"), has(4)}},
		"turned off while it was made":     {observed: edits{on, scales, creating, says("False", "", 4)}, elsewhere: true},
		"without replicas":                 {machinePool: edits{remove("spec", "replicas")}, observed: edits{off, left, has(0)}, elsewhere: true, waits: "is scaled by spec.replicas of MachinePool mp when that is 0, as many nodes as it has"},

		"the topology has a number":             {machinePool: edits{of("fixed")}, observed: edits{off, left, has(4)}},
		"the topology has a number, AKS scales": {machinePool: edits{of("fixed")}, wanted: edits{on}, observed: edits{on, left, scales, has(4)}, elsewhere: true},
		"the topology has a number, unsettled":  {machinePool: edits{of("fixed")}, observed: edits{off, left, scales, has(4)}, elsewhere: true},
		"the topology has none":                 {machinePool: edits{of("open")}, observed: edits{off, left, has(4)}, elsewhere: true, waits: "is scaled by spec.replicas of MachinePool mp when that is 4, as many nodes as it has"},

		"another scales":                       {machinePool: edits{by("keda")}, elsewhere: true, observed: edits{has(4)}},
		"another scales, of no name":           {machinePool: edits{by("")}, elsewhere: true, observed: edits{has(4)}},
		"another scales, not there":            {machinePool: edits{by("keda")}},
		"another scales, AKS makes it":         {machinePool: edits{by("keda")}, observed: edits{creating}},
		"another scaled":                       {observed: edits{off, left, has(4)}, elsewhere: true, waits: "is scaled by spec.replicas of MachinePool mp when that is 4, as many nodes as it has"},
		"another is said not to":               {machinePool: edits{by("false")}, observed: edits{has(4)}},
		"CAPZ's word for AKS, where it counts": {machinePool: edits{by("true")}, observed: edits{has(4)}},

		"made with the cluster":                       {inCluster: map[string]any{"count": 4.0}},
		"made with the cluster, AKS shall scale":      {wanted: edits{on}, inCluster: map[string]any{"count": 4.0}, elsewhere: true},
		"made with the cluster, AKS has scaled":       {machinePool: edits{by("aks")}, inCluster: map[string]any{"count": 4.0, "enableAutoScaling": true}, elsewhere: true},
		"made with the cluster, another scales":       {machinePool: edits{by("keda")}, inCluster: map[string]any{"count": 4.0}, elsewhere: true},
		"made with the cluster, sent, nothing known":  {wanted: edits{on}, observed: edits{on, left, unknown}, inCluster: map[string]any{"count": 4.0}, elsewhere: true},
		"gone from Azure, and refused without number": {wanted: edits{on}, machinePool: edits{by("aks")}, observed: edits{on, left, scales, has(4), refused}},
		"gone from Azure, made again":                 {wanted: edits{on}, machinePool: edits{by("aks")}, observed: edits{on, scales, creating, says("False", "", 4)}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			machinePool := edited(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "mp"}, "spec": map[string]any{"replicas": int64(2)}}}, tc.machinePool...)
			c := &Counting{MachinePool: machinePool, Cluster: topology, ByAKS: []string{"aks", "true"}, InCluster: tc.inCluster}
			if tc.observed != nil {
				c.Observed = pool(tc.observed...)
			}
			r := &plan.Resource{Object: pool(tc.wanted...)}
			if got := c.Decide(r); got != tc.elsewhere || aso.SpecCount.Has(r.Object) == tc.elsewhere {
				t.Errorf("decided elsewhere: %v, want %v; count is set: %v", got, tc.elsewhere, aso.SpecCount.Has(r.Object))
			}
			if r.Outstanding != tc.waits {
				t.Errorf("waits: %q, want %q", r.Outstanding, tc.waits)
			}
		})
	}
}

func TestNodes(t *testing.T) {
	two, four := int64(2), int64(4)
	tests := map[string]struct {
		observed *unstructured.Unstructured
		machines int
		want     *int64
	}{
		"none":                   {machines: 3},
		"not known":              {observed: pool(remove("status")), machines: 3},
		"as many":                {observed: pool(), machines: 2, want: &two},
		"more than are wanted":   {observed: pool(), machines: 4, want: &two},
		"AKS scales":             {observed: pool(remove("spec", "count")), machines: 4, want: &four},
		"AKS scales, fewer join": {observed: pool(remove("spec", "count"), set(int64(4), "status", "count")), machines: 2, want: &four},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := (&Counting{}).Nodes(tc.observed, tc.machines)
			if (got == nil) != (tc.want == nil) || got != nil && *got != *tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
