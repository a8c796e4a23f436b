package composertest

import (
	"maps"
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
)

// WithFacts returns the world with the ClusterFacts that provider-capz would make for a Cluster of it: those of the Cluster, with edits
// made, and of its MachinePools.
func (w World) WithFacts(cluster *unstructured.Unstructured, edits ...Edit) World {
	var ofCluster []any
	ofPool := map[string][]any{}
	for _, o := range w.Objects {
		picked := clusterfacts.Pick(o)
		switch {
		case picked == nil:
		case clusterfacts.Covers(o.GroupVersionKind().GroupKind()):
			ofCluster = append(ofCluster, picked.Object)
		default:
			name := poolFactsName(cluster, o)
			ofPool[name] = append(ofPool[name], picked.Object)
		}
	}
	all := []*unstructured.Unstructured{Edited(w.facts(cluster, cluster.GetName(), ofCluster), edits...)}
	for _, name := range slices.Sorted(maps.Keys(ofPool)) {
		facts := w.facts(cluster, name, ofPool[name])
		facts.SetLabels(clusterfacts.LabelsOfMachinePools(cluster.GetName()))
		all = append(all, facts)
	}
	return w.With(all...)
}

// poolFactsName returns the name of the facts that a MachinePool or the composite of one is in.
func poolFactsName(cluster, o *unstructured.Unstructured) string {
	kind, name := o.GetKind(), o.GetName()
	if kind == "MachinePool" {
		ref, _, _ := unstructured.NestedStringMap(o.Object, "spec", "template", "spec", "infrastructureRef")
		kind, name = ref["kind"], ref["name"]
	}
	return clusterfacts.NameOfMachinePool(cluster.GetName(), kind, name)
}

func (w World) facts(cluster *unstructured.Unstructured, name string, objects []any) *unstructured.Unstructured {
	facts := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"format": int64(v1alpha1.ClusterFactsFormat), "clusterUID": string(cluster.GetUID()), "objects": objects, "served": w.served(),
	}}}
	facts.SetGroupVersionKind(clusterfacts.Kind)
	facts.SetNamespace(cluster.GetNamespace())
	facts.SetName(name)
	return facts
}

// served are the kinds that the composite resources of the world mention, but for those that it does not serve.
func (w World) served() []any {
	var names []any
	for _, o := range w.Objects {
		resources, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "resources")
		items, _ := resources.([]any)
		for _, item := range items {
			content, _ := item.(map[string]any)
			gvk := (&unstructured.Unstructured{Object: content}).GroupVersionKind()
			if schema, differs := w.Schemas[gvk]; !differs || schema != nil {
				names = append(names, clusterfacts.ServedName(gvk))
			}
		}
	}
	return names
}

// sameByFacts fails the test unless the composer answers a request in the same way where there are facts of the Clusters of the
// world, without asking for what they have. Only an owner that is there already is looked for among them.
func (c Composers) sameByFacts(t testing.TB, w World, first *fnv1.RunFunctionRequest, want *fnv1.RunFunctionResponse) {
	t.Helper()
	by, clusters := w, 0
	for _, o := range w.Objects {
		switch o.GroupVersionKind().GroupKind() {
		case schema.GroupKind{Group: "cluster.x-k8s.io", Kind: "Cluster"}:
			by = by.WithFacts(o)
			clusters++
		case clusterfacts.Kind.GroupKind():
			return // That is what the test is about.
		}
	}
	if _, differs := w.Schemas[clusterfacts.Kind]; differs || clusters == 0 {
		return
	}
	want, got := withoutRequirements(want), withoutRequirements(c.settled(t, by, first))
	if !proto.Equal(want, got) {
		t.Errorf("composed by facts it differs: -by the objects, +by facts:\n%s", cmp.Diff(want, got, protocmp.Transform()))
	}
}

func withoutRequirements(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	rsp = proto.CloneOf(rsp)
	rsp.Requirements = nil
	return rsp
}
