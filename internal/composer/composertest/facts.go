package composertest

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/facts"
)

// WithFacts returns the world with the ClusterFacts that provider-capz would make for a Cluster of it, with edits made.
func (w World) WithFacts(cluster *unstructured.Unstructured, edits ...Edit) World {
	var objects []any
	for _, o := range w.Objects {
		if told := facts.Of(o); told != nil {
			objects = append(objects, told.Object)
		}
	}
	told := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"format": int64(v1alpha1.ClusterFactsFormat), "objects": objects, "served": w.served()},
	}}
	told.SetGroupVersionKind(facts.Kind)
	told.SetNamespace(cluster.GetNamespace())
	told.SetName(cluster.GetName())
	return w.With(Edited(told, edits...))
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
				names = append(names, facts.Name(gvk))
			}
		}
	}
	return names
}

// sameByFacts fails the test unless the composer answers a request in the same way where facts tell of the Clusters of the
// world, without asking for what they tell of. Only an owner that is there already is looked for among them.
func (c Composers) sameByFacts(t testing.TB, w World, first *fnv1.RunFunctionRequest, want *fnv1.RunFunctionResponse) {
	t.Helper()
	by, clusters := w, 0
	for _, o := range w.Objects {
		switch o.GroupVersionKind().GroupKind() {
		case schema.GroupKind{Group: "cluster.x-k8s.io", Kind: "Cluster"}:
			by = by.WithFacts(o)
			clusters++
		case facts.Kind.GroupKind():
			return // That is what the test is about.
		}
	}
	if _, told := w.Schemas[facts.Kind]; told || clusters == 0 {
		return
	}
	got := c.settled(t, by, first)
	if diff := cmp.Diff(withoutRequirements(want), withoutRequirements(got), protocmp.Transform()); diff != "" {
		t.Errorf("composed by facts it differs: -by the objects, +by facts:\n%s", diff)
	}
}

func withoutRequirements(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	rsp = proto.CloneOf(rsp)
	rsp.Requirements = nil
	return rsp
}
