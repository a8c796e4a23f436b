package composer

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Annotations of ASO (module azure-service-operator/v2, internal/reconcilers).
const (
	// annotationResourceID is the ID that the resource has in Azure, or will have. Kinds that ARM does not serve have none.
	annotationResourceID = "serviceoperator.azure.com/resource-id"
	// annotationSent is the generation that ASO has sent to Azure last.
	annotationSent = "serviceoperator.azure.com/latest-reconciled-generation"
	// annotationTaken is the namespace of the ASO that has taken the object up.
	annotationTaken = "serviceoperator.azure.com/operator-namespace"
	// annotationPolls is there while ASO waits for an operation of Azure.
	annotationPolls = "serviceoperator.azure.com/poller-resume-token"
)

// reasonReconciling is ASO's reason for being at work.
const reasonReconciling = "Reconciling"

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
			return unseenState()
		}
		state.Ready = c["status"] == "True"
		if state.Ready && obj.GetAnnotations()[annotationPolls] != "" {
			// ASO writes its annotations before its status.
			return unseenState()
		}
		return state
	}
	return AzureState{Reason: reasonReconciling, Message: "Azure Service Operator has not yet reported on it"}
}

// stateOf is StateOf within a plan. While the policy skip is on an object, ASO calls ready what it finds in Azure; when the
// policy goes, that is its word no more, for it sends the object first.
func (p *Plan) stateOf(in *Request, observed *unstructured.Unstructured) AzureState {
	state := StateOf(observed)
	annotations := observed.GetAnnotations()
	if state.Ready && annotations[AnnotationReconcilePolicy] == "" && annotations[annotationResourceID] != "" &&
		annotations[annotationSent] == "" && p.sends(in) {
		return unseenState()
	}
	return state
}

// progress has all that ASO says on the way to Ready be one state: with each change of a condition Crossplane writes the
// composite resource twice and looks at it again.
func (p *Plan) progress(in *Request, i *Inline, observed *unstructured.Unstructured, state AzureState) AzureState {
	annotations := observed.GetAnnotations()
	switch {
	case state.Ready || state.Failed || annotations[annotationTaken] == "":
		return state
	case in.operator() != "" && len(observed.GetFinalizers()) == 0:
		return state // ASO, which puts a finalizer on it, has not been there.
	case outdated[state.Reason] && annotations[annotationSent] == "" && p.defines(i):
		return creatingState()
	case state.Reason != reasonReconciling:
		return state
	case annotations[annotationSent] == "":
		return creatingState()
	}
	return AzureState{Reason: reasonReconciling, Message: "Azure is at work on it"}
}

// outdated are ASO's reasons that a released object may have from the time when it was held.
var outdated = map[string]bool{"WaitingForOwner": true, "ReferenceNotFound": true}

// defines reports whether all that the object refers to is known. Then it was ready when the object was released.
func (p *Plan) defines(i *Inline) bool {
	if p.Known {
		return true
	}
	for _, ref := range References(i.Object) {
		if p.meant(i, ref) == nil && !slices.ContainsFunc(p.Peers, func(peer Peer) bool { return peer.defines(ref) }) {
			return false
		}
	}
	return true
}

// sends reports whether ASO sends what has no policy of its own: it does not where the namespace or the operator has one.
func (p *Plan) sends(in *Request) bool {
	return slices.ContainsFunc(p.Inlines, func(i *Inline) bool {
		made := in.Made(i.Name())
		return made != nil && made.GetAnnotations()[annotationSent] != ""
	})
}

func unseenState() AzureState {
	return AzureState{Reason: reasonReconciling, Message: "Azure Service Operator has not yet seen the latest change"}
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
