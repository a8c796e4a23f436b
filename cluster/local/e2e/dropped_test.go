package e2e

import (
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// failing makes Azure fail the PUTs of a resource, and then changes it in its composite resource, so that ASO sends one.
func failing(name, path string, kind schema.GroupVersionKind, object, entry string) func(*world) error {
	return all(
		func(w *world) error {
			return w.fault(name, admin.Fault{
				Method: http.MethodPut, Path: path, Status: http.StatusServiceUnavailable, Code: "ServiceUnavailable", Message: name + " is not available",
			})
		},
		func(w *world) error {
			return w.setResource(kind, object, entry, "spec.tags", map[string]any{"changed": name})
		},
	)
}

// dependency has what everything stands on lose Ready; nothing that stands on it may go.
var dependency = &scenario{
	name: "dependency",
	steps: []step{
		up("aks-aso"),
		{
			name: "the resource group loses Ready",
			act:  failing("group", "/resourceGroups/my-cluster", asoClusterKind, clusterName, "ResourceGroup/my-cluster"),
			expect: []expectation{
				entry(asoClusterKind, clusterName, "ResourceGroup/my-cluster", false, "", "group is not available"),
			},
			stays: []expectation{
				replicas(systemPool, 2), replicas(userPool, 2),
				field(asoClusterKind, clusterName, "status.initialization.provisioned", true),
				field(controlPlaneKind, clusterName, "status.initialization.controlPlaneInitialized", true),
			},
			staysFor: 3 * time.Second,
		},
		{
			name:   "what exists goes on meanwhile",
			act:    scaleTo(userPool, 3),
			expect: []expectation{replicas(userPool, 3)},
		},
		{
			name: "the AKS cluster loses Ready too",
			act:  failing("cluster", "/managedClusters/my-cluster", controlPlaneKind, clusterName, "ManagedCluster/my-cluster"),
			expect: []expectation{
				entry(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", false, "", "cluster is not available"),
				entry(asoClusterKind, clusterName, "ResourceGroup/my-cluster", false, "", "group is not available"),
			},
			stays:    []expectation{kubeconfigWorks, inAzure("/agentPools/pool1", "properties.count", 3)},
			staysFor: 3 * time.Second,
		},
		{
			name: "both recover",
			act:  all(fix("group"), fix("cluster")),
			expect: []expectation{
				inAzure("/resourceGroups/my-cluster", "tags.changed", "group"),
				inAzure("/managedClusters/my-cluster", "tags.changed", "cluster"),
				available, contractKept, kubeconfigWorks,
			},
		},
		down,
	},
}

// noteUID remembers the UID of an object.
func noteUID(gvk schema.GroupVersionKind, name string) func(*world) error {
	return func(w *world) error {
		u, err := w.get(gvk, name)
		if err != nil || u == nil {
			return fmt.Errorf("%s %s: %w", gvk.Kind, name, err)
		}
		w.noted["uid of "+gvk.Kind] = u.GetUID()
		return nil
	}
}

// anew expects an object that is another one than the noted.
func anew(gvk schema.GroupVersionKind, name string) expectation {
	return func(w *world) []string {
		return on(gvk, name, func(u *unstructured.Unstructured) []string {
			if u.GetUID() == w.noted["uid of "+gvk.Kind] {
				return []string{fmt.Sprintf("%s %s is the old one still", gvk.Kind, name)}
			}
			return nil
		})(w)
	}
}

// once does something one time only, however often the step has to be tried.
func once(name string, act func(*world) error) func(*world) error {
	return func(w *world) error {
		if w.noted[name] != nil {
			return nil
		}
		if err := act(w); err != nil {
			return err
		}
		w.noted[name] = true
		return nil
	}
}

var poolGone = []removal{{"ManagedClustersAgentPool/" + userPool, "/agentPools/pool1"}}

// byHand has people delete what is needed; it comes back, and nothing else goes.
var byHand = &scenario{
	name: "by-hand",
	steps: []step{
		up("aks-aso"),
		{
			name: "delete an agent pool's ASO object",
			act: once("deleted", all(noteUID(agentPoolKind, userPool), func(w *world) error {
				return w.remove(agentPoolKind, userPool)
			})),
			goes:   poolGone,
			expect: []expectation{anew(agentPoolKind, userPool), replicas(userPool, 2), available, contractKept, kubeconfigWorks},
		},
		{
			name:   "delete the kubeconfig",
			act:    func(w *world) error { return w.remove(secretKind, kubeconfigSecret) },
			expect: []expectation{kubeconfigWorks, available, contractKept},
		},
		{
			name:   "delete a pool's composite resource",
			act:    func(w *world) error { return w.remove(asoPoolKind, userPool) },
			expect: []expectation{gone(asoPoolKind, userPool), gone(agentPoolKind, userPool), notInAzure("/agentPools/pool1"), replicas(systemPool, 2)},
		},
		{
			name:   "apply it again",
			act:    applyExample("aks-aso"),
			expect: []expectation{replicas(userPool, 2), available, contractKept, kubeconfigWorks},
		},
		{
			name:   "delete the MachinePool",
			act:    func(w *world) error { return w.remove(poolKind, userPool) },
			expect: []expectation{gone(poolKind, userPool), gone(asoPoolKind, userPool), notInAzure("/agentPools/pool1"), replicas(systemPool, 2), available},
		},
		{
			name:   "apply it again, too",
			act:    applyExample("aks-aso"),
			expect: []expectation{replicas(userPool, 2), available, contractKept, kubeconfigWorks},
		},
		down,
	},
}
