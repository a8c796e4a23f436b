package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

const controlPlaneGroup = "controlplane.cluster.x-k8s.io"

// The kinds of clusters of virtual machines.
var (
	azureClusterKind         = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureCluster"}
	azureMachineKind         = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureMachine"}
	azurePoolKind            = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureMachinePool"}
	azureMachineTemplateKind = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureMachineTemplate"}
	kubeadmControlPlaneKind  = schema.GroupVersionKind{Group: controlPlaneGroup, Version: "v1beta2", Kind: "KubeadmControlPlane"}
	machineKind              = schema.GroupVersionKind{Group: coreGroup, Version: "v1beta2", Kind: "Machine"}
	deploymentKind           = schema.GroupVersionKind{Group: coreGroup, Version: "v1beta2", Kind: "MachineDeployment"}
)

// The names of the machines of examples/self-managed, which are those of CAPZ's templates too.
const (
	kubeadmControlPlane = clusterName + "-control-plane"
	workers             = clusterName + "-md-0"
)

// machineFamily has clusters of virtual machines. The KubeadmControlPlane is Cluster API's own.
var machineFamily = &family{azureClusterKind, kubeadmControlPlaneKind, azureMachineKind, selfManagedClass, downTyped}

// machinesUp expects a Cluster that is Available with that many machines, each of which is a Node that is Ready, and no others.
func machinesUp(controlPlanes, others int) expectation {
	return func(w *world) []string {
		return slices.Concat(
			condition(clusterKind, clusterName, "Available", "True", "")(w),
			machinesOf(kubeadmControlPlaneKind, kubeadmControlPlane, controlPlanes)(w),
			machinesOf(deploymentKind, workers, others)(w),
			inAzureTimes("/providers/Microsoft.Compute/virtualMachines/", controlPlanes+others)(w),
			nodesKept(controlPlanes+others)(w),
		)
	}
}

// machinesOf expects what owns machines to have so many, all of them ready and as they should be.
func machinesOf(gvk schema.GroupVersionKind, name string, count int) expectation {
	return on(gvk, name, func(u *unstructured.Unstructured) []string {
		var missing []string
		for _, counter := range []string{"replicas", "readyReplicas", "availableReplicas", "upToDateReplicas"} {
			if have, _, _ := unstructured.NestedInt64(u.Object, "status", counter); have != int64(count) {
				missing = append(missing, fmt.Sprintf("status.%s of %s is %d, want %d", counter, name, have, count))
			}
		}
		return missing
	})
}

// inAzureTimes expects so many resources whose IDs have a part, and no more below them.
func inAzureTimes(part string, count int) expectation {
	return counted("of "+part, count, func(r admin.Resource) bool {
		_, name, found := strings.Cut(strings.ToLower(r.ID), strings.ToLower(part))
		return found && !strings.Contains(name, "/")
	})
}

// counted expects so many resources that match, and says what they are.
func counted(what string, count int, matches func(admin.Resource) bool) expectation {
	return func(w *world) []string {
		all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
		if err != nil {
			return []string{err.Error()}
		}
		have := 0
		for _, r := range all {
			if matches(r) {
				have++
			}
		}
		if have != count {
			return []string{fmt.Sprintf("Azure has %d %s, want %d", have, what, count)}
		}
		return nil
	}
}

// nodesKept expects so many Nodes, by the kubeconfig of Cluster API's users: Ready, initialized by the cloud controller, and each with the
// provider ID of one Machine and AzureMachine.
func nodesKept(count int) expectation {
	return func(w *world) []string {
		nodes, err := w.workloadNodes()
		if err != nil {
			return []string{err.Error()}
		}
		if len(nodes) != count {
			return []string{fmt.Sprintf("the kubeconfig lists %d nodes, want %d", len(nodes), count)}
		}
		var missing []string
		for _, gvk := range []schema.GroupVersionKind{machineKind, azureMachineKind} {
			items, err := w.list(gvk)
			if err != nil {
				return []string{err.Error()}
			}
			ids := map[string]bool{}
			for i := range items {
				id, _, _ := unstructured.NestedString(items[i].Object, "spec", "providerID")
				ids[id] = true
			}
			for i := range nodes {
				if !ids[nodes[i].Spec.ProviderID] {
					missing = append(missing, fmt.Sprintf("no %s has provider ID %q of Node %s", gvk.Kind, nodes[i].Spec.ProviderID, nodes[i].Name))
				}
			}
		}
		for i := range nodes {
			missing = append(missing, nodeLacks(&nodes[i])...)
		}
		return missing
	}
}

// workloadNodes lists the Nodes with the kubeconfig of the Cluster's Secret.
func (w *world) workloadNodes() ([]corev1.Node, error) {
	secret := &corev1.Secret{}
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: kubeconfigSecret}, secret); err != nil {
		return nil, err
	}
	nodes, err := w.nodes(secret.Data["value"])
	if err != nil {
		return nil, fmt.Errorf("list the nodes with the kubeconfig: %w", err)
	}
	return nodes, nil
}

func nodeLacks(node *corev1.Node) []string {
	var missing []string
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			missing = append(missing, fmt.Sprintf("Node %s is not Ready: %s", node.Name, c.Message))
		}
	}
	for _, taint := range node.Spec.Taints {
		if strings.HasSuffix(taint.Key, "/uninitialized") {
			missing = append(missing, fmt.Sprintf("Node %s has taint %s", node.Name, taint.Key))
		}
	}
	return missing
}

// throughProxy has a client reach a cluster of the simulated Azure whose kubeconfig does not say how.
func (w *world) throughProxy(config *rest.Config) error {
	if config.Proxy != nil {
		return nil
	}
	proxy, err := url.Parse(w.stack.ProxyURL())
	if err != nil {
		return err
	}
	config.Proxy = http.ProxyURL(proxy)
	return nil
}

// machinesKept expects every field that Cluster API's contract, in both versions, has of a cluster of machines that is up.
func machinesKept(w *world) []string {
	missing := slices.Concat(
		field(azureClusterKind, clusterName, "status.ready", true)(w),
		field(azureClusterKind, clusterName, "status.initialization.provisioned", true)(w),
		condition(clusterKind, clusterName, "InfrastructureReady", "True", "")(w),
		condition(clusterKind, clusterName, "ControlPlaneAvailable", "True", "")(w),
		condition(clusterKind, clusterName, "WorkersAvailable", "True", "")(w),
		machineEndpointKept(w),
	)
	clusters, err := w.list(azureClusterKind)
	if err != nil {
		return append(missing, err.Error())
	}
	machines, abandoned, err := w.azureMachines()
	if err != nil {
		return append(missing, err.Error())
	}
	for _, u := range slices.Concat(clusters, machines) {
		missing = append(missing, compositeKept(&u)...)
	}
	for _, u := range abandoned {
		if composed := mapsAt(&u, "status", "resources"); len(composed) > 0 {
			missing = append(missing, fmt.Sprintf("AzureMachine %s belongs to no Machine, and has %v", u.GetName(), composed))
		}
	}
	return append(missing, azureMachinesKept(w, machines)...)
}

// azureMachines returns the AzureMachines that a Machine owns, and those that none does. Cluster API leaves one behind when somebody else
// writes to it three times within the 30 ms after its creation, as Crossplane does, and makes another; it goes with its owner.
func (w *world) azureMachines() (owned, abandoned []unstructured.Unstructured, err error) {
	items, err := w.list(azureMachineKind)
	for _, u := range items {
		if slices.ContainsFunc(u.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.Kind == machineKind.Kind }) {
			owned = append(owned, u)
			continue
		}
		abandoned = append(abandoned, u)
	}
	return owned, abandoned, err
}

// privateHost is the name of the API servers where they have no public address.
const privateHost = "apiserver." + clusterName + ".capz.io"

// machineEndpointKept expects the load balancer's name as the address of the API servers.
func machineEndpointKept(w *world) []string {
	return on(azureClusterKind, clusterName, func(u *unstructured.Unstructured) []string {
		host, _, _ := unstructured.NestedString(u.Object, "spec", "controlPlaneEndpoint", "host")
		if !strings.HasSuffix(host, ".westeurope.cloudapp.azure.com") && host != privateHost {
			return []string{fmt.Sprintf("spec.controlPlaneEndpoint.host of the AzureCluster is %q", host)}
		}
		return slices.Concat(
			field(clusterKind, clusterName, "spec.controlPlaneEndpoint.host", host)(w),
			field(azureClusterKind, clusterName, "spec.controlPlaneEndpoint.port", 6443)(w),
			field(clusterKind, clusterName, "spec.controlPlaneEndpoint.port", 6443)(w),
		)
	})(w)
}

// azureMachinesKept expects what the contract has of an AzureMachine, with addresses, and a failure domain for those of the control
// plane.
func azureMachinesKept(w *world, items []unstructured.Unstructured) []string {
	var missing []string
	for i := range items {
		name := items[i].GetName()
		missing = append(missing, slices.Concat(
			field(azureMachineKind, name, "status.ready", true)(w),
			field(azureMachineKind, name, "status.initialization.provisioned", true)(w),
			field(azureMachineKind, name, "status.vmState", "Succeeded")(w),
		)...)
		if len(mapsAt(&items[i], "status", "addresses")) == 0 {
			missing = append(missing, "AzureMachine "+name+" has no status.addresses")
		}
	}
	return missing
}

// kubeletVersions expects every Node to run a version of Kubernetes.
func kubeletVersions(want string) expectation {
	return func(w *world) []string {
		nodes, err := w.workloadNodes()
		if err != nil {
			return []string{err.Error()}
		}
		var missing []string
		for i := range nodes {
			if have := nodes[i].Status.NodeInfo.KubeletVersion; have != want {
				missing = append(missing, fmt.Sprintf("Node %s runs %s, want %s", nodes[i].Name, have, want))
			}
		}
		return missing
	}
}
