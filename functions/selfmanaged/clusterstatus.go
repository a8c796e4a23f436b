package selfmanaged

import (
	"slices"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/network"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

const (
	// conditionNetworkInfrastructureReady is CAPZ's condition about all that it makes for an AzureCluster.
	conditionNetworkInfrastructureReady = "NetworkInfrastructureReady"
	// reasonExternallyManagedControlPlane is CAPZ's reason while the user has to say where the API server is.
	reasonExternallyManagedControlPlane = "ExternallyManagedControlPlane"
)

// endpoint returns what provider-capz takes over into spec.controlPlaneEndpoint, once all of the network is there; nil before.
func (c *clusterInputs) endpoint(n *network.Network, out *plan.Outcomes) *v1beta1.APIEndpoint {
	if before := c.xr.Status.ControlPlaneEndpoint; before.Host != "" {
		return &before
	}
	if endpoint := n.Endpoint(); out.Ready() && endpoint.Host != "" && endpoint.Port != 0 {
		return &endpoint
	}
	return nil
}

// reachable reports whether the AzureCluster says where the API server is.
func (c *clusterInputs) reachable() bool {
	return c.xr.Spec.ControlPlaneEndpoint.Host != "" && c.xr.Spec.ControlPlaneEndpoint.Port != 0
}

// waitsForEndpoint is the condition while all is there but that.
func (c *clusterInputs) waitsForEndpoint() composer.Condition {
	if c.xr.Spec.ControlPlaneEnabled {
		return composer.False(composer.ConditionReady, capi.ReasonWaitingEndpoint, "waits for spec.controlPlaneEndpoint, which provider-capz takes over from status.controlPlaneEndpoint")
	}
	return composer.False(composer.ConditionReady, reasonExternallyManagedControlPlane,
		"waits for host and port in spec.controlPlaneEndpoint: spec.controlPlaneEnabled is false, so that it is for you to say where the API server is")
}

// infrastructureReady returns the condition NetworkInfrastructureReady.
func (c *clusterInputs) infrastructureReady(out *plan.Outcomes) composer.Condition {
	condition := out.Condition()
	if out.Ready() && !c.reachable() {
		condition = c.waitsForEndpoint()
	}
	condition.Type = conditionNetworkInfrastructureReady
	return condition
}

// failureDomains returns the zones in which machines may be, as Cluster API reads them. The user may keep control planes out of one.
func (c *clusterInputs) failureDomains() []any {
	if c.xr.Spec.ExtendedLocation != nil {
		return nil // An edge zone has none.
	}
	var domains []any
	for _, zone := range slices.Sorted(slices.Values(c.zones)) {
		of, said := c.xr.Spec.FailureDomains[zone]
		domains = append(domains, map[string]any{"name": zone, "controlPlane": !said || of.ControlPlane})
	}
	return domains
}

// status returns the fields of the status.
func (c *clusterInputs) status(contract *capi.InfrastructureStatus, endpoint *v1beta1.APIEndpoint) map[string]any {
	fields := contract.Result()
	if endpoint != nil {
		fields["controlPlaneEndpoint"] = map[string]any{"host": endpoint.Host, "port": int64(endpoint.Port)}
	}
	if domains := c.failureDomains(); domains != nil {
		fields["failureDomains"] = domains
	}
	return fields
}
