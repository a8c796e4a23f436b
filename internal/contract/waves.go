package contract

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// resourceIDAnnotation is where ASO notes the ID in Azure of what it has made.
const resourceIDAnnotation = "serviceoperator.azure.com/resource-id"

// wave returns those of objects that may be deleted next: the ones that no other refers to, as its owner or otherwise,
// by name or by the ID in Azure. Azure refuses to delete what is in use, and ASO would only learn that by trying.
//
// A ManagedCluster and what refers to it go before the rest, such as what pools have left, whose use by its machines no
// reference tells of. Objects that refer to each other in a circle would wait for ever; when nothing else is left they
// go together.
func wave(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	first := withDependents(objects, managedClusterKind)
	if len(first) == 0 {
		first = objects
	}
	var free []*unstructured.Unstructured
	for _, obj := range first {
		if !referredTo(obj, objects) {
			free = append(free, obj)
		}
	}
	if len(free) > 0 || anyDeleting(objects) {
		return free
	}
	return objects
}

// withDependents returns the objects of the kind, and those that refer to them, directly or by others.
func withDependents(objects []*unstructured.Unstructured, kind schema.GroupKind) []*unstructured.Unstructured {
	var found []*unstructured.Unstructured
	for _, obj := range objects {
		if obj.GroupVersionKind().GroupKind() == kind {
			found = append(found, obj)
		}
	}
	for i := 0; i < len(found); i++ {
		for _, obj := range objects {
			if !slices.Contains(found, obj) && refers(obj, found[i]) {
				found = append(found, obj)
			}
		}
	}
	return found
}

func referredTo(obj *unstructured.Unstructured, by []*unstructured.Unstructured) bool {
	return slices.ContainsFunc(by, func(other *unstructured.Unstructured) bool {
		return other.GetUID() != obj.GetUID() && refers(other, obj)
	})
}

// refers reports whether the spec of from mentions to.
func refers(from, to *unstructured.Unstructured) bool {
	id := to.GetAnnotations()[resourceIDAnnotation]
	return slices.ContainsFunc(aso.References(from), func(ref aso.Reference) bool { return ref.Matches(to) }) ||
		id != "" && mentions(from.Object["spec"], id)
}

// mentions reports whether a value has the ID in Azure as a reference. Azure does not tell upper from lower case in IDs.
func mentions(value any, id string) bool {
	switch v := value.(type) {
	case map[string]any:
		armID, _ := v["armId"].(string)
		if strings.EqualFold(armID, id) {
			return true
		}
		for _, child := range v {
			if mentions(child, id) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(child any) bool { return mentions(child, id) })
	}
	return false
}

func anyDeleting(objects []*unstructured.Unstructured) bool {
	for _, obj := range objects {
		if obj.GetDeletionTimestamp() != nil {
			return true
		}
	}
	return false
}
