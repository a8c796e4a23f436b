package aso

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Reasons of states that are this project's.
const (
	ReasonCreating = "Creating"
	ReasonLooking  = "LookingInAzure"
)

// Progressing reports whether a reason stands for ordinary progress.
func Progressing(reason string) bool {
	switch reason {
	case ReasonCreating, ReasonLooking, ReasonReconciling, ReasonWaitingForOwner, ReasonPostponed, reasonWaitingForResource:
		return true
	}
	return false
}

// Reasons of ASO's condition Ready.
const (
	// ReasonReconciling stands for ASO being at work.
	ReasonReconciling = "Reconciling"
	// ReasonResourceNotFound stands for an object with the policy skip that finds nothing in Azure.
	ReasonResourceNotFound   = "AzureResourceNotFound"
	ReasonWaitingForOwner    = "WaitingForOwner"
	ReasonReferenceNotFound  = "ReferenceNotFound"
	ReasonPostponed          = "ReconciliationPostponed"
	reasonWaitingForResource = "WaitingForResource"
	reasonReconcileBlocked   = "ReconciliationBlocked"
	reasonSecretNotFound     = "SecretNotFound"
	reasonConfigMapNotFound  = "ConfigMapNotFound"
	// reasonSubscriptionMismatch stands for a credential that is for another subscription. It has severity Error.
	reasonSubscriptionMismatch = "SubscriptionMismatch"
	messageNotReported         = "Azure Service Operator has not yet reported on it"
	messageLatestChangeUnseen  = "Azure Service Operator has not yet seen the latest change"
)

// A State is what ASO last reported of one Azure resource.
type State struct {
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
func StateOf(obj *unstructured.Unstructured) State {
	if Held(obj) {
		return State{Reason: reasonWaitingForResource, Message: "waits until what it refers to is ready"}
	}
	c := readyCondition(obj)
	switch {
	case c == nil:
		return State{Reason: ReasonReconciling, Message: messageNotReported}
	case field.Integer(c["observedGeneration"]) < Generation(obj):
		return Unseen()
	}
	reason, message := answerIn(field.Text(c["reason"]), field.Text(c["message"]))
	if blockedForEver(obj, reason) {
		message += fmt.Sprintf("; when it is gone from Azure, delete %s %s in Kubernetes, and it is made again", obj.GetKind(), obj.GetName())
	}
	state := State{Reason: reason, Message: message, Failed: c["severity"] == "Error", Ready: c["status"] == "True"}
	if polls, _ := annotation(obj, AnnotationPolls); state.Ready && polls != "" {
		return Unseen() // ASO writes its annotations before its status.
	}
	return state
}

// blockedForEver reports whether ASO waits for the end of a deletion that somebody else has asked Azure for. It goes by the last status that it
// has read, and reads none any more of what is gone (ASO module, preReconciliationCheck of its ARM reconciler).
func blockedForEver(obj *unstructured.Unstructured, reason string) bool {
	return reason == reasonReconcileBlocked && StatusProvisioningState.Value(obj) == "Deleting" && obj.GetDeletionTimestamp() == nil
}

// readyCondition returns the condition Ready of obj, of whatever generation; nil when there is none.
func readyCondition(obj *unstructured.Unstructured) map[string]any {
	return field.Condition(obj, "Ready")
}

// LastSaid reports whether the message that ASO last reported of an object, of whatever generation, has the text; obj may be nil.
func LastSaid(obj *unstructured.Unstructured, text string) bool {
	return obj != nil && strings.Contains(field.Text(readyCondition(obj)["message"]), text)
}

// Unseen is the state of an object whose latest change ASO has not reported on.
func Unseen() State { return State{Reason: ReasonReconciling, Message: messageLatestChangeUnseen} }

// Generation returns metadata.generation. GetGeneration knows no floats, and would return 0 for every object of a request.
func Generation(obj *unstructured.Unstructured) int64 { return generation.Value(obj) }
