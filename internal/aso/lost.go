package aso

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// AnnotationLost is on the object of a resource that was made and that Azure may no longer have, as when somebody has deleted it there.
// Its value is the answer of Azure's that says so, with the policy skip while Azure is asked again; then LossConfirmed until the
// resource has been made again.
const AnnotationLost = "infrastructure.cluster.x-k8s.io/lost"

// LossConfirmed is the value of AnnotationLost once Azure has said twice, when asked to write and to read, that it does not have the resource.
const LossConfirmed = "confirmed"

// Doubted reports whether ASO only looks, with the policy skip, if Azure still has a resource that was made.
func Doubted(obj metav1.Object) bool {
	answer, _ := annotation(obj, AnnotationLost)
	policy, _ := annotation(obj, AnnotationReconcilePolicy)
	return answer != "" && answer != LossConfirmed && policy == PolicySkip && !SkippedByPause(obj)
}

// SkippedByProject reports whether it is this project, and not a user, that keeps ASO from touching an object that is not held: for a pause,
// for the lifecycle, or while Azure is asked if it still has the resource.
func SkippedByProject(obj metav1.Object) bool {
	return SkippedByPause(obj) || SkippedByLifecycle(obj) || Doubted(obj)
}

// Lost reports whether Azure certainly no longer has a resource that was made, and has not got it again.
func Lost(obj *unstructured.Unstructured) bool {
	if obj == nil {
		return false
	}
	state := StateOf(obj)
	if Doubted(obj) {
		return state.Reason == ReasonResourceNotFound
	}
	lost, _ := annotation(obj, AnnotationLost)
	return lost == LossConfirmed && !state.Ready
}

// Answer names what ASO last reported of an object, so that one report is not taken for another: its reason, and since when it stands.
func Answer(obj *unstructured.Unstructured) string {
	c := readyCondition(obj)
	if c == nil {
		return ""
	}
	return field.Text(c["reason"]) + " " + field.Text(c["lastTransitionTime"])
}
