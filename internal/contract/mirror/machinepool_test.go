package mirror

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// pools reconciles the pools of a kind whose Cluster has the nodes; nil means that it cannot be reached.
func pools(m *fixture.Management, kind composite.Kind, nodes []*corev1.Node) reconcile.Func {
	pool := &MachinePool{API: m.API(), Nodes: func(of client.ObjectKey) ([]*corev1.Node, bool) {
		return nodes, nodes != nil && of == client.ObjectKey{Namespace: "default", Name: "my-cluster"}
	}}
	return func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		return pool.Reconcile(ctx, m.Scope(kind, req.Name))
	}
}

func node(name, pool, group, providerID string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{NodePoolLabel: pool, NodeResourceGroupLabel: group}},
		Spec:       corev1.NodeSpec{ProviderID: providerID},
	}
}

func TestMirrorNodes(t *testing.T) {
	const group = "MC_rg_my-cluster_westeurope"
	written := func(ids ...any) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			if err := unstructured.SetNestedSlice(o.Object, ids, "spec", "providerIDList"); err != nil {
				t.Fatal(err)
			}
		}
	}
	owned := fixture.Controlled(fixture.ASOMachinePool, "pool0")
	counted := func(machines int64) fixture.Change { return fixture.InStatus("count", machines) }
	byARMID := func(o *unstructured.Unstructured) {
		o.Object["spec"] = map[string]any{"azureName": "pool0", "owner": map[string]any{"armId": "/subscriptions/s/x"}}
	}
	long := strings.Repeat("g", 80)
	longGroup := func(o *unstructured.Unstructured) { o.Object["status"] = map[string]any{"nodeResourceGroup": long} }
	two := []*corev1.Node{node("b", "pool0", group, "azure:///2"), node("a", "pool0", group, "azure:///1")}
	tests := map[string]struct {
		nodes          []*corev1.Node
		xr             fixture.Change
		agentPool      fixture.Change
		managedCluster fixture.Change
		machinePool    []string
		want           []any
		wantWrite      bool
	}{
		"sorted":                     {nodes: two, want: []any{"azure:///1", "azure:///2"}, wantWrite: true},
		"written before":             {nodes: two, xr: written("azure:///1", "azure:///2"), want: []any{"azure:///1", "azure:///2"}},
		"one went":                   {nodes: two[:1], xr: written("azure:///1", "azure:///2"), agentPool: counted(1), want: []any{"azure:///2"}, wantWrite: true},
		"all went":                   {nodes: []*corev1.Node{}, xr: written("azure:///1"), agentPool: counted(0), want: []any{}, wantWrite: true},
		"one's Node went":            {nodes: two[:1], xr: written("azure:///1", "azure:///2"), agentPool: counted(2), want: []any{"azure:///1", "azure:///2"}},
		"all Nodes went":             {nodes: []*corev1.Node{}, xr: written("azure:///1"), agentPool: counted(1), want: []any{"azure:///1"}},
		"not counted yet":            {nodes: two[:1], xr: written("azure:///1"), want: []any{"azure:///1", "azure:///2"}, wantWrite: true},
		"first of a new pool":        {nodes: two[:1], machinePool: []string{"azure:///1", "azure:///2"}, want: []any{"azure:///1", "azure:///2"}, wantWrite: true},
		"first of another pool":      {nodes: two[:1], xr: written("azure:///9"), agentPool: counted(2), want: []any{"azure:///2", "azure:///9"}, wantWrite: true},
		"all of another pool":        {nodes: two, xr: written("azure:///9"), agentPool: counted(2), machinePool: []string{"azure:///8"}, want: []any{"azure:///1", "azure:///2"}, wantWrite: true},
		"more than counted":          {nodes: two, xr: written("azure:///9"), agentPool: counted(1), want: []any{"azure:///1", "azure:///2"}, wantWrite: true},
		"none yet":                   {nodes: []*corev1.Node{}},
		"one has no ID yet":          {nodes: append([]*corev1.Node{node("c", "pool0", group, "")}, two...)},
		"of another pool":            {nodes: append([]*corev1.Node{node("c", "pool1", group, "azure:///3")}, two...), want: []any{"azure:///1", "azure:///2"}, wantWrite: true},
		"of another group":           {nodes: append([]*corev1.Node{node("c", "pool0", "other", "azure:///3")}, two...), want: []any{"azure:///1", "azure:///2"}, wantWrite: true},
		"unreachable":                {nodes: nil},
		"owner by armId":             {nodes: two, agentPool: byARMID, want: []any{"azure:///1", "azure:///2"}, wantWrite: true},
		"a long group":               {nodes: []*corev1.Node{node("a", "pool0", long[:63], "azure:///1")}, managedCluster: longGroup, want: []any{"azure:///1"}, wantWrite: true},
		"group not known yet":        {nodes: two, managedCluster: func(o *unstructured.Unstructured) { delete(o.Object, "status") }},
		"the agent pool is not ours": {nodes: two, agentPool: fixture.Controlled(fixture.ASOMachinePool, "other")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			same := fixture.Annotated()
			pick := func(f fixture.Change) func(*unstructured.Unstructured) {
				if f == nil {
					return same
				}
				return f
			}
			owner := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0"},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", ProviderIDList: tc.machinePool},
			}
			m := fixture.New(t, fixture.Cluster(), owner, fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster),
				fixture.With(fixture.Parse(t, fixture.PoolYAML), fixture.OfMachinePool, pick(tc.xr)),
				fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), owned, fixture.InSpec("count", int64(2)), pick(tc.agentPool)),
				fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.ASOControlPlane, "my-cluster"), pick(tc.managedCluster)))
			r := pools(m, composite.AzureASOManagedMachinePool, tc.nodes)
			m.Reconcile(r, "pool0")
			if wrote := len(m.TakeWrites()) > 0; wrote != tc.wantWrite {
				t.Errorf("written: %v, want %v", wrote, tc.wantWrite)
			}
			if diff := cmp.Diff(tc.want, specProviderIDList.Value(m.Find(fixture.ASOMachinePool, "pool0"))); diff != "" {
				t.Errorf("providerIDList: -want +got:\n%s", diff)
			}
			m.Reconcile(r, "pool0")
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
		})
	}
}

func TestMirrorScaling(t *testing.T) {
	three, four, five, seven := int32(3), int32(4), int32(5), int32(7)
	mark := func(by string) map[string]string { return map[string]string{clusterv1.ReplicasManagedByAnnotation: by} }
	const group = "MC_rg_my-cluster_westeurope"
	joined := func(n int) []*corev1.Node {
		nodes := []*corev1.Node{}
		for i := range n {
			nodes = append(nodes, node(fmt.Sprint(i), "pool0", group, fmt.Sprint("azure:///", i)))
		}
		return nodes
	}
	listed := func(n int) []any {
		var ids []any
		for i := range n {
			ids = append(ids, fmt.Sprint("azure:///", i))
		}
		return ids
	}
	counts, on := fixture.InSpec("count", int64(3)), fixture.InSpec("enableAutoScaling", true)
	type live = []fixture.Change
	tests := map[string]struct {
		autoscaled   any
		annotations  map[string]string
		replicas     *int32
		status       any
		live         []fixture.Change
		nodes        []*corev1.Node
		listed       []any
		topology     string
		want         map[string]string
		wantReplicas *int32
		event        string
	}{
		"off":                          {replicas: &three, status: int64(5), live: live{counts}, wantReplicas: &three},
		"off, more Nodes":              {replicas: &three, status: int64(3), live: live{counts}, nodes: joined(5), wantReplicas: &three},
		"on":                           {autoscaled: true, replicas: &three, want: mark("aks"), wantReplicas: &three},
		"on, and scaled":               {autoscaled: true, annotations: mark("aks"), replicas: &three, status: int64(5), live: live{on}, want: mark("aks"), wantReplicas: &five},
		"on, as before":                {autoscaled: true, annotations: mark("aks"), replicas: &five, status: int64(5), live: live{on}, want: mark("aks"), wantReplicas: &five},
		"on, Nodes join":               {autoscaled: true, annotations: mark("aks"), replicas: &three, status: int64(3), live: live{on}, nodes: joined(5), listed: listed(3), want: mark("aks"), wantReplicas: &five},
		"on, Nodes join later":         {autoscaled: true, annotations: mark("aks"), replicas: &three, status: int64(5), live: live{on}, nodes: joined(3), listed: listed(3), want: mark("aks"), wantReplicas: &five},
		"on, no Node yet":              {autoscaled: true, annotations: mark("aks"), replicas: &three, status: int64(3), live: live{on}, nodes: joined(0), want: mark("aks"), wantReplicas: &three},
		"on, Nodes went":               {autoscaled: true, annotations: mark("aks"), replicas: &seven, status: int64(7), live: live{on}, nodes: joined(4), listed: listed(7), want: mark("aks"), wantReplicas: &four},
		"on, not known how many":       {autoscaled: true, annotations: mark("aks"), replicas: &three, live: live{on, counts}, nodes: joined(1), want: mark("aks"), wantReplicas: &three},
		"turned off":                   {autoscaled: false, annotations: mark("aks"), replicas: &three, status: int64(3), live: live{on}, nodes: joined(5), want: mark("aks"), wantReplicas: &five},
		"turned off, sent":             {autoscaled: false, annotations: mark("aks"), replicas: &three, status: int64(3), live: live{settledAt(3), fixture.InStatus("enableAutoScaling", true)}, nodes: joined(5), want: mark("aks"), wantReplicas: &five},
		"turned off, settled":          {autoscaled: false, annotations: mark("aks"), replicas: &three, status: int64(3), live: live{settledAt(7)}, nodes: joined(5), want: mark("aks"), wantReplicas: &seven},
		"turned off, never marked":     {autoscaled: false, replicas: &three, status: int64(3), live: live{settledAt(7)}, nodes: joined(5), want: mark("aks"), wantReplicas: &seven},
		"turned off, taken over":       {autoscaled: false, annotations: mark("aks"), replicas: &three, status: int64(3), live: live{settledAt(3), counts}, nodes: joined(3), wantReplicas: &three},
		"turned off, not there":        {autoscaled: false, annotations: mark("aks"), replicas: &five, status: int64(5), want: mark("aks"), wantReplicas: &five},
		"on, but someone else scales":  {autoscaled: true, annotations: mark("me"), replicas: &three, status: int64(5), live: live{on}, want: mark("me"), wantReplicas: &three, event: `is "me"`},
		"off, and someone else scales": {annotations: mark("me"), replicas: &three, status: int64(5), want: mark("me"), wantReplicas: &five},
		"off, and someone else scales, Nodes join": {annotations: mark("me"), replicas: &three, status: int64(3), live: live{settledAt(3)}, nodes: joined(5), want: mark("me"), wantReplicas: &five},
		"off, and someone else does not scale":     {annotations: mark("false"), replicas: &three, status: int64(5), live: live{counts}, want: mark("false"), wantReplicas: &three},
		"on, the topology has a number":            {autoscaled: true, replicas: &three, status: int64(5), live: live{on}, topology: "fixed", want: mark("aks"), wantReplicas: &three, event: "leave replicas out of spec.topology.workers.machinePools[fixed], or they hold as soon as it is not"},
		"on, the topology has another pool":        {autoscaled: true, replicas: &three, status: int64(5), live: live{on}, topology: "open", want: mark("aks"), wantReplicas: &five},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			pool := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0", Annotations: tc.annotations},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Replicas: tc.replicas},
			}
			cluster := fixture.Cluster()
			if tc.topology != "" {
				pool.Labels = map[string]string{clusterv1.ClusterTopologyMachinePoolNameLabel: tc.topology}
				cluster.Spec.Topology.Workers.MachinePools = []clusterv1.MachinePoolTopology{{Name: "fixed", Replicas: &three}, {Name: "open"}}
			}
			xr := fixture.With(fixture.Parse(t, fixture.PoolYAML), fixture.OfMachinePool, func(o *unstructured.Unstructured) {
				if tc.autoscaled != nil {
					resource, _ := access.SpecResources.Value(o)[0].(map[string]any)
					resource["spec"] = map[string]any{"azureName": "pool0", "enableAutoScaling": tc.autoscaled}
				}
				if tc.status != nil {
					o.Object["status"] = map[string]any{"replicas": tc.status}
				}
				if tc.listed != nil {
					_ = specProviderIDList.Set(o, tc.listed)
				}
			})
			objects := []client.Object{cluster, xr, pool, fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster),
				fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.ASOControlPlane, "my-cluster"))}
			if tc.live != nil {
				objects = append(objects, fixture.With(fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), fixture.Controlled(fixture.ASOMachinePool, "pool0")), tc.live...))
			}
			m := fixture.New(t, objects...)
			r := pools(m, composite.AzureASOManagedMachinePool, tc.nodes)
			m.Reconcile(r, "pool0")
			got := &clusterv1.MachinePool{}
			if err := m.Get(t.Context(), client.ObjectKeyFromObject(pool), got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.Annotations); diff != "" {
				t.Errorf("annotations: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tc.wantReplicas, got.Spec.Replicas); diff != "" {
				t.Errorf("replicas: -want +got:\n%s", diff)
			}
			if events := strings.Join(m.TakeEvents(), "\n"); (events != "") != (tc.event != "") || !strings.Contains(events, tc.event) {
				t.Errorf("event %q, want one with %q", events, tc.event)
			}
			m.TakeWrites()
			m.Reconcile(r, "pool0")
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
		})
	}
}
