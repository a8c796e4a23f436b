package deletion

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// reportRefusals reports on xr why Azure does not delete one of its objects.
func (d *Deleter) reportRefusals(xr *unstructured.Unstructured, objects []*unstructured.Unstructured) {
	for _, obj := range objects {
		if obj.GetDeletionTimestamp() == nil {
			continue
		}
		if refusal, refused := aso.RefusalOf(obj); refused && refusal.Message != "" {
			d.Events.Warn(xr, "DeletionRefused", refusal.Reason, fmt.Sprintf("%s %s: %s: %s", obj.GetKind(), obj.GetName(), refusal.Reason, refusal.Message))
		}
	}
}
