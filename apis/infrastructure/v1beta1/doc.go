// Package v1beta1 holds the kinds of the API group infrastructure.cluster.x-k8s.io at v1beta1, the version that is stored.
//
// Names and JSON fields are those of the Cluster API Provider Azure (CAPZ), so that a manifest written for CAPZ applies
// unchanged. The kinds are served as Crossplane composite resources (XRs): the definitions in package/configuration are
// generated from the types here by package/generate, so a comment on a field is what `kubectl explain` prints.
//
// +kubebuilder:object:generate=true
// +groupName=infrastructure.cluster.x-k8s.io
package v1beta1
