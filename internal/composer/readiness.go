package composer

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// AzureState is what ASO last said of one Azure resource.
type AzureState struct {
	// Ready is true when Azure has the resource as its current spec asks.
	Ready bool
	// Reason is ASO's reason, which is Azure's error code when Azure refused.
	Reason string
	// Message is ASO's message, which carries Azure's own text.
	Message string
	// Failed is true when ASO will not try again before the object changes.
	Failed bool
}

// StateOf reads ASO's only condition, Ready, of obj. A condition about an older generation does not count as Ready.
//
// ASO documentation, "Conditions": severity Error is fatal, Warning is retried, Info is progress.
//
// What ASO finds of an object that is held is not what is wanted there.
func StateOf(obj *unstructured.Unstructured) AzureState {
	if Held(obj) {
		return AzureState{Reason: ReasonWaitingForResource, Message: "waits until what it refers to is ready"}
	}
	for _, c := range mapsIn(obj.Object, "status", "conditions") {
		if c["type"] != "Ready" {
			continue
		}
		state := AzureState{Reason: text(c["reason"]), Message: text(c["message"]), Failed: c["severity"] == "Error"}
		if Integer(c["observedGeneration"]) < generation(obj) {
			return AzureState{Reason: "Reconciling", Message: "Azure Service Operator has not yet seen the latest change"}
		}
		state.Ready = c["status"] == "True"
		return state
	}
	return AzureState{Reason: "Reconciling", Message: "Azure Service Operator has not yet reported on it"}
}

// mapsIn returns the maps in the list at the given fields; anything else there is passed over.
func mapsIn(obj map[string]any, fields ...string) []map[string]any {
	list, _, _ := unstructured.NestedFieldNoCopy(obj, fields...)
	items, _ := list.([]any)
	out := make([]map[string]any, 0, len(items))
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// generation returns metadata.generation. GetGeneration knows no floats, and would return 0 for every object here.
func generation(obj *unstructured.Unstructured) int64 {
	g, _, _ := unstructured.NestedFieldNoCopy(obj.Object, "metadata", "generation")
	return Integer(g)
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// Integer reads a number that may have come through protobuf, where every number is a float.
func Integer(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	case int32:
		return int64(n)
	case int:
		return int64(n)
	}
	return 0
}
