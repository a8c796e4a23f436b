package deletion

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// reportRefusals reports on xr why Azure does not delete one of its objects.
func (d *Deleter) reportRefusals(xr *unstructured.Unstructured, objects []*unstructured.Unstructured) {
	for _, obj := range objects {
		if reason, message := refusal(obj); message != "" {
			d.Events.Warn(xr, "DeletionRefused", reason, fmt.Sprintf("%s %s: %s: %s", obj.GetKind(), obj.GetName(), reason, message))
		}
	}
}

// refusal returns ASO's reason and message when the deletion of an object meets more than waiting.
//
// ASO documentation, "Conditions": severity Info is progress, Warning is retried, Error is final.
func refusal(obj *unstructured.Unstructured) (reason, message string) {
	if obj.GetDeletionTimestamp() == nil {
		return "", ""
	}
	for _, condition := range field.Maps(statusConditions.Value(obj)) {
		severity := condition["severity"]
		if condition["type"] != "Ready" || condition["status"] != "False" || severity != "Warning" && severity != "Error" {
			continue
		}
		if field.Integer(condition["observedGeneration"]) < obj.GetGeneration() { // A failure from before the deletion.
			continue
		}
		return field.Text(condition["reason"]), field.Text(condition["message"])
	}
	return "", ""
}
