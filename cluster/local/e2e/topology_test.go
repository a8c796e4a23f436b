package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// className is the ClusterClass of the AzureASOManaged kinds.
	className = "aks-aso"
	// rebasedName is the class that a Cluster is moved to.
	rebasedName = "aks-aso-v2"
	// poolNameLabel is how Cluster API marks the objects of a pool of a topology.
	poolNameLabel = "topology.cluster.x-k8s.io/pool-name"
)

// ofPool returns the one object of a kind that belongs to a pool of the topology; nil when there is none.
func (w *world) ofPool(gvk schema.GroupVersionKind, pool string) (*unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk)
	err := w.client.List(w.ctx, list, client.InNamespace(w.namespace), client.MatchingLabels{poolNameLabel: pool})
	if err != nil || len(list.Items) == 0 {
		return nil, err
	}
	if len(list.Items) > 1 {
		return nil, fmt.Errorf("pool %s has %d objects of kind %s", pool, len(list.Items), gvk.Kind)
	}
	return &list.Items[0], nil
}

// size expects a pool of the topology to have that many nodes, everywhere.
func size(pool string, count int) expectation { return sizeAs(pool, pool, count) }

// sizeAs is size for a pool that has another name in Azure.
func sizeAs(pool, azureName string, count int) expectation {
	return func(w *world) []string {
		missing := inAzure("/agentPools/"+azureName, "properties.count", count)(w)
		machines, err := w.ofPool(poolKind, pool)
		if err != nil || machines == nil {
			return append(missing, fmt.Sprintf("pool %s has no MachinePool (%v)", pool, err))
		}
		missing = append(missing, running(machines)...)
		nodes, err := w.ofPool(w.family.pool, pool)
		if err != nil || nodes == nil {
			return append(missing, fmt.Sprintf("pool %s has no %s (%v)", pool, w.family.pool.Kind, err))
		}
		ids, _, _ := unstructured.NestedStringSlice(nodes.Object, "spec", "providerIDList")
		if len(ids) != count {
			missing = append(missing, fmt.Sprintf("pool %s has %d provider IDs, want %d", pool, len(ids), count))
		}
		return missing
	}
}

// noPool expects that nothing of a pool of the topology is there any more.
func noPool(pool string) expectation {
	return func(w *world) []string {
		missing := notInAzure("/agentPools/" + pool)(w)
		for _, gvk := range []schema.GroupVersionKind{poolKind, w.family.pool} {
			u, err := w.ofPool(gvk, pool)
			if err != nil || u != nil {
				missing = append(missing, fmt.Sprintf("pool %s still has its %s (%v)", pool, gvk.Kind, err))
			}
		}
		return append(missing, gone(agentPoolKind, clusterName+"-"+pool)(w)...)
	}
}

// editPools changes the list of pools of the topology.
func editPools(change func(pools []any) ([]any, error)) func(*world) error {
	return func(w *world) error { return w.edit(clusterKind, clusterName, poolsOf(change)) }
}

// poolsOf changes the list of pools of a Cluster's topology; Cluster API takes none, but no empty one.
func poolsOf(change func(pools []any) ([]any, error)) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error {
		pools, _, err := unstructured.NestedSlice(u.Object, "spec", "topology", "workers", "machinePools")
		if err != nil {
			return err
		}
		if pools, err = change(pools); err != nil {
			return err
		}
		if len(pools) == 0 {
			unstructured.RemoveNestedField(u.Object, "spec", "topology", "workers")
			return nil
		}
		return unstructured.SetNestedSlice(u.Object, pools, "spec", "topology", "workers", "machinePools")
	}
}

// poolOf reports whether an entry of the list of pools has a name.
func poolOf(name string) func(any) bool {
	return func(p any) bool { m, ok := p.(map[string]any); return ok && m["name"] == name }
}

// sizePool sets the number of nodes of a pool of the topology.
func sizePool(name string, count int) func(*world) error {
	return editPools(func(pools []any) ([]any, error) {
		at := slices.IndexFunc(pools, poolOf(name))
		if at < 0 {
			return nil, fmt.Errorf("the topology has no pool %s", name)
		}
		pools[at].(map[string]any)["replicas"] = int64(count)
		return pools, nil
	})
}

// addPool adds a pool to the topology, with a VM size of its own.
func addPool(name string, count int) func(*world) error {
	return editPools(func(pools []any) ([]any, error) {
		return append(slices.DeleteFunc(pools, poolOf(name)), map[string]any{
			"class": "user", "name": name, "replicas": int64(count),
			"variables": map[string]any{"overrides": []any{map[string]any{"name": "vmSize", "value": "Standard_E4s_v5"}}},
		}), nil
	})
}

// addScaledPool adds a pool in one zone whose size AKS chooses.
func addScaledPool(name string) func(*world) error {
	return editPools(func(pools []any) ([]any, error) {
		return append(slices.DeleteFunc(pools, poolOf(name)), map[string]any{
			"class": "user", "name": name,
			"variables": map[string]any{"overrides": []any{
				map[string]any{"name": "zones", "value": []any{"2"}},
				map[string]any{"name": "autoscaling", "value": map[string]any{"minCount": int64(1), "maxCount": int64(4)}},
			}},
		}), nil
	})
}

// removePool takes a pool out of the topology.
func removePool(name string) func(*world) error {
	return editPools(func(pools []any) ([]any, error) { return slices.DeleteFunc(pools, poolOf(name)), nil })
}

// goesAway is refused until a pool of the topology is being deleted.
func goesAway(name string) func(*world) error {
	return func(w *world) error {
		u, err := w.ofPool(poolKind, name)
		if err == nil && u != nil && u.GetDeletionTimestamp() == nil {
			err = fmt.Errorf("MachinePool %s is not being deleted", u.GetName())
		}
		return err
	}
}

// setVariable sets a variable of the topology.
func setVariable(name string, value any) func(*world) error {
	return func(w *world) error {
		return w.edit(clusterKind, clusterName, func(u *unstructured.Unstructured) error {
			variables, _, err := unstructured.NestedSlice(u.Object, "spec", "topology", "variables")
			if err != nil {
				return err
			}
			variables = slices.DeleteFunc(variables, poolOf(name))
			variables = append(variables, map[string]any{"name": name, "value": value})
			return unstructured.SetNestedSlice(u.Object, variables, "spec", "topology", "variables")
		})
	}
}

// applyClass applies the ClusterClass with some of its text replaced: what is there, and what comes in its place, in turns.
func applyClass(replaced ...string) func(*world) error {
	return func(w *world) error {
		raw, err := os.ReadFile(w.flavor("clusterclass-aks-aso.yaml"))
		if err != nil {
			return err
		}
		for i := 0; i < len(replaced); i += 2 {
			if !strings.Contains(string(raw), replaced[i]) {
				return fmt.Errorf("the ClusterClass has no %q", replaced[i])
			}
		}
		objects, err := parse(strings.NewReplacer(replaced...).Replace(string(raw)))
		if err != nil {
			return err
		}
		return w.apply(objects...)
	}
}

var (
	// secondClass is a copy under another name, whose user pools have one node label more.
	secondClass = applyClass("name: "+className+"\n", "name: "+rebasedName+"\n",
		"type: VirtualMachineScaleSets\n", "type: VirtualMachineScaleSets\n                nodeLabels:\n                  example.org/class: v2\n")
	// classWithChannel has AKS upgrade the clusters of the class by itself.
	classWithChannel = applyClass("networkPluginMode: overlay\n", "networkPluginMode: overlay\n                autoUpgradeProfile:\n                  upgradeChannel: stable\n")
)

// poolsFollow expects that no pool was asked to be of a version before the AKS cluster was.
func poolsFollow(version string) expectation {
	return func(w *world) []string {
		requests, err := w.requests(w.begun, "PUT")
		if err != nil {
			return []string{err.Error()}
		}
		asked := false
		for _, r := range requests {
			switch {
			case !strings.Contains(r.Body, `"`+version[1:]+`"`):
			case strings.Contains(r.Path, "/agentPools/") && !asked:
				return []string{fmt.Sprintf("PUT %s asked for %s before the AKS cluster was asked for it", r.Path, version)}
			case !strings.Contains(r.Path, "/agentPools/"):
				asked = true
			}
		}
		if !asked {
			return []string{"the AKS cluster was never asked for " + version}
		}
		return nil
	}
}

// upTopology brings a ClusterClass and a Cluster of it up, with what is expected of its pools.
func upTopology(templates []func(*world) (string, error), pools ...expectation) step {
	return step{
		name: "create", act: applyTemplates(templates...), lasts: 15 * time.Second,
		expect: append([]expectation{available, kubeconfigWorks, labelled, described, kubeconfigOfClusterctl}, pools...),
	}
}

// poolByPool applies a ClusterClass and a Cluster of it that has no pools yet, and then the User pool alone. Either way Cluster API sees a
// control plane that does not come up before it makes further pools, as when it is stopped, or refused, between the two.
func poolByPool(templates []func(*world) (string, error), refused string) []step {
	begin := func(name, message string, missing func(any) bool) step {
		return step{
			name: name,
			act: applyTemplatesBut(each(poolsOf(func(pools []any) ([]any, error) {
				return slices.DeleteFunc(pools, missing), nil
			})), templates...),
			expect: []expectation{
				func(w *world) []string {
					return says(w.family.controlPlane, clusterName, "ManagedCluster my-cluster: "+message)(w)
				},
				notInAzure("/managedClusters/my-cluster"),
			},
		}
	}
	return []step{
		begin("create without pools", "waits until a", func(any) bool { return true }),
		begin("add a User pool", refused, poolOf("pool0")),
	}
}

// downTopology deletes the Cluster first, and then its ClusterClass, which could serve others.
var downTopology = downClass(azureEmpty)

// downClass is downTopology with what is expected of Azure then.
func downClass(left expectation) []step {
	return []step{
		{
			name:    "delete the Cluster",
			act:     down.act,
			expect:  []expectation{gone(clusterKind, clusterName), left, acceptedDeletes},
			never:   down.never,
			deletes: true, lasts: down.lasts,
		},
		{
			name: "delete the ClusterClass",
			act: func(w *world) error {
				for _, gvk := range slices.Concat([]schema.GroupVersionKind{classKind, bootstrapTemplateKind, identityKind}, templateKinds) {
					if err := w.client.DeleteAllOf(w.ctx, object(gvk, w.namespace, ""), client.InNamespace(w.namespace)); err != nil {
						return err
					}
				}
				return nil
			},
			expect:  []expectation{nothingLeft, left},
			deletes: true,
		},
	}
}

var ourTopology = []func(*world) (string, error){ours("clusterclass-aks-aso.yaml"), ours("cluster-template-aks-aso-topology.yaml")}

var theirTopology = []func(*world) (string, error){
	theirs("cluster-template-aks-aso-clusterclass.yaml"), theirs("cluster-template-aks-aso-topology.yaml"),
}

var ourTypedTopology = []func(*world) (string, error){ours("clusterclass-aks.yaml"), ours("cluster-template-aks-topology.yaml")}

var theirTypedTopology = []func(*world) (string, error){
	theirs("cluster-template-aks-clusterclass.yaml"), theirs("cluster-template-aks-topology.yaml"),
}

// typedTopology changes what a Cluster of the typed kinds' ClusterClass has.
var typedTopology = &scenario{
	name: "typed-topology", family: typedFamily, calmOnly: true,
	steps: slices.Concat(poolByPool(ourTypedTopology, "waits until an AzureManagedMachinePool of Cluster my-cluster has spec.mode System"), []step{
		upTopology(ourTypedTopology, size("pool0", 2), size("pool1", 2)),
		{
			name: "add a pool, and change a variable",
			act:  all(addPool("pool2", 1), setVariable("tags", map[string]any{"team": "blue"})),
			expect: []expectation{
				size("pool2", 1), inAzure("/agentPools/pool2", "properties.vmSize", "Standard_E4s_v5"), inAzure("/managedClusters/my-cluster", "tags.team", "blue"),
				inAzure("/agentPools/pool1", "properties.tags.team", "blue"), available, kubeconfigWorks,
			},
		},
		{
			name:   "remove it",
			act:    removePool("pool2"),
			goes:   []removal{{"ManagedClustersAgentPool/my-cluster-pool2-.*", "/agentPools/pool2"}},
			expect: []expectation{noPool("pool2"), size("pool0", 2), available},
		},
		{
			name: "upgrade",
			act:  func(w *world) error { return w.set(clusterKind, clusterName, "spec.topology.version", newer) },
			expect: []expectation{
				inAzure("/managedClusters/my-cluster", "properties.currentKubernetesVersion", newer[1:]),
				inAzure("/agentPools/pool0", "properties.currentOrchestratorVersion", newer[1:]),
				inAzure("/agentPools/pool1", "properties.currentOrchestratorVersion", newer[1:]),
				kubelets(newer), poolsFollow(newer), available, kubeconfigWorks,
			},
			lasts: 15 * time.Second,
		},
	}, downTopology),
}

var topology = &scenario{
	name: "topology",
	steps: append([]step{
		upTopology(ourTopology, size("pool0", 2), size("pool1", 2)),
		{
			name:   "scale a pool",
			act:    sizePool("pool1", 4),
			expect: []expectation{size("pool1", 4), size("pool0", 2), available, kubeconfigWorks},
		},
		{
			name:   "add a pool",
			act:    addPool("pool2", 1),
			expect: []expectation{size("pool2", 1), inAzure("/agentPools/pool2", "properties.vmSize", "Standard_E4s_v5"), available, kubeconfigWorks},
		},
		{
			name:   "remove it",
			act:    removePool("pool2"),
			goes:   []removal{{"ManagedClustersAgentPool/my-cluster-pool2", "/agentPools/pool2"}},
			expect: []expectation{noPool("pool2"), size("pool0", 2), available, kubeconfigWorks},
		},
		{
			name:   "remove a pool, and add it again at once",
			act:    all(once("removed", removePool("pool1")), goesAway("pool1"), addPool("pool1", 2)),
			goes:   []removal{{"ManagedClustersAgentPool/my-cluster-pool1", "/agentPools/pool1"}},
			expect: []expectation{inAzure("/agentPools/pool1", "properties.vmSize", "Standard_E4s_v5"), size("pool1", 2), available, kubeconfigWorks},
		},
		{
			name: "add a pool that AKS scales",
			act:  addScaledPool("pool3"),
			expect: []expectation{
				size("pool3", 1), inAzure("/agentPools/pool3", "properties.enableAutoScaling", true),
				inAzure("/agentPools/pool3", "properties.minCount", 1), inAzure("/agentPools/pool3", "properties.maxCount", 4),
				inAzure("/agentPools/pool3", "properties.availabilityZones", []any{"2"}), available, kubeconfigWorks,
			},
		},
	}, downTopology...),
}

// changedTopology changes what is common to all of a Cluster: a variable, the version, the class.
var changedTopology = &scenario{
	name: "topology-changes", calmOnly: true,
	steps: slices.Concat(poolByPool(ourTopology, "Must define at least one system pool"), []step{
		upTopology(ourTopology, size("pool0", 2), size("pool1", 2)),
		{
			name: "change a variable",
			act:  setVariable("tags", map[string]any{"team": "blue"}),
			expect: []expectation{
				inAzure("/resourceGroups/my-cluster", "tags.team", "blue"), inAzure("/managedClusters/my-cluster", "tags.team", "blue"),
				inAzure("/agentPools/pool1", "properties.tags.team", "blue"), available,
			},
		},
		{
			name: "ask for a version that AKS does not have",
			act:  func(w *world) error { return w.set(clusterKind, clusterName, "spec.topology.version", unknown) },
			expect: []expectation{
				says(controlPlaneKind, clusterName, unknown[1:]), field(controlPlaneKind, clusterName, "status.version", version), available,
			},
		},
		{
			name: "take it back",
			act:  func(w *world) error { return w.set(clusterKind, clusterName, "spec.topology.version", version) },
			expect: []expectation{
				silent(controlPlaneKind, clusterName, unknown[1:]), field(controlPlaneKind, clusterName, "spec.version", version),
				condition(clusterKind, clusterName, "TopologyReconciled", "True", ""), kubelets(version), available,
			},
		},
		{
			name:   "leave upgrades to AKS",
			act:    classWithChannel,
			expect: []expectation{inAzure("/managedClusters/my-cluster", "properties.autoUpgradeProfile.upgradeChannel", "stable"), available},
		},
		{
			name: "AKS upgrades by itself, and a variable is changed",
			act:  all(once("upgraded by AKS", upgradedByAKS(between)), setVariable("tags", map[string]any{"team": "red"})),
			expect: []expectation{
				inAzure("/managedClusters/my-cluster", "tags.team", "red"), inAzure("/agentPools/pool1", "properties.tags.team", "red"),
				field(controlPlaneKind, clusterName, "status.version", between), kubelets(between), available,
			},
		},
		{
			name: "upgrade",
			act:  func(w *world) error { return w.set(clusterKind, clusterName, "spec.topology.version", newer) },
			expect: []expectation{
				inAzure("/managedClusters/my-cluster", "properties.currentKubernetesVersion", newer[1:]),
				inAzure("/agentPools/pool0", "properties.currentOrchestratorVersion", newer[1:]),
				inAzure("/agentPools/pool1", "properties.currentOrchestratorVersion", newer[1:]),
				kubelets(newer), poolsFollow(newer), available, kubeconfigWorks, condition(clusterKind, clusterName, "TopologyReconciled", "True", ""),
			},
			lasts: 15 * time.Second,
		},
		{
			name: "rebase to another ClusterClass",
			act: all(secondClass, func(w *world) error {
				return w.set(clusterKind, clusterName, "spec.topology.classRef.name", rebasedName)
			}),
			expect: []expectation{
				on(agentPoolKind, userPool, func(u *unstructured.Unstructured) []string {
					labels, _, _ := unstructured.NestedStringMap(u.Object, "spec", "nodeLabels")
					if labels["example.org/class"] != "v2" {
						return []string{fmt.Sprintf("spec.nodeLabels of the agent pool is %v", labels)}
					}
					return nil
				}),
				size("pool0", 2), size("pool1", 2), available, kubeconfigWorks, kubelets(newer),
				condition(clusterKind, clusterName, "TopologyReconciled", "True", ""),
			},
		},
	}, downTopology),
}

// topologies have a scenario each for the ClusterClass of examples/flavors and for CAPZ's own.
func topologies() []*scenario {
	return []*scenario{topology, changedTopology, typedTopology, {
		name: "capz-topology", calmOnly: true,
		steps: append([]step{
			upTopology(theirTopology, sizeAs("mp-0", "pool0", 1), sizeAs("mp-1", "pool1", 1)),
		}, downTopology...),
	}, {
		name: "capz-typed-topology", family: typedFamily, calmOnly: true,
		steps: append([]step{
			upTopology(theirTypedTopology, sizeAs("mp-0", "pool0", 1), sizeAs("mp-1", "pool1", 1)),
		}, downTopology...),
	}}
}
