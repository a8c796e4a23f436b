package composer

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ResourceGroup is the ASO kind that owns every resource whose kind names no other owner.
var ResourceGroup = schema.GroupKind{Group: "resources.azure.com", Kind: "ResourceGroup"}

// pathOwner is the path of the reference to what an object lies in.
const pathOwner = "spec.owner"

// A Reference is one ASO object's mention of another in the same namespace.
type Reference struct {
	schema.GroupKind

	// Name is the metadata.name of the object referred to.
	Name string
	// Path is the field that refers to it, such as spec.owner.
	Path string
}

// String returns the reference as a person would say it: kind and name.
func (r Reference) String() string { return r.Kind + " " + r.Name }

// Matches reports whether obj is what the reference means.
func (r Reference) Matches(obj *unstructured.Unstructured) bool {
	return obj.GetName() == r.Name && obj.GroupVersionKind().GroupKind() == r.GroupKind
}

// sameObject reports whether both mean the same object, wherever they stand.
func (r Reference) sameObject(other Reference) bool {
	return r.GroupKind == other.GroupKind && r.Name == other.Name
}

// References returns every reference by name to another ASO object in the spec of obj, in the order of their paths.
// A reference by armId is none: ASO neither waits for it nor needs it in Kubernetes.
//
// ASO documentation, "Resource relationships": the owner's kind follows from the kind of the owned resource, except
// for extension resources, which name it; every other reference names group, kind and name.
func References(obj *unstructured.Unstructured) []Reference {
	spec, _, _ := unstructured.NestedMap(obj.Object, "spec")
	var refs []Reference
	for _, key := range slices.Sorted(maps.Keys(spec)) {
		if key == "owner" {
			refs = append(refs, owner(obj, spec[key])...)
			continue
		}
		refs = append(refs, collect(spec[key], "spec."+key)...)
	}
	return refs
}

// OwnerKind returns the kind that an ASO resource of the given kind is owned by.
func OwnerKind(kind schema.GroupKind) schema.GroupKind {
	if owner, ok := asoOwners[kind.String()]; ok {
		return schema.ParseGroupKind(owner)
	}
	return ResourceGroup
}

func owner(obj *unstructured.Unstructured, value any) []Reference {
	m, _ := value.(map[string]any)
	name, _ := m["name"].(string)
	if name == "" {
		return nil
	}
	ref := Reference{GroupKind: OwnerKind(obj.GroupVersionKind().GroupKind()), Name: name, Path: pathOwner}
	if kind, _ := m["kind"].(string); kind != "" {
		group, _ := m["group"].(string)
		ref.GroupKind = schema.GroupKind{Group: group, Kind: kind}
	}
	return []Reference{ref}
}

func collect(value any, path string) []Reference {
	var refs []Reference
	switch v := value.(type) {
	case map[string]any:
		if ref, ok := asReference(v, path); ok {
			return []Reference{ref}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			refs = append(refs, collect(v[key], path+"."+key)...)
		}
	case []any:
		for i := range v {
			refs = append(refs, collect(v[i], indexed(path, i))...)
		}
	}
	return refs
}

// asReference recognises a reference by its shape: all of ASO's reference types have it, whatever the field is called.
func asReference(m map[string]any, path string) (Reference, bool) {
	group, _ := m["group"].(string)
	kind, _ := m["kind"].(string)
	name, _ := m["name"].(string)
	if kind == "" || name == "" || !IsASO(group) {
		return Reference{}, false
	}
	return Reference{GroupKind: schema.GroupKind{Group: group, Kind: kind}, Name: name, Path: path}, true
}
