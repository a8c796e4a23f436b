package asomanaged

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// Cluster composes AzureASOManagedCluster: whatever the AKS cluster lives in, such as resource groups and networks.
type Cluster struct{}

// Compose implements composer.Composer.
func (Cluster) Compose(in *composer.Request) (*composer.Result, error) {
	status := provisionedStatus(in)
	cluster, problem, err := ownerCluster(in)
	if err != nil {
		return nil, err
	}
	if problem == nil {
		_, problem = reference(in, cluster, "controlPlaneRef", asoControlPlaneKind)
	}
	if problem != nil {
		return refuse(in, problem, status)
	}

	inlines := composer.Inlines(in.XR)
	plan := composer.Plan{Inlines: inlines, Cluster: cluster.GetName(), Paused: paused(in, cluster), Awaits: quietNetworks(inlines)}
	out, err := plan.Make(in)
	if err != nil {
		return nil, err
	}
	host, _, _ := unstructured.NestedString(in.XR.Object, "spec", "controlPlaneEndpoint", "host")
	resources := out.Condition()
	if out.Ready() && host != "" {
		setProvisioned(status)
	}
	ready := readiness(status, out, composer.False(composer.ConditionReady, reasonWaitingEndpoint,
		"waits for spec.controlPlaneEndpoint, which comes from the control plane"))
	return composer.Finish(in, out, status, ready, resources, pausedCondition(plan.Paused)), nil
}

// provisionedStatus returns a status that holds what the contract calls completed, if it is already
// (CAPI contract, InfraCluster and InfraMachinePool: "initialization completed").
func provisionedStatus(in *composer.Request) map[string]any {
	done := composer.Reached(in.XR, "ready")
	return map[string]any{"ready": done, "initialization": map[string]any{"provisioned": done}}
}

func setProvisioned(status map[string]any) {
	status["ready"] = true
	status["initialization"] = map[string]any{"provisioned": true}
}

// readiness returns the condition Ready. Once provisioned, ordinary updates do not take it away; a mistake in the spec
// or Azure's refusal does, as somebody has to act.
func readiness(status map[string]any, out *composer.Outcomes, last composer.Condition) composer.Condition {
	resources := out.Condition()
	switch {
	case out.Refused() || status["ready"] != true && !out.Ready():
		return composer.False(composer.ConditionReady, resources.Reason, resources.Message)
	case status["ready"] != true:
		return last
	}
	return composer.True(composer.ConditionReady, reasonProvisioned, resources.Message)
}
