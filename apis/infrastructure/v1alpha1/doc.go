// Package v1alpha1 holds the kinds of the API group infrastructure.cluster.x-k8s.io that CAPZ once served at v1alpha1. The
// schema is that of v1beta1, field for field, so the API server converts between the two by changing apiVersion alone.
//
// +kubebuilder:object:generate=true
// +groupName=infrastructure.cluster.x-k8s.io
package v1alpha1
