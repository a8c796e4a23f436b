package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: "platform.capz.crossplane.io", Version: "v1alpha1"}

// AddToScheme registers the kinds of this package that are stored, and their lists, in a scheme. It never fails.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &AKSCluster{}, &AKSClusterList{}, &XAKSCluster{}, &XAKSClusterList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
