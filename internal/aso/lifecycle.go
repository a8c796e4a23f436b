package aso

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A Lifecycle says who writes a resource in Azure: at its creation, and afterwards. Whoever it is, ASO deletes the resource with
// its object.
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

// LifecycleOf returns the lifecycle that an object is marked with.
func LifecycleOf(obj metav1.Object) Lifecycle {
	return Lifecycle(obj.GetAnnotations()[AnnotationLifecycle])
}
