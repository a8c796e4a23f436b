package main

import (
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// providerGroup is the API group of the kinds that are no composite resources but provider-capz's own.
const providerGroup = "capz.crossplane.io"

// isComposite reports whether Crossplane makes a kind from a definition. The others are provider-capz's own, and those that stand for so
// many objects that each would cost a composition for nothing.
func isComposite(crd extv1.CustomResourceDefinition) bool {
	return crd.Spec.Group != providerGroup && crd.Spec.Names.Kind != machinePoolMachineKind
}

// machinePoolMachineKind stands for an instance of a scale set, and is made for each by provider-capz.
const machinePoolMachineKind = "AzureMachinePoolMachine"

// plainCRD returns the CustomResourceDefinition of a kind that is no composite one, as it is applied.
func plainCRD(crd extv1.CustomResourceDefinition) *extv1.CustomResourceDefinition {
	crd.TypeMeta = metav1.TypeMeta{APIVersion: extv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"}
	crd.Labels = apiGroups[crd.Spec.Group].labels
	for _, v := range crd.Spec.Versions {
		unfoldDescriptions(v.Schema.OpenAPIV3Schema)
	}
	return &crd
}

// dirOf returns where the definition of a kind that is no composite one goes. Crossplane takes every kind in a provider's package but
// ProviderConfig for a resource that the provider manages, gives people rights to it that they are not to have, and takes its labels away; so
// others are applied beside the packages.
func dirOf(crd extv1.CustomResourceDefinition) string {
	if crd.Spec.Names.Kind == "ProviderConfig" {
		return providerDir
	}
	return installDir
}
