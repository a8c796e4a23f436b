package composer

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// object reads a Kubernetes object from YAML.
func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{}}
	must(t, yaml.Unmarshal([]byte(text), &o.Object))
	return o
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// requestFor holds a composite resource in namespace ns and what has been observed of its objects.
func requestFor(t testing.TB, spec string, observed ...*unstructured.Unstructured) *fnv1.RunFunctionRequest {
	t.Helper()
	xr := object(t, "{apiVersion: example.org/v1, kind: XR, metadata: {name: xr, namespace: ns, uid: xr-uid, generation: 2, creationTimestamp: '2026-01-02T03:04:05Z'}}")
	xr.Object["spec"] = object(t, spec).Object
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{}, Resources: map[string]*fnv1.Resource{}}}
	var err error
	req.Observed.Composite.Resource, err = resource.AsStruct(xr)
	must(t, err)
	for _, o := range observed {
		if o == nil {
			continue
		}
		s, err := resource.AsStruct(o)
		must(t, err)
		req.Observed.Resources["o/"+o.GetName()] = &fnv1.Resource{Resource: s}
	}
	return req
}
