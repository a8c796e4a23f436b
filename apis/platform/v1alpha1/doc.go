// Package v1alpha1 holds the kinds of the API group platform.capz.crossplane.io: AKS clusters as an application team asks
// for them, in a few fields.
//
// AKSCluster is a namespaced composite resource (XR); AKSClusterClaim is the same as a Crossplane claim, behind which
// XAKSCluster stands. A platform team decides what they are made of: a ClusterClass, and an AKSClusterPolicy in the
// Composition. The definitions in package/configuration are generated from the types here by package/generate, so a comment
// on a field is what `kubectl explain` prints.
//
// +kubebuilder:object:generate=true
// +groupName=platform.capz.crossplane.io
package v1alpha1
