package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// ownership says on an ASO object whose the resource in Azure is.
const ownership = "infrastructure.cluster.x-k8s.io/ownership"

// lifecycle is on an ASO object whose resource ASO does not write after its creation, or never.
const lifecycle = "infrastructure.cluster.x-k8s.io/lifecycle"

// writeAzure puts a resource, given by its path below the subscription, into Azure as another tool does, and waits until it is there.
func writeAzure(path, apiVersion, body string) func(*world) error {
	return func(w *world) error {
		body := strings.ReplaceAll(body, "SUBSCRIPTION", w.subscription)
		return w.stack.PutInAzure(w.ctx, "/subscriptions/"+w.subscription+path, apiVersion, body)
	}
}

// The company's network, as examples/aks-byo-network has it.
const (
	networkGroup  = "/resourceGroups/my-network"
	network       = networkGroup + "/providers/Microsoft.Network/virtualNetworks/company"
	networkSubnet = network + "/subnets/nodes"
)

// companyNetwork makes it.
var companyNetwork = all(
	writeAzure(networkGroup, "2020-06-01", `{"location":"westeurope","tags":{"owner":"company"}}`),
	writeAzure(network, "2020-11-01", `{"location":"westeurope","tags":{"owner":"company"},"properties":{"addressSpace":{"addressPrefixes":["10.64.0.0/12"]}}}`),
	writeAzure(networkSubnet, "2020-11-01", `{"properties":{"addressPrefix":"10.64.0.0/16"}}`),
)

// neverWritten expects that nobody but the person has asked Azure to change or delete a resource, or what is directly below it.
func neverWritten(path string) expectation {
	return func(w *world) []string {
		requests, err := w.requests(w.begun, http.MethodPut, http.MethodPatch, http.MethodDelete)
		if err != nil {
			return []string{err.Error()}
		}
		var written []string
		for _, r := range requests {
			if strings.HasSuffix(strings.ToLower(r.Path), strings.ToLower(path)) && r.UserAgent != stack.PersonAgent {
				written = append(written, fmt.Sprintf("%s %s was sent by %s", r.Method, r.Path, r.UserAgent))
			}
		}
		return written
	}
}

// external expects that an ASO object is only read, and says so.
func externalObject(gvk schema.GroupVersionKind, name string) expectation {
	return func(w *world) []string {
		return append(annotated(gvk, name, asoPolicy, pointer("skip"))(w),
			annotated(gvk, name, ownership, pointer("external"))(w)...)
	}
}

var (
	virtualNetworkKind = schema.GroupVersionKind{Group: "network.azure.com", Version: "v1api20201101", Kind: "VirtualNetwork"}
	subnetKind         = schema.GroupVersionKind{Group: "network.azure.com", Version: "v1api20201101", Kind: "VirtualNetworksSubnet"}
)

// untouchedNetwork expects the company's network as it was, and that nobody has tried to change it.
var untouchedNetwork = []expectation{
	neverWritten(networkGroup), neverWritten(network), neverWritten(networkSubnet),
	inAzure(networkGroup, "tags", map[string]any{"owner": "company"}), inAzure(network, "tags", map[string]any{"owner": "company"}),
	inAzure(networkSubnet, "properties.addressPrefix", "10.64.0.0/16"),
}

// onlyNetworkLeft expects that of the cluster nothing is left in Azure, and of the company everything.
func onlyNetworkLeft(w *world) []string {
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return []string{err.Error()}
	}
	var left []string
	for _, r := range all {
		if !strings.Contains(r.ID, networkGroup) {
			left = append(left, "Azure still has "+r.ID)
		}
	}
	return left
}

// secondCluster is a second cluster in the company's network, which is in the namespace of the first, in a subnet of its own.
const secondCluster = "second"

// asSecond calls the objects of an example after the second cluster. The identity is the first one's.
func asSecond(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	text, err := json.Marshal(slices.DeleteFunc(objects, func(u *unstructured.Unstructured) bool { return u.GetKind() == identityKind.Kind }))
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(clusterName), []byte(secondCluster))
	text = bytes.ReplaceAll(text, []byte(`"subnet":{"cidrBlock":"10.64.0.0/16","name":"nodes"}`), []byte(`"subnet":{"cidrBlock":"10.65.0.0/16","name":"second"}`))
	var second []*unstructured.Unstructured
	return second, json.Unmarshal(text, &second)
}

// secondRuns expects the second cluster in the company's network.
var secondRuns = append([]expectation{
	condition(clusterKind, secondCluster, "Available", "True", ""), inAzure("/managedClusters/second", "properties.provisioningState", "Succeeded"),
	externalObject(resourceGroupKind, "my-network.second"), externalObject(virtualNetworkKind, "company.second"),
	inAzure("/subnets/second", "properties.addressPrefix", "10.65.0.0/16"),
}, untouchedNetwork...)

// typedNetwork is a cluster in a network that was there before, and then a second one beside it.
var typedNetwork = &scenario{
	name: "typed-network", family: typedFamily,
	steps: []step{
		{
			name: "create",
			act:  all(once("network", companyNetwork), applyTyped("aks-byo-network")), lasts: 15 * time.Second,
			expect: append([]expectation{
				available, contractKept, kubeconfigWorks, replicas(systemPool, 2), owned("/resourceGroups/my-cluster"), owned("/managedClusters/my-cluster"),
				externalObject(resourceGroupKind, "my-network"), externalObject(virtualNetworkKind, "company"), externalObject(subnetKind, "company-nodes"),
				subnetOfPool,
			}, untouchedNetwork...),
		},
		{
			name: "tag the cluster",
			act: func(w *world) error {
				return w.set(typedControlPlaneKind, clusterName, "spec.additionalTags", map[string]any{"changed": "yes"})
			},
			expect: append([]expectation{
				inAzure("/managedClusters/my-cluster", "tags.changed", "yes"), inAzure("/resourceGroups/my-cluster", "tags.changed", "yes"), available,
			}, untouchedNetwork...),
		},
		{
			name: "a second cluster in the same network",
			act:  func(w *world) error { return applyExample("aks-byo-network", asSecond, w.subscribe)(w) }, lasts: 15 * time.Second,
			expect: append([]expectation{available}, secondRuns...),
		},
		{
			name: "delete the first",
			act:  func(w *world) error { return w.remove(clusterKind, clusterName) },
			expect: append([]expectation{
				gone(clusterKind, clusterName), gone(typedControlPlaneKind, clusterName), notInAzure("/resourceGroups/my-cluster"), acceptedDeletes,
			}, secondRuns...),
			goes: []removal{
				{"ResourceGroup/my-(cluster|network)", "/resourceGroups/my-cluster"}, {"VirtualNetwork/company", "/nothing"}, {"VirtualNetworksSubnet/company-nodes", "/nothing"},
				{"ManagedCluster/my-cluster", "/managedClusters/my-cluster"}, {"ManagedClustersAgentPool/my-cluster-pool0", "/managedClusters/my-cluster/agentPools/pool0"},
			},
			lasts: downTyped.lasts,
		},
		{
			name: "delete",
			act: all(
				func(w *world) error { return w.remove(clusterKind, secondCluster) },
				removeIdentity,
			),
			expect:  append([]expectation{nothingLeft, onlyNetworkLeft, acceptedDeletes}, untouchedNetwork...),
			never:   down.never,
			deletes: true, lasts: downTyped.lasts,
		},
	},
}

// subnetOfPool expects the nodes in the company's subnet.
func subnetOfPool(w *world) []string {
	return inAzure("/agentPools/pool0", "properties.vnetSubnetID", "/subscriptions/"+w.subscription+networkSubnet)(w)
}
