package aso

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

var (
	// usersMetadata are the fields of metadata that a user may give an object.
	usersMetadata = []string{"name", "namespace", "labels", "annotations"}
	// ServerMetadata are the fields of metadata that are left out of what a user gives, as whoever copies an object from a cluster has them.
	ServerMetadata = []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}
)

// reservedAnnotations are the beginnings of annotations that others write and then believe, and who that is. ASO sends the
// token for Azure to whatever address its annotation of an operation has, and acts on whatever ID another one has.
var reservedAnnotations = map[string]string{
	"serviceoperator.azure.com/":       "Azure Service Operator writes it and acts on it",
	"infrastructure.cluster.x-k8s.io/": "it records whose the resource is, which is found out in Azure",
	"crossplane.io/":                   "Crossplane writes it",
}

// usersAnnotations are those of them that are for users.
var usersAnnotations = []string{AnnotationCredentialFrom, AnnotationReconcilePolicy}

// Reserved returns what in the metadata and the operatorSpec of an object that a user has written is not for users, as a
// sentence that begins with the field; empty if there is nothing. Crossplane applies the object with rights that the user need
// not have, and ASO and provider-capz believe what they have written themselves.
func Reserved(obj *unstructured.Unstructured) string {
	metadata, _ := obj.Object["metadata"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		if !slices.Contains(usersMetadata, name) && !slices.Contains(ServerMetadata, name) {
			return fmt.Sprintf("metadata.%s is %s, but must be absent: it is not for users, as the object belongs to the one that defines it", name, field.Show(metadata[name]))
		}
	}
	annotations := obj.GetAnnotations()
	for _, name := range slices.Sorted(maps.Keys(annotations)) {
		if sentence := reservedAnnotation(name, annotations[name]); sentence != "" {
			return sentence
		}
	}
	return reservedDestination(obj)
}

func reservedAnnotation(name, value string) string {
	if name == AnnotationCredentialFrom && (value == "" || strings.Contains(value, "/")) {
		return fmt.Sprintf("metadata.annotations[%s] is %s, but must be the name of a Secret in the same namespace", name, field.Show(value))
	}
	if slices.Contains(usersAnnotations, name) {
		return ""
	}
	for _, beginning := range slices.Sorted(maps.Keys(reservedAnnotations)) {
		if strings.HasPrefix(name, beginning) {
			return fmt.Sprintf("metadata.annotations[%s] is %s, but must be absent because %s", name, field.Show(value), reservedAnnotations[beginning])
		}
	}
	return ""
}

// reservedDestination returns where ASO is to write a Secret that it, or provider-capz, would take for a credential. Else whoever may
// write no Secrets could have ASO write one that is good for whatever ASO's own identities reach.
func reservedDestination(obj *unstructured.Unstructured) string {
	const path = "spec.operatorSpec."
	sentence := func(destination, name string) string {
		return fmt.Sprintf("%s%s.name is %q, but must be another because a Secret of that name is a credential for Azure", path, destination, name)
	}
	to := SpecOperatorSpec.Value(obj)
	secrets, _ := to["secrets"].(map[string]any)
	for _, of := range slices.Sorted(maps.Keys(secrets)) {
		destination, _ := secrets[of].(map[string]any)
		if name := field.Text(destination["name"]); isCredential(name) {
			return sentence("secrets."+of, name)
		}
	}
	expressions, _ := to["secretExpressions"].([]any)
	for i, item := range expressions {
		expression, _ := item.(map[string]any)
		name := field.Text(expression["name"])
		if isCredential(name) {
			return sentence(field.Item("secretExpressions", i), name)
		}
		if strings.HasSuffix(name, "-kubeconfig") {
			return fmt.Sprintf("%s%s.name is %q, but must be another because Cluster API takes what is in such a Secret for a kubeconfig from Azure", path, field.Item("secretExpressions", i), name)
		}
	}
	return ""
}

// isCredential reports whether a Secret of the name is a credential by its name alone: for a Cluster, for a namespace (ASO
// documentation, "Credential scope"), or for all of ASO.
func isCredential(name string) bool {
	return strings.HasSuffix(name, v1beta1.CredentialSecretSuffix) || name == "aso-credential" || name == "aso-controller-settings"
}
