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
	if err := a.stack.Kill(stack.Crossplane); err != nil {
		return err
	}
	infra := schema.GroupVersion{Group: infraGroup, Version: "v1beta1"}
	for _, kind := range []schema.GroupVersionKind{
		infra.WithKind("AzureASOManagedMachinePool"), infra.WithKind("AzureASOManagedControlPlane"),
		{Group: "resources.azure.com", Version: "v1api20200601", Kind: "ResourceGroup"},
		{Group: "containerservice.azure.com", Version: "v1api20240901", Kind: "ManagedCluster"},
		{Group: "containerservice.azure.com", Version: "v1api20240901", Kind: "ManagedClustersAgentPool"},
		{Group: capiGroup, Version: "v1beta2", Kind: "Cluster"},
	} {
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
		if err := a.takeRequest(ctx, kind.Kind+", "+request.name, request.send); err != nil {
			return fmt.Errorf("%s: %w", request.name, err)
		}
	}
	return nil
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
