package main

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

const scaleSetPool = "my-cluster-mp-0"

// instance returns the object of an instance of the pool of the example, made so many minutes after the first.
func instance(id string, minutes int) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"spec":   map[string]any{"instanceID": id},
		"status": map[string]any{"ready": true, "latestModelApplied": true, "provisioningState": "Succeeded", "instanceName": scaleSetPool + "_" + id},
	}}
	o.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(v1beta1.AzureMachinePoolMachineKind))
	o.SetNamespace("default")
	o.SetName(scaleSetPool + "-" + id)
	o.SetLabels(map[string]string{v1beta1.LabelMachinePool: scaleSetPool})
	o.SetCreationTimestamp(metav1.NewTime(time.Date(2026, 1, 1, 12, minutes, 0, 0, time.UTC)))
	return o
}

// withPool returns the objects of a self-managed cluster with a pool of a scale set, changed.
func withPool(t *testing.T, edit func(*unstructured.Unstructured)) []*unstructured.Unstructured {
	t.Helper()
	return slices.Concat(manifests(t, "self-managed", edit), manifests(t, "self-managed-machinepool", edit))
}

// TestScaleSets shows what is said of edits of a pool whose scale set has two instances, of which the one called 1 is older.
func TestScaleSets(t *testing.T) {
	size := set("AzureMachinePool", scaleSetPool, "Standard_D4s_v5", "spec", "template", "vmSize")
	policy := func(policy string) func(*unstructured.Unstructured) {
		return set("AzureMachinePool", scaleSetPool, policy, "spec", "strategy", "rollingUpdate", "deletePolicy")
	}
	one := set("MachinePool", scaleSetPool, int64(1), "spec", "replicas")
	both := func(edits ...func(*unstructured.Unstructured)) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			for _, edit := range edits {
				edit(o)
			}
		}
	}
	const (
		of          = "of AzureMachinePool my-cluster-mp-0, spec.template"
		change      = "~   change  VirtualMachineScaleSet my-cluster-mp-0"
		unchanged19 = "0 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 19 unchanged"
		replaced    = "is of an older model then; at a time there are at most 1 more, and 1 fewer ready, than 2: the oldest goes first"
		because     = `because of AzureMachinePool my-cluster-mp-0, spec.template.vmSize: "Standard_D2s_v5" -> "Standard_D4s_v5"`
	)
	cases := map[string]struct {
		live, edit func(*unstructured.Unstructured)
		instances  []*unstructured.Unstructured
		want       []string
	}{
		"no change": {want: []string{unchanged19}},
		"more": {edit: set("MachinePool", scaleSetPool, int64(3), "spec", "replicas"), want: []string{
			change, of, "spec.sku.capacity: 2 -> 3", "because of MachinePool my-cluster-mp-0, spec.replicas: 2 -> 3", "",
			"0 to create, 1 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 18 unchanged"}},
		"fewer": {edit: one, want: []string{
			"! -   DELETE  AzureMachinePoolMachine my-cluster-mp-0-1, in Azure my-cluster-mp-0_1", of,
			"because of MachinePool my-cluster-mp-0, spec.replicas: 2 -> 1",
			"the pool is to have 1, and the oldest goes first", "", "! Azure loses 1 resource.",
			"0 to create, 0 to change, 0 to replace, 1 to delete, 0 left alone, 0 held, 19 unchanged"}},
		"fewer, the newest first": {live: policy("Newest"), edit: both(one, policy("Newest")), want: []string{
			"! -   DELETE  AzureMachinePoolMachine my-cluster-mp-0-0, in Azure my-cluster-mp-0_0", of,
			"because of MachinePool my-cluster-mp-0, spec.replicas: 2 -> 1",
			"the pool is to have 1, and the newest goes first", "", "! Azure loses 1 resource.",
			"0 to create, 0 to change, 0 to replace, 1 to delete, 0 left alone, 0 held, 19 unchanged"}},
		"fewer, by chance": {live: policy("Random"), edit: both(one, policy("Random")), want: []string{
			"! -   DELETE  AzureMachinePoolMachine", of,
			"because of MachinePool my-cluster-mp-0, spec.replicas: 2 -> 1",
			"the pool is to have 1: which go of my-cluster-mp-0-0, my-cluster-mp-0-1 is decided by chance", "", "! Azure loses 1 resource.",
			"0 to create, 0 to change, 0 to replace, 1 to delete, 0 left alone, 0 held, 19 unchanged"}},
		"fewer, one is chosen": {edit: one, instances: []*unstructured.Unstructured{chosen(instance("0", 10)), instance("1", 5)}, want: []string{
			"! -   DELETE  AzureMachinePoolMachine my-cluster-mp-0-0, in Azure my-cluster-mp-0_0", of,
			"because of MachinePool my-cluster-mp-0, spec.replicas: 2 -> 1",
			"the pool is to have 1, and the oldest goes first", "", "! Azure loses 1 resource.",
			"0 to create, 0 to change, 0 to replace, 1 to delete, 0 left alone, 0 held, 19 unchanged"}},
		"fewer, others decide": {
			live: managedByOthers, edit: both(managedByOthers, one), want: []string{unchanged19}},
		"another size": {edit: size, want: []string{
			change, of, `spec.sku.name: "Standard_D2s_v5" -> "Standard_D4s_v5"`, because,
			"! -/+ REPLACE AzureMachinePoolMachine my-cluster-mp-0-1, in Azure my-cluster-mp-0_1", of, because, replaced,
			"! -/+ REPLACE AzureMachinePoolMachine my-cluster-mp-0-0, in Azure my-cluster-mp-0_0", of, because, replaced,
			"", "! Azure loses 2 resources.",
			"0 to create, 1 to change, 2 to replace, 0 to delete, 0 left alone, 0 held, 18 unchanged"}},
		"what new instances have": {edit: set("AzureMachinePool", scaleSetPool, int64(64), "spec", "template", "osDisk", "diskSizeGB"), want: []string{
			".   hold    VirtualMachineScaleSet my-cluster-mp-0", of, "spec.virtualMachineProfile.storageProfile.osDisk.diskSizeGB: 30 -> 64",
			"because of AzureMachinePool my-cluster-mp-0, spec.template.osDisk.diskSizeGB: 30 -> 64",
			"Azure is sent this together with the next change of virtualMachineProfile.storageProfile.imageReference, sku.name, zones, as it is then that instances are made anew", "",
			"0 to create, 0 to change, 0 to replace, 0 to delete, 0 left alone, 1 held, 18 unchanged"}},
		"tags": {edit: set("AzureMachinePool", scaleSetPool, map[string]any{"team": "a"}, "spec", "additionalTags"), want: []string{
			change, of, `spec.tags.team: (none) -> "a"`, `because of AzureMachinePool my-cluster-mp-0, spec.additionalTags: (none) -> {"team":"a"}`, "",
			"0 to create, 1 to change, 0 to replace, 0 to delete, 0 left alone, 0 held, 18 unchanged"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.instances == nil {
				c.instances = []*unstructured.Unstructured{instance("0", 10), instance("1", 5)}
			}
			live := append(running(t, withPool(t, c.live), nil), c.instances...)
			got := lines(t, plannedUpon(t, live, withPool(t, c.edit)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func chosen(o *unstructured.Unstructured) *unstructured.Unstructured {
	aso.Annotate(o, "cluster.x-k8s.io/delete-machine", "")
	return o
}

func managedByOthers(o *unstructured.Unstructured) {
	if o.GetKind() == "MachinePool" {
		aso.Annotate(o, "cluster.x-k8s.io/replicas-managed-by", "autoscaler")
	}
}
