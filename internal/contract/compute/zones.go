package compute

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// Location is what is known of where a Cluster is.
type Location struct {
	// Zones are the availability zones, sorted; Known says that Azure has told them.
	Zones []string
	Known bool
	// FaultDomains is how many an availability set may have; 0 while that is not known.
	FaultDomains int32
}

// LocationOf returns what is known of the location of an AzureCluster. What an edge zone has is not told.
func (a *Azure) LocationOf(ctx context.Context, azureCluster *unstructured.Unstructured, cluster string) (Location, error) {
	c, ok := read[v1beta1.AzureCluster](azureCluster)
	if !ok || c.Spec.SubscriptionID == "" || c.Spec.Location == "" {
		return Location{}, nil
	}
	account, usable, err := a.account(ctx, azureCluster, cluster)
	if err != nil || !usable {
		return Location{}, err
	}
	offers, err := a.offers(ctx, account, c, "")
	if err != nil {
		return Location{}, err
	}
	known := Location{Known: true, FaultDomains: int32(offers.Size("").FaultDomains)} //nolint:gosec // A handful.
	if c.Spec.ExtendedLocation == nil {
		known.Zones = slices.Clone(offers.Zones)
	}
	return known, nil
}

// offers returns what Azure offers where a Cluster is.
func (a *Azure) offers(ctx context.Context, account azure.Account, c *v1beta1.AzureCluster, size string) (*machines.Offers, error) {
	return a.catalogue.Offers(ctx, account, c.Spec.SubscriptionID, c.Spec.Location, size)
}

// sizeOf returns what Azure offers of a size where a Cluster is.
func (a *Azure) sizeOf(ctx context.Context, account azure.Account, c *v1beta1.AzureCluster, size string) (v1alpha1.FactsOfSize, error) {
	offers, err := a.offers(ctx, account, c, size)
	if err != nil {
		return v1alpha1.FactsOfSize{}, err
	}
	return offers.Size(size), nil
}
