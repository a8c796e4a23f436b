package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// TestLifecycle shows what policy and mark the object of a resource has that others write, and what a person reads about it.
func TestLifecycle(t *testing.T) {
	held := annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationHeld, "true")
	sent := annotated(aso.AnnotationSent, "1", aso.AnnotationOperator, "aso", aso.AnnotationResourceID, "/some/id")
	skipped := func(lifecycle aso.Lifecycle) func(*unstructured.Unstructured) {
		return annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationLifecycle, string(lifecycle))
	}
	found, absent := asoSays("True", "", "Succeeded"), asoSays("False", "Warning", aso.ReasonResourceNotFound)
	working := asoSays("False", "Info", aso.ReasonReconciling)
	type want struct{ Policy, Lifecycle, Reason string }
	cases := map[string]struct {
		lifecycle aso.Lifecycle
		observed  *unstructured.Unstructured
		waits     bool
		paused    bool
		want      want
	}{
		"create only, held":                            {aso.CreateOnly, subnet(held, applied), true, false, want{"skip", "", "WaitingForResource"}},
		"create only, released":                        {aso.CreateOnly, subnet(held, applied), false, false, want{"", "", "Creating"}},
		"create only, being created":                   {aso.CreateOnly, subnet(sent, working, applied), false, false, want{"", "", "Reconciling"}},
		"create only, refused by Azure":                {aso.CreateOnly, subnet(sent, asoSays("False", "Error", "BadRequest"), applied), false, false, want{"", "", "BadRequest"}},
		"create only, created":                         {aso.CreateOnly, subnet(sent, found, applied), false, false, want{"skip", "create-only", "Succeeded"}},
		"create only, created, and read since":         {aso.CreateOnly, subnet(sent, skipped(aso.CreateOnly), found, applied), false, false, want{"skip", "create-only", "Succeeded"}},
		"create only, created, and gone from Azure":    {aso.CreateOnly, subnet(sent, skipped(aso.CreateOnly), absent, applied), false, false, want{"skip", "create-only", aso.ReasonResourceNotFound}},
		"create only, created, paused":                 {aso.CreateOnly, subnet(sent, skipped(aso.CreateOnly), found, applied), false, true, want{"skip", "create-only", "Succeeded"}},
		"provider created, held":                       {aso.ProviderCreated, subnet(held, applied), true, false, want{"skip", "", "WaitingForResource"}},
		"provider created, released":                   {aso.ProviderCreated, subnet(held, applied), false, false, want{"skip", "provider-created", "Creating"}},
		"provider created, not sent yet":               {aso.ProviderCreated, subnet(skipped(aso.ProviderCreated), absent, applied), false, false, want{"skip", "provider-created", "Creating"}},
		"provider created, there":                      {aso.ProviderCreated, subnet(skipped(aso.ProviderCreated), found, applied), false, false, want{"skip", "provider-created", "Succeeded"}},
		"provider created, there, what it is in waits": {aso.ProviderCreated, subnet(skipped(aso.ProviderCreated), found, applied), true, false, want{"skip", "provider-created", "Succeeded"}},
		"managed, there":                               {aso.Managed, subnet(sent, found, applied), false, false, want{"", "", "Succeeded"}},
		"managed, there, paused":                       {aso.Managed, subnet(sent, found, applied), false, true, want{"skip", "", "Succeeded"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := &Resource{Source: "p", Object: subnet(), Declared: true, Lifecycle: c.lifecycle}
			if c.waits {
				r.After = []Precondition{{Description: "x"}}
			}
			out := makeWith(t, Plan{Cluster: "c1", Paused: c.paused}, false, []*Resource{r}, c.observed)
			annotations := out.Composed[r.Name()].Object.GetAnnotations()
			got := want{annotations[aso.AnnotationReconcilePolicy], annotations[aso.AnnotationLifecycle], out.Of[0].State.Reason}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if _, byPause := annotations[aso.AnnotationSkippedByPause]; byPause != c.paused {
				t.Errorf("marked as skipped by the pause: %v", byPause)
			}
			if awaits := aso.AwaitsRemoval(out.Composed[r.Name()].Object); awaits != (c.want.Lifecycle != "") {
				t.Errorf("kept until Azure does not have it: %v", awaits)
			}
		})
	}
}

// TestKnown shows that what is known from who created a resource counts before what ASO says, once ASO only reads.
func TestKnown(t *testing.T) {
	skipped := annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationLifecycle, string(aso.ProviderCreated))
	absent, found := asoSays("False", "Warning", aso.ReasonResourceNotFound), asoSays("True", "", "Succeeded")
	gone := &aso.State{Reason: aso.ReasonResourceNotFound, Message: "gone", Failed: true}
	cases := map[string]struct {
		known     *aso.State
		lifecycle aso.Lifecycle
		observed  *unstructured.Unstructured
		want      aso.State
	}{
		"created, ASO has not looked again": {&aso.State{Ready: true, Reason: "Succeeded"}, aso.ProviderCreated, subnet(skipped, absent, applied), aso.State{Ready: true, Reason: "Succeeded"}},
		"gone, ASO has not looked again":    {gone, aso.ProviderCreated, subnet(skipped, found, applied), *gone},
		"nothing is known":                  {nil, aso.ProviderCreated, subnet(skipped, absent, applied), creatingState()},
		"ASO writes it":                     {gone, aso.Managed, subnet(found, applied), aso.State{Ready: true, Reason: "Succeeded", Message: "said"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := &Resource{Source: "p", Object: subnet(), Declared: true, Lifecycle: c.lifecycle, Known: c.known}
			out := makeWith(t, Plan{Cluster: "c1"}, false, []*Resource{r}, c.observed)
			if diff := cmp.Diff(c.want, out.Of[0].State); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
