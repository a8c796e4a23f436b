package contract

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// wave returns those of objects that may be deleted next: the ones that no other refers to, as its owner or otherwise.
// Azure refuses to delete what is in use, and ASO would only learn that by trying.
//
// A ManagedCluster goes before what pools have left, whose use by its machines no reference tells of. Objects that refer
// to each other in a circle would wait for ever; when nothing else is left they go together.
func wave(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var free, clusters []*unstructured.Unstructured
	for _, obj := range objects {
		if referredTo(obj, objects) {
			continue
		}
		free = append(free, obj)
		if obj.GroupVersionKind().GroupKind() == managedClusterKind {
			clusters = append(clusters, obj)
		}
	}
	switch {
	case len(clusters) > 0:
		return clusters
	case len(free) > 0 || anyDeleting(objects):
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
