package main

import (
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// TestNothingIsLeftOfTheWay shows that what is composed of a cluster that is up does not tell how it came about, nor does what the
// preview shows of it: with the input that it writes, `crossplane composition render` gives the same.
func TestNothingIsLeftOfTheWay(t *testing.T) {
	for _, example := range []string{"aks-aso", "aks-aso-vnets", "aks", "aks-byo-network"} {
		objects, err := kubeyaml.Read("../../examples/" + example)
		if err != nil {
			t.Fatal(err)
		}
		k := &keeper{Function: Function{log: logging.NewNopLogger()}, last: map[string]*fnv1.RunFunctionRequest{}}
		p, err := preview.Make(t.Context(), k, objects)
		if err != nil {
			t.Fatal(err)
		}
		all := p.Resources
		for _, in := range p.Inputs() {
			all = append(all, in.Observed...)
		}
		for name, req := range k.last {
			rsp, err := k.Function.RunFunction(t.Context(), req)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, r := range rsp.GetDesired().GetResources() {
				all = append(all, &unstructured.Unstructured{Object: r.GetResource().AsMap()})
			}
		}
		for _, o := range all {
			for _, annotation := range []string{aso.AnnotationHeld, v1beta1.AnnotationNew, aso.AnnotationReconcilePolicy} {
				if _, left := o.GetAnnotations()[annotation]; left {
					t.Errorf("%s: %s %s has annotation %s", example, o.GetKind(), o.GetName(), annotation)
				}
			}
		}
	}
}
