package contract

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
)

// clusterMirror mirrors the endpoint of the control plane into the infrastructure, where the contract has it.
type clusterMirror struct {
	api
}

// reconcile sets spec.controlPlaneEndpoint once the control plane has one.
func (m *clusterMirror) reconcile(ctx context.Context, s *scope) (ctrl.Result, error) {
	controlPlane, err := controlPlaneOf(ctx, m.Client, s.cluster)
	if err != nil || controlPlane == nil {
		return ctrl.Result{}, err
	}
	endpoint, found, err := statusControlPlaneEndpoint.get(controlPlane)
	if err != nil || !found || endpoint["host"] == nil || endpoint["host"] == "" {
		return ctrl.Result{}, err
	}
	if equality.Semantic.DeepEqual(endpoint, specControlPlaneEndpoint.value(s.xr)) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, writeSpec(ctx, m.Client, s.xr, specControlPlaneEndpoint, endpoint)
}
