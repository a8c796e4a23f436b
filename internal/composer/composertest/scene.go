package composertest

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Scene is a composite resource at some moment of its life.
type Scene struct {
	XR *unstructured.Unstructured
	// World is what is around it.
	World World
	// Observed is what it has composed.
	Observed []*unstructured.Unstructured
}

// FuzzScenes changes one object of a scene: the composite resource, what it has composed, or what is around it. Only when its
// own spec is changed may anything go that exists.
func (c Composers) FuzzScenes(f *testing.F, scenes map[string]Scene) {
	f.Helper()
	titles := slices.Sorted(maps.Keys(scenes))
	for what := range 256 {
		f.Add([]byte{byte(what), byte(what / 3), byte(what), byte(what * 7), byte(what)})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		s := scenes[titles[int(data[0])%len(titles)]]
		spec := s.XR.Object["spec"]
		s = s.odd(int(data[1]), data[2:])
		req := Request(t, s.XR, s.Observed...)
		rsp := c.Withstand(t, s.World, req)
		if lost := Dropped(req, rsp); len(lost) > 0 && reflect.DeepEqual(spec, s.XR.Object["spec"]) {
			t.Errorf("%v would be deleted", lost)
		}
	})
}

// odd returns the scene with changes made to one of its objects.
func (s Scene) odd(which int, changes []byte) Scene {
	switch n := which % (1 + len(s.Observed) + len(s.World.Objects)); {
	case n == 0:
		s.XR = Odd(s.XR, changes)
	case n <= len(s.Observed):
		s.Observed = slices.Clone(s.Observed)
		s.Observed[n-1] = Odd(s.Observed[n-1], changes)
	default:
		s.World = s.World.With(Odd(s.World.Objects[n-1-len(s.Observed)], changes))
	}
	return s
}
