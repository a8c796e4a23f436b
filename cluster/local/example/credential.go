package example

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// credentialAnnotation names the Secret with the credential that ASO uses for an object.
	credentialAnnotation = "serviceoperator.azure.com/credential-from"
	// namespaceCredential is the Secret that ASO uses for the objects of a namespace that name none.
	namespaceCredential = "aso-credential" //nolint:gosec // A name.
)

// credentialSecrets returns the names of the Secrets that the example's resources and identities take credentials from.
func (ex *Example) credentialSecrets() []string {
	names := []string{namespaceCredential}
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, u := range ex.objects {
		if u.GetKind() == "AzureClusterIdentity" {
			name, _, _ := unstructured.NestedString(u.Object, "spec", "clientSecret", "name")
			add(name)
			continue
		}
		resources, _, _ := unstructured.NestedSlice(u.Object, "spec", "resources")
		for _, r := range resources {
			if resource, ok := r.(map[string]any); ok {
				name, _, _ := unstructured.NestedString(resource, "metadata", "annotations", credentialAnnotation)
				add(name)
			}
		}
	}
	return names
}

// credential returns a Secret as ASO and AzureClusterIdentities read it. The simulated Azure takes any service principal.
func credential(name, namespace string) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		StringData: map[string]string{
			"AZURE_SUBSCRIPTION_ID": "00000000-0000-0000-0000-000000000001",
			"AZURE_TENANT_ID":       "00000000-0000-0000-0000-000000000002",
			"AZURE_CLIENT_ID":       "00000000-0000-0000-0000-000000000003",
			"AZURE_CLIENT_SECRET":   "simulated",
			"clientSecret":          "simulated",
		},
	}
}
