// Package v1alpha1 has the settings of provider-capz. Unlike the other kinds it is no composite resource: the provider's
// package brings its CustomResourceDefinition.
//
// +kubebuilder:object:generate=true
// +groupName=capz.crossplane.io
// +versionName=v1alpha1
package v1alpha1
