package switching

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

const containers = "containerservice.azure.com/v1api20250801"

// aks are the kinds of every cluster of AKS.
func aks(more ...string) [][2]string {
	return append(infrastructure(more...), [2]string{capi, "MachinePool"}, [2]string{containers, "ManagedCluster"}, [2]string{containers, "ManagedClustersAgentPool"})
}

// infrastructure are the kinds of every cluster, with more of the group.
func infrastructure(more ...string) [][2]string {
	kinds := [][2]string{{capi, "Cluster"}, {"resources.azure.com/v1api20200601", "ResourceGroup"}}
	for _, kind := range more {
		kinds = append(kinds, [2]string{group, kind})
	}
	return kinds
}

func TestASOManaged(t *testing.T) {
	live(t, life{
		examples: []string{"aks-aso"},
		said:     "AzureASOManagedControlPlane default/my-cluster: refers to 1 composed objects",
		kinds:    aks("AzureASOManagedCluster", "AzureASOManagedControlPlane", "AzureASOManagedMachinePool"),
		between:  (*world).pause, after: (*world).resume,
		afterwards: scaledAndUpgraded("AzureASOManagedControlPlane", "AzureASOManagedMachinePool", "pool1"),
	})
}

// TestManaged has patches, and a pool that Azure is making when CAPZ stops.
func TestManaged(t *testing.T) {
	live(t, life{
		examples: []string{"aks"}, change: patched,
		said:    "AzureManagedControlPlane default/my-cluster: refers to 4 composed objects",
		kinds:   aks("AzureManagedCluster", "AzureManagedControlPlane", "AzureManagedMachinePool", "AzureClusterIdentity"),
		between: addPool,
		but:     func(r admin.Request) bool { return strings.HasSuffix(strings.ToLower(r.Path), "/agentpools/"+newPool) },
		after: func(w *world) {
			w.await("the new pool to have its nodes", func() bool { return w.nodesOf("AzureManagedMachinePool", newPool) == 1 })
		},
		afterwards: scaledAndUpgraded("AzureManagedControlPlane", "AzureManagedMachinePool", "pool1"),
	})
}

// TestOwnNetwork is in a network of one's own, and paused when it is taken over again.
func TestOwnNetwork(t *testing.T) {
	live(t, life{
		examples: []string{"aks-byo-network"},
		inAzure:  (*world).makeNetwork,
		said:     "AzureManagedControlPlane default/my-cluster: refers to 5 composed objects",
		kinds:    aks("AzureManagedCluster", "AzureManagedControlPlane", "AzureManagedMachinePool"),
		between:  (*world).pause, after: (*world).resume,
		afterwards: func(w *world) {
			scaledAndUpgraded("AzureManagedControlPlane", "AzureManagedMachinePool", "pool0")(w)
			w.keepsNetwork()
		},
	})
}

// companyNetwork is the network of one's own, as the examples have it.
const companyNetwork = "/resourceGroups/my-network/providers/Microsoft.Network/virtualNetworks/company"

// makeNetwork makes it, with its subnet of nodes.
func (w *world) makeNetwork() {
	w.Helper()
	w.put("/resourceGroups/my-network", "2020-06-01", `{"location":"westeurope","tags":{"owner":"company"}}`)
	w.put(companyNetwork, "2020-11-01", `{"location":"westeurope","tags":{"owner":"company"},"properties":{"addressSpace":{"addressPrefixes":["10.64.0.0/12"]}}}`)
	w.put(companyNetwork+"/subnets/nodes", "2020-11-01", `{"properties":{"addressPrefix":"10.64.0.0/16"}}`)
}

// keepsNetwork expects it to be there at the end.
func (w *world) keepsNetwork() {
	w.ends = append(w.ends, func() {
		if !w.inAzure()[strings.ToLower(inSubscription(companyNetwork+"/subnets/nodes"))] {
			w.Error("the company's network is gone from Azure")
		}
	})
}

// patched has CAPZ patch the ASO objects that it makes.
func patched(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	switch {
	case o.GetKind() == "AzureManagedControlPlane":
		set(t, o, []any{`{"spec": {"azureMonitorProfile": {"metrics": {"enabled": true}}}}`}, "spec", "asoManagedClusterPatches")
	case o.GetKind() == "AzureManagedMachinePool" && o.GetName() == name+"-pool1":
		set(t, o, []any{`{"spec": {"tags": {"cost-center": "1"}}}`}, "spec", "asoManagedClustersAgentPoolPatches")
	}
}

// newPool is the name in Azure of a pool that is added.
const newPool = "pool2"

// addPool adds a pool, and returns when CAPZ has had Azure begin to make it.
func addPool(w *world) {
	w.Helper()
	w.must(w.azure.SetLatency(w.ctx, "Microsoft.ContainerService/managedClusters/agentPools:create", time.Minute))
	begun := time.Now()
	for _, kind := range [][2]string{{capi, "MachinePool"}, {group, "AzureManagedMachinePool"}} {
		added := w.get(kind[0], kind[1], name+"-pool1").DeepCopy()
		added.Object["metadata"] = map[string]any{"namespace": namespace, "name": name + "-" + newPool}
		delete(added.Object, "status")
		switch kind[1] {
		case "MachinePool":
			set(w.T, added, int64(1), "spec", "replicas")
			set(w.T, added, name+"-"+newPool, "spec", "template", "spec", "infrastructureRef", "name")
			unstructured.RemoveNestedField(added.Object, "spec", "providerIDList")
		default:
			unstructured.RemoveNestedField(added.Object, "spec", "providerIDList")
			set(w.T, added, newPool, "spec", "name")
		}
		w.must(w.client.Create(w.ctx, added))
	}
	w.await("CAPZ to have Azure make the new pool", func() bool {
		sent, err := w.azure.Requests(w.ctx, admin.RequestFilter{Since: begun, Method: http.MethodPut, Path: "/agentPools/" + newPool + "$"})
		w.must(err)
		return len(sent) > 0
	})
}

// nodesOf returns how many nodes a pool says that it has.
func (w *world) nodesOf(kind, pool string) int64 {
	w.Helper()
	count, _, _ := unstructured.NestedInt64(w.get(group, kind, name+"-"+pool).Object, "status", "replicas")
	return count
}

// scaledAndUpgraded scales a pool of AKS's and upgrades the control plane.
func scaledAndUpgraded(controlPlane, kind, pool string) func(*world) {
	return func(w *world) {
		w.change(capi, "MachinePool", name+"-"+pool, int64(3), "spec", "replicas")
		w.await("the pool to have 3 nodes", func() bool { return w.nodesOf(kind, pool) == 3 })
		w.change(group, controlPlane, name, "v1.34.2", "spec", "version")
		w.await("the control plane to be upgraded", func() bool {
			version, _, _ := unstructured.NestedString(w.get(group, controlPlane, name).Object, "status", "version")
			return version == "v1.34.2"
		})
	}
}

// pause pauses the Cluster while CAPZ runs, until CAPZ has Azure Service Operator leave all of it alone.
func (w *world) pause() {
	w.Helper()
	w.change(capi, "Cluster", name, true, "spec", "paused")
	w.await("CAPZ to have paused the ASO objects", func() bool { return w.policies()["skip"] == w.managed() })
}

// resume has the Cluster, which is paused still, go on.
func (w *world) resume() {
	w.Helper()
	if w.policies()["skip"] != w.managed() {
		w.Errorf("the takeover of a paused Cluster has the ASO objects be managed: %v", w.policies())
	}
	w.quiet("the end of the pause", nil, func() {
		w.change(capi, "Cluster", name, false, "spec", "paused")
		w.await("the ASO objects of its own to be managed again", func() bool { return w.policies()["skip"] == w.external() })
		w.run(0, "takeover", "-f", w.product) // It waits until everything is well.
		w.still()
	})
}

// policies counts the ASO objects of AKS clusters by their policies.
func (w *world) policies() map[string]int {
	w.Helper()
	count := map[string]int{}
	w.eachASO(func(o *unstructured.Unstructured) {
		count[o.GetAnnotations()["serviceoperator.azure.com/reconcile-policy"]]++
	})
	return count
}

// managed counts the ASO objects.
func (w *world) managed() (count int) {
	w.Helper()
	w.eachASO(func(*unstructured.Unstructured) { count++ })
	return count
}

// external counts those that stand for what is somebody else's.
func (w *world) external() (count int) {
	w.Helper()
	w.eachASO(func(o *unstructured.Unstructured) {
		if o.GetAnnotations()["infrastructure.cluster.x-k8s.io/ownership"] == "external" {
			count++
		}
	})
	return count
}

// asoKinds are the kinds of Azure Service Operator that clusters of AKS have.
var asoKinds = [][2]string{
	{"resources.azure.com/v1api20200601", "ResourceGroup"}, {"network.azure.com/v1api20201101", "VirtualNetwork"}, {"network.azure.com/v1api20201101", "VirtualNetworksSubnet"},
	{containers, "ManagedCluster"}, {containers, "ManagedClustersAgentPool"},
}

func (w *world) eachASO(do func(*unstructured.Unstructured)) {
	w.Helper()
	for _, kind := range asoKinds {
		list := w.list(kind)
		for i := range list {
			do(&list[i])
		}
	}
}

func inSubscription(path string) string {
	return fmt.Sprintf("/subscriptions/%s%s", subscription, path)
}
