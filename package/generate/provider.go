package main

import (
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// providerGroup is the API group of the kinds that are no composite resources but provider-capz's own.
const providerGroup = "capz.crossplane.io"

// providerCRD returns the CustomResourceDefinition of one of the provider's own kinds as its package has it.
func providerCRD(crd extv1.CustomResourceDefinition) *extv1.CustomResourceDefinition {
	crd.TypeMeta = metav1.TypeMeta{APIVersion: extv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"}
	for _, v := range crd.Spec.Versions {
		unfoldDescriptions(v.Schema.OpenAPIV3Schema)
	}
	return &crd
}

// dirOf returns where the definition of one of the provider's own kinds goes. Crossplane takes every kind in a provider's package but
// ProviderConfig for a resource that the provider manages, and gives people rights to it that they are not to have; so others
// are applied beside the packages.
func dirOf(crd extv1.CustomResourceDefinition) string {
	if crd.Spec.Names.Kind == "ProviderConfig" {
		return providerDir
	}
	return installDir
}
