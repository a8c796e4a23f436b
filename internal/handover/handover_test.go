package handover

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

func TestWrittenIn(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "containerservice.azure.com", Version: "v1api20250801", Kind: "ManagedCluster"}
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	entry := func(version, fields string, minute int, subresource string) metav1.ManagedFieldsEntry {
		at := metav1.NewTime(begun.Add(time.Duration(minute) * time.Minute))
		return metav1.ManagedFieldsEntry{APIVersion: kind.Group + "/" + version, FieldsV1: metav1.NewFieldsV1(fields), Time: &at, Subresource: subresource}
	}
	const ofSpec, ofMetadata, ofStatus = `{"f:spec":{"f:location":{}}}`, `{"f:metadata":{"f:annotations":{"f:a":{}}}}`, `{"f:status":{"f:id":{}}}`
	cases := map[string]struct {
		entries []metav1.ManagedFieldsEntry
		want    string
	}{
		"Nobody":   {want: "v1api20250801"},
		"One":      {entries: []metav1.ManagedFieldsEntry{entry("v1api20240901", ofSpec, 0, "")}, want: "v1api20240901"},
		"TheLast":  {entries: []metav1.ManagedFieldsEntry{entry("v20251002preview", ofSpec, 2, ""), entry("v1api20240901", ofSpec, 1, "")}, want: "v20251002preview"},
		"OnlySpec": {entries: []metav1.ManagedFieldsEntry{entry("v1api20240901", ofSpec, 0, ""), entry("v1", ofMetadata, 1, ""), entry("v2", ofStatus, 2, "status")}, want: "v1api20240901"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := WrittenIn(&metav1.ObjectMeta{ManagedFields: c.entries}, kind); got != kind.Group+"/"+c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
