package asomanaged

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// Cluster composes AzureASOManagedCluster: whatever the AKS cluster lives in, such as resource groups and networks.
type Cluster struct{}

// Compose implements composer.Composer.
func (Cluster) Compose(in *composer.Request) (*composer.Result, error) {
	status := member.ProvisionedStatus(in)
	cluster, problem, err := member.OwnerCluster(in)
	if err != nil {
		return nil, err
	}
	var controlPlane string
	if problem == nil {
		controlPlane, problem = member.Reference(in, cluster, "controlPlaneRef", asoControlPlaneKind)
	}
	if problem != nil {
		return member.Refuse(in, problem, status)
	}

	inlines := composer.Inlines(in.XR)
	composer.Ask(in, inlines)
	controlPlaneXR, err := in.Get("controlplane", asoControlPlaneKind, controlPlane)
	if err != nil {
		return nil, err
	}
	signsIn := credential{controlPlane: controlPlaneXR, name: controlPlane, cluster: cluster.GetName()}
	signsIn.set(in, inlines)
	plan := composer.Plan{Inlines: inlines, Cluster: cluster.GetName(), Paused: member.Paused(in, cluster), Awaits: quietNetworks(inlines)}
	out, err := plan.Make(in)
	if err != nil {
		return nil, err
	}
	host, _, _ := unstructured.NestedString(in.XR.Object, "spec", "controlPlaneEndpoint", "host")
	resources := out.Condition()
	if out.Ready() && host != "" {
		member.SetProvisioned(status)
	}
	ready := signsIn.said().Readiness(member.Readiness(status, out, composer.False(composer.ConditionReady, member.ReasonWaitingEndpoint,
		"waits for spec.controlPlaneEndpoint, which comes from the control plane")))
	return signsIn.said().Finish(in, out, status, ready, resources, member.PausedCondition(plan.Paused)), nil
}
