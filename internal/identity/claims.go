package identity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// claimsIndex is the index of composite resources by what they claim in Azure.
const claimsIndex = "claims"

// claims has, by kind, what a composite resource would take for its own in Azure. Users who write ASO objects name each resource
// themselves, so that those kinds claim nothing.
var claims = map[schema.GroupKind]func(client.Object) []claim{
	composite.AzureManagedControlPlane.GroupKind(): claimsOfManagedControlPlane,
	composite.AzureCluster.GroupKind():             claimsOfCluster,
}

// claiming returns the kinds that claim something.
func claiming() []composite.Kind {
	return composite.Select(func(k composite.Kind) bool { return claims[k.GroupKind()] != nil })
}

// claimsOf returns what a composite resource claims.
func claimsOf(obj client.Object) []claim {
	of, ok := claims[obj.GetObjectKind().GroupVersionKind().GroupKind()]
	if !ok {
		return nil
	}
	return of(obj)
}

// A claim is what only one composite resource may have in Azure.
type claim struct {
	// key is the same for all who claim the same. Azure does not tell small letters from large ones.
	key string
	// words name the fields that it comes from, and their values.
	words string
}

// claimsOfManagedControlPlane returns what an AzureManagedControlPlane claims: of each resource group the resources with the tag of its
// Cluster, of which Azure has no namespace, and the AKS cluster of its name, whose kubeconfig it would get.
func claimsOfManagedControlPlane(obj client.Object) []claim {
	controlPlane := &v1beta1.AzureManagedControlPlane{}
	if !read(obj, controlPlane) || controlPlane.Spec.SubscriptionID == "" {
		return nil
	}
	spec := controlPlane.Spec
	var claims []claim
	add := func(group, field, what, name, words string) {
		claims = append(claims, newClaim(spec.SubscriptionID, group, field, what, name, words))
	}
	clusters := clustersOf(controlPlane.ObjectMeta)
	if spec.ResourceGroupName != "" {
		add(spec.ResourceGroupName, "spec.resourceGroupName", "aks", controlPlane.Name, "metadata.name")
	}
	for _, cluster := range clusters {
		group := cmp.Or(spec.ResourceGroupName, cluster)
		add(group, "spec.resourceGroupName", "tag", cluster, "Cluster")
		if network := spec.VirtualNetwork.ResourceGroup; network != "" && !strings.EqualFold(network, group) {
			add(network, "spec.virtualNetwork.resourceGroup", "tag", cluster, "Cluster")
		}
		if spec.ResourceGroupName == "" {
			add(group, "spec.resourceGroupName", "aks", controlPlane.Name, "metadata.name")
		}
	}
	return claims
}

func newClaim(subscription, group, field, what, name, words string) claim {
	return claim{
		key:   strings.ToLower(strings.Join([]string{subscription, group, what, name}, "/")),
		words: fmt.Sprintf("%s %s of subscription %s, with %s %s,", field, group, subscription, words, name),
	}
}

// claimsOfCluster returns what an AzureCluster claims: of each resource group the resources with the tag of its Cluster.
func claimsOfCluster(obj client.Object) []claim {
	cluster := &v1beta1.AzureCluster{}
	if !read(obj, cluster) || cluster.Spec.SubscriptionID == "" {
		return nil
	}
	spec := cluster.Spec
	var claims []claim
	for _, name := range clustersOf(cluster.ObjectMeta) {
		group := cmp.Or(spec.ResourceGroup, name)
		claims = append(claims, newClaim(spec.SubscriptionID, group, "spec.resourceGroup", "tag", name, "Cluster"))
		if network := spec.NetworkSpec.Vnet.ResourceGroup; network != "" && !strings.EqualFold(network, group) {
			claims = append(claims, newClaim(spec.SubscriptionID, network, "spec.networkSpec.vnet.resourceGroup", "tag", name, "Cluster"))
		}
	}
	return claims
}

// clustersOf returns the names of the Cluster of a composite resource, by owner and by label, which may differ for a moment.
func clustersOf(obj metav1.ObjectMeta) []string {
	var names []string
	for _, owner := range obj.OwnerReferences {
		if owner.Kind == "Cluster" && strings.HasPrefix(owner.APIVersion, clusterv1.GroupVersion.Group+"/") {
			names = append(names, owner.Name)
		}
	}
	if name := obj.Labels[clusterv1.ClusterNameLabel]; name != "" && !slices.Contains(names, name) {
		names = append(names, name)
	}
	return names
}

// indexClaims is the function of claimsIndex.
func indexClaims(obj client.Object) []string {
	var keys []string
	for _, claim := range claimsOf(obj) {
		keys = append(keys, claim.key)
	}
	return keys
}

// claimedByOther is a mistake when a composite resource of another namespace has, or was first to want, what this one claims: both would
// change and delete the same resources. Within a namespace Kubernetes' own names keep them apart. The other one is not named.
func (k *keeper) claimedByOther(ctx context.Context, xr *unstructured.Unstructured) error {
	var own *standing
	for _, claim := range claimsOf(xr) {
		var others []unstructured.Unstructured
		for _, kind := range k.watched.among(claiming()) {
			claimants, err := k.claimants(ctx, kind, claim.key, xr.GetNamespace())
			if err != nil {
				return err
			}
			others = append(others, claimants...)
		}
		for i := range others {
			if own == nil {
				var err error
				if own, err = k.standingOf(ctx, xr); err != nil {
					return err
				}
			}
			other, err := k.standingOf(ctx, &others[i])
			if err != nil {
				return err
			}
			if other.counts && other.before(own) {
				return wrong("%s is what a control plane of another namespace has, and one of them would change and delete what is the other's; choose another resource group or other names, or wait until that one is gone",
					claim.words)
			}
		}
	}
	return nil
}

// claimants returns the composite resources of a kind in other namespaces that claim the same.
func (k *keeper) claimants(ctx context.Context, kind composite.Kind, key, namespace string) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersionKind)
	if err := k.List(ctx, list, client.MatchingFields{claimsIndex: key}); err != nil {
		return nil, fmt.Errorf("cannot list what claims the same in Azure: %w", err)
	}
	return slices.DeleteFunc(list.Items, func(u unstructured.Unstructured) bool { return u.GetNamespace() == namespace }), nil
}

// A standing is what decides between two composite resources that claim the same.
type standing struct {
	// counts is unset where the composite resource cannot get a credential: it takes nothing from anybody.
	counts bool
	// without is 0 if its AzureClusterIdentity has its finalizer, which is the surest sign of a credential, as few may write that; 1 if
	// its Secret was noted on it, which stays when it is moved; 2 if it waits.
	without int
	created int64
	key     string
}

// before reports whether s goes before other: who has a credential before who waits for one, then the older.
func (s *standing) before(other *standing) bool {
	return cmp.Or(cmp.Compare(s.without, other.without), cmp.Compare(s.created, other.created), cmp.Compare(s.key, other.key)) < 0
}

func (k *keeper) standingOf(ctx context.Context, xr *unstructured.Unstructured) (*standing, error) {
	s := &standing{without: 2, created: xr.GetCreationTimestamp().Unix(), key: client.ObjectKeyFromObject(xr).String()}
	if xr.GetAnnotations()[v1beta1.AnnotationCredential] != "" {
		s.without = 1 // Anybody may have written it, so it makes nobody count.
	}
	keys := indexIdentity(xr)
	if len(keys) == 0 {
		return s, nil
	}
	namespace, name, _ := strings.Cut(keys[0], "/")
	identity := &v1beta1.AzureClusterIdentity{}
	if err := k.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, identity); err != nil {
		return s, client.IgnoreNotFound(err)
	}
	if slices.Contains(identity.Finalizers, finalizerOf(xr.GroupVersionKind().GroupKind(), client.ObjectKeyFromObject(xr))) {
		s.counts, s.without = true, 0
		return s, nil
	}
	allowed, err := allows(ctx, k.Client, identity, xr.GetNamespace())
	if err != nil && !isMistake(err) {
		return nil, err
	}
	s.counts = allowed
	return s, nil
}

// fromClaim returns the composite resources that claim the same as one that was changed or is gone.
func (r *Reconciler) fromClaim(ctx context.Context, obj client.Object) []ctrl.Request {
	var requests []ctrl.Request
	for _, claim := range claimsOf(obj) {
		others, err := r.keeper.claimants(ctx, r.kind, claim.key, obj.GetNamespace())
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "Cannot find who waits for this one")
			return nil
		}
		for i := range others {
			request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&others[i])}
			if !slices.Contains(requests, request) {
				requests = append(requests, request)
			}
		}
	}
	return requests
}
