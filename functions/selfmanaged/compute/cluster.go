package compute

import (
	"fmt"
	"slices"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// A Cluster is what is needed of the Cluster that a machine is of.
type Cluster struct {
	Namespace, Name string
	// Azure is its AzureCluster, with its defaults.
	Azure *v1beta1.AzureCluster
	// Zones are those of the location, for public IP addresses; ZonesKnown reports that provider-capz has told them.
	Zones      []string
	ZonesKnown bool
}

// typed returns what all objects of the cluster have in common.
func (c Cluster) typed() typed.Cluster {
	return typed.Cluster{Namespace: c.Namespace, Name: c.Name, Subscription: c.Azure.Spec.SubscriptionID}
}

// ExternallyManaged reports whether somebody else makes the network, and says in the status of the AzureCluster when it is there (CAPI
// contract, InfraCluster: "externally managed infrastructure").
func (c Cluster) ExternallyManaged() bool {
	_, managed := c.Azure.Annotations[clusterv1.ManagedByAnnotation]
	return managed
}

// status returns what the AzureCluster says of its object of the kind with the usual name; not ok when it says nothing. It is called
// otherwise where the usual name is another's, see plan.OwnName.
func (c Cluster) status(kind aso.Kind, usual string) (s v1beta1.ResourceStatus, ok bool) {
	own := plan.OwnName(usual, c.Azure.Name)
	at := slices.IndexFunc(c.Azure.Status.Resources, func(s v1beta1.ResourceStatus) bool {
		r := s.Resource
		return r.Group == kind.Group && r.Kind == kind.Name && (r.Name == usual || r.Name == own)
	})
	if at < 0 {
		return v1beta1.ResourceStatus{}, false
	}
	return c.Azure.Status.Resources[at], true
}

// objectName returns the name of the AzureCluster's object of a resource that has the name in Azure.
func (c Cluster) objectName(kind aso.Kind, azureName string) string {
	usual := v1beta1.ASOObjectName(azureName)
	if s, ok := c.status(kind, usual); ok {
		return s.Resource.Name
	}
	return usual
}

// Await returns what has to be before something that refers to a resource of the AzureCluster is created; nothing once that is ready, and
// where somebody else makes the network.
func (c Cluster) Await(kind aso.Kind, azureName string) []plan.Precondition {
	if c.ExternallyManaged() {
		return nil
	}
	usual := v1beta1.ASOObjectName(azureName)
	s, ok := c.status(kind, usual)
	switch {
	case ok && s.Ready:
		return nil
	case !ok:
		return []plan.Precondition{{Description: fmt.Sprintf("AzureCluster %s has %s %s", c.Azure.Name, kind.Name, usual)}}
	}
	return []plan.Precondition{{Description: fmt.Sprintf("%s %s of AzureCluster %s is ready%s",
		kind.Name, s.Resource.Name, c.Azure.Name, plan.Mistake(s.Reason, s.Message))}}
}
