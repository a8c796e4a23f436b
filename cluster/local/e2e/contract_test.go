package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

const (
	kubeconfigSecret = clusterName + "-kubeconfig"
	clusterLabel     = "cluster.x-k8s.io/cluster-name"
	blockMove        = "clusterctl.cluster.x-k8s.io/block-move"
	ourFinalizer     = "infrastructure.cluster.x-k8s.io/provider-capz"
)

// available expects what every user waits for: the Cluster is Available, and each of its MachinePools is Running with a
// nodeRef for each of the nodes that it wants.
func available(w *world) []string {
	missing := condition(clusterKind, clusterName, "Available", "True", "")(w)
	pools, err := w.list(poolKind)
	if err != nil {
		return append(missing, err.Error())
	}
	if len(pools) == 0 {
		missing = append(missing, "there is no MachinePool")
	}
	for i := range pools {
		missing = append(missing, running(&pools[i])...)
	}
	return missing
}

func running(pool *unstructured.Unstructured) []string {
	phase, _, _ := unstructured.NestedString(pool.Object, "status", "phase")
	refs, _, _ := unstructured.NestedSlice(pool.Object, "status", "nodeRefs")
	want, _, _ := unstructured.NestedInt64(pool.Object, "spec", "replicas")
	if phase == "Running" && int64(len(refs)) == want {
		return nil
	}
	return []string{fmt.Sprintf("MachinePool %s is %q with nodeRefs for %d of %d nodes", pool.GetName(), phase, len(refs), want)}
}

// replicas expects a pool to have that many nodes, everywhere.
func replicas(name string, count int) expectation {
	azureName := strings.TrimPrefix(name, clusterName+"-")
	return func(w *world) []string {
		return slices.Concat(
			inAzure("/agentPools/"+azureName, "properties.count", count)(w),
			field(w.family.pool, name, "status.replicas", count)(w),
			on(w.family.pool, name, func(u *unstructured.Unstructured) []string {
				ids, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "providerIDList")
				if len(ids) != count {
					return []string{fmt.Sprintf("spec.providerIDList of %s has %d entries, want %d", name, len(ids), count)}
				}
				return nil
			})(w),
			field(poolKind, name, "spec.replicas", count)(w),
			on(poolKind, name, running)(w),
		)
	}
}

// contractKept expects every field that Cluster API's contract, in both versions, has of an AKS cluster that is up.
func contractKept(w *world) []string {
	missing := slices.Concat(
		field(w.family.cluster, clusterName, "status.ready", true)(w),
		field(w.family.cluster, clusterName, "status.initialization.provisioned", true)(w),
		field(w.family.controlPlane, clusterName, "status.ready", true)(w),
		field(w.family.controlPlane, clusterName, "status.initialized", true)(w),
		field(w.family.controlPlane, clusterName, "status.initialization.controlPlaneInitialized", true)(w),
		field(w.family.controlPlane, clusterName, "status.externalManagedControlPlane", true)(w),
		field(w.family.controlPlane, clusterName, "status.version", version)(w),
		condition(w.family.controlPlane, clusterName, "Available", "True", "")(w),
		condition(clusterKind, clusterName, "InfrastructureReady", "True", "")(w),
		condition(clusterKind, clusterName, "ControlPlaneAvailable", "True", "")(w),
		endpointKept(w),
	)
	for _, gvk := range w.family.kinds() {
		items, err := w.list(gvk)
		if err != nil {
			return append(missing, err.Error())
		}
		for i := range items {
			missing = append(missing, compositeKept(&items[i])...)
		}
	}
	return missing
}

// endpointKept expects the API server's address where the contract has it, and the versions that a control plane reports.
func endpointKept(w *world) []string {
	cluster, err := w.get(clusterKind, clusterName)
	if err != nil || cluster == nil {
		return []string{fmt.Sprintf("Cluster: %v", err)}
	}
	host, _, _ := unstructured.NestedString(cluster.Object, "spec", "controlPlaneEndpoint", "host")
	if _, service := clouds.Of(host); service != clouds.Kubernetes {
		return []string{fmt.Sprintf("spec.controlPlaneEndpoint.host of the Cluster is %q", host)}
	}
	return slices.Concat(
		field(clusterKind, clusterName, "spec.controlPlaneEndpoint.port", 443)(w),
		field(w.family.cluster, clusterName, "spec.controlPlaneEndpoint.host", host)(w),
		field(w.family.cluster, clusterName, "spec.controlPlaneEndpoint.port", 443)(w),
		field(w.family.controlPlane, clusterName, "status.controlPlaneEndpoint.host", host)(w),
		on(w.family.controlPlane, clusterName, func(u *unstructured.Unstructured) []string {
			versions := mapsAt(u, "status", "versions")
			if len(versions) != 1 || versions[0]["version"] != version {
				return []string{fmt.Sprintf("status.versions of the control plane is %v", versions)}
			}
			return nil
		})(w),
	)
}

// compositeKept expects what all composite resources have in common.
func compositeKept(u *unstructured.Unstructured) []string {
	var missing []string
	lack := func(format string, args ...any) {
		missing = append(missing, fmt.Sprintf("%s %s ", u.GetKind(), u.GetName())+fmt.Sprintf(format, args...))
	}
	if u.GetLabels()[clusterLabel] != clusterName {
		lack("has labels %v", u.GetLabels())
	}
	if !slices.Contains(u.GetFinalizers(), ourFinalizer) {
		lack("has finalizers %v", u.GetFinalizers())
	}
	if u.GetAnnotations()[blockMove] != "true" {
		lack("has no annotation %s", blockMove)
	}
	for _, path := range [][]string{{"status", "conditions"}, {"status", "v1beta2", "conditions"}} {
		ready := slices.ContainsFunc(mapsAt(u, path...), func(c map[string]any) bool { return c["type"] == "Ready" && c["status"] == "True" })
		if !ready {
			lack("is not Ready in %s", strings.Join(path, "."))
		}
	}
	entries := mapsAt(u, "status", "resources")
	// An AzureManagedCluster has nothing in Azure.
	if len(entries) == 0 && u.GetKind() != typedClusterKind.Kind {
		lack("has no status.resources")
	}
	for _, e := range entries {
		if e["ready"] != true || e["reason"] == "" {
			lack("has status.resources entry %v", e)
		}
	}
	if strings.HasSuffix(u.GetKind(), "MachinePool") {
		for _, path := range []string{"ready", "initialization.provisioned"} {
			if done, _, _ := unstructured.NestedBool(u.Object, append([]string{"status"}, strings.Split(path, ".")...)...); !done {
				lack("has no status.%s", path)
			}
		}
	}
	return missing
}

// labelled expects the Cluster's label on every ASO object.
func labelled(w *world) []string {
	objects, err := w.asoObjects()
	if err != nil {
		return []string{err.Error()}
	}
	var missing []string
	for key, item := range objects {
		if item.Labels[clusterLabel] != clusterName {
			missing = append(missing, fmt.Sprintf("%s has labels %v", key, item.Labels))
		}
	}
	return missing
}

// factsWritten expects that there are ClusterFacts of the Cluster, its infrastructure and its control plane, and of each of its MachinePools, and
// that no ASO object waits any more.
func factsWritten(pools ...string) expectation {
	return func(w *world) []string {
		var missing []string
		written, err := w.list(factsKind)
		if err != nil {
			return []string{err.Error()}
		}
		want := map[string]int{clusterName: 3}
		for _, pool := range pools {
			want[clusterName+".azureasomanagedmachinepool."+pool] = 2
		}
		got := map[string]int{}
		for _, facts := range written {
			objects, _, _ := unstructured.NestedSlice(facts.Object, "spec", "objects")
			got[facts.GetName()] = len(objects)
		}
		if !maps.Equal(got, want) {
			missing = append(missing, fmt.Sprintf("ClusterFacts have so many objects: %v, want %v", got, want))
		}
		objects, err := w.asoObjects()
		if err != nil {
			return append(missing, err.Error())
		}
		for key, item := range objects {
			if _, held := item.Annotations["infrastructure.cluster.x-k8s.io/held"]; held {
				missing = append(missing, fmt.Sprintf("%s is held", key))
			}
		}
		return missing
	}
}

// kubeconfigWorks expects the kubeconfig Secret to be as the contract says, and a client made from nothing else to list
// the nodes of all pools.
func kubeconfigWorks(w *world) []string {
	secret := &corev1.Secret{}
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: kubeconfigSecret}, secret); err != nil {
		return []string{err.Error()}
	}
	if secret.Type != "cluster.x-k8s.io/secret" || secret.Labels[clusterLabel] != clusterName || len(secret.Data["value"]) == 0 {
		return []string{fmt.Sprintf("Secret %s has type %q, labels %v and %d bytes of value", secret.Name, secret.Type, secret.Labels, len(secret.Data["value"]))}
	}
	nodes, err := w.nodes(secret.Data["value"])
	if err != nil {
		return []string{fmt.Sprintf("list the nodes with the kubeconfig: %v", err)}
	}
	pools, err := w.list(poolKind)
	if err != nil {
		return []string{err.Error()}
	}
	var want int64
	for _, p := range pools {
		n, _, _ := unstructured.NestedInt64(p.Object, "spec", "replicas")
		want += n
	}
	if int64(len(nodes)) != want {
		return []string{fmt.Sprintf("the kubeconfig lists %d nodes, the MachinePools want %d", len(nodes), want)}
	}
	return nil
}

// nodes lists the Nodes of the AKS cluster that a kubeconfig is for.
func (w *world) nodes(kubeconfig []byte) ([]corev1.Node, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, err
	}
	if err := w.throughProxy(config); err != nil {
		return nil, err
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	list, err := clients.CoreV1().Nodes().List(w.ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// kubelets expects every node to run a version of Kubernetes.
func kubelets(want string) expectation {
	return func(w *world) []string {
		secret := &corev1.Secret{}
		if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: kubeconfigSecret}, secret); err != nil {
			return []string{err.Error()}
		}
		nodes, err := w.nodes(secret.Data["value"])
		if err != nil {
			return []string{err.Error()}
		}
		var other []string
		for _, n := range nodes {
			if n.Status.NodeInfo.KubeletVersion != want {
				other = append(other, fmt.Sprintf("node %s runs %s, want %s", n.Name, n.Status.NodeInfo.KubeletVersion, want))
			}
		}
		return other
	}
}
