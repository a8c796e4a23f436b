package aso

import (
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// PathOwner is the path of the reference to what an object lies in.
const PathOwner = "spec.owner"

// A Reference is one object's mention of another in the same namespace.
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

// SameObject reports whether both mean the same object, wherever they stand.
func (r Reference) SameObject(other Reference) bool {
	return r.GroupKind == other.GroupKind && r.Name == other.Name
}

// ReferenceTo returns a reference to obj that stands at path.
func ReferenceTo(obj *unstructured.Unstructured, path string) Reference {
	return Reference{GroupKind: obj.GroupVersionKind().GroupKind(), Name: obj.GetName(), Path: path}
}

// References returns every reference by name to another ASO object in the spec of obj, in the order of their paths.
// Those by ID are Resolver's to find: ASO neither waits for them nor needs them in Kubernetes.
//
// ASO documentation, "Resource relationships": the owner's kind follows from the kind of the owned resource, except
// for extension resources, which name it; every other reference names group, kind and name.
func References(obj *unstructured.Unstructured) []Reference {
	spec := specOf(obj)
	var refs []Reference
	for _, key := range nested(spec, "") {
		if key == "owner" {
			refs = append(refs, owner(obj, spec[key])...)
			continue
		}
		refs = append(refs, collect(spec[key], "spec."+key)...)
	}
	return refs
}

// specOf returns the spec of an object; nil if it is of another shape, which no kind of ASO has.
func specOf(obj *unstructured.Unstructured) map[string]any {
	spec, _ := obj.Object["spec"].(map[string]any)
	return spec
}

func owner(obj *unstructured.Unstructured, value any) []Reference {
	m, _ := value.(map[string]any)
	name := field.Text(m["name"])
	if name == "" {
		return nil
	}
	ref := Reference{GroupKind: OwnerKind(obj.GroupVersionKind().GroupKind()), Name: name, Path: PathOwner}
	if kind := field.Text(m["kind"]); kind != "" {
		ref.GroupKind = schema.GroupKind{Group: field.Text(m["group"]), Kind: kind}
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
		for _, key := range nested(v, "") {
			refs = append(refs, collect(v[key], path+"."+key)...)
		}
	case []any:
		for i := range v {
			refs = append(refs, collect(v[i], field.Item(path, i))...)
		}
	}
	return refs
}

// nested returns the fields of m that are objects or lists, and the one called also, in their order.
func nested(m map[string]any, also string) []string {
	var keys []string
	for key, value := range m {
		switch value.(type) {
		case map[string]any, []any:
			keys = append(keys, key)
		default:
			if key == also {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// asReference recognises a reference by its shape: all of ASO's reference types have it, whatever the field is called.
func asReference(m map[string]any, path string) (Reference, bool) {
	group, kind, name := field.Text(m["group"]), field.Text(m["kind"]), field.Text(m["name"])
	if kind == "" || name == "" || !IsASO(group) {
		return Reference{}, false
	}
	return Reference{GroupKind: schema.GroupKind{Group: group, Kind: kind}, Name: name, Path: path}, true
}

// Retarget has every reference by name of obj to the object of the kind that is called from mean the one that is called to.
func Retarget(obj *unstructured.Unstructured, kind schema.GroupKind, from, to string) {
	spec := specOf(obj)
	means := func(ref Reference) bool { return ref.GroupKind == kind && ref.Name == from }
	if refs := owner(obj, spec["owner"]); slices.ContainsFunc(refs, means) {
		_ = SpecOwnerName.Set(obj, to) // It is a text now.
	}
	for key, value := range spec {
		if key != "owner" {
			retarget(value, means, to)
		}
	}
}

func retarget(value any, means func(Reference) bool, to string) {
	switch v := value.(type) {
	case map[string]any:
		if ref, ok := asReference(v, ""); ok {
			if means(ref) {
				v["name"] = to
			}
			return
		}
		for _, inner := range v {
			retarget(inner, means, to)
		}
	case []any:
		for _, inner := range v {
			retarget(inner, means, to)
		}
	}
}

// idAt is an ID in Azure, and the field where it stands.
type idAt struct {
	id   *arm.ResourceID
	path string
}

// ids returns every ID in value, in the order of the paths. ASO has them in fields armId.
func ids(value any, path string) []idAt {
	var found []idAt
	switch v := value.(type) {
	case map[string]any:
		for _, key := range nested(v, "armId") {
			if text, isText := v[key].(string); isText && key == "armId" {
				if id := ParseID(text); id != nil {
					found = append(found, idAt{id, path + "." + key})
				}
				continue
			}
			found = append(found, ids(v[key], path+"."+key)...)
		}
	case []any:
		for i := range v {
			found = append(found, ids(v[i], field.Item(path, i))...)
		}
	}
	return found
}
