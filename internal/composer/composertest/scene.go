package composertest

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
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

// ChangedHands returns what the response would have managed of a scene though it is not the Cluster's.
func (s Scene) ChangedHands(rsp *fnv1.RunFunctionResponse) []string {
	var out []string
	for _, o := range s.Observed {
		d := rsp.GetDesired().GetResources()[ResourceName(o)]
		if d == nil || o.GetAnnotations()[v1beta1.AnnotationOwnership] != v1beta1.OwnershipExternal {
			continue
		}
		annotations := d.GetResource().GetFields()["metadata"].GetStructValue().GetFields()["annotations"].GetStructValue().GetFields()
		if annotations[aso.AnnotationReconcilePolicy].GetStringValue() != aso.PolicySkip {
			out = append(out, ResourceName(o))
		}
	}
	return out
}

// CheckPurity reports where the same request, made of the scene, gives two answers or is changed.
func (c Composers) CheckPurity(t testing.TB, s Scene, title string) {
	t.Helper()
	bytes := func(m proto.Message) string {
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	req := Request(t, s.XR, s.Observed...)
	c.SettleByObjects(t, s.World, req)
	before, want := bytes(req), bytes(c.Run(req))
	if bytes(c.Run(req)) != want {
		t.Errorf("%s: two answers to one request", title)
	}
	if bytes(req) != before {
		t.Errorf("%s: the request has changed", title)
	}
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
