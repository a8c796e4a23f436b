package composertest

import (
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Fatal returns the message of the response's fatal result, "" if it has none.
func Fatal(rsp *fnv1.RunFunctionResponse) string {
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return r.GetMessage()
		}
	}
	return ""
}

// Desired returns the composed objects of the response by composition resource name.
func Desired(t testing.TB, rsp *fnv1.RunFunctionResponse) map[string]*unstructured.Unstructured {
	t.Helper()
	out := map[string]*unstructured.Unstructured{}
	for n, r := range rsp.GetDesired().GetResources() {
		out[n] = Object(t, r.GetResource())
	}
	return out
}

// Dropped returns the observed objects of the request that the response would have Crossplane delete.
func Dropped(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) []string {
	if Fatal(rsp) != "" {
		return nil
	}
	var out []string
	for n := range req.GetObserved().GetResources() {
		if rsp.GetDesired().GetResources()[n] == nil {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// Status returns the status of the composite resource in the response.
func Status(rsp *fnv1.RunFunctionResponse) map[string]any {
	return rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().AsMap()
}

// ContractCondition returns the condition of the given type as Cluster API reads it, nil if there is none.
func ContractCondition(rsp *fnv1.RunFunctionResponse, conditionType string) map[string]any {
	items, _, _ := unstructured.NestedSlice(Status(rsp), "v1beta2", "conditions")
	for _, i := range items {
		if m := i.(map[string]any); m["type"] == conditionType {
			return m
		}
	}
	return nil
}
