package managed

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// awaitedCredential returns, in words, what is missing before ASO can sign in to Azure for the cluster; nothing once
// provider-capz has reported that the Secret is there. The Secret itself never passes through a function.
func awaitedCredential(in *composer.Request, cp *v1beta1.AzureManagedControlPlane, cluster string) (string, error) {
	credential := capi.CredentialOf(cp)
	switch {
	case credential.Usable():
		return "", nil
	case credential.Refused():
		return credential.Awaited(composite.AzureManagedControlPlane.Kind, cp.Name), nil
	}
	ref := cp.Spec.IdentityRef
	switch {
	case cp.Spec.SubscriptionID == "":
		return "spec.subscriptionID is set, as it cannot be told from the credential", nil
	case ref == nil:
		return "spec.identityRef names an AzureClusterIdentity, whose credential is used in Azure", nil
	case ref.Kind != "" && ref.Kind != composite.AzureClusterIdentity.Kind:
		return fmt.Sprintf("spec.identityRef.kind is %q, but must be %s", ref.Kind, composite.AzureClusterIdentity.Kind), nil
	}
	namespace := cmp.Or(ref.Namespace, in.XR.GetNamespace())
	found, err := in.GetIn("identity", composite.AzureClusterIdentity.GroupVersionKind, namespace, ref.Name)
	if err != nil {
		return "", err
	}
	named := fmt.Sprintf("AzureClusterIdentity %s/%s", namespace, ref.Name)
	if found == nil {
		return named + " exists, which spec.identityRef names", nil
	}
	identity := &v1beta1.AzureClusterIdentity{}
	if err := read(found, identity); err != nil {
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
