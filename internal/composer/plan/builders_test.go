package plan

import (
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

var must = composertest.Must

// object reads a Kubernetes object from YAML.
func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{}}
	must(t, yaml.Unmarshal([]byte(text), &o.Object))
	return o
}

// requestFor holds a composite resource in namespace ns and what has been observed of its objects.
func requestFor(t testing.TB, spec string, observed ...*unstructured.Unstructured) *fnv1.RunFunctionRequest {
	t.Helper()
	xr := object(t, "{apiVersion: example.org/v1, kind: XR, metadata: {name: xr, namespace: ns, uid: xr-uid, generation: 2, creationTimestamp: '2026-01-02T03:04:05Z'}}")
	xr.Object["spec"] = object(t, spec).Object
	req := composertest.Request(t, xr, slices.DeleteFunc(observed, func(o *unstructured.Unstructured) bool { return o == nil })...)
	req.Meta = nil // A Crossplane that reads no schemas.
	return req
}

// entry returns managed fields that o's API server would have recorded.
func entry(o *unstructured.Unstructured, manager string, operation metav1.ManagedFieldsOperationType, subresource, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: o.GetAPIVersion(), FieldsType: "FieldsV1", Subresource: subresource, FieldsV1: metav1.NewFieldsV1(fields)}
}
