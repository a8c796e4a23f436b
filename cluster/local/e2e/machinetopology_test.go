package e2e

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// selfManagedClass is the ClusterClass of virtual machines in examples/flavors.
const selfManagedClass = "self-managed"

// only returns the name of the one object of a kind in the namespace: a topology makes its names up.
func (w *world) only(gvk schema.GroupVersionKind) (string, error) {
	items, err := w.list(gvk)
	if err != nil {
		return "", err
	}
	if len(items) != 1 {
		return "", fmt.Errorf("there are %d of %s, want one", len(items), gvk.Kind)
	}
	return items[0].GetName(), nil
}

// ofOnly expects something of the one object of a kind.
func ofOnly(gvk schema.GroupVersionKind, expect func(name string) expectation) expectation {
	return func(w *world) []string {
		name, err := w.only(gvk)
		if err != nil {
			return []string{err.Error()}
		}
		return expect(name)(w)
	}
}

// topologyUp expects a Cluster of CAPZ's ClusterClass that is Available with that many machines of a version, and what the contract has of them.
func topologyUp(controlPlanes, others int, version string) expectation {
	return func(w *world) []string {
		missing := slices.Concat(
			condition(clusterKind, clusterName, "Available", "True", "")(w),
			condition(clusterKind, clusterName, "TopologyReconciled", "True", "")(w),
			ofOnly(kubeadmControlPlaneKind, func(name string) expectation { return machinesOf(kubeadmControlPlaneKind, name, controlPlanes) })(w),
			ofOnly(azureClusterKind, func(name string) expectation {
				return field(azureClusterKind, name, "status.initialization.provisioned", true)
			})(w),
			inAzureTimes("/providers/Microsoft.Compute/virtualMachines/", controlPlanes+others)(w),
			ofOnly(deploymentKind, func(name string) expectation { return machinesOf(deploymentKind, name, others) })(w),
			nodesKept(controlPlanes+others)(w), kubeletVersions(version)(w),
		)
		machines, _, err := w.azureMachines()
		if err != nil {
			return append(missing, err.Error())
		}
		for i := range machines {
			missing = append(missing, compositeKept(&machines[i])...)
		}
		return append(missing, azureMachinesKept(w, machines)...)
	}
}

// applyMachineTemplates applies templates of clusters of machines, whose variables are filled in, and changed.
func applyMachineTemplates(version string, controlPlanes, others int, alter change, files ...func(*world) (string, error)) func(*world) error {
	return applyGenerated(func(w *world, file string) (string, error) {
		return w.clusterctl(machineVariables(w), "generate", "cluster", clusterName, "--from", file, "--target-namespace", w.namespace,
			"--kubernetes-version", version, "--control-plane-machine-count", fmt.Sprint(controlPlanes), "--worker-machine-count", fmt.Sprint(others))
	}, alter, files...)
}

// withPassword has the AzureClusterIdentity sign in by a client secret. CAPZ's ClusterClass gives its machines no identity of their own, so
// that Azure's cloud controller signs in with what is in azure.json, as the AzureCluster does.
var withPassword = withSpec(identityKind, "{type: ServicePrincipal, clientSecret: {name: "+typedIdentity+"}}")

// replacedMachines are all machines of a topology whose names Cluster API has made up.
var replacedMachines = removal{
	"(VirtualMachine|NetworkInterface|LoadBalancersInboundNatRule)/.*my-cluster-.*", "/(virtualMachines|networkInterfaces|disks|inboundNatRules)/my-cluster-.*",
}

// capzMachineTopology is CAPZ's ClusterClass of virtual machines and its Cluster, of which only the credential is changed.
var capzMachineTopology = &scenario{
	name: "capz-machine-topology", family: machineFamily, calmOnly: true,
	steps: append([]step{
		{
			name: "create", lasts: 2 * booting,
			act: all(func(w *world) error { return w.create(w.password()) },
				applyMachineTemplates(olderMachines, 1, 1, withPassword, theirs("cluster-template-clusterclass.yaml"), theirs("cluster-template-topology.yaml"))),
			expect: []expectation{topologyUp(1, 1, olderMachines), labelled, inAzure("/natGateways/node-natgateway", "properties.provisioningState", "Succeeded")},
		},
		{
			name: "upgrade", goes: []removal{replacedMachines}, lasts: 3 * booting,
			act:    func(w *world) error { return w.set(clusterKind, clusterName, "spec.topology.version", newerMachines) },
			expect: []expectation{topologyUp(1, 1, newerMachines)},
		},
	}, downTopology...),
}

// setDeployments sets the MachineDeployments of the topology.
func setDeployments(list ...any) func(*world) error {
	return func(w *world) error {
		return w.edit(clusterKind, clusterName, func(u *unstructured.Unstructured) error {
			return unstructured.SetNestedSlice(u.Object, list, "spec", "topology", "workers", "machineDeployments")
		})
	}
}

// deployment is one of the topology, whose machines are of a size.
func deployment(replicas int, size string) any {
	return map[string]any{
		"class": "worker", "name": "md-0", "replicas": int64(replicas),
		"variables": map[string]any{"overrides": []any{map[string]any{"name": "vmSize", "value": size}}},
	}
}

// machinesOfSize expects so many virtual machines of a size.
func machinesOfSize(size string, count int) expectation {
	return counted("machines of size "+size, count, func(r admin.Resource) bool {
		of, _, _ := unstructured.NestedString(r.Body, "properties", "hardwareProfile", "vmSize")
		return strings.HasSuffix(r.Type, "/virtualMachines") && of == size
	})
}

// machineTopology is the ClusterClass of examples/flavors, and what its variables change.
var machineTopology = &scenario{
	name: "machine-topology", family: machineFamily, calmOnly: true,
	steps: append([]step{
		{
			name: "create without workers", lasts: booting,
			act: all(once("identity", identityOfMachines), applyMachineTemplates(newerMachines, 1, 0, unchanged, ours("clusterclass.yaml"), ours("cluster-template-topology.yaml"))),
			expect: []expectation{
				machinesUp(1, 0), machinesKept, labelled, signedIn, condition(clusterKind, clusterName, "TopologyReconciled", "True", ""),
				machinesOfSize("Standard_D2s_v5", 1), inAzure("/virtualNetworks/my-cluster-vnet", "tags.team", nil),
			},
		},
		{
			// Cluster API makes the first worker by the old KubeadmConfigTemplate, and replaces it: docs/flavors.md.
			name: "change a variable of the Cluster, and add workers with one of their own", lasts: booting, goes: []removal{aWorker},
			act: all(setVariable("tags", map[string]any{"team": "blue"}), setDeployments(deployment(1, "Standard_D4s_v5"))),
			expect: []expectation{
				machinesUp(1, 1), machinesKept, machinesOfSize("Standard_D2s_v5", 1), machinesOfSize("Standard_D4s_v5", 1),
				inAzure("/resourceGroups/my-cluster", "tags.team", "blue"), inAzure("/virtualNetworks/my-cluster-vnet", "tags.team", "blue"),
			},
		},
		{
			name: "change the size of the workers", act: setDeployments(deployment(1, "Standard_D2s_v5")), goes: []removal{aWorker}, lasts: booting,
			expect: []expectation{machinesUp(1, 1), machinesKept, machinesOfSize("Standard_D2s_v5", 2), machinesOfSize("Standard_D4s_v5", 0)},
		},
	}, downClass(onlyIdentityLeft)...),
}
