package capi

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// Read fills a typed object; it is Blocked where obj cannot be one.
func Read(obj *unstructured.Unstructured, into any) error {
	if err := shape.Convert(obj.Object, into); err != nil {
		return composer.Blockedf(composer.ReasonInvalidResource, "%s %s cannot be read: %v", obj.GetKind(), obj.GetName(), err)
	}
	return nil
}

// AwaitedCredential returns, in words, what is missing before ASO can sign in to Azure for the Cluster of that name; nothing once
// provider-capz has reported that the Secret is there. The Secret itself never passes through a function. Subscription and identity are
// those of the spec of the composite resource, which is of a kind with a credential.
func AwaitedCredential(in *composer.Request, subscription string, identity *corev1.ObjectReference, cluster string) (string, error) {
	credential := CredentialOf(in.XR)
	switch {
	case credential.Usable():
		return "", nil
	case credential.Refused():
		return credential.Awaited(in.XR.GetKind(), in.XR.GetName()), nil
	case subscription == "":
		return "spec.subscriptionID is set, as it cannot be told from the credential", nil
	case identity == nil:
		return "spec.identityRef names an AzureClusterIdentity, whose credential is used in Azure", nil
	case identity.Kind != "" && identity.Kind != composite.AzureClusterIdentity.Kind:
		return fmt.Sprintf("spec.identityRef.kind is %q, but must be %s", identity.Kind, composite.AzureClusterIdentity.Kind), nil
	}
	return awaitedOf(in, cmp.Or(identity.Namespace, in.XR.GetNamespace()), identity.Name, cluster)
}

// awaitedOf is AwaitedCredential for what depends on the AzureClusterIdentity.
func awaitedOf(in *composer.Request, namespace, name, cluster string) (string, error) {
	found, err := in.GetIn("identity", composite.AzureClusterIdentity.GroupVersionKind, namespace, name)
	if err != nil {
		return "", err
	}
	named := fmt.Sprintf("AzureClusterIdentity %s/%s", namespace, name)
	if found == nil {
		return named + " exists, which spec.identityRef names", nil
	}
	identity := &v1beta1.AzureClusterIdentity{}
	if err := Read(found, identity); err != nil {
		return err.Error(), nil //nolint:nilerr // It is what is waited for.
	}
	if forbids(identity.Spec.AllowedNamespaces, in.XR.GetNamespace()) {
		return fmt.Sprintf("spec.allowedNamespaces of %s has namespace %q", named, in.XR.GetNamespace()), nil
	}
	return fmt.Sprintf("provider-capz has made Secret %s from %s", v1beta1.CredentialSecret(cluster), named), nil
}

// forbids reports whether a namespace is certainly not among those allowed. A selector is for provider-capz to resolve.
func forbids(allowed *v1beta1.AllowedNamespaces, namespace string) bool {
	switch {
	case allowed == nil:
		return true
	case allowed.Selector != nil, allowed.NamespaceList == nil:
		return false
	}
	return !slices.Contains(allowed.NamespaceList, namespace)
}
