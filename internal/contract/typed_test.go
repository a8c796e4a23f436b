package contract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/kubeconfig"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
)

// typedControlPlane returns the Reconciler of control planes with typed fields, which gets no tokens.
func typedControlPlane(m *fixture.Management) *Reconciler {
	r := reconciler(m, composite.AzureManagedControlPlane)
	r.mirror = &controlPlane{API: r.API, kubeconfig: &kubeconfig.Writer{API: r.API}}
	return r
}

func TestTypedEndpoint(t *testing.T) {
	endpoint := map[string]any{"host": "my-cluster.hcp.azmk8s.io", "port": int64(443)}
	reported := func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"controlPlaneEndpoint": endpoint}
	}
	m := fixture.New(t, fixture.ClusterOfTyped(), fixture.With(fixture.Parse(t, fixture.TypedInfrastructureYAML), fixture.OfCluster),
		fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster, reported))
	infrastructure := reconciler(m, composite.AzureManagedCluster)
	infrastructure.mirror = &mirror.InfrastructureCluster{API: infrastructure.API}
	for range 2 {
		m.Reconcile(typedControlPlane(m), "my-cluster")
		m.Reconcile(infrastructure, "my-cluster")
	}
	if diff := cmp.Diff([]string{"patch AzureManagedControlPlane my-cluster", "patch AzureManagedCluster my-cluster"}, m.TakeWrites()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, kind := range []string{fixture.TypedControlPlane.Kind, fixture.TypedCluster.Kind} {
		if diff := cmp.Diff(endpoint, access.SpecControlPlaneEndpoint.Value(m.Find(v1beta1.GroupVersion.WithKind(kind), "my-cluster"))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", kind, diff)
		}
	}
}

func TestTypedMapping(t *testing.T) {
	ownPool := fixture.With(fixture.Parse(t, strings.ReplaceAll(fixture.TypedPoolYAML, "my-cluster-pool0", "other")), fixture.OfMachinePool, fixture.ComposedNothing, fixture.Annotated(v1beta1.AnnotationAgentPool, "written"),
		func(o *unstructured.Unstructured) { unstructured.RemoveNestedField(o.Object, "spec", "name") })
	m := fixture.NewIndexed(t, backing, fixture.ClusterOfTyped(), fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster), fixture.With(fixture.Parse(t, fixture.TypedInfrastructureYAML), fixture.OfCluster),
		fixture.With(fixture.Parse(t, fixture.TypedPoolYAML), fixture.OfMachinePool), ownPool)
	written := fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), func(o *unstructured.Unstructured) { o.SetName("written") })
	cluster := mapper{client: m.Client, kind: composite.AzureManagedCluster}
	controlPlane := mapper{client: m.Client, kind: composite.AzureManagedControlPlane}
	pool := mapper{client: m.Client, kind: composite.AzureManagedMachinePool}
	aso := mapper{client: m.Client, kind: composite.AzureASOManagedControlPlane}
	nodes := func(node *corev1.Node) []ctrl.Request {
		return pool.fromNode(t.Context(), client.ObjectKeyFromObject(fixture.Cluster()), node)
	}
	tests := map[string]struct {
		got  []ctrl.Request
		want string
	}{
		"Cluster to infrastructure":                {got: cluster.fromCluster(t.Context(), fixture.ClusterOfTyped()), want: "my-cluster"},
		"Cluster to control plane":                 {got: controlPlane.fromCluster(t.Context(), fixture.ClusterOfTyped()), want: "my-cluster"},
		"Cluster to pools":                         {got: pool.fromCluster(t.Context(), fixture.ClusterOfTyped()), want: "my-cluster-pool0 other"},
		"Cluster of the other family":              {got: controlPlane.fromCluster(t.Context(), fixture.Cluster())},
		"source to control plane":                  {got: controlPlane.fromSecret(t.Context(), fixture.ASOSecret("aso", "value", "")), want: "my-cluster"},
		"the user's ManagedCluster":                {got: controlPlane.fromObject(t.Context(), fixture.Parse(t, fixture.ManagedClusterYAML)), want: "my-cluster"},
		"the user's ManagedCluster to ASO kinds":   {got: aso.fromObject(t.Context(), fixture.Parse(t, fixture.ManagedClusterYAML))},
		"a composed ManagedCluster":                {got: controlPlane.fromObject(t.Context(), fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.TypedControlPlane, "x"))), want: "x"},
		"the user's agent pool":                    {got: pool.fromObject(t.Context(), written), want: "other"},
		"Node to its pool, and to one of any name": {got: nodes(node("a", "pool0", "g")), want: "my-cluster-pool0 other"},
		"Node of a pool that is none of these":     {got: nodes(node("a", "pool7", "g")), want: "other"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			names := make([]string, len(tc.got))
			for i := range tc.got {
				names[i] = tc.got[i].Name
			}
			if got := strings.Join(names, " "); got != tc.want {
				t.Errorf("mapped to %q, want %q", got, tc.want)
			}
		})
	}
}

// typedPools returns the Reconciler of pools with typed fields, whose Cluster cannot be reached.
func typedPools(m *fixture.Management) *Reconciler {
	r := reconciler(m, composite.AzureManagedMachinePool)
	r.mirror = &mirror.MachinePool{API: r.API, Nodes: func(client.ObjectKey) ([]*corev1.Node, bool) { return nil, false }}
	return r
}

// TestDecisionsAreGivenUp ends decisions in the ways that a user can, and shows what stays.
func TestDecisionsAreGivenUp(t *testing.T) {
	tests := map[string]struct {
		change func(*testing.T, *fixture.Management)
		want   map[string]any
	}{
		"one of two": {change: func(_ *testing.T, m *fixture.Management) {
			m.Change(fixture.TypedMachinePool, "my-cluster-pool0", fixture.Annotated(v1beta1.AnnotationManages, "replicas"))
		}, want: map[string]any{"count": int64(3)}},
		"both": {change: func(_ *testing.T, m *fixture.Management) {
			m.Change(fixture.TypedMachinePool, "my-cluster-pool0", fixture.Annotated(v1beta1.AnnotationManages, ""))
		}, want: map[string]any{}},
		"with the pool": {change: func(t *testing.T, m *fixture.Management) {
			if err := m.Delete(t.Context(), m.Find(fixture.TypedMachinePool, "my-cluster-pool0")); err != nil {
				t.Fatal(err)
			}
		}, want: map[string]any{}},
		"none, as the control plane falls behind": {change: func(_ *testing.T, m *fixture.Management) {
			m.Change(fixture.TypedControlPlane, "my-cluster", fixture.InStatus("version", "v1.30.0"))
		}, want: map[string]any{"count": int64(3), "orchestratorVersion": "1.33.2"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			three := int32(3)
			owner := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0"},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Replicas: &three},
			}
			owner.Spec.Template.Spec.Version = "v1.33.2"
			m := fixture.New(t, fixture.ClusterOfTyped(), owner, fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster, fixture.InStatus("version", "v1.33.2")),
				fixture.With(fixture.Parse(t, fixture.TypedPoolYAML), fixture.OfMachinePool, fixture.ComposedNothing, fixture.Annotated(v1beta1.AnnotationManages, "version,replicas")))
			m.CreateAs("kubectl", fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), fixture.InSpec("count", int64(3))))
			m.Reconcile(typedPools(m), "my-cluster-pool0")
			before := m.Find(fixture.AgentPool, "my-cluster-pool0").Object["spec"]
			tc.change(t, m)
			m.Reconcile(typedPools(m), "my-cluster-pool0")
			got := m.Find(fixture.AgentPool, "my-cluster-pool0")
			if got == nil {
				t.Fatal("the user's agent pool is gone")
			}
			if diff := cmp.Diff(tc.want, m.Applied(got)); diff != "" {
				t.Errorf("applied: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(before, got.Object["spec"]); diff != "" {
				t.Errorf("spec changed: -want +got:\n%s", diff)
			}
		})
	}
}
