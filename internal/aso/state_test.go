package aso

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestStateOfWhatAzureDeletes checks what is said where ASO waits for the end of a deletion for ever.
func TestStateOfWhatAzureDeletes(t *testing.T) {
	in := func(state string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			o.SetKind("ManagedCluster")
			o.SetName("blue")
			_ = unstructured.SetNestedField(o.Object, state, "status", "provisioningState")
		}
	}
	const forEver = "m; when it is gone from Azure, delete ManagedCluster blue in Kubernetes, and it is made again"
	tests := map[string]struct {
		reason  string
		changes []func(*unstructured.Unstructured)
		want    string
	}{
		"somebody deletes it":       {"ReconciliationBlocked", []func(*unstructured.Unstructured){in("Deleting")}, forEver},
		"it is upgraded":            {"ReconciliationBlocked", []func(*unstructured.Unstructured){in("Upgrading")}, "m"},
		"it is deleted, and in use": {"InUse", []func(*unstructured.Unstructured){in("Deleting")}, "m"},
		"it is to be deleted": {"ReconciliationBlocked", []func(*unstructured.Unstructured){in("Deleting"), func(o *unstructured.Unstructured) {
			o.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
		}}, "m"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := StateOf(refused(map[string]any{"reason": tc.reason}, tc.changes...)); got.Message != tc.want || got.Ready {
				t.Errorf("%+v, want message %q", got, tc.want)
			}
		})
	}
}
