package takeover

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// What CAPZ is installed as (its module, config).
const (
	capzDeployment    = "capz-controller-manager"
	capzProviderLabel = clusterv1.ProviderNameLabel
	capzProvider      = "infrastructure-azure"
	// capzUpdater is the field manager of all that CAPZ does not apply, as of the ASO objects that it makes itself (its module, main.go).
	capzUpdater = "cluster-api-provider-azure-manager"
	// policyBeforePause is the annotation in which CAPZ notes the reconcile policy of an ASO object while its Cluster is paused (its module,
	// azure/services/aso).
	policyBeforePause = "sigs.k8s.io/cluster-api-provider-azure-pre-pause-reconcile-policy"
	// capzOwnedKinds is the annotation in which CAPZ notes the kinds that it has applied, as Kind.version.group;Kind.version.group.
	capzOwnedKinds = "sigs.k8s.io/cluster-api-provider-azure-owned-aso-kinds"
	// poolMachines is the one of CAPZ's definitions that is of no composite kind here.
	poolMachines = "azuremachinepoolmachines." + composite.InfrastructureGroup
)

var (
	deploymentKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	definitionKind = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
	configMapKind  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	namespaceKind  = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
	secretKind     = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	clusterKind    = clusterv1.GroupVersion.WithKind("Cluster")
	// poolMachineKind is the kind of the objects that instances of scale sets have.
	poolMachineKind = v1beta1.GroupVersion.WithKind(v1beta1.AzureMachinePoolMachineKind)

	webhookKinds = []schema.GroupVersionKind{
		{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "MutatingWebhookConfiguration"},
		{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration"},
	}
	capzWebhooks = map[string]bool{"capz-mutating-webhook-configuration": true, "capz-validating-webhook-configuration": true}
)

// capzFinalizers are those by which CAPZ keeps objects of a kind (its module, api/v1beta1).
var capzFinalizers = map[string]string{
	composite.AzureASOManagedCluster.Kind:      clusterv1.ClusterFinalizer,
	composite.AzureASOManagedControlPlane.Kind: "azureasomanagedcontrolplane.infrastructure.cluster.x-k8s.io",
	composite.AzureASOManagedMachinePool.Kind:  clusterv1.ClusterFinalizer,
	composite.AzureManagedControlPlane.Kind:    managedClusterFinalizer,
	composite.AzureManagedMachinePool.Kind:     azureClusterFinalizer,
	composite.AzureCluster.Kind:                azureClusterFinalizer,
	composite.AzureMachine.Kind:                "azuremachine.infrastructure.cluster.x-k8s.io",
	composite.AzureMachinePool.Kind:            clusterv1.MachinePoolFinalizer,
	v1beta1.AzureMachinePoolMachineKind:        "azuremachinepoolmachine.infrastructure.cluster.x-k8s.io",
}

// madeByASO are the kinds that CAPZ makes by ASO for objects of kinds whose users write none: what else these consist of it makes in Azure itself
// (its module, azure/services).
var madeByASO = []aso.Kind{
	aso.ResourceGroup, aso.VirtualNetwork, aso.VirtualNetworksSubnet, aso.NatGateway, aso.BastionHost, aso.PrivateEndpoint, aso.PrivateLinkService,
	aso.ManagedCluster, aso.ManagedClustersAgentPool, aso.FleetsMember, aso.Extension,
}

// Finalizers of CAPZ. With a slash and a hash behind, they keep an AzureClusterIdentity as long as a cluster uses it.
const (
	managedClusterFinalizer = "azuremanagedcontrolplane.infrastructure.cluster.x-k8s.io"
	azureClusterFinalizer   = "azurecluster.infrastructure.cluster.x-k8s.io"
)

// keepsIdentity reports whether CAPZ keeps an AzureClusterIdentity by a finalizer (its module, controllers/helpers.go).
func keepsIdentity(finalizer string) bool {
	prefix, _, hashed := strings.Cut(finalizer, "/")
	return hashed && (prefix == managedClusterFinalizer || prefix == azureClusterFinalizer)
}

var (
	replicas        = field.At[int64]("spec", "replicas")
	runningReplicas = field.At[int64]("status", "replicas")
	readyReplicas   = field.At[int64]("status", "readyReplicas")
)

// capz returns CAPZ's Deployment; nil when there is none.
func (w *Walk) capz(ctx context.Context) (*unstructured.Unstructured, error) {
	all, err := w.List(ctx, deploymentKind, client.MatchingLabels{capzProviderLabel: capzProvider})
	if err != nil {
		return nil, err
	}
	var found []*unstructured.Unstructured
	for _, o := range all {
		if o.GetName() == capzDeployment {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, &walk.BlockedError{Problems: []string{fmt.Sprintf("CAPZ runs in the namespaces %s and %s; this takes over a cluster that has one", found[0].GetNamespace(), found[1].GetNamespace())}}
}

// webhooks returns CAPZ's webhook configurations.
func (w *Walk) webhooks(ctx context.Context) ([]*unstructured.Unstructured, error) {
	return w.webhooksWhere(ctx, func(o *unstructured.Unstructured) bool {
		return capzWebhooks[o.GetName()] && o.GetLabels()[capzProviderLabel] == capzProvider
	})
}

func (w *Walk) webhooksWhere(ctx context.Context, is func(*unstructured.Unstructured) bool) ([]*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	for _, kind := range webhookKinds {
		all, err := w.List(ctx, kind)
		if err != nil {
			return nil, err
		}
		for _, o := range all {
			if is(o) {
				found = append(found, o)
			}
		}
	}
	return found, nil
}

// definitions returns the CustomResourceDefinitions of CAPZ's kinds, whoever has applied them.
func (w *Walk) definitions(ctx context.Context) ([]*unstructured.Unstructured, error) {
	all, err := w.List(ctx, definitionKind)
	if err != nil {
		return nil, err
	}
	var found []*unstructured.Unstructured
	for _, o := range all {
		if isDefinition(o.GetName()) {
			found = append(found, o)
		}
	}
	return found, nil
}

// definedByOthers returns the names of the definitions that an object of a kind does not control, and of those that one does. It is looked again and again:
// the metadata is a small part of what an API server with all of ASO's definitions would have to send.
func (w *Walk) definedByOthers(ctx context.Context, kind string) (others, theirs []string, err error) {
	all, err := w.Metadata(ctx, definitionKind)
	for i := range all {
		switch o := &all[i]; {
		case !isDefinition(o.GetName()):
		case definedBy(o, kind):
			theirs = append(theirs, o.GetName())
		default:
			others = append(others, o.GetName())
		}
	}
	return others, theirs, err
}

// isDefinition reports whether a CustomResourceDefinition of the name is of one of CAPZ's kinds. The kinds of this project in the same group, such as
// ClusterFacts, are none that CAPZ has.
func isDefinition(name string) bool {
	return strings.HasPrefix(name, "azure") && strings.HasSuffix(name, "."+composite.InfrastructureGroup)
}

// definedBy reports whether an object is controlled by one of the kind.
func definedBy(o client.Object, kind string) bool {
	controller := metav1.GetControllerOf(o)
	return controller != nil && controller.Kind == kind
}
