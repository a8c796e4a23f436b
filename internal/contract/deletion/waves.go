package deletion

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// wave returns those of objects that may be deleted next: the ones that no other refers to, as its owner or otherwise,
// by name or by an ID in Azure. Azure refuses to delete what is in use, and ASO would only find that out by trying.
//
// A ManagedCluster and what refers to it go before the rest, such as objects that pools have transferred: that its machines use them
// shows in no reference. Objects that refer to each other in a circle would wait for ever; when nothing else can be deleted,
// a whole circle is deleted at once.
func wave(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	free, circles := newGraph(objects).next()
	if len(free) > 0 || slices.ContainsFunc(objects, func(obj *unstructured.Unstructured) bool { return obj.GetDeletionTimestamp() != nil }) {
		return free
	}
	return circles
}

// next returns those of objects that nothing but what goes with them stands in the way of, whether they are being deleted or not.
func next(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	free, circles := newGraph(objects).next()
	if len(free) > 0 {
		return free
	}
	return circles
}

// A graph has which objects refer to which.
type graph struct {
	objects []*unstructured.Unstructured
	// dependents are the objects that refer to an object directly.
	dependents map[*unstructured.Unstructured][]*unstructured.Unstructured
}

func newGraph(objects []*unstructured.Unstructured) graph {
	g := graph{objects: objects, dependents: map[*unstructured.Unstructured][]*unstructured.Unstructured{}}
	resolver := aso.NewResolver(objects...)
	for _, from := range objects {
		refs := resolver.Resolve(from)
		for _, to := range objects {
			refers := slices.ContainsFunc(refs, func(ref aso.Reference) bool { return ref.Matches(to) })
			if refers && from.GetUID() != to.GetUID() {
				g.dependents[to] = append(g.dependents[to], from)
			}
		}
	}
	return g
}

// next returns the objects that no other refers to, and the circles that may go when there are none.
func (g graph) next() (free, circles []*unstructured.Unstructured) {
	first := g.withDependents(aso.ManagedCluster.GroupKind())
	if len(first) == 0 {
		first = g.objects
	}
	for _, obj := range first {
		if len(g.dependents[obj]) == 0 {
			free = append(free, obj)
		}
	}
	if len(free) > 0 {
		return free, nil
	}
	return nil, g.circles(first)
}

// withDependents returns the objects of the kind, and those that refer to them, directly or by others.
func (g graph) withDependents(kind schema.GroupKind) []*unstructured.Unstructured {
	var found []*unstructured.Unstructured
	for _, obj := range g.objects {
		if obj.GroupVersionKind().GroupKind() == kind {
			found = append(found, obj)
		}
	}
	return g.closure(found)
}

// closure returns the objects, and those that refer to them, directly or by others.
func (g graph) closure(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	found := slices.Clone(objects)
	for i := 0; i < len(found); i++ {
		for _, obj := range g.dependents[found[i]] {
			if !slices.Contains(found, obj) {
				found = append(found, obj)
			}
		}
	}
	return found
}

// circles returns those of the objects to which, directly or by others, no object refers but those to which they refer themselves.
func (g graph) circles(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var found []*unstructured.Unstructured
	for _, obj := range objects {
		dependents := g.closure([]*unstructured.Unstructured{obj})
		onlyCircle := !slices.ContainsFunc(dependents, func(dependent *unstructured.Unstructured) bool {
			return !slices.Contains(g.closure([]*unstructured.Unstructured{dependent}), obj)
		})
		if onlyCircle {
			found = append(found, obj)
		}
	}
	return found
}
