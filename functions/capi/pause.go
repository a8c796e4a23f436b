package capi

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// Paused reports whether the CAPI contract asks to leave the composite alone.
func Paused(in *composer.Request, cluster *unstructured.Unstructured) bool {
	_, byAnnotation := in.XR.GetAnnotations()[clusterv1.PausedAnnotation]
	return clusterPaused.Value(cluster) || byAnnotation
}

// PausedCondition shows it.
func PausedCondition(paused bool) composer.Condition {
	if paused {
		return composer.True(composer.ConditionPaused, clusterv1.PausedReason, "the Cluster or this object is paused: Azure resources are left as they are")
	}
	return composer.False(composer.ConditionPaused, clusterv1.NotPausedReason, "")
}
