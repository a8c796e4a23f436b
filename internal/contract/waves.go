package contract

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// wave returns those of objects that may be deleted next: the ones that no other of remaining refers to, as its owner
// or otherwise. Azure refuses to delete what is in use, and ASO would only learn that by trying.
//
// Objects that refer to each other in a circle would wait for ever; when nothing else is left they go together.
func wave(objects, remaining []*unstructured.Unstructured) []*unstructured.Unstructured {
	var free []*unstructured.Unstructured
	for _, obj := range objects {
		if !referredTo(obj, remaining) {
			free = append(free, obj)
		}
	}
	if len(free) > 0 || anyDeleting(remaining) {
		return free
	}
	return objects
}

func referredTo(obj *unstructured.Unstructured, by []*unstructured.Unstructured) bool {
	for _, other := range by {
		if other.GetUID() == obj.GetUID() {
			continue
		}
		for _, ref := range composer.References(other) {
			if ref.Matches(obj) {
				return true
			}
		}
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
