// Package selfmanaged composes the kinds of clusters whose control plane are virtual machines: AzureCluster and AzureMachine.
package selfmanaged

import (
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// reasonNotComposed is that of kinds which are served, but of which nothing is composed.
const reasonNotComposed = "NotComposed"

// Cluster composes AzureCluster: nothing so far, and says so.
type Cluster struct{}

// Compose implements composer.Composer.
func (Cluster) Compose(in *composer.Request) (*composer.Result, error) {
	return &composer.Result{Status: capi.ReadInfrastructureStatus(in).Result()},
		composer.Blockedf(reasonNotComposed, "this version of function-capz makes nothing in Azure of an AzureCluster")
}
