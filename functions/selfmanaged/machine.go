package selfmanaged

import (
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// Machine composes AzureMachine: nothing so far, and says so.
type Machine struct{}

// Compose implements composer.Composer.
func (Machine) Compose(in *composer.Request) (*composer.Result, error) {
	return &composer.Result{Status: capi.ReadInfrastructureStatus(in).Result()},
		composer.Blockedf(reasonNotComposed, "this version of function-capz makes nothing in Azure of an AzureMachine")
}
