package compute

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"k8s.io/utils/keymutex"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// An Azure is how Azure is reached for Clusters, and what is known of it. All controllers share one.
type Azure struct {
	// Credentials makes those that ASO signs in with.
	Credentials azure.Credentials

	catalogue  *machines.Catalogue
	creator    *machines.Creator
	identities *machines.Identities
	remover    *machines.Remover
	tagger     *machines.Tagger
	natRules   *machines.NATRules
	frontends  *machines.Frontends
	scaleSets  *machines.ScaleSets
	lists      *machines.Lists
	health     *machines.Health
	compared   comparedTags
	// locks keep one resource from being created and removed at once, by its ID.
	locks keymutex.KeyMutex
}

// locks is among how many the IDs are shared out: far more than are created at once, so that hardly one waits for another's answer of Azure.
const locks = 1024

// NewAzure returns an Azure that has not been asked anything yet. Secrets reads Secrets as they are (see access.SecretReader). The namespaces are those in
// which ASO may run.
func NewAzure(secrets client.Reader, operatorNamespaces []string) *Azure {
	return New(azure.Credentials{Operators: azure.Operators{Secrets: secrets, Namespaces: operatorNamespaces}}, machines.NewClient(nil))
}

// New is NewAzure with the credentials and the client.
func New(credentials azure.Credentials, c *machines.Client) *Azure {
	lists := machines.NewLists(c)
	return &Azure{
		Credentials: credentials,
		catalogue:   machines.NewCatalogue(c, clock.RealClock{}), creator: machines.NewCreator(c, lists), lists: lists, identities: machines.NewIdentities(c),
		remover: machines.NewRemover(c), tagger: machines.NewTagger(c), natRules: machines.NewNATRules(c), frontends: machines.NewFrontends(c),
		health:    machines.NewHealth(c),
		scaleSets: machines.NewScaleSets(c), locks: keymutex.NewHashed(locks),
		compared: comparedTags{objects: lru.New(longestCompared)},
	}
}

// account returns the account of a Cluster, by the credential that is made for its AzureCluster; not usable while there is none.
func (a *Azure) account(ctx context.Context, azureCluster *unstructured.Unstructured, cluster string) (account azure.Account, usable bool, err error) {
	annotations := azureCluster.GetAnnotations()
	reason, _ := v1beta1.ReadCredentialFailure(annotations)
	secret := annotations[v1beta1.AnnotationCredential]
	if secret == "" || v1beta1.CredentialLost(secret, reason) {
		return azure.Account{}, false, nil
	}
	namespace := azureCluster.GetNamespace()
	operator, err := a.Credentials.Operators.Sole(ctx, namespace)
	if err != nil {
		return azure.Account{}, false, err
	}
	// As function-capz annotates what it composes, and ASO what it manages.
	stand := &metav1.PartialObjectMetadata{}
	stand.SetNamespace(namespace)
	stand.SetAnnotations(map[string]string{azure.CredentialFromAnnotation: v1beta1.CredentialSecret(cluster)})
	if operator != "" {
		stand.Annotations[azure.OperatorNamespaceAnnotation] = operator
	}
	account, err = a.Credentials.Account(ctx, stand)
	if err != nil {
		return azure.Account{}, false, fmt.Errorf("cannot use the credential of Cluster %s: %w", cluster, err)
	}
	return account, true, nil
}

// read returns a composite resource as its Go type; not ok for one that is of another shape, of which function-capz reports.
func read[T any](obj *unstructured.Unstructured) (*T, bool) {
	into := new(T)
	if obj == nil || runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, into) != nil {
		return nil, false
	}
	return into, true
}
