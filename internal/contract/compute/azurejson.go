package compute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// The Secret with the settings of Azure's cloud provider, which bootstrap providers put on machines as /etc/kubernetes/azure.json. The keys are
// those of CAPZ, of which manifests name one.
const (
	azureJSONSuffix = "-azure-json"
	keyControlPlane = "control-plane-azure.json"
	keyWorkerNode   = "worker-node-azure.json"
	keyOfBoth       = "azure.json"
	clientSecretKey = "AZURE_CLIENT_SECRET" //nolint:gosec // The key of a secret.
	lifecycleOwned  = "owned"
)

// AzureJSON writes the Secrets with the settings of Azure's cloud provider.
type AzureJSON struct{ *Azure }

// Write has the Secret of a template or machine have the settings for machines with an identity. It writes none while the Cluster has no
// credential.
func (j *AzureJSON) Write(ctx context.Context, api access.API, owner *unstructured.Unstructured, cluster string, infrastructure *unstructured.Unstructured,
	identity v1beta1.VMIdentity, identities []v1beta1.UserAssignedIdentity,
) error {
	azureCluster, ok := read[v1beta1.AzureCluster](infrastructure)
	if !ok {
		return nil
	}
	account, usable, err := j.account(ctx, infrastructure, cluster)
	if err != nil || !usable {
		return err
	}
	signIn, err := j.signIn(ctx, api, account, infrastructure.GetNamespace(), cluster, identity, identities)
	if err != nil {
		return fmt.Errorf("cannot write Secret %s: %w", owner.GetName()+azureJSONSuffix, err)
	}
	spec := azureCluster.Spec.DeepCopy()
	defaulting.Cluster(azureCluster.Name, spec)
	content, err := json.MarshalIndent(machines.CloudProviderConfig(*spec, account.TenantID, signIn), "", "    ")
	if err != nil {
		return fmt.Errorf("cannot write Secret %s: its content is no JSON", owner.GetName()+azureJSONSuffix)
	}
	return keepSecret(ctx, api, owner, cluster, owner.GetName()+azureJSONSuffix, map[string]string{cluster: lifecycleOwned},
		map[string][]byte{keyControlPlane: content, keyWorkerNode: content, keyOfBoth: content})
}

// signIn returns as whom the cloud provider of machines with an identity signs in.
func (j *AzureJSON) signIn(ctx context.Context, api access.API, account azure.Account, namespace, cluster string, identity v1beta1.VMIdentity, identities []v1beta1.UserAssignedIdentity) (machines.SignIn, error) {
	switch {
	case identity == v1beta1.VMIdentitySystemAssigned:
		return machines.SignIn{ManagedIdentity: true}, nil
	case identity == v1beta1.VMIdentityUserAssigned && len(identities) > 0:
		clientID, err := j.identities.ClientID(ctx, account, identities[0].ProviderID)
		return machines.SignIn{ManagedIdentity: true, UserAssignedID: clientID}, err
	case identity == v1beta1.VMIdentityUserAssigned:
		return machines.SignIn{}, errors.New("identity is UserAssigned, but userAssignedIdentities has none")
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: namespace, Name: v1beta1.CredentialSecret(cluster)}
	if err := api.Live.Get(ctx, key, secret); err != nil {
		return machines.SignIn{}, fmt.Errorf("cannot read Secret %s: %w", key.Name, err)
	}
	return machines.SignIn{ClientID: account.ClientID, ClientSecret: string(secret.Data[clientSecretKey])}, nil
}
