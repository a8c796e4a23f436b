package handover

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func applied(manager string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "resources.azure.com/v1api20200601"}
}

func controlPlane() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "AzureASOManagedControlPlane", "metadata": map[string]any{"name": "c"},
	}}
}

func TestRenamed(t *testing.T) {
	crossplane := ComposedManager(controlPlane())
	other := metav1.ManagedFieldsEntry{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationUpdate}
	status := metav1.ManagedFieldsEntry{Manager: CAPZManager, Operation: metav1.ManagedFieldsOperationApply, Subresource: "status"}
	cases := map[string]struct {
		entries []metav1.ManagedFieldsEntry
		to      string
		want    []metav1.ManagedFieldsEntry
	}{
		"ToCrossplane": {entries: []metav1.ManagedFieldsEntry{other, applied(CAPZManager), status}, to: crossplane, want: []metav1.ManagedFieldsEntry{other, applied(crossplane), status}},
		"ToCAPZ":       {entries: []metav1.ManagedFieldsEntry{applied(crossplane), other}, to: CAPZManager, want: []metav1.ManagedFieldsEntry{applied(CAPZManager), other}},
		"Both":         {entries: []metav1.ManagedFieldsEntry{applied(crossplane), applied(CAPZManager)}, to: crossplane, want: []metav1.ManagedFieldsEntry{applied(crossplane)}},
		"Neither":      {entries: []metav1.ManagedFieldsEntry{other}, to: crossplane, want: []metav1.ManagedFieldsEntry{other}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := append([]metav1.ManagedFieldsEntry{}, c.entries...)
			if diff := cmp.Diff(c.want, Renamed(c.entries, c.to)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, c.entries); diff != "" {
				t.Errorf("what was given is changed (-want +got):\n%s", diff)
			}
		})
	}
}
