package selfmanaged

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"unsafe"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v5"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"sigs.k8s.io/cluster-api-provider-azure/azure"
	"sigs.k8s.io/cluster-api-provider-azure/azure/scope"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/resourceskus"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/scalesets"
	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"
	apiinternalexp "sigs.k8s.io/cluster-api-provider-azure/internal/exp/api/v1beta1"
)

// A Pool is an AzureMachinePool with its MachinePool, and their bootstrap data.
type Pool struct {
	MachinePool *clusterv1.MachinePool
	XR          *infrav1exp.AzureMachinePool
	Bootstrap   string
}

// A ScaleSet is one that Azure has, and its instances, as Azure tells of them in JSON.
type ScaleSet struct{ Body, Instances []byte }

// ReconcilePool has CAPZ reconcile a pool of the cluster, which it has reconciled before, where Azure has a scale set, or none. It returns the ID
// of the scale set and the body that CAPZ sends for it; no body if it leaves what there is as it is. What CAPZ sends beside is in Sent.
func (w *World) ReconcilePool(ctx context.Context, p Pool, have *ScaleSet) (id string, body []byte, err error) {
	pool := p.MachinePool.DeepCopy()
	name := bootstrapSecret
	pool.Spec.Template.Spec.Bootstrap.DataSecretName = &name
	w.api.Put(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: bootstrapSecret}, Data: map[string][]byte{"value": []byte(p.Bootstrap)}})
	of, err := scope.NewMachinePoolScope(scope.MachinePoolScopeParams{Client: w.api, ClusterScope: w.cluster, MachinePool: pool, AzureMachinePool: p.XR.DeepCopy()})
	if err != nil {
		return "", nil, err
	}
	err = withoutPanic(func() error {
		skus := resourceskus.NewStaticCache(w.azure.skus(of.Location()), of.Location())
		offer(of, skus)
		if err := of.InitMachinePoolCache(ctx); err != nil {
			return err
		}
		apiinternalexp.SetNetworkInterfacesDefaults(of.AzureMachinePool)
		if err := of.SetSubnetName(); err != nil {
			return err
		}
		id = azure.VMSSID(of.SubscriptionID(), of.NodeResourceGroup(), of.Name())
		if body, err = reconcileScaleSet(ctx, of, skus, have); err != nil {
			return err
		}
		return w.send(ctx, of.RoleAssignmentSpecs(to.Ptr(PrincipalID))...)
	})
	return id, body, err
}

// offer has a scope find the sizes without Azure: it has no parameter for them, as the scope of machines has.
func offer(of *scope.MachinePoolScope, skus *resourceskus.Cache) {
	field := reflect.ValueOf(of).Elem().FieldByName("skuCache")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(skus)) //nolint:gosec // The field is not exported.
}

// reconcileScaleSet has CAPZ's service reconcile the scale set of a pool, and returns the body that it sends.
func reconcileScaleSet(ctx context.Context, of *scope.MachinePoolScope, skus *resourceskus.Cache, have *ScaleSet) ([]byte, error) {
	service, err := scalesets.New(of, skus)
	if err != nil {
		return nil, err
	}
	play := &scaleSets{}
	if have != nil {
		play.set = &armcompute.VirtualMachineScaleSet{}
		if err := json.Unmarshal(have.Body, play.set); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(have.Instances, &play.instances); err != nil {
			return nil, err
		}
	}
	service.Client, service.Reconciler = play, play
	if err := service.Reconcile(ctx); err != nil || play.sent == nil {
		return nil, err
	}
	return json.Marshal(play.sent)
}

// scaleSets are the one scale set that Azure has, and what CAPZ sends for it.
type scaleSets struct {
	scalesets.Client

	set       *armcompute.VirtualMachineScaleSet
	instances []armcompute.VirtualMachineScaleSetVM
	sent      any
}

// Get implements scalesets.Client.
func (s *scaleSets) Get(context.Context, azure.ResourceSpecGetter) (any, error) {
	if s.set == nil {
		return nil, &azcore.ResponseError{StatusCode: http.StatusNotFound}
	}
	return *s.set, nil
}

// ListInstances implements scalesets.Client.
func (s *scaleSets) ListInstances(context.Context, string, string) ([]armcompute.VirtualMachineScaleSetVM, error) {
	return s.instances, nil
}

// CreateOrUpdateResource implements async.Reconciler as CAPZ does, and notes what is sent. Azure is at it when it returns.
func (s *scaleSets) CreateOrUpdateResource(ctx context.Context, spec azure.ResourceSpecGetter, _ string) (any, error) {
	var existing any
	if s.set != nil {
		existing = *s.set
	}
	parameters, err := spec.Parameters(ctx, existing)
	if err != nil {
		return nil, fmt.Errorf("failed to get desired parameters: %w", err)
	}
	if parameters == nil {
		return existing, nil
	}
	s.sent = parameters
	return nil, nil
}

// DeleteResource implements async.Reconciler.
func (*scaleSets) DeleteResource(context.Context, azure.ResourceSpecGetter, string) error { return nil }
