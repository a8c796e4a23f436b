// Package managed composes the typed AKS kinds: AzureManagedControlPlane, AzureManagedCluster and AzureManagedMachinePool. What
// Azure Service Operator (ASO) objects they stand for is worked out in package aks; here it is decided when each of
// them is composed, and what the user reads about it.
package managed

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// read fills a typed object; it is Blocked where obj cannot be one.
func read(obj *unstructured.Unstructured, into any) error {
	if err := shape.Convert(obj.Object, into); err != nil {
		return composer.Blockedf(composer.ReasonInvalidResource, "%s %s cannot be read: %v", obj.GetKind(), obj.GetName(), err)
	}
	return nil
}
