// Package facts picks from a Cluster and its members what the composite resources of the Cluster are composed by.
package facts

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

// Kind is that of the object that has the facts of the Cluster of the same name.
var Kind = v1alpha1.GroupVersion.WithKind("ClusterFacts")

const (
	capiGroup           = "cluster.x-k8s.io"
	infrastructureGroup = "infrastructure.cluster.x-k8s.io"
)

// kinds are those that facts tell of; true for composite resources, of which others look whether what they compose is ready.
var kinds = map[schema.GroupKind]bool{
	{Group: capiGroup, Kind: "Cluster"}:                               false,
	{Group: capiGroup, Kind: "MachinePool"}:                           false,
	{Group: infrastructureGroup, Kind: "AzureASOManagedCluster"}:      true,
	{Group: infrastructureGroup, Kind: "AzureASOManagedControlPlane"}: true,
	{Group: infrastructureGroup, Kind: "AzureManagedCluster"}:         true,
	{Group: infrastructureGroup, Kind: "AzureManagedControlPlane"}:    true,
	{Group: infrastructureGroup, Kind: "AzureASOManagedMachinePool"}:  true,
	{Group: infrastructureGroup, Kind: "AzureManagedMachinePool"}:     true,
}

// Covers reports whether facts tell of objects of the kind.
func Covers(kind schema.GroupKind) bool {
	_, covered := kinds[kind]
	return covered
}

// Of returns of an object what others are composed by; nil when it is of a kind that facts do not tell of. What it returns
// shares values with the object. Composers read nothing else of the members of their Cluster.
func Of(object *unstructured.Unstructured) *unstructured.Unstructured {
	composite, covered := kinds[object.GroupVersionKind().GroupKind()]
	if !covered {
		return nil
	}
	told := &unstructured.Unstructured{Object: map[string]any{}}
	told.SetAPIVersion(object.GetAPIVersion())
	told.SetKind(object.GetKind())
	told.SetName(object.GetName())
	told.SetNamespace(object.GetNamespace())
	told.SetUID(object.GetUID())
	labels := object.GetLabels()
	maps.DeleteFunc(labels, func(label, _ string) bool {
		return label != clusterv1.ClusterNameLabel && label != clusterv1.ClusterTopologyMachinePoolNameLabel
	})
	if len(labels) > 0 {
		told.SetLabels(labels)
	}
	if annotations := without(object.GetAnnotations(), corev1.LastAppliedConfigAnnotation); len(annotations) > 0 {
		told.SetAnnotations(annotations)
	}
	told.SetDeletionTimestamp(object.GetDeletionTimestamp())
	switch spec := object.Object["spec"].(type) {
	case nil:
	case map[string]any:
		// crossplane is about how it is composed itself, and the others are what comes of it.
		told.Object["spec"] = without(spec, "crossplane", "controlPlaneEndpoint", "providerIDList")
	default:
		told.Object["spec"] = spec // It cannot be read, which is for composers to say.
	}
	if composite {
		told.Object["status"] = statusOf(object)
	}
	return told
}

// statusOf returns what others wait for: what is ready, and whose it is. Reasons and messages change with every step that Azure
// takes.
func statusOf(object *unstructured.Unstructured) map[string]any {
	told := map[string]any{}
	for _, field := range []string{"version", "autoUpgradeVersion"} {
		if value, found, _ := unstructured.NestedString(object.Object, "status", field); found {
			told[field] = value
		}
	}
	resources, _, _ := unstructured.NestedFieldNoCopy(object.Object, "status", "resources")
	items, _ := resources.([]any)
	var kept []any
	for _, item := range items {
		if m, ok := item.(map[string]any); ok && (m["ready"] == true || m["ownership"] != nil) {
			kept = append(kept, without(m, "reason", "message"))
		}
	}
	if len(kept) > 0 {
		told["resources"] = kept
	}
	return told
}

// without returns a copy of a map without some keys.
func without[V any](from map[string]V, keys ...string) map[string]V {
	left := maps.Clone(from)
	maps.DeleteFunc(left, func(key string, _ V) bool { return slices.Contains(keys, key) })
	return left
}

// Common are the kinds that are told of as served from the first, before any composite resource mentions one: each version of them.
var Common = []schema.GroupKind{
	{Group: "resources.azure.com", Kind: "ResourceGroup"},
	{Group: "containerservice.azure.com", Kind: "ManagedCluster"},
	{Group: "containerservice.azure.com", Kind: "ManagedClustersAgentPool"},
	{Group: "network.azure.com", Kind: "VirtualNetwork"},
	{Group: "network.azure.com", Kind: "VirtualNetworksSubnet"},
}

// Name returns how spec.served has a kind.
func Name(gvk schema.GroupVersionKind) string { return gvk.Kind + "." + gvk.Version + "." + gvk.Group }

// Serves reports whether facts tell that the management cluster has the kind. If they do not, it may have it all the same.
func Serves(told *unstructured.Unstructured, gvk schema.GroupVersionKind) bool {
	served, _, _ := unstructured.NestedFieldNoCopy(told.Object, "spec", "served")
	names, _ := served.([]any)
	return slices.Contains(names, any(Name(gvk)))
}

// Operator returns where the ASO runs that serves the Cluster's namespace; empty when that is not told.
func Operator(told *unstructured.Unstructured) string {
	namespace, _, _ := unstructured.NestedString(told.Object, "spec", "operatorNamespace")
	return namespace
}

// Read returns what facts tell, of which the object with the UID is one; nil when they tell of another one of its name, or in a
// format that this version does not know.
func Read(told *unstructured.Unstructured, about types.UID) []*unstructured.Unstructured {
	format, _, _ := unstructured.NestedFieldNoCopy(told.Object, "spec", "format")
	items, _, _ := unstructured.NestedFieldNoCopy(told.Object, "spec", "objects")
	list, _ := items.([]any)
	if !isFormat(format) || told.GetDeletionTimestamp() != nil {
		return nil
	}
	objects := make([]*unstructured.Unstructured, 0, len(list))
	known := false
	for _, item := range list {
		content, _ := item.(map[string]any)
		object := &unstructured.Unstructured{Object: content}
		if !Covers(object.GroupVersionKind().GroupKind()) {
			return nil
		}
		known = known || object.GetUID() == about
		objects = append(objects, object)
	}
	if !known {
		return nil
	}
	return objects
}

// isFormat reports whether it is the format of this version. A number that came through protobuf is a float.
func isFormat(format any) bool {
	switch n := format.(type) {
	case int64:
		return n == v1alpha1.ClusterFactsFormat
	case float64:
		return n == v1alpha1.ClusterFactsFormat
	}
	return false
}
