package contract

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	return ctrl.Result{}, m.mirrorEndpoint(ctx, controlPlane, s.xr)
}

// mirrorEndpoint sets spec.controlPlaneEndpoint of to once the control plane's status has one.
func (a api) mirrorEndpoint(ctx context.Context, controlPlane, to *unstructured.Unstructured) error {
	endpoint, found, err := statusControlPlaneEndpoint.get(controlPlane)
	if err != nil || !found || endpoint["host"] == nil || endpoint["host"] == "" {
		return err
	}
	if equality.Semantic.DeepEqual(endpoint, specControlPlaneEndpoint.value(to)) {
		return nil
	}
	return writeSpec(ctx, a.Client, to, specControlPlaneEndpoint, endpoint)
}
