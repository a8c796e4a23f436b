package switching

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

const controlPlanes = "controlplane.cluster.x-k8s.io/v1beta2"

// Kinds of Azure Service Operator of what CAPZ makes in Azure itself: it has no objects of them.
var (
	networkByCAPZ = [][2]string{
		{"network.azure.com/v1api20201101", "NetworkSecurityGroup"}, {"network.azure.com/v1api20201101", "NetworkSecurityGroupsSecurityRule"},
		{"network.azure.com/v1api20201101", "RouteTable"},
	}
	machinesByCAPZ = [][2]string{
		{"network.azure.com/v1api20201101", "PublicIPAddress"}, {"network.azure.com/v1api20240301", "LoadBalancer"},
		{"network.azure.com/v1api20201101", "LoadBalancersInboundNatRule"}, {"network.azure.com/v1api20201101", "NetworkInterface"},
		{"compute.azure.com/v1api20220301", "VirtualMachine"},
	}
	poolsByCAPZ = [][2]string{{"compute.azure.com/v1api20220301", "VirtualMachineScaleSet"}}
	madeByCAPZ  = slices.Concat(networkByCAPZ, machinesByCAPZ, poolsByCAPZ)
)

// TestSelfManaged has virtual machines, one by one and in a pool.
func TestSelfManaged(t *testing.T) {
	live(t, life{
		examples: []string{"self-managed", "self-managed-machinepool"}, machines: true,
		said: "AzureCluster default/my-cluster: refers to 5 composed objects",
		kinds: append(infrastructure("AzureCluster", "AzureMachine", "AzureMachineTemplate", "AzureMachinePool", "AzureMachinePoolMachine", "AzureClusterIdentity"),
			[2]string{capi, "Machine"}, [2]string{capi, "MachineDeployment"}, [2]string{capi, "MachinePool"}, [2]string{controlPlanes, "KubeadmControlPlane"},
			[2]string{"network.azure.com/v1api20201101", "VirtualNetwork"}, [2]string{"network.azure.com/v1api20201101", "VirtualNetworksSubnet"},
			[2]string{"network.azure.com/v1api20220701", "NatGateway"}),
		taken: adopted(madeByCAPZ), returned: released(madeByCAPZ), after: adopted(madeByCAPZ),
		afterwards: func(w *world) {
			w.change(capi, "MachineDeployment", name+"-md-0", int64(2), "spec", "replicas")
			w.change(capi, "MachinePool", name+"-mp-0", int64(3), "spec", "replicas")
			w.await("the MachineDeployment to have 2 nodes", func() bool { return w.ready("MachineDeployment", name+"-md-0") == 2 })
			w.await("the pool to have 3 nodes", func() bool { return w.nodesOf("AzureMachinePool", "mp-0") == 3 })
		},
	})
}

// TestMachinesInOwnNetwork is in a network of one's own, and paused when it is taken over again.
func TestMachinesInOwnNetwork(t *testing.T) {
	live(t, life{
		examples: []string{"self-managed-own-network"}, machines: true,
		inAzure: func(w *world) {
			w.makeNetwork()
			w.put(companyNetwork+"/subnets/control-planes", "2020-11-01", `{"properties":{"addressPrefix":"10.65.0.0/24"}}`)
		},
		said:  "AzureCluster default/my-cluster: refers to 6 composed objects",
		kinds: append(infrastructure("AzureCluster", "AzureMachine", "AzureMachineTemplate"), [2]string{capi, "Machine"}, [2]string{controlPlanes, "KubeadmControlPlane"}),
		taken: adopted(machinesByCAPZ), returned: released(madeByCAPZ),
		between: (*world).pause,
		after: func(w *world) {
			// While it is paused it may have been composed once, or not: provider-capz holds what it has not seen composed no sooner. Azure is asked only.
			w.resume()
			adopted(machinesByCAPZ)(w)
		},
		afterwards: (*world).keepsNetwork,
	})
}

// adopted expects that what CAPZ made in Azure itself has objects of Azure Service Operator of kinds, as the Cluster's own.
func adopted(kinds [][2]string) func(*world) {
	return func(w *world) {
		w.Helper()
		for _, kind := range kinds {
			list := w.list(kind)
			if len(list) == 0 {
				w.Errorf("there is no %s after the takeover", kind[1])
			}
			for _, o := range list {
				annotations := o.GetAnnotations()
				if annotations["infrastructure.cluster.x-k8s.io/ownership"] != "owned" || !aso.StateOf(&o).Ready {
					w.Errorf("%s %s is not Ready as the Cluster's own after the takeover: %v", kind[1], o.GetName(), annotations)
				}
			}
		}
	}
}

// released expects that there are no objects of kinds.
func released(kinds [][2]string) func(*world) {
	return func(w *world) {
		w.Helper()
		for _, kind := range kinds {
			for _, o := range w.list(kind) {
				w.Errorf("%s %s is there", kind[1], o.GetName())
			}
		}
	}
}

// ready returns how many ready replicas an object of Cluster API has.
func (w *world) ready(kind, name string) int64 {
	w.Helper()
	count, _, _ := unstructured.NestedInt64(w.get(capi, kind, name).Object, "status", "readyReplicas")
	return count
}
