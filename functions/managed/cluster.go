package managed

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// Cluster composes AzureManagedCluster: nothing, as everything in Azure belongs to the control plane. Cluster API takes it
// as the infrastructure of the Cluster, and waits for the address that it hands over.
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
		controlPlane, problem = member.Reference(in, cluster, "controlPlaneRef", controlPlaneKind)
	}
	if problem != nil {
		return member.Refuse(in, problem, status)
	}
	credential, err := member.ReadCredential(in, controlPlaneKind, controlPlane)
	if err != nil {
		return nil, err
	}
	plan := composer.Plan{Cluster: cluster.GetName(), Paused: member.Paused(in, cluster)}
	out, err := plan.Make(in)
	if err != nil {
		return nil, err
	}
	if host, _, _ := unstructured.NestedString(in.XR.Object, "spec", "controlPlaneEndpoint", "host"); host != "" && out.Ready() {
		member.SetProvisioned(status)
	}
	ready := credential.Readiness(member.Readiness(status, out, composer.False(composer.ConditionReady, member.ReasonWaitingEndpoint,
		"waits for spec.controlPlaneEndpoint, which comes from the control plane")))
	return credential.Finish(in, out, status, ready, out.Condition(), member.PausedCondition(plan.Paused)), nil
}
