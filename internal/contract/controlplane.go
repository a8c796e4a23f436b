package contract

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/kubeconfig"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
)

// A controlPlane mirrors the endpoint of a control plane, writes its kubeconfig Secrets, brings its version to where Cluster API can go on
// with a topology, and applies what Cluster API decides of a ManagedCluster that the user has written.
type controlPlane struct {
	access.API

	kubeconfig *kubeconfig.Writer
}

// Reconcile implements mirrorer.
func (m *controlPlane) Reconcile(ctx context.Context, s *access.Scope) (ctrl.Result, error) {
	if !s.Kind.Inline {
		if err := mirror.Endpoint(ctx, m.API, s.XR, s.XR); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := mirror.TopologyOfControlPlane(ctx, m.API, s); err != nil {
		return ctrl.Result{}, err
	}
	if kubeconfig.Pending(s.XR) {
		return ctrl.Result{}, nil // When it gets an endpoint, that leads here.
	}
	managedCluster, err := mirror.ManagedCluster(ctx, m.Live, s.XR)
	if err != nil || managedCluster == nil {
		return ctrl.Result{}, err // The function reports it on the control plane.
	}
	if err := mirror.DecideCluster(ctx, m.API, s, managedCluster); err != nil {
		return ctrl.Result{}, err
	}
	return m.kubeconfig.Reconcile(ctx, s, managedCluster)
}
