package aso

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Refusal is why what an object asks for has not been done: Azure's answer, or what ASO met on the way there.
type Refusal struct {
	// Reason is ASO's reason, which is Azure's error code when Azure refused.
	Reason string
	// Message is ASO's message, which carries Azure's own text.
	Message string
	// Since is when ASO met it first since the object was changed last; zero if it does not say.
	Since time.Time

	final bool
}

// RefusalOf returns the refusal that ASO last reported of the current generation of obj; false if there is none.
//
// ASO documentation, "Conditions": severity Info is progress, Warning is retried, Error is final.
func RefusalOf(obj *unstructured.Unstructured) (Refusal, bool) {
	c := readyCondition(obj)
	severity := c["severity"]
	if c["status"] != "False" || severity != "Warning" && severity != "Error" {
		return Refusal{}, false
	}
	if field.Integer(c["observedGeneration"]) < Generation(obj) {
		return Refusal{}, false // It is about what the object asked for before.
	}
	since, err := time.Parse(time.RFC3339, field.Text(c["lastTransitionTime"]))
	if err != nil {
		since = time.Time{}
	}
	reason, message := answerIn(field.Text(c["reason"]), field.Text(c["message"]))
	return Refusal{Reason: reason, Message: message, Since: since, final: severity == "Error"}, true
}

// retriedSoon are the reasons for which ASO looks again within half a minute, or after which something else is decided first.
var retriedSoon = []string{
	ReasonWaitingForOwner, ReasonReferenceNotFound, ReasonResourceNotFound, reasonSecretNotFound, reasonConfigMapNotFound,
}

// Passes reports whether the refusal of obj may pass although obj stays as it is. A deletion cannot be asked for in another way, so each
// refusal of one may.
func (r Refusal) Passes(obj *unstructured.Unstructured) bool {
	switch {
	case Held(obj) || slices.Contains(retriedSoon, r.Reason) || obj.GetAnnotations()[AnnotationPolls] != "":
		return false
	case obj.GetDeletionTimestamp() != nil || r.Reason == reasonSubscriptionMismatch:
		return true
	}
	return !r.final
}
