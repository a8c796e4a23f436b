package plan

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// allApplied has Crossplane own the spec and all annotations of an object.
func allApplied(o *unstructured.Unstructured) {
	var names []string
	for name := range o.GetAnnotations() {
		names = append(names, fmt.Sprintf("%q:{}", "f:"+name))
	}
	fields := `{"f:spec":{"f:azureName":{}},"f:metadata":{"f:annotations":{` + strings.Join(names, ",") + `}}}`
	o.SetManagedFields([]metav1.ManagedFieldsEntry{entry(o, ComposedManager+"/x", metav1.ManagedFieldsOperationApply, "", fields)})
}

// TestLeavesAzureToo shows that no object leaves the spec with the policy skip, with which ASO would leave its resource in Azure, while that is,
// or may be, the Cluster's and nobody else removes it.
func TestLeavesAzureToo(t *testing.T) {
	with := func(pairs ...string) *unstructured.Unstructured {
		o := object(t, "{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork, metadata: {name: r, namespace: ns}, spec: {azureName: r}}")
		annotated(append([]string{aso.AnnotationReconcilePolicy, aso.PolicySkip}, pairs...)...)(o)
		allApplied(o)
		return o
	}
	says := func(o *unstructured.Unstructured, status, reason string, tags map[string]any) *unstructured.Unstructured {
		asoSays(status, "Warning", reason)(o)
		must(t, unstructured.SetNestedMap(o.Object, tags, "status", "tags"))
		return o
	}
	undecided := func() *unstructured.Unstructured {
		return with(v1beta1.AnnotationOwnership, v1beta1.OwnershipUndecided)
	}
	ours := map[string]any{v1beta1.OwnedTag("c1"): "owned"}
	const up, coming = "{controlPlaneEndpoint: {host: h}}", "{}"
	const goes, stays, released = "goes", "stays", "is ASO's to delete next"
	cases := map[string]struct {
		spec     string
		observed *unstructured.Unstructured
		want     string
	}{
		"in doubt whether it is there":                        {up, with(v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned, aso.AnnotationLost, "no 1"), released},
		"undecided, Azure is being asked":                     {up, undecided(), stays},
		"undecided, Azure is being asked for what never was":  {coming, undecided(), goes},
		"undecided, it is the Cluster's":                      {up, says(undecided(), "True", "Succeeded", ours), released},
		"undecided, it is somebody else's":                    {up, says(undecided(), "True", "Succeeded", map[string]any{}), goes},
		"undecided, Azure does not have it":                   {up, says(undecided(), "False", aso.ReasonResourceNotFound, map[string]any{}), goes},
		"somebody else's":                                     {up, with(v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal), goes},
		"others write it, and provider-capz removes it":       {up, with(v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned, aso.AnnotationLifecycle, string(aso.CreateOnly)), goes},
		"skipped by a pause until now":                        {up, with(v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned, aso.AnnotationSkippedByPause, "true"), released},
		"others write it, and it was skipped by a pause, too": {up, with(v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned, aso.AnnotationSkippedByPause, "true", aso.AnnotationLifecycle, string(aso.CreateOnly)), stays},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in, err := composer.NewRequest(requestFor(t, c.spec, c.observed))
			must(t, err)
			out, err := (&Plan{Cluster: "c1"}).Make(in, &Observations{})
			must(t, err)
			composed, there := out.Composed[NameOf(c.observed)]
			got := goes
			if there {
				got = stays
				if composed.Object.GetAnnotations()[aso.AnnotationReconcilePolicy] == "" {
					got = released
				}
			}
			if got != c.want {
				t.Errorf("it %s, want it %s", got, c.want)
			}
		})
	}
}

// TestOnlyReadIsRemoved walks the catalogue: whatever ASO may only read of the Cluster's has the finalizer by which provider-capz removes it from
// Azure, from the moment on that ASO may only read it, and with a mistake in the spec, too. A kind that the catalogue does not mark so cannot be
// composed in that way.
func TestOnlyReadIsRemoved(t *testing.T) {
	for _, kind := range aso.Catalogue() {
		for _, lifecycle := range []aso.Lifecycle{aso.CreateOnly, aso.ProviderCreated} {
			t.Run(kind.Name+" "+string(lifecycle), func(t *testing.T) {
				r, parent := resourceOf(t, kind)
				r.Lifecycle = lifecycle
				owned := annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned)
				there := there(t, r, owned, annotated(aso.AnnotationSent, "1"))
				if lifecycle != kind.Lifecycle {
					in, err := composer.NewRequest(requestFor(t, "{}", there))
					must(t, err)
					if _, err := (&Plan{Cluster: "c1", Resources: []*Resource{parent, r}}).Make(in, &Observations{}); err == nil || !strings.Contains(err.Error(), "nobody would remove") {
						t.Errorf("it is composed: %v", err)
					}
					return
				}
				first := makeWith(t, Plan{Cluster: "c1"}, false, []*Resource{parent, r}, there).Composed[r.Name()].Object
				if !aso.SkippedByLifecycle(first) || !aso.AwaitsRemoval(first) {
					t.Fatalf("ASO may only read it: %v, it is removed: %v", aso.SkippedByLifecycle(first), aso.AwaitsRemoval(first))
				}
				now := metav1.Now()
				for name, edit := range map[string]func(*Resource, *unstructured.Unstructured){
					"with a mistake": func(r *Resource, _ *unstructured.Unstructured) {
						r.Err = composer.Blockedf(composer.ReasonInvalidField, "x")
					},
					"deleted": func(_ *Resource, o *unstructured.Unstructured) { o.SetDeletionTimestamp(&now) },
				} {
					r, _ := resourceOf(t, kind)
					r.Lifecycle = lifecycle
					observed := there.DeepCopy()
					observed.SetAnnotations(first.GetAnnotations())
					observed.SetFinalizers([]string{"serviceoperator.azure.com/finalizer", aso.RemovalFinalizer})
					allApplied(observed)
					edit(r, observed)
					again := makeWith(t, Plan{Cluster: "c1"}, false, []*Resource{parent, r}, observed).Composed[r.Name()].Object
					if got := again.GetFinalizers(); len(got) != 1 || got[0] != aso.RemovalFinalizer {
						t.Errorf("%s it has the finalizers %v", name, got)
					}
					if _, still := again.GetAnnotations()[aso.AnnotationComposedStill]; still != (observed.GetDeletionTimestamp() != nil) {
						t.Errorf("%s it is asked for still: %v", name, still)
					}
				}
			})
		}
	}
}
