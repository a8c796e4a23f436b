package compute

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// TestNoteAfterOthers checks that what was found out is noted though others have written the object since it was read, but not over another note.
func TestNoteAfterOthers(t *testing.T) {
	facts := func(name string) (v1alpha1.MachineFacts, string) {
		f := v1alpha1.MachineFacts{Machine: v1alpha1.FactsOfMachine{Name: name}}
		text, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return f, text
	}
	_, before := facts("before")
	found, after := facts("found")
	_, others := facts("of another")
	const of = v1alpha1.AnnotationMachineFacts
	cases := map[string]struct {
		noted     bool
		meanwhile fixture.Change
		want      string
		conflicts bool
	}{
		"nobody":                            {noted: true, want: after},
		"an annotation of somebody else":    {noted: true, meanwhile: fixture.Annotated("of", "others"), want: after},
		"a field":                           {noted: true, meanwhile: fixture.InSpec("vmSize", "Standard_D4s_v3"), want: after},
		"something before there was a note": {meanwhile: fixture.Annotated("of", "others"), want: after},
		"another note":                      {noted: true, meanwhile: fixture.Annotated(of, others), want: others, conflicts: true},
		"a first note":                      {meanwhile: fixture.Annotated(of, others), want: others, conflicts: true},
		"the same note, and something else": {noted: true, meanwhile: fixture.Annotated(of, after), want: after, conflicts: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			xr := fixture.Parse(t, azureMachineYAML)
			if c.noted {
				fixture.Annotated(of, before)(xr)
			}
			s := newScene(t, nil, cluster(), xr)
			read := s.Find(composite.AzureMachine.GroupVersionKind, "m0")
			if c.meanwhile != nil {
				changed := read.DeepCopy()
				c.meanwhile(changed)
				if err := s.Update(t.Context(), changed); err != nil {
					t.Fatal(err)
				}
			}
			err := note(t.Context(), s.API(), read, found, "")
			if apierrors.IsConflict(err) != c.conflicts || err != nil && !c.conflicts {
				t.Errorf("note: %v", err)
			}
			if got := s.Find(composite.AzureMachine.GroupVersionKind, "m0").GetAnnotations()[of]; got != c.want {
				t.Errorf("noted %s, want %s", got, c.want)
			}
		})
	}
}
