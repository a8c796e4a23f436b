package plan

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

const network24 = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network"

// nic refers to a backend pool of a load balancer by its ID, and lies in resource group rg.
const nic = "{apiVersion: network.azure.com/v1, kind: NetworkInterface, metadata: {name: nic, namespace: ns}, spec: {owner: {name: rg}, " +
	"ipConfigurations: [{loadBalancerBackendAddressPools: [{reference: {armId: " + network24 + "/loadBalancers/lb/backendAddressPools/pool}}]}]}}"

const loadBalancer = "{apiVersion: network.azure.com/v1, kind: LoadBalancer, metadata: {name: balancer, namespace: ns}, spec: {azureName: lb, owner: {name: rg}}}"

// TestReferenceBelowAResource shows that what refers to a part of a resource waits for that, in one composite and across two of a Cluster,
// whether the other's users write its resources or its fields stand for them.
func TestReferenceBelowAResource(t *testing.T) {
	group := "{apiVersion: resources.azure.com/v1, kind: ResourceGroup, metadata: {name: rg, namespace: ns}, spec: {}}"
	reported := func(ready string) string {
		return "{resources: [{resource: {group: network.azure.com, version: v1, kind: LoadBalancer, name: balancer}, ready: " + ready + "}, " +
			"{resource: {group: resources.azure.com, version: v1, kind: ResourceGroup, name: rg}, ready: true}]}"
	}
	other := func(inline bool, status string) Peer {
		p := Peer{Kind: "AzureCluster", Name: "c1", XR: &unstructured.Unstructured{Object: map[string]any{"status": object(t, status).Object}}}
		lb, rg := object(t, loadBalancer), object(t, group)
		if inline {
			p.XR.Object["spec"] = map[string]any{"resources": []any{lb.Object, rg.Object}}
			return p
		}
		p.Resources = []*unstructured.Unstructured{lb, rg}
		return p
	}
	const at = "(spec.ipConfigurations[0].loadBalancerBackendAddressPools[0].reference.armId)"
	found := asoSays("True", "", "Succeeded")
	ready := func(text string) *unstructured.Unstructured {
		o := object(t, text)
		found(o)
		return o
	}
	cases := map[string]struct {
		beside   []string
		observed []*unstructured.Unstructured
		peers    []Peer
		want     string
	}{
		"beside it, not there":     {beside: []string{group, loadBalancer}, observed: []*unstructured.Unstructured{ready(group)}, want: "waits until LoadBalancer balancer " + at + " is ready"},
		"beside it, ready":         {beside: []string{group, loadBalancer}, observed: []*unstructured.Unstructured{ready(group), ready(loadBalancer)}, want: "is being created"},
		"another's, not ready":     {peers: []Peer{other(true, reported("false"))}, want: "waits until LoadBalancer balancer " + at + " of AzureCluster c1 is ready"},
		"another's, ready":         {peers: []Peer{other(true, reported("true"))}, want: "is being created"},
		"another's, never told":    {peers: []Peer{other(true, "{}")}, want: "waits until ResourceGroup rg (spec.owner) of AzureCluster c1 is ready, LoadBalancer balancer " + at + " of AzureCluster c1 is ready"},
		"a typed one's, not ready": {peers: []Peer{other(false, reported("false"))}, want: "waits until LoadBalancer balancer " + at + " of AzureCluster c1 is ready"},
		"a typed one's, ready":     {peers: []Peer{other(false, reported("true"))}, want: "is being created"},
		"nobody's":                 {want: "is being created"},
		"the other is missing":     {peers: []Peer{{Kind: "AzureCluster", Name: "c1"}}, want: "waits until AzureCluster c1 exists, which may define ResourceGroup rg (spec.owner)"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			resources := []*Resource{{Source: "nic", Declared: true, Object: object(t, nic)}}
			for _, text := range c.beside {
				resources = append(resources, &Resource{Source: "beside", Declared: true, Object: object(t, text)})
			}
			out := makeWith(t, Plan{Peers: c.peers}, false, resources, c.observed...)
			if got := out.Of[0].State; got.Message != c.want {
				t.Errorf("want %q, got %s: %q", c.want, got.Reason, got.Message)
			}
			if reason := out.Of[0].State.Reason; c.want != "is being created" && reason != composer.ReasonWaitingForResource {
				t.Errorf("reason %s", reason)
			}
		})
	}
}
