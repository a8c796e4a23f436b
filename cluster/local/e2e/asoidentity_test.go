package e2e

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// asoIdentity gives a cluster of ASO objects the credential of an AzureClusterIdentity, which is all that there is, and deletes it
// while the right to that is lost.
var asoIdentity = &scenario{
	name: "aso-identity", calmOnly: true,
	steps: []step{
		{
			name:  "create",
			act:   all(func(w *world) error { return w.remove(secretKind, "aso-credential") }, labelNamespace("allowed"), applyTyped("aks-aso-identity", onlyLabelled)),
			lasts: 15 * time.Second,
			expect: []expectation{
				available, contractKept, signedIn, kubeconfigWorks, credentialKeys("AZURE_CLIENT_SECRET"),
				condition(controlPlaneKind, clusterName, "CredentialReady", "True", asoSecret),
			},
		},
		{
			name: "a new client secret", act: setSecret(typedIdentity, "clientSecret", "rotated secret"),
			expect: []expectation{available, credentialIs("AZURE_CLIENT_SECRET", "rotated secret")},
		},
		{
			name: "the namespace loses its label", act: labelNamespace(""),
			expect: []expectation{
				gone(secretKind, asoSecret), notAllowed(controlPlaneKind, "Ready"), notAllowed(asoClusterKind, "Ready"),
				condition(asoPoolKind, userPool, "Ready", "False", "does not have namespace"),
				condition(clusterKind, clusterName, "Available", "False", "does not have namespace"),
			},
		},
		{
			name: "delete without the right", act: deleteInForeground,
			goes:   []removal{{".*", "/none"}},
			expect: []expectation{warned(controlPlaneKind, clusterName, "does not have namespace"), exists(controlPlaneKind, clusterName)},
			stays:  []expectation{inAzure("/managedClusters/"+clusterName, "properties.provisioningState", "Succeeded")}, staysFor: 5 * time.Second,
		},
		{
			name: "the label is back", act: labelNamespace("allowed"), lasts: 15 * time.Second,
			goes:   []removal{{".*", ".*"}},
			expect: []expectation{gone(clusterKind, clusterName), gone(secretKind, asoSecret), azureEmpty}, never: down.never,
		},
		{
			name: "delete the identity", deletes: true, expect: down.expect,
			act: removeIdentity,
		},
	},
}

// asoIdentityLater gives an identity to a cluster that runs with the credential of its namespace.
var asoIdentityLater = &scenario{
	name: "aso-identity-later", calmOnly: true,
	steps: []step{
		up("aks-aso", onePool),
		{
			name: "an identity", act: all(func(w *world) error { return w.create(w.password()) }, applyExample("aks-aso-identity", onlyIdentity), takeIdentity),
			expect: []expectation{available, signedIn, condition(controlPlaneKind, clusterName, "CredentialReady", "True", asoSecret)},
		},
		{
			name:   "scale with it",
			act:    all(func(w *world) error { return w.remove(secretKind, "aso-credential") }, scaleTo(systemPool, 3)),
			expect: []expectation{available, replicas(systemPool, 3)},
		},
		{
			name: "delete", deletes: true, expect: down.expect, never: down.never, lasts: down.lasts,
			act: all(down.act, removeIdentity),
		},
	},
}

var onlyIdentity = without(func(u *unstructured.Unstructured) bool { return u.GetKind() != identityKind.Kind })

// takeIdentity sets both fields at once, as they have to be.
func takeIdentity(w *world) error {
	patch := fmt.Appendf(nil, `{"spec":{"identityRef":{"name":%q},"subscriptionID":%q}}`, typedIdentity, w.subscription)
	return w.client.Patch(w.ctx, object(controlPlaneKind, w.namespace, clusterName), client.RawPatch(types.MergePatchType, patch))
}

// deleteInForeground has garbage collection delete all that belongs to the Cluster at once, which must not take the credential away
// from what ASO still has to delete with it.
func deleteInForeground(w *world) error {
	return client.IgnoreNotFound(w.client.Delete(w.ctx, object(clusterKind, w.namespace, clusterName), client.PropagationPolicy(metav1.DeletePropagationForeground)))
}
