package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// requestsOfAKind is how many requests of a kind are sent, one after the other.
const requestsOfAKind = 200

// requests measures what single requests about a cluster that is up cost the API server, and ASO, which converts its objects between
// versions for it. Crossplane core is not running: what changes is nobody's to react to but the watchers'.
func requests(ctx context.Context, a *arena) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := a.prepare(ctx); err != nil {
		return err
	}
	clusters, err := a.clusters(ctx, fleetFlavor, clusterName)
	if err != nil {
		return err
	}
	if err := a.apply(ctx, clusters); err != nil {
		return err
	}
	if _, err := a.timeline.await(ctx, "the MachinePools to have their nodes", equipped(fleetPools)); err != nil {
		return err
	}
	if err := a.timeline.quiet(ctx, settleBefore, patience); err != nil {
		return err
	}
	return a.takeRequestsAlone(ctx, infra.WithKind("AzureASOManagedMachinePool"), infra.WithKind("AzureASOManagedControlPlane"),
		schema.GroupVersionKind{Group: "resources.azure.com", Version: "v1api20200601", Kind: "ResourceGroup"},
		schema.GroupVersionKind{Group: "containerservice.azure.com", Version: "v1api20240901", Kind: "ManagedCluster"},
		schema.GroupVersionKind{Group: "containerservice.azure.com", Version: "v1api20240901", Kind: "ManagedClustersAgentPool"},
		capi.WithKind("Cluster"))
}

var (
	infra = schema.GroupVersion{Group: infraGroup, Version: "v1beta1"}
	capi  = schema.GroupVersion{Group: capiGroup, Version: "v1beta2"}
)

// machineRequests is requests about a machine that is up: its network interface in each version that ASO serves, its virtual machine in that of
// the composition.
func machineRequests(ctx context.Context, a *arena) error {
	ctx, cancel := context.WithTimeout(ctx, machinePatience)
	defer cancel()
	if err := a.bringUpControlPlane(ctx, deploymentFlavor); err != nil {
		return err
	}
	network := func(version string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: "network.azure.com", Version: version, Kind: "NetworkInterface"}
	}
	return a.takeRequestsAlone(ctx, infra.WithKind("AzureMachine"), capi.WithKind("Machine"), network("v1api20201101"), network("v1api20240301"), network("v20250301"),
		schema.GroupVersionKind{Group: "compute.azure.com", Version: "v1api20220301", Kind: "VirtualMachine"})
}

// takeRequestsAlone notes what requests about an object of each kind cost while Crossplane core is not running.
func (a *arena) takeRequestsAlone(ctx context.Context, kinds ...schema.GroupVersionKind) error {
	if err := a.stack.Kill(stack.Crossplane); err != nil {
		return err
	}
	for _, kind := range kinds {
		if err := a.takeRequests(ctx, kind); err != nil {
			return fmt.Errorf("%s: %w", kind.Kind, err)
		}
	}
	return nil
}

// takeRequests notes what reading, applying and changing one object of a kind costs.
func (a *arena) takeRequests(ctx context.Context, kind schema.GroupVersionKind) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	if err := a.client.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return fmt.Errorf("there is none in namespace %s", namespace)
	}
	live := &list.Items[0]
	applied := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
	applied.SetGroupVersionKind(kind)
	applied.SetNamespace(namespace)
	applied.SetName(live.GetName())
	for _, request := range []struct {
		name string
		send func(int) error
	}{
		{"get", func(int) error { return a.client.Get(ctx, client.ObjectKeyFromObject(live), live.DeepCopy()) }},
		{"apply without a change", func(int) error {
			return a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied.DeepCopy()), client.FieldOwner("bench-requests"), client.ForceOwnership)
		}},
		{"change of a label", func(i int) error {
			patch := fmt.Appendf(nil, `{"metadata":{"labels":{"bench":"v%d"}}}`, i)
			return a.client.Patch(ctx, live.DeepCopy(), client.RawPatch(types.MergePatchType, patch))
		}},
	} {
		if err := a.takeRequest(ctx, nameOf(kind)+", "+request.name, request.send); err != nil {
			return fmt.Errorf("%s: %w", request.name, err)
		}
	}
	return nil
}

// nameOf returns the kind, with the version where that is one of Azure Service Operator's of which there are others.
func nameOf(kind schema.GroupVersionKind) string {
	if kind.Kind == "NetworkInterface" {
		return kind.Kind + " " + kind.Version
	}
	return kind.Kind
}

func (a *arena) takeRequest(ctx context.Context, name string, send func(int) error) error {
	before, err := a.usages(ctx, stack.APIServer, stack.ASO)
	if err != nil {
		return err
	}
	for i := range requestsOfAKind {
		if err := send(i); err != nil {
			return err
		}
	}
	after, err := a.usages(ctx, stack.APIServer, stack.ASO)
	if err != nil {
		return err
	}
	for _, component := range []string{stack.APIServer, stack.ASO} {
		a.take(name+": "+component, after[component].since(before[component]).cpu*1000/requestsOfAKind, "CPU ms")
	}
	return nil
}
