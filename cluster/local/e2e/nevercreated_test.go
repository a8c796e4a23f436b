package e2e

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

const nameIsRefused = "The provided resource group name 'my-cluster' has these invalid characters"

// neverCreated has clusters of which Azure does not even say whether they are there. They can be deleted, and nothing is asked of Azure for
// that. The typed kinds are asked for in the same way.
var neverCreated = &scenario{
	name: "never-created", calmOnly: true,
	steps: []step{
		{
			name: "create, while Azure refuses the name", act: all(now("created"), refuseName, applyExample("aks-aso", onePool)),
			expect: []expectation{entry(asoClusterKind, clusterName, "ResourceGroup/my-cluster", false, "InvalidResourceGroup", nameIsRefused)},
		},
		{
			name: "delete", act: func(w *world) error { return w.remove(clusterKind, clusterName) },
			goes:   []removal{{".*", "/none"}},
			expect: []expectation{nothingLeft, azureEmpty, quietSince("created", ""), warned(asoClusterKind, clusterName, "nothing was sent to Azure for it")}, never: down.never,
		},
		{
			name: "create, while Entra refuses the credential", act: all(fix("name"), refuseCredential, applyExample("aks-aso", onePool)),
			expect: []expectation{entry(asoClusterKind, clusterName, "ResourceGroup/my-cluster", false, "", "AADSTS7000215")},
		},
		{
			name: "delete in the foreground", act: deleteInForeground, deletes: true,
			expect: []expectation{nothingLeft, azureEmpty, quietSince("created", "")}, never: down.never,
		},
	},
}

// refuseName has Azure answer whatever it is asked about the resource group as it does for a name with other characters.
func refuseName(w *world) error {
	return w.fault("name", admin.Fault{Path: "/resourceGroups/my-cluster", Status: http.StatusBadRequest, Code: "InvalidResourceGroup", Message: nameIsRefused})
}

// refuseCredential has the credential of the namespace be of a client that Entra knows with another secret. The client is this scenario's
// alone.
func refuseCredential(w *world) error {
	if err := w.azure.SetClientSecret(w.ctx, w.subscription, w.planted("the right secret")); err != nil {
		return err
	}
	secret := &corev1.Secret{}
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "aso-credential"}, secret); err != nil {
		return err
	}
	secret.Data["AZURE_CLIENT_ID"] = []byte(w.subscription)
	return w.client.Update(w.ctx, secret)
}
