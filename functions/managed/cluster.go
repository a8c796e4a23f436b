package managed

import (
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// Cluster composes AzureManagedCluster: nothing, as everything in Azure belongs to the control plane. Cluster API takes it
// as the infrastructure of the Cluster, and waits for the address that it hands over.
type Cluster struct{}

// Compose implements composer.Composer.
func (Cluster) Compose(in *composer.Request) (*composer.Result, error) {
	status := capi.ReadInfrastructureStatus(in)
	blocked := &composer.Result{Status: status.Result()}
	cluster, err := capi.OwnerCluster(in)
	if err != nil {
		return blocked, err
	}
	controlPlane, err := capi.Reference(in, cluster, "controlPlaneRef", composite.AzureManagedControlPlane)
	if err != nil {
		return blocked, err
	}
	observations, err := plan.Observe(in, nil)
	if err != nil {
		return nil, err
	}
	credential, err := capi.ReadCredential(in, composite.AzureManagedControlPlane, controlPlane)
	if err != nil {
		return nil, err
	}
	p := plan.Plan{Cluster: cluster.GetName(), Paused: capi.Paused(in, cluster)}
	out, err := p.Make(in, observations)
	if err != nil {
		return nil, err
	}
	if out.Ready() && capi.HasEndpoint(in) {
		status.SetProvisioned()
	}
	return credential.Result(in, out, status.Result(),
		credential.Readiness(out, status.Condition(out, capi.WaitsForEndpoint)), out.Condition(), capi.PausedCondition(p.Paused)), nil
}
