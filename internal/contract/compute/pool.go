package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
)

// A Pool does provider-capz's part for AzureMachinePools: it notes their MachineFacts, creates their scale sets and has these follow the model,
// writes their Secrets, and makes an AzureMachinePoolMachine for each instance.
type Pool struct {
	access.API
	*Azure

	// AzureJSON writes the Secrets with the settings of Azure's cloud provider.
	AzureJSON *AzureJSON
}

// Reconcile takes the next step with an AzureMachinePool. What fails of it does not keep the rest from being done.
func (p *Pool) Reconcile(ctx context.Context, s *access.Scope) (ctrl.Result, error) {
	if set, err := mirrorProviderID(ctx, p.Client, s.XR); set || err != nil {
		return ctrl.Result{}, err // The change leads here again.
	}
	pool, ok := read[v1beta1.AzureMachinePool](s.XR)
	if !ok {
		return ctrl.Result{}, nil // function-capz reports it.
	}
	owner, err := ownerMachinePool(ctx, p.Client, s.XR)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("cannot read the MachinePool: %w", err)
	}
	l, err := begin(ctx, p.API, s)
	if err != nil {
		return ctrl.Result{}, err
	}
	defaulting.MachinePool(&pool.Spec)
	w := &poolWork{Pool: p, look: l, pool: pool, owner: owner}
	problem := w.run(ctx)
	return w.end(ctx, p.API, problem, w.applied.note)
}

// ownerMachinePool returns the MachinePool that owns an object; nil when there is none.
func ownerMachinePool(ctx context.Context, c client.Reader, obj client.Object) (*clusterv1.MachinePool, error) {
	for _, owner := range obj.GetOwnerReferences() {
		if owner.Kind != "MachinePool" {
			continue
		}
		pool := &clusterv1.MachinePool{}
		err := c.Get(ctx, client.ObjectKey{Namespace: obj.GetNamespace(), Name: owner.Name}, pool)
		if err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		return pool, nil
	}
	return nil, nil
}

// poolWork is one look at an AzureMachinePool.
type poolWork struct {
	*Pool
	*look

	// pool has its defaults.
	pool *v1beta1.AzureMachinePool
	// owner is nil while no MachinePool owns the AzureMachinePool.
	owner *clusterv1.MachinePool
	// applied are the tags that the scale set has been given; nil for none.
	applied *appliedTags
}

// run brings the facts up to date and does what follows from them.
func (w *poolWork) run(ctx context.Context) error {
	err := w.readOwner(ctx)
	return errors.Join(err, w.readOffers(ctx), w.writeSecrets(ctx), w.scale(ctx))
}

// readOwner reads what the MachinePool says.
func (w *poolWork) readOwner(ctx context.Context) error {
	if w.owner == nil {
		return nil
	}
	spec := w.owner.Spec.Template.Spec
	w.facts.Machine = v1alpha1.FactsOfMachine{Name: w.owner.Name, Version: spec.Version, BootstrapReady: w.bootstrapped()}
	w.facts.Pool.Replicas = ptr.Deref(w.owner.Spec.Replicas, 0)
	w.facts.Pool.FailureDomains = slices.Sorted(slices.Values(w.owner.Spec.FailureDomains))
	return w.lookForBootstrapData(ctx, w.API, "MachinePool", w.owner.Name, spec.Bootstrap.DataSecretName)
}

// readOffers reads what Azure offers of the size, as often as that is another.
func (w *poolWork) readOffers(ctx context.Context) error {
	size := w.pool.Spec.Template.VMSize
	if w.azureCluster == nil || w.facts.Size.Known && w.facts.Size.Name == size && w.facts.Created.State != v1alpha1.NotCreated {
		return nil
	}
	account, usable, err := w.account(ctx, w.infrastructure, w.Cluster.Name)
	if err != nil || !usable {
		return err
	}
	w.facts.Size, err = w.sizeOf(ctx, account, w.azureCluster, size)
	return err
}

// writeSecrets writes what the instances need in Secrets.
func (w *poolWork) writeSecrets(ctx context.Context) error {
	if w.azureCluster == nil {
		return nil
	}
	extensions := azuremachine.Extensions(azuremachine.OfPool(w.pool), w.azureCluster.Spec.AzureEnvironment, w.facts.Size.Architecture)
	if err := keepProtectedSettings(ctx, w.API, w.XR, w.Cluster.Name, azuremachine.ScaleSetName(w.pool), extensions); err != nil {
		return err
	}
	return w.AzureJSON.Write(ctx, w.API, w.XR, w.Cluster.Name, w.infrastructure, w.pool.Spec.Identity, w.pool.Spec.UserAssignedIdentities)
}

// scaledByOthers reports whether another than the MachinePool says how many instances there are (CAPI contract, InfraMachinePool: "externally
// managed autoscaler").
func (w *poolWork) scaledByOthers() bool {
	by, marked := w.owner.Annotations[clusterv1.ReplicasManagedByAnnotation]
	return marked && by != "false"
}

// setReplicas has the MachinePool say how many instances there are while others decide that.
func (w *poolWork) setReplicas(ctx context.Context, count int) error {
	replicas := int32(count) //nolint:gosec // Azure has no scale set of that many.
	w.facts.Pool.Replicas = replicas
	if ptr.Deref(w.owner.Spec.Replicas, 0) == replicas {
		return nil
	}
	changed := w.owner.DeepCopy()
	changed.Spec.Replicas = &replicas
	return w.Patch(ctx, changed, client.MergeFromWithOptions(w.owner, client.MergeFromWithOptimisticLock{}))
}

// leaves reports whether an object is on its way out.
func leaves(obj metav1.Object) bool { return obj.GetDeletionTimestamp() != nil }
