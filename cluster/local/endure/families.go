package endure

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// The kinds that lives write.
var (
	clusterKind    = schema.GroupVersionKind{Group: coreGroup, Version: "v1beta2", Kind: "Cluster"}
	poolKind       = schema.GroupVersionKind{Group: coreGroup, Version: "v1beta2", Kind: "MachinePool"}
	deploymentKind = schema.GroupVersionKind{Group: coreGroup, Version: "v1beta2", Kind: "MachineDeployment"}
	kubeadmKind    = schema.GroupVersionKind{Group: controlPlaneGroup, Version: "v1beta2", Kind: "KubeadmControlPlane"}
	identityKind   = composite.AzureClusterIdentity.GroupVersionKind
	teamKind       = composite.AKSCluster.GroupVersionKind
)

const (
	coreGroup         = "cluster.x-k8s.io"
	controlPlaneGroup = "controlplane.cluster.x-k8s.io"
	factsGroup        = "capz.crossplane.io"
)

// The names that the examples have in common.
const (
	clusterName = "my-cluster"
	identity    = "my-identity"
	workers     = clusterName + "-md-0"
	scaleSet    = clusterName + "-mp-0"
	teamCluster = "shop"
)

// The versions of Kubernetes that lives go from and to.
const (
	newerAKS                     = "v1.34.3"
	olderMachines, newerMachines = "v1.35.4", "v1.36.3"
)

// A deed is what a person does in a stage, and what comes of it.
type deed struct {
	// act is done while things break.
	act func(ctx context.Context, w *world) error
	// reached says what is missing, besides the cluster being whole.
	reached func(ctx context.Context, w *world) ([]string, error)
	// goes are the ASO objects, as in "Subnet/nodes", and deletes the paths in Azure, that the stage has go; none when nil.
	goes, deletes *regexp.Regexp
}

// A family is a way to write clusters.
type family struct {
	name string
	// examples are the folders of examples/ that are applied; of platform only what a team writes is.
	examples []string
	// machines says that its nodes are virtual machines that boot.
	machines bool
	stages   map[Stage]deed
}

// Families returns the names of all families.
func Families() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

func familyNamed(name string) (*family, error) {
	for _, f := range families {
		if f.name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("no family is called %q", name)
}

var (
	everything = regexp.MustCompile(".")
	// aMachine is what a virtual machine consists of, and an instance of a scale set.
	machineObjects   = regexp.MustCompile("^(VirtualMachine|NetworkInterface|LoadBalancersInboundNatRule)/")
	machineResources = regexp.MustCompile("(?i)/(virtualMachines|networkInterfaces|disks|inboundNatRules)/|/virtualMachineScaleSets/[^/]+/(virtualMachines/|delete$)")
)

// holdTime is how long a paused cluster is looked at.
const holdTime = 4 * time.Second

var families = makeFamilies()

func makeFamilies() []*family {
	controlPlane, typed := composite.AzureASOManagedControlPlane.GroupVersionKind, composite.AzureManagedControlPlane.GroupVersionKind
	return []*family{
		{
			name: "aks-aso", examples: []string{"aks-aso"},
			stages: map[Stage]deed{
				Create: {act: apply},
				Change: {act: setInEntry(controlPlane, clusterName, "spec.tags", map[string]any{"changed": "yes"}), reached: inAzure("/managedClusters/my-cluster", "tags.changed", "yes")},
				Scale:  {act: set(poolKind, clusterName+"-pool1", "spec.replicas", int64(4)), reached: inAzure("/agentPools/pool1", "properties.count", 4)},
				Upgrade: {
					act: upgradeAKS(controlPlane),
					reached: both(
						inAzure("/agentPools/pool0", "properties.currentOrchestratorVersion", newerAKS[1:]), inAzure("/agentPools/pool1", "properties.currentOrchestratorVersion", newerAKS[1:]),
					),
				},
				Pause:  scaledWhilePaused(),
				Move:   moved(),
				Delete: {act: remove(clusterKind, clusterName), goes: everything, deletes: everything},
			},
		},
		{
			name: "aks", examples: []string{"aks"},
			stages: map[Stage]deed{
				Create: {act: apply},
				Change: {act: set(typed, clusterName, "spec.additionalTags", map[string]any{"changed": "yes"}), reached: inAzure("/managedClusters/my-cluster", "tags.changed", "yes")},
				Scale:  {act: set(poolKind, clusterName+"-pool1", "spec.replicas", int64(1)), reached: inAzure("/agentPools/pool1", "properties.count", 1)},
				Upgrade: {
					act:     upgradeAKS(typed),
					reached: inAzure("/agentPools/pool1", "properties.currentOrchestratorVersion", newerAKS[1:]),
				},
				Pause:  scaledWhilePaused(),
				Move:   moved(),
				Delete: {act: all(remove(clusterKind, clusterName), remove(identityKind, identity)), goes: everything, deletes: everything},
			},
		},
		{
			name: "platform", examples: []string{"platform"},
			stages: map[Stage]deed{
				Create: {act: apply},
				Scale:  {act: set(teamKind, teamCluster, "spec.nodePools", teamPools(3)), reached: inAzure("/agentPools/work", "properties.count", 3)},
				Upgrade: {
					act:     set(teamKind, teamCluster, "spec.version", newerAKS),
					reached: both(inAzure("/managedClusters/"+teamCluster, "properties.currentKubernetesVersion", newerAKS[1:]), inAzure("/agentPools/work", "properties.currentOrchestratorVersion", newerAKS[1:])),
				},
				Delete: {act: remove(teamKind, teamCluster), goes: everything, deletes: everything},
			},
		},
		machineFamily("machines", []string{"self-managed"}, map[Stage]deed{
			Scale: {act: set(deploymentKind, workers, "spec.replicas", int64(2)), reached: countedInAzure("/virtualMachines/", 3)},
			Upgrade: {
				act: all(
					set(kubeadmKind, clusterName+"-control-plane", "spec.version", newerMachines), set(deploymentKind, workers, "spec.template.spec.version", newerMachines),
				),
				goes: machineObjects, deletes: machineResources,
			},
		}),
		machineFamily("machine-pool", []string{"self-managed", "self-managed-machinepool"}, map[Stage]deed{
			Scale: {act: set(poolKind, scaleSet, "spec.replicas", int64(3)), reached: inAzure("/virtualMachineScaleSets/"+scaleSet, "sku.capacity", 3)},
		}),
	}
}

// upgradeAKS upgrades a control plane of a kind, and then its two pools.
func upgradeAKS(controlPlane schema.GroupVersionKind) act {
	return all(
		set(controlPlane, clusterName, "spec.version", newerAKS), await(inAzure("/managedClusters/my-cluster", "properties.currentKubernetesVersion", newerAKS[1:])),
		set(poolKind, clusterName+"-pool0", "spec.template.spec.version", newerAKS), set(poolKind, clusterName+"-pool1", "spec.template.spec.version", newerAKS),
	)
}

// scaledWhilePaused scales a pool of two nodes while the Cluster is paused.
func scaledWhilePaused() deed {
	return deed{
		act:     pausedWhile(set(poolKind, clusterName+"-pool0", "spec.replicas", int64(3)), inAzure("/agentPools/pool0", "properties.count", 2)),
		reached: inAzure("/agentPools/pool0", "properties.count", 3),
	}
}

// machineFamily returns a family of virtual machines, with the stages that all of them have and some of its own.
func machineFamily(name string, examples []string, own map[Stage]deed) *family {
	f := &family{name: name, examples: examples, machines: true, stages: map[Stage]deed{
		Create: {act: apply},
		Change: {
			act:     set(composite.AzureCluster.GroupVersionKind, clusterName, "spec.additionalTags", map[string]any{"changed": "yes"}),
			reached: inAzure("/virtualNetworks/my-cluster-vnet", "tags.changed", "yes"),
		},
		Pause: {
			act: pausedWhile(
				set(composite.AzureCluster.GroupVersionKind, clusterName, "spec.additionalTags", map[string]any{"paused": "yes"}),
				inAzure("/virtualNetworks/my-cluster-vnet", "tags.paused", nil),
			),
			reached: inAzure("/virtualNetworks/my-cluster-vnet", "tags.paused", "yes"),
		},
		Move:   moved(),
		Delete: {act: all(remove(clusterKind, clusterName), remove(identityKind, identity)), goes: everything, deletes: everything},
	}}
	for stage, d := range own {
		f.stages[stage] = d
	}
	return f
}

// teamPools returns the pools of examples/platform, the second of which has so many nodes.
func teamPools(count int64) []any {
	return []any{
		map[string]any{"name": "system", "mode": "system", "count": int64(2)},
		map[string]any{
			"name": "work", "size": "Standard_D4s_v5", "count": count, "labels": map[string]any{"workload": "batch"},
			"taints": []any{map[string]any{"key": "workload", "value": "batch", "effect": "NoSchedule"}},
		},
	}
}
