package aso

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Lifecycle says who writes a resource in Azure: at its creation, and afterwards. Whoever it is, the resource is deleted with its
// object: see RemovalFinalizer.
type Lifecycle string

const (
	// Managed resources are ASO's to write at any time.
	Managed Lifecycle = ""
	// CreateOnly resources are sent by ASO once; afterwards others write them, such as the cloud controller manager of a workload
	// cluster, and ASO only reads.
	CreateOnly Lifecycle = "create-only"
	// ProviderCreated resources are sent by provider-capz, as they carry what must be in no object but a Secret; ASO only reads.
	ProviderCreated Lifecycle = "provider-created"
)

// RemovalFinalizer keeps an object whose lifecycle lets ASO only read until Azure does not have the resource. ASO, with the policy skip, leaves
// in Azure what it lets go in Kubernetes, whoever deletes the object: Crossplane as the spec no longer has it, garbage collection, or the end of
// its namespace. Such an object gets the finalizer together with that policy, and provider-capz takes it away.
const RemovalFinalizer = "removal.infrastructure.cluster.x-k8s.io/in-azure"

// AnnotationComposedStill is on an object with RemovalFinalizer that somebody has deleted though its composite resource asks for it. It is composed
// again, and the resource stays.
const AnnotationComposedStill = "infrastructure.cluster.x-k8s.io/composed-still"

// AwaitsRemoval reports whether an object has RemovalFinalizer.
func AwaitsRemoval(obj metav1.Object) bool {
	return slices.Contains(obj.GetFinalizers(), RemovalFinalizer)
}

// LifecycleOf returns the lifecycle that an object is marked with.
func LifecycleOf(obj metav1.Object) Lifecycle {
	lifecycle, _ := annotation(obj, AnnotationLifecycle)
	return Lifecycle(lifecycle)
}
