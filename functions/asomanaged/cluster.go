package asomanaged

import (
	"errors"

	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// Cluster composes AzureASOManagedCluster: whatever the AKS cluster lives in, such as resource groups and networks.
type Cluster struct{}

// Compose implements composer.Composer.
func (Cluster) Compose(in *composer.Request) (*composer.Result, error) {
	status := capi.ReadInfrastructureStatus(in)
	blocked := &composer.Result{Status: status.Result()}
	cluster, err := capi.OwnerCluster(in)
	if err != nil {
		return blocked, err
	}
	name, err := capi.Reference(in, cluster, "controlPlaneRef", composite.AzureASOManagedControlPlane)
	if err != nil {
		return blocked, err
	}
	resources := plan.FromSpec(in.XR)
	observations, observeErr := plan.Observe(in, resources)
	controlPlane, err := in.Get("controlplane", composite.AzureASOManagedControlPlane.GroupVersionKind, name)
	if err := errors.Join(observeErr, err); err != nil {
		return nil, err
	}
	signsIn := credential{controlPlane: controlPlane, name: name, cluster: cluster.GetName()}
	signsIn.set(in, resources)
	p := plan.Plan{
		Resources: resources, Cluster: cluster.GetName(), Paused: capi.Paused(in, cluster), Order: networkOrder(resources),
		LookFirst: !capi.HasEndpoint(in), // Later, as after a move, Azure must be thought to have everything.
	}
	out, err := p.Make(in, observations)
	if err != nil {
		return nil, err
	}
	if out.Ready() && capi.HasEndpoint(in) {
		status.SetProvisioned()
	}
	reported := signsIn.reported()
	return reported.Result(in, out, status.Result(),
		reported.Readiness(out, status.Condition(out, capi.WaitsForEndpoint)), out.Condition(), capi.PausedCondition(p.Paused)), nil
}
