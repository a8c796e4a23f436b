package composer

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// armTypes are the types that Azure Resource Manager (ARM) gives the kinds which others refer to by ID.
var armTypes = map[schema.GroupKind]string{
	ResourceGroup: "resourceGroups",
	{Group: "network.azure.com", Kind: "VirtualNetwork"}:                    "virtualNetworks",
	{Group: "network.azure.com", Kind: "VirtualNetworksSubnet"}:             "subnets",
	{Group: "containerservice.azure.com", Kind: "ManagedCluster"}:           "managedClusters",
	{Group: "containerservice.azure.com", Kind: "ManagedClustersAgentPool"}: "agentPools",
}

// ReferencesByID returns the references of obj, by ARM ID, to those of the objects whose ID it can only be. References
// by name, see References, do not tell of them, as ASO needs nothing in Kubernetes to resolve an ID.
func ReferencesByID(obj *unstructured.Unstructured, objects []*unstructured.Unstructured) []Reference {
	spec, _, _ := unstructured.NestedMap(obj.Object, "spec")
	ids := armIDs(spec, "spec")
	var refs []Reference
	for _, path := range slices.Sorted(maps.Keys(ids)) {
		for _, o := range objects {
			if tail := idTail(o, objects); tail != "" && o != obj && strings.HasSuffix(strings.ToLower(ids[path]), strings.ToLower(tail)) {
				refs = append(refs, Reference{GroupKind: o.GroupVersionKind().GroupKind(), Name: o.GetName(), Path: path})
			}
		}
	}
	return refs
}

// armIDs returns the value of each field armId within value, by path.
func armIDs(value any, path string) map[string]string {
	ids := map[string]string{}
	switch v := value.(type) {
	case map[string]any:
		for field, inner := range v {
			if id, ok := inner.(string); ok && field == "armId" {
				ids[path+"."+field] = id
				continue
			}
			maps.Copy(ids, armIDs(inner, path+"."+field))
		}
	case []any:
		for n := range v {
			maps.Copy(ids, armIDs(v[n], indexed(path, n)))
		}
	}
	return ids
}

// idTail returns how the ID of the resource of o ends, as far as the objects tell: with its own type and name, after
// those of the owner unless that is a resource group, which ends no ID but its own. It is empty for other kinds.
func idTail(o *unstructured.Unstructured, objects []*unstructured.Unstructured) string {
	kind := o.GroupVersionKind().GroupKind()
	armType, known := armTypes[kind]
	if !known {
		return ""
	}
	tail := "/" + armType + "/" + azureName(o)
	owner, _, _ := unstructured.NestedString(o.Object, "spec", "owner", "name")
	at := slices.IndexFunc(objects, func(other *unstructured.Unstructured) bool {
		return other.GetName() == owner && other.GroupVersionKind().GroupKind() == OwnerKind(kind)
	})
	if at < 0 || kind == ResourceGroup || OwnerKind(kind) == ResourceGroup {
		return tail
	}
	return idTail(objects[at], objects) + tail
}

// azureName returns the name that the resource has in Azure: ASO's default is the name of the object.
func azureName(obj *unstructured.Unstructured) string {
	if name, _, _ := unstructured.NestedString(obj.Object, "spec", "azureName"); name != "" {
		return name
	}
	return obj.GetName()
}
