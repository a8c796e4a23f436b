package mirror

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// ofTopology gives a Cluster a topology of the version.
func ofTopology(version string) func(*clusterv1.Cluster) {
	return func(c *clusterv1.Cluster) { c.Spec.Topology.Version = version }
}

// ownedByTopology marks what Cluster API makes from a topology.
func ownedByTopology(o *unstructured.Unstructured) {
	labels := o.GetLabels()
	labels[clusterv1.ClusterTopologyOwnedLabel] = ""
	o.SetLabels(labels)
}

func versioned(version string) fixture.Change {
	return func(o *unstructured.Unstructured) { _ = specVersion.Set(o, version) }
}

func TestTopologyOfControlPlane(t *testing.T) {
	refused := fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "False", "severity": "Error", "reason": "OperationNotAllowed"}})
	working := fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "False", "severity": "Info", "reason": "Reconciling"}})
	tests := map[string]struct {
		topology, asked, runs string
		managedCluster        fixture.Change
		change                fixture.Change
		want                  string
	}{
		"refused, taken back":             {"v1.33.6", "v1.34.99", "v1.33.6", refused, ownedByTopology, "v1.33.6"},
		"refused, to one between":         {"v1.34.3", "v1.34.99", "v1.33.6", refused, ownedByTopology, "v1.33.6"},
		"refused, to one above":           {"v1.34.3", "v1.34.1", "v1.33.6", refused, ownedByTopology, "v1.33.6"},
		"not refused, and one above":      {"v1.34.3", "v1.34.1", "v1.33.6", working, ownedByTopology, "v1.34.1"},
		"upgraded by AKS":                 {"v1.34.3", "v1.33.4", "v1.33.6", working, ownedByTopology, "v1.33.6"},
		"an upgrade is Cluster API's":     {"v1.34.3", "v1.33.6", "v1.33.6", working, ownedByTopology, "v1.33.6"},
		"of a topology, but added":        {"v1.33.6", "v1.34.99", "v1.33.6", refused, fixture.Annotated(), "v1.34.99"},
		"of no topology":                  {"", "v1.34.99", "v1.33.6", refused, ownedByTopology, "v1.34.99"},
		"never made, and one above":       {"v1.34.3", "v1.34.1", "", refused, ownedByTopology, "v1.34.3"},
		"in the making, and one above":    {"v1.34.3", "v1.34.1", "", working, ownedByTopology, "v1.34.1"},
		"never made, taken back":          {"v1.33.6", "v1.34.1", "", refused, ownedByTopology, "v1.33.6"},
		"below what runs, whoever did it": {"v1.33.4", "v1.33.6", "v1.33.6", working, ownedByTopology, "v1.33.6"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.Cluster(ofTopology(tc.topology)),
				fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster, versioned(tc.asked), fixture.InStatus("version", tc.runs), tc.change),
				fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.ASOControlPlane, "my-cluster"), tc.managedCluster))
			for range 2 {
				if err := TopologyOfControlPlane(t.Context(), m.API(), m.Scope(composite.AzureASOManagedControlPlane, "my-cluster")); err != nil {
					t.Fatal(err)
				}
			}
			if got := specVersion.Value(m.Find(fixture.ASOControlPlane, "my-cluster")); got != tc.want {
				t.Errorf("spec.version is %s, want %s", got, tc.want)
			}
			if writes := len(m.TakeWrites()); (writes > 0) != (tc.asked != tc.want) || writes > 1 {
				t.Errorf("%d writes", writes)
			}
		})
	}
}

func TestTopologyOfMachinePool(t *testing.T) {
	const group = "MC_rg_my-cluster_westeurope"
	running := func(pool string, kubelets ...string) []*corev1.Node {
		nodes := []*corev1.Node{}
		for _, version := range kubelets {
			n := node(pool+version, pool, group, "azure:///"+pool+version)
			n.Status.NodeInfo.KubeletVersion = version
			nodes = append(nodes, n)
		}
		return nodes
	}
	tests := map[string]struct {
		topology, has, runs string
		nodes               []*corev1.Node
		added               bool
		want                string
	}{
		"upgraded by AKS":              {topology: "v1.33.6", has: "v1.33.4", runs: "v1.33.6", nodes: running("pool0", "v1.33.6"), want: "v1.33.6"},
		"upgraded by AKS, and further": {topology: "v1.34.3", has: "v1.33.4", runs: "v1.33.6", nodes: running("pool0", "v1.33.6"), want: "v1.33.6"},
		"another pool's nodes":         {topology: "v1.33.6", has: "v1.33.4", runs: "v1.33.6", nodes: append(running("pool1", "v1.33.6"), running("pool0", "v1.33.4")...), want: "v1.33.4"},
		"nobody has said so":           {topology: "v1.33.4", has: "v1.33.4", runs: "v1.33.6", nodes: running("pool0", "v1.33.6"), want: "v1.33.4"},
		"Nodes not known":              {topology: "v1.33.6", has: "v1.33.4", runs: "v1.33.6", want: "v1.33.4"},
		"an upgrade is Cluster API's":  {topology: "v1.34.3", has: "v1.33.6", runs: "v1.34.3", nodes: running("pool0", "v1.33.6"), want: "v1.33.6"},
		"added to the topology":        {topology: "v1.33.6", has: "v1.33.4", runs: "v1.33.6", nodes: running("pool0", "v1.33.6"), added: true, want: "v1.33.4"},
		"of no topology":               {has: "v1.33.4", runs: "v1.33.6", nodes: running("pool0", "v1.33.6"), want: "v1.33.4"},
		"taken back before it is made": {topology: "v1.33.6", has: "v1.34.99", want: "v1.33.6"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			owner := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0", Labels: map[string]string{clusterv1.ClusterTopologyOwnedLabel: ""}},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Template: clusterv1.MachineTemplateSpec{Spec: clusterv1.MachineSpec{Version: tc.has}}},
			}
			if tc.added {
				owner.Labels = nil
			}
			m := fixture.New(t, fixture.Cluster(ofTopology(tc.topology)), owner,
				fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster, fixture.InStatus("version", tc.runs)),
				fixture.With(fixture.Parse(t, fixture.PoolYAML), fixture.OfMachinePool),
				fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), fixture.Controlled(fixture.ASOMachinePool, "pool0")),
				fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.ASOControlPlane, "my-cluster")))
			r := pools(m, composite.AzureASOManagedMachinePool, tc.nodes)
			m.Reconcile(r, "pool0")
			m.Reconcile(r, "pool0")
			m.TakeWrites()
			m.Reconcile(r, "pool0")
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
			got := &clusterv1.MachinePool{}
			if err := m.Get(t.Context(), client.ObjectKeyFromObject(owner), got); err != nil {
				t.Fatal(err)
			}
			if got := got.Spec.Template.Spec.Version; got != tc.want {
				t.Errorf("version is %s, want %s", got, tc.want)
			}
		})
	}
}
