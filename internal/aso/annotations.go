package aso

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ASO's annotations for users, and their values (ASO documentation, "Annotations understood by the operator").
const (
	// AnnotationReconcilePolicy says what ASO may do in Azure; without it, everything.
	AnnotationReconcilePolicy = "serviceoperator.azure.com/reconcile-policy"
	PolicyManage              = "manage"
	// PolicySkip makes ASO leave Azure as it is, on update and on deletion. It reports what it finds.
	PolicySkip = "skip"
	// PolicyDetachOnDelete makes ASO leave the resource in Azure when the object is deleted.
	PolicyDetachOnDelete = "detach-on-delete"
	// AnnotationCredentialFrom names the Secret that ASO reads the credential for an object from (ASO documentation,
	// "Credential scope").
	AnnotationCredentialFrom = "serviceoperator.azure.com/credential-from"
)

// ASO's annotations for itself (module azure-service-operator/v2, internal/reconcilers).
const (
	// AnnotationResourceID is the ID that the resource has in Azure, or will have. Kinds that ARM does not serve have none.
	AnnotationResourceID = "serviceoperator.azure.com/resource-id"
	// AnnotationSent is the generation that ASO has sent to Azure last.
	AnnotationSent = "serviceoperator.azure.com/latest-reconciled-generation"
	// AnnotationOperator is the namespace of the ASO that has taken the object up.
	AnnotationOperator = "serviceoperator.azure.com/operator-namespace"
	// OperatorNone is the value of AnnotationOperator on an object that no ASO is to take up yet. ASO retries whatever it has taken up, with two
	// writes each time, for as long as it takes; what is another operator's it leaves alone, and says once, in an event that names both.
	OperatorNone = "held-until-what-it-refers-to-is-ready"
	// finalizer is on the objects that ASO has taken up, until it lets them go.
	finalizer = "serviceoperator.azure.com/finalizer"
	// AnnotationPolls is there while ASO waits for an operation of Azure.
	AnnotationPolls = "serviceoperator.azure.com/poller-resume-token"
)

// This project's annotations on ASO objects, beside those in apis/infrastructure/v1beta1.
const (
	// AnnotationSkippedByPause marks an object whose policy skip comes from a pause and not from a user, so that its end
	// can be distinguished from the user's own wish to leave the resource in Azure.
	AnnotationSkippedByPause = "infrastructure.cluster.x-k8s.io/skipped-by-pause"
	// AnnotationHeld marks an object that is in Kubernetes while what it waits for is not ready, with the policy skip. ASO, which
	// does not watch what an object refers to, acts at once when that policy goes.
	AnnotationHeld = "infrastructure.cluster.x-k8s.io/held"
	// AnnotationLifecycle says who writes the resource after its creation, where that is not ASO; see Lifecycle.
	AnnotationLifecycle = "infrastructure.cluster.x-k8s.io/lifecycle"
)

// TakenUp reports whether ASO has an object, and has not let it go.
func TakenUp(obj metav1.Object) bool { return slices.Contains(obj.GetFinalizers(), finalizer) }

// Held reports whether an object only waits in Kubernetes: nothing has been sent to Azure for it. What ASO reports of it is
// what somebody else has put there.
func Held(obj metav1.Object) bool {
	_, held := annotation(obj, AnnotationHeld)
	return held
}

// SkippedByPause reports whether it is a pause, and not a user, that keeps ASO from touching the object in Azure.
func SkippedByPause(obj metav1.Object) bool {
	_, skipped := annotation(obj, AnnotationSkippedByPause)
	return skipped
}

// SkippedByLifecycle reports whether it is the lifecycle, and not a user, that keeps ASO from touching the object in Azure.
func SkippedByLifecycle(obj metav1.Object) bool {
	policy, _ := annotation(obj, AnnotationReconcilePolicy)
	return LifecycleOf(obj) != Managed && policy == PolicySkip
}

// annotation returns an annotation of an object, and whether it has that: to ask an Unstructured for all of them is to have them copied.
func annotation(obj metav1.Object, name string) (value string, has bool) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		value, has = obj.GetAnnotations()[name]
		return value, has
	}
	found, has, err := unstructured.NestedFieldNoCopy(u.Object, "metadata", "annotations", name)
	value, text := found.(string)
	return value, has && text && err == nil
}

// Annotate sets an annotation of an object.
func Annotate(obj *unstructured.Unstructured, name, value string) {
	annotations := obj.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[name] = value
	obj.SetAnnotations(annotations)
}
