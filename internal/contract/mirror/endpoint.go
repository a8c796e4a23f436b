package mirror

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// An InfrastructureCluster mirrors the endpoint of the control plane into the infrastructure, where the contract has it. That of a control plane
// which is no kind of this project's is the infrastructure's own: its load balancer.
type InfrastructureCluster struct {
	access.API
}

// Reconcile sets spec.controlPlaneEndpoint once the control plane has one.
func (m *InfrastructureCluster) Reconcile(ctx context.Context, s *access.Scope) (ctrl.Result, error) {
	if !OfAKS(s.Kind) {
		return ctrl.Result{}, Endpoint(ctx, m.API, s.XR, s.XR)
	}
	controlPlane, err := access.ControlPlaneOf(ctx, m.Client, s.Cluster)
	if err != nil || controlPlane == nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, Endpoint(ctx, m.API, controlPlane, s.XR)
}

// Endpoint sets spec.controlPlaneEndpoint of a composite resource once the status of the control plane has one.
func Endpoint(ctx context.Context, api access.API, controlPlane, to *unstructured.Unstructured) error {
	endpoint, found, err := access.StatusControlPlaneEndpoint.Get(controlPlane)
	if err != nil || !found || endpoint["host"] == nil || endpoint["host"] == "" {
		return err
	}
	if equality.Semantic.DeepEqual(endpoint, access.SpecControlPlaneEndpoint.Value(to)) {
		return nil
	}
	return access.SetField(ctx, api.Client, to, access.SpecControlPlaneEndpoint, endpoint)
}
