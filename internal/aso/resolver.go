package aso

import (
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Resolver finds which of some objects others refer to, by name or by ID. The order of creation and of deletion follow from it.
type Resolver struct {
	byName map[objectKey]*unstructured.Unstructured
	// byAzureName has those that an ID may mean, by the last part of the ID in lower case.
	byAzureName map[string][]*unstructured.Unstructured
}

type objectKey struct {
	schema.GroupKind

	name string
}

func keyOf(obj *unstructured.Unstructured) objectKey {
	return objectKey{obj.GroupVersionKind().GroupKind(), obj.GetName()}
}

// NewResolver returns a Resolver among the objects. Of two of one kind and name the first counts.
func NewResolver(objects ...*unstructured.Unstructured) *Resolver {
	r := &Resolver{byName: map[objectKey]*unstructured.Unstructured{}, byAzureName: map[string][]*unstructured.Unstructured{}}
	for _, obj := range objects {
		key := keyOf(obj)
		if r.byName[key] != nil {
			continue
		}
		r.byName[key] = obj
		name := strings.ToLower(AzureName(obj))
		if id := noted(obj); id != nil {
			name = strings.ToLower(id.Name)
		}
		r.byAzureName[name] = append(r.byAzureName[name], obj)
	}
	return r
}

// Resolve returns the references of obj: those by name, whether the object referred to is known or not, then those by ID to known
// objects. An ID of something within a resource, such as the backend pool of a load balancer, refers to the nearest one that is known.
func (r *Resolver) Resolve(obj *unstructured.Unstructured) []Reference {
	refs := References(obj)
	for _, at := range ids(specOf(obj), "spec") {
		for _, target := range r.meant(at.id) {
			if keyOf(target) != keyOf(obj) {
				refs = append(refs, ReferenceTo(target, at.path))
			}
		}
	}
	return refs
}

// Find returns the known object that a reference means; nil when there is none.
func (r *Resolver) Find(ref Reference) *unstructured.Unstructured {
	return r.byName[objectKey{ref.GroupKind, ref.Name}]
}

// meant returns the known objects whose resource is the one with the ID, or else the nearest that it lies within. There may be more
// than one where objects do not tell what they lie in.
func (r *Resolver) meant(id *arm.ResourceID) []*unstructured.Unstructured {
	for ; id != nil; id = id.Parent {
		if id.Name == "" {
			continue
		}
		var found []*unstructured.Unstructured
		for _, obj := range r.byAzureName[strings.ToLower(id.Name)] {
			if r.IsAt(obj, id) {
				found = append(found, obj)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// IsAt reports whether the resource of obj has the ID, as far as is known: before ASO has noted its ID, by type, name and owner.
func (r *Resolver) IsAt(obj *unstructured.Unstructured, id *arm.ResourceID) bool {
	if known := noted(obj); known != nil || id == nil {
		return SameID(known, id)
	}
	kind := obj.GroupVersionKind().GroupKind()
	ofType := TypeOf(kind)
	if ofType == "" || !strings.EqualFold(ofType, id.ResourceType.String()) || !strings.EqualFold(AzureName(obj), id.Name) {
		return false
	}
	if owner := ParseID(SpecOwnerARMID.Value(obj)); owner != nil {
		return SameID(owner, id.Parent)
	}
	for _, ref := range References(obj) {
		if ref.Path != PathOwner {
			continue
		}
		if owner := r.Find(ref); owner != nil && owner != obj {
			return r.IsAt(owner, id.Parent)
		}
	}
	return true
}

// noted returns the ID that ASO has noted on an object; nil while it has none.
func noted(obj *unstructured.Unstructured) *arm.ResourceID {
	id, _ := annotation(obj, AnnotationResourceID)
	return ParseID(id)
}
