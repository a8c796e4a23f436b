package oracle

import (
	"context"
	"errors"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"

	"sigs.k8s.io/cluster-api-provider-azure/internal/webhooks"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/memory"
)

// An Admission is CAPZ's admission webhooks.
type Admission struct {
	controlPlanes webhooks.AzureManagedControlPlaneWebhook
	pools         webhooks.AzureManagedMachinePoolWebhook
	current       *memory.API
	manager       ctrl.Manager
}

// NewAdmission returns the webhooks. They get a client from a manager, which is never started.
func NewAdmission() (*Admission, error) {
	a := &Admission{current: memory.NewAPI(scheme)}
	manager, err := a.current.Manager()
	if err != nil {
		return nil, err
	}
	a.manager = manager
	return a, errors.Join(a.controlPlanes.SetupWebhookWithManager(manager), a.pools.SetupWebhookWithManager(manager))
}

// Default fills the defaults in that CAPZ's webhooks fill in.
func (a *Admission) Default(ctx context.Context, m *Manifests) error {
	err := a.controlPlanes.Default(ctx, m.ControlPlane)
	for _, pool := range m.Pools {
		err = errors.Join(err, a.pools.Default(ctx, pool.XR))
	}
	return err
}

// Validate says what CAPZ's webhooks say when the objects are created or, with the objects before, changed. One of them panics
// on some inputs.
func (a *Admission) Validate(ctx context.Context, m, before *Manifests) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("CAPZ's webhook panics: %v", r)
		}
	}()
	a.current.Keep(m.Cluster)
	if before == nil {
		_, err = a.controlPlanes.ValidateCreate(ctx, m.ControlPlane)
	} else {
		_, err = a.controlPlanes.ValidateUpdate(ctx, before.ControlPlane, m.ControlPlane)
	}
	for i, pool := range m.Pools {
		var poolErr error
		if before == nil {
			_, poolErr = a.pools.ValidateCreate(ctx, pool.XR)
		} else {
			_, poolErr = a.pools.ValidateUpdate(ctx, before.Pools[i].XR, pool.XR)
		}
		err = errors.Join(err, poolErr)
	}
	return err
}
