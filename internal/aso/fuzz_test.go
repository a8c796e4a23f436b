package aso

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/test/hostile"
)

const fuzzedObject = `{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: mc, namespace: ns, generation: 2, labels: {a: b}, annotations: {c: d}},
  spec: {azureName: mc, owner: {name: rg}, list: [{group: network.azure.com, kind: VirtualNetworksSubnet, name: nodes}, {armId: /subscriptions/s/resourceGroups/rg}],
    reference: {armId: /subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes}},
  status: {conditions: [{type: Ready, status: "True", reason: Succeeded, severity: Info, message: m, observedGeneration: 2}]}}`

// FuzzReferences says of any object that each reference in it stands where it is said to.
func FuzzReferences(f *testing.F) {
	seedChanges(f)
	others := []*unstructured.Unstructured{
		object(f, "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: rg}, spec: {azureName: RG}}"),
		object(f, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork, metadata: {name: net}, spec: {owner: {name: rg}}}"),
		object(f, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetworksSubnet, metadata: {name: nodes}, spec: {owner: {name: net}}}"),
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		obj := &unstructured.Unstructured{Object: hostile.Object(object(t, fuzzedObject).Object, data)}
		odd := append(others[:2:2], &unstructured.Unstructured{Object: hostile.Object(others[2].Object, data)})
		before := obj.DeepCopy()
		resolver := NewResolver(odd...)
		refs := resolver.Resolve(obj)
		if diff := cmp.Diff(refs, NewResolver(odd...).Resolve(obj)); diff != "" {
			t.Errorf("two answers about one object:\n%s", diff)
		}
		for _, ref := range refs {
			if !strings.HasPrefix(ref.Path, "spec.") || ref.Name == "" || ref.Kind == "" {
				t.Errorf("reference %+v", ref)
			}
		}
		_, _ = StateOf(obj), Generation(obj)
		if diff := cmp.Diff(before.Object, obj.Object); diff != "" {
			t.Errorf("the object was changed:\n%s", diff)
		}
	})
}

func seedChanges(f *testing.F) {
	for what := range 256 {
		f.Add([]byte{byte(what / 3), byte(what), byte(what)})
	}
}
