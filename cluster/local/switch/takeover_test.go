package switching

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/example"
)

// A life is that of a cluster which CAPZ makes.
type life struct {
	// example is the folder that it is applied from.
	example string
	// controlPlane and pool are its kinds of these roles.
	controlPlane, pool string
	// said is what the dry run says of the control plane.
	said string
	// kinds are those whose objects stay the same ones.
	kinds [][2]string
}

// kinds are those of every cluster.
func kinds(more ...[2]string) [][2]string {
	return append([][2]string{
		{capi, "Cluster"}, {capi, "MachinePool"}, {"resources.azure.com/v1api20200601", "ResourceGroup"},
		{"containerservice.azure.com/v1api20250801", "ManagedCluster"}, {"containerservice.azure.com/v1api20250801", "ManagedClustersAgentPool"},
	}, more...)
}

func TestASOManaged(t *testing.T) {
	live(t, life{
		example: "aks-aso", controlPlane: "AzureASOManagedControlPlane", pool: "AzureASOManagedMachinePool",
		said:  "AzureASOManagedControlPlane default/my-cluster: refers to 1 composed objects",
		kinds: kinds([2]string{group, "AzureASOManagedCluster"}, [2]string{group, "AzureASOManagedControlPlane"}, [2]string{group, "AzureASOManagedMachinePool"}),
	})
}

// live has the real CAPZ make a cluster, takes it over, ended once in the middle, returns it, takes it over again, and then scales, upgrades and deletes it.
func live(t *testing.T, l life) {
	t.Helper()
	w := newWorld(t)
	ex, err := example.Load(filepath.Join(checkout(t), "examples", l.example))
	w.must(err)
	w.must(ex.BringUp(w.ctx, w.stack, os.Stdout))
	before := w.uids(l.kinds)
	w.quiet("the takeover", func() {
		if out := w.run(2, "takeover", "-f", w.product, "--dry-run"); !strings.Contains(out, l.said) {
			t.Errorf("the dry run does not say what becomes of the control plane:\n%s", out)
		}
		w.killed("takeover", "-f", w.product)
		w.run(0, "takeover", "-f", w.product)
		w.still()
	})
	w.same(l.kinds, before)
	w.quiet("the way back", func() {
		w.run(0, "takeover", "--back")
		w.still()
	})
	w.same(l.kinds, before)
	w.quiet("the way there again", func() {
		w.run(0, "takeover", "-f", w.product)
		w.still()
	})
	w.same(l.kinds, before)
	l.afterwards(w)
}

// afterwards scales, upgrades and deletes the cluster, which leaves nothing.
func (l life) afterwards(w *world) {
	w.change(capi, "MachinePool", name+"-pool1", int64(3), "spec", "replicas")
	w.await("the pool to have 3 nodes", func() bool {
		count, _, _ := unstructured.NestedInt64(w.get(group, l.pool, name+"-pool1").Object, "status", "replicas")
		return count == 3
	})
	w.change(group, l.controlPlane, name, "v1.34.2", "spec", "version")
	w.await("the control plane to be upgraded", func() bool {
		version, _, _ := unstructured.NestedString(w.get(group, l.controlPlane, name).Object, "status", "version")
		return version == "v1.34.2"
	})
	w.must(w.client.Delete(w.ctx, w.get(capi, "Cluster", name)))
	w.await("the Cluster to be gone", func() bool { return w.get(capi, "Cluster", name) == nil })
	left, err := w.azure.Resources(w.ctx, "/subscriptions/")
	w.must(err)
	for _, r := range left {
		if strings.Contains(strings.ToLower(r.ID), "/resourcegroups/"+name) {
			w.Errorf("%s is left in Azure", r.ID)
		}
	}
}
