package facts

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

func TestFactsAreWritten(t *testing.T) {
	const poolFacts = "my-cluster.azureasomanagedmachinepool.pool0"
	ofTheCluster := []string{"AzureASOManagedCluster my-cluster", "AzureASOManagedControlPlane my-cluster", "Cluster my-cluster"}
	ofThePool := []string{"AzureASOManagedMachinePool pool0", "MachinePool mp"}
	i, cp, p, mp := func() client.Object { return fixture.With(infrastructure(t), fixture.OfCluster) }, func() client.Object { return fixture.With(controlPlane(t), fixture.OfCluster) },
		func() client.Object { return fixture.With(pool(t, "pool0"), fixture.OfCluster) }, func() client.Object { return machinePool("mp", "pool0") }
	typed := func(c *clusterv1.Cluster) { c.Spec.ControlPlaneRef.Kind = composite.AzureManagedControlPlane.Kind }
	cases := map[string]struct {
		objects     []client.Object
		watchFilter string
		want        map[string][]string
	}{
		"all there":             {objects: []client.Object{fixture.Cluster(), i(), cp(), p(), mp()}, want: map[string][]string{"my-cluster": ofTheCluster, poolFacts: ofThePool}},
		"pool not there yet":    {objects: []client.Object{fixture.Cluster(), i(), cp(), mp()}, want: map[string][]string{"my-cluster": ofTheCluster, poolFacts: ofThePool[1:]}},
		"no MachinePool yet":    {objects: []client.Object{fixture.Cluster(), i(), cp(), p()}, want: map[string][]string{"my-cluster": ofTheCluster, poolFacts: ofThePool[:1]}},
		"not owned yet":         {objects: []client.Object{fixture.Cluster(), infrastructure(t), controlPlane(t), pool(t, "pool0"), mp()}, want: map[string][]string{"my-cluster": ofTheCluster, poolFacts: ofThePool}},
		"no infrastructure yet": {objects: []client.Object{fixture.Cluster(), cp(), p(), mp()}, want: map[string][]string{poolFacts: ofThePool}},
		"no control plane yet":  {objects: []client.Object{fixture.Cluster(), i(), p(), mp()}, want: map[string][]string{poolFacts: ofThePool}},
		"being deleted":         {objects: []client.Object{fixture.Cluster(fixture.ClusterDeleting), i(), cp(), p(), mp()}, want: map[string][]string{}},
		"of another family":     {objects: []client.Object{fixture.Cluster(typed), i(), cp(), p(), mp()}, want: map[string][]string{}},
		"another's to act on":   {objects: []client.Object{fixture.Cluster(), i(), cp(), p(), mp()}, watchFilter: "blue", want: map[string][]string{}},
		"no Cluster":            {objects: []client.Object{i(), cp(), p(), mp()}, want: map[string][]string{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, c.objects...)
			m.reconcile(c.watchFilter, "pool0")
			if diff := cmp.Diff(c.want, m.objects()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if writes := m.reconcile(c.watchFilter, "pool0"); len(writes) > 0 {
				t.Errorf("nothing has changed, but %v", writes)
			}
		})
	}
}

func set(t *testing.T, value any, fields ...string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(o.Object, value, fields...); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFactsChange shows which changes are written, and which are not.
func TestFactsChange(t *testing.T) {
	resource := func(ready bool, message string) []any {
		return []any{map[string]any{"resource": map[string]any{"kind": "ManagedCluster", "name": "my-cluster"}, "ready": ready, "message": message}}
	}
	cases := map[string]struct {
		change func(*unstructured.Unstructured)
		want   bool
	}{
		"version":          {set(t, "v1.33.2", "status", "version"), true},
		"readiness":        {set(t, resource(true, ""), "status", "resources"), true},
		"message":          {set(t, resource(false, "still at it"), "status", "resources"), false},
		"condition":        {set(t, []any{map[string]any{"type": "Ready"}}, "status", "conditions"), false},
		"what is composed": {set(t, []any{}, "spec", "crossplane", "resourceRefs"), false},
		"spec":             {set(t, "v1.33.2", "spec", "version"), true},
		"credential":       {set(t, "s", "metadata", "annotations", "infrastructure.cluster.x-k8s.io/credential-secret"), true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := fixture.With(controlPlane(t), fixture.OfCluster, set(t, resource(false, ""), "status", "resources"))
			m := newManagement(t, fixture.Cluster(), fixture.With(infrastructure(t), fixture.OfCluster), before)
			m.reconcile("")
			after := access.NewObject(composite.AzureASOManagedControlPlane.GroupVersionKind)
			if err := m.Get(t.Context(), client.ObjectKeyFromObject(before), after); err != nil {
				t.Fatal(err)
			}
			c.change(after)
			if err := m.Update(t.Context(), after); err != nil {
				t.Fatal(err)
			}
			if writes := m.reconcile(""); (len(writes) > 0) != c.want {
				t.Errorf("want it written: %v, got %v", c.want, writes)
			}
			if passes := picksChanged().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); passes != c.want {
				t.Errorf("want it noticed: %v, got %v", c.want, passes)
			}
		})
	}
}

// TestAMachinePoolIsWrittenAlone shows that neither other MachinePools' facts nor those of the Cluster change with one MachinePool, and that no
// more is read for it the more there are.
func TestAMachinePoolIsWrittenAlone(t *testing.T) {
	reads := map[int]int{}
	for _, pools := range []int{2, 200} {
		objects := []client.Object{fixture.Cluster(), fixture.With(infrastructure(t), fixture.OfCluster), fixture.With(controlPlane(t), fixture.OfCluster)}
		var names []string
		for n := range pools {
			names = append(names, fmt.Sprintf("pool%d", n))
			objects = append(objects, fixture.With(pool(t, names[n]), fixture.OfCluster), machinePool("mp-"+names[n], names[n]))
		}
		m := newManagement(t, objects...)
		m.reconcile("", names...)
		changed := machinePool("mp-pool1", "pool1")
		if err := m.Get(t.Context(), client.ObjectKeyFromObject(changed), changed); err != nil {
			t.Fatal(err)
		}
		replicas := int32(7)
		changed.Spec.Replicas = &replicas
		if err := m.Update(t.Context(), changed); err != nil {
			t.Fatal(err)
		}
		m.reads = 0
		if diff := cmp.Diff([]string{"patch my-cluster.azureasomanagedmachinepool.pool1"}, m.reconcile("", "pool1")); diff != "" {
			t.Errorf("with %d MachinePools: -want, +got:\n%s", pools, diff)
		}
		reads[pools] = m.reads
	}
	if reads[2] != reads[200] {
		t.Errorf("with two MachinePools %d objects are read, with 200 %d", reads[2], reads[200])
	}
}

// TestFactsOfAnotherClusterStay has facts that go with an earlier Cluster of the name: they are neither changed nor used.
func TestFactsOfAnotherClusterStay(t *testing.T) {
	earlier := &v1alpha1.ClusterFacts{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-cluster", OwnerReferences: []metav1.OwnerReference{{
		APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: "my-cluster", UID: "earlier",
	}}}, Spec: v1alpha1.ClusterFactsSpec{Format: v1alpha1.ClusterFactsFormat}}
	m := newManagement(t, fixture.Cluster(), fixture.With(infrastructure(t), fixture.OfCluster), fixture.With(controlPlane(t), fixture.OfCluster), earlier)
	if writes := m.reconcile(""); len(writes) > 0 {
		t.Errorf("written: %v", writes)
	}
}

// TestFactsGone has facts go, as they do at once when the Cluster is deleted in the foreground, before the cache says so.
func TestFactsGone(t *testing.T) {
	gone := &v1alpha1.ClusterFacts{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-cluster", OwnerReferences: []metav1.OwnerReference{{
		APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: "my-cluster", UID: "cluster",
	}}}}
	w := writer{Client: newManagement(t, fixture.Cluster(fixture.ClusterDeleting)).Client}
	if err := w.update(t.Context(), fixture.Cluster(fixture.ClusterDeleting), gone, v1alpha1.ClusterFactsSpec{Format: v1alpha1.ClusterFactsFormat}); err != nil {
		t.Error(err)
	}
}

// TestFactsOfADeletedCluster has the facts of MachinePools stay as they were, so that nothing is composed anew because they go; unless the
// Cluster has yet to come up, which it must not any more.
func TestFactsOfADeletedCluster(t *testing.T) {
	for name, up := range map[string]bool{"is up": true, "comes up": false} {
		t.Run(name, func(t *testing.T) {
			c, cp, mp, p := fixture.Cluster(), fixture.With(controlPlane(t), fixture.OfCluster, set(t, up, "status", "initialized")), machinePool("mp", "pool0"), fixture.With(pool(t, "pool0"), fixture.OfCluster)
			for _, stays := range []client.Object{c, cp} {
				stays.SetFinalizers([]string{"stays"})
			}
			mp.SetFinalizers([]string{"stays"})
			m := newManagement(t, c, fixture.With(infrastructure(t), fixture.OfCluster), cp, mp, p)
			m.reconcile("", "pool0")
			before := m.objects()
			steps := []struct {
				name    string
				act     func() error
				written bool
			}{
				{"the Cluster is deleted", func() error { return m.Delete(t.Context(), c) }, true},
				{"its MachinePool is being deleted", func() error { return m.Delete(t.Context(), mp) }, !up},
				{"the pool is gone", func() error { return m.Delete(t.Context(), p) }, !up},
				{"its MachinePool is gone", func() error {
					return m.Patch(t.Context(), mp, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))
				}, !up},
				{"the control plane is being deleted", func() error { return m.Delete(t.Context(), cp) }, true},
			}
			for _, step := range steps {
				if err := step.act(); err != nil {
					t.Fatal(err)
				}
				if writes := m.reconcile("", "pool0"); (len(writes) > 0) != step.written {
					t.Errorf("%s: want it written: %v, got %v", step.name, step.written, writes)
				}
			}
			if diff := cmp.Diff(before, m.objects()); (diff == "") != up {
				t.Errorf("-before, +after:\n%s", diff)
			}
		})
	}
}

// TestFactsOfAGoneMachinePool shows that the facts of a MachinePool go with it and its composite.
func TestFactsOfAGoneMachinePool(t *testing.T) {
	mp, p := machinePool("mp", "pool0"), fixture.With(pool(t, "pool0"), fixture.OfCluster)
	m := newManagement(t, fixture.Cluster(), fixture.With(infrastructure(t), fixture.OfCluster), fixture.With(controlPlane(t), fixture.OfCluster), mp, p, machinePool("other", "pool1"))
	m.reconcile("", "pool0", "pool1")
	for _, obj := range []client.Object{mp, p} {
		if err := m.Delete(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"delete my-cluster.azureasomanagedmachinepool.pool0"}, m.reconcile("", "pool0", "pool1")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestRequests says whose facts are written anew when an object changes.
func TestRequests(t *testing.T) {
	m := newManagement(t, fixture.Cluster(), machinePool("a", "pool-a"), machinePool("b", "pool-b"))
	w := writer{Client: m.Client}
	ofClusters, ofPools := &clusterWriter{writer: w, family: families()[0]}, &machinePoolWriter{writer: w, family: families()[0]}
	if got := ofClusters.clusterOf(t.Context(), infrastructure(t)); len(got) != 1 || got[0].Name != "my-cluster" {
		t.Errorf("of an infrastructure that Cluster API does not own yet: %v", got)
	}
	if got := ofPools.fromMachinePool(t.Context(), machinePool("a", "pool-a")); len(got) != 1 || got[0].Name != "pool-a" {
		t.Errorf("of a MachinePool: %v", got)
	}
	if got := ofPools.fromCluster(t.Context(), fixture.Cluster()); len(got) != 2 {
		t.Errorf("of a Cluster: %v", got)
	}
	facts := &v1alpha1.ClusterFacts{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-cluster.azureasomanagedmachinepool.pool-a"}}
	if got := ofPools.fromFacts(t.Context(), facts); len(got) != 1 || got[0].Name != "pool-a" {
		t.Errorf("of facts: %v", got)
	}
	facts.Name = "my-cluster"
	if got := ofPools.fromFacts(t.Context(), facts); len(got) != 0 {
		t.Errorf("of a Cluster's facts: %v", got)
	}
}

// BenchmarkOneOfManyMachinePools writes the facts of one MachinePool of a Cluster with many, which has changed.
func BenchmarkOneOfManyMachinePools(b *testing.B) {
	for _, pools := range []int{10, 1000} {
		b.Run(fmt.Sprint(pools), func(b *testing.B) {
			objects := []client.Object{fixture.Cluster(), fixture.With(infrastructure(b), fixture.OfCluster), fixture.With(controlPlane(b), fixture.OfCluster)}
			for n := range pools {
				name := fmt.Sprintf("pool%d", n)
				objects = append(objects, fixture.With(pool(b, name), fixture.OfCluster), machinePool("mp-"+name, name))
			}
			m := newManagement(b, objects...)
			m.reconcile("", "pool1")
			m.reads = 0
			replicas := int32(0)
			for b.Loop() {
				changed := machinePool("mp-pool1", "pool1")
				if err := m.Get(b.Context(), client.ObjectKeyFromObject(changed), changed); err != nil {
					b.Fatal(err)
				}
				replicas++
				changed.Spec.Replicas = &replicas
				if err := m.Update(b.Context(), changed); err != nil {
					b.Fatal(err)
				}
				if writes := m.reconcile("", "pool1"); len(writes) != 1 {
					b.Fatal(writes)
				}
			}
			b.ReportMetric(float64(m.reads)/float64(b.N), "objects-read/op")
		})
	}
}
