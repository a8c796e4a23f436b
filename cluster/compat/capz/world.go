package oracle

import (
	"context"
	"fmt"
	"slices"

	fleets "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250301"
	containers "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801"
	preview "github.com/Azure/azure-service-operator/v2/api/containerservice/v20251002preview"
	kubernetesconfiguration "github.com/Azure/azure-service-operator/v2/api/kubernetesconfiguration/v1api20230501"
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	endpoints "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	resources "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime/conditions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-azure/azure"
	"sigs.k8s.io/cluster-api-provider-azure/azure/scope"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/agentpools"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/aksextensions"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/aso"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/fleetsmembers"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/groups"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/managedclusters"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/privateendpoints"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/subnets"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/virtualnetworks"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/memory"
)

var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, clusterv1.AddToScheme, infrav1.AddToScheme, resources.AddToScheme, networks.AddToScheme, endpoints.AddToScheme,
		containers.AddToScheme, preview.AddToScheme, fleets.AddToScheme, kubernetesconfiguration.AddToScheme,
	} {
		utilruntime.Must(add(s))
	}
	return s
}

// Manifests are a Cluster of the typed AKS kinds.
type Manifests struct {
	Cluster      *clusterv1.Cluster
	ControlPlane *infrav1.AzureManagedControlPlane
	Pools        []Pool
}

// A Pool is an agent pool.
type Pool struct {
	MachinePool *clusterv1.MachinePool
	XR          *infrav1.AzureManagedMachinePool
}

// Live is what Azure says in the second reconciliation.
type Live struct {
	Version string
	Count   int
}

// A World is a management cluster on which CAPZ reconciles one Cluster.
type World struct {
	manifests *Manifests
	api       *memory.API
	// failures are CAPZ's errors, by kind and name of the object that they keep from being written.
	failures map[string]error
}

// credentials are kept between worlds, as making one takes long.
var credentials = azure.NewCredentialCache()

// NewWorld returns a world with the manifests and nothing else.
func NewWorld(m *Manifests) *World {
	identity := &infrav1.AzureClusterIdentity{ObjectMeta: metav1.ObjectMeta{Name: m.ControlPlane.Spec.IdentityRef.Name},
		Spec: infrav1.AzureClusterIdentitySpec{Type: infrav1.UserAssignedMSI, TenantID: "tenant", ClientID: "client"}}
	m.ControlPlane.UID = "control-plane"
	return &World{manifests: m, api: memory.NewAPI(scheme, identity)}
}

// Reconcile lets every service of CAPZ write its objects once.
func (w *World) Reconcile(ctx context.Context) error {
	w.failures = map[string]error{}
	var pools []scope.ManagedMachinePool
	for _, p := range w.manifests.Pools {
		pools = append(pools, scope.ManagedMachinePool{InfraMachinePool: p.XR, MachinePool: p.MachinePool})
	}
	cluster, err := scope.NewManagedControlPlaneScope(ctx, scope.ManagedControlPlaneScopeParams{
		Client: w.api, Cluster: w.manifests.Cluster, ControlPlane: w.manifests.ControlPlane, ManagedMachinePools: pools, CredentialCache: credentials})
	if err != nil {
		return err
	}
	write(ctx, w, groups.New(cluster).Service)
	write(ctx, w, virtualnetworks.New(cluster))
	write(ctx, w, subnets.New(cluster))
	write(ctx, w, managedclusters.New(cluster))
	write(ctx, w, privateendpoints.New(cluster))
	write(ctx, w, fleetsmembers.New(cluster))
	write(ctx, w, aksextensions.New(cluster).Service)
	for _, p := range pools {
		pool, err := scope.NewManagedMachinePoolScope(ctx, scope.ManagedMachinePoolScopeParams{
			ManagedMachinePool: p, Client: w.api, Cluster: w.manifests.Cluster, ControlPlane: w.manifests.ControlPlane, ManagedControlPlaneScope: cluster})
		if err != nil {
			return err
		}
		p.InfraMachinePool.UID = "pool"
		write(ctx, w, agentpools.New(pool))
	}
	return nil
}

// write lets one service write its objects.
func write[T genruntime.MetaObject, S aso.Scope](ctx context.Context, w *World, service *aso.Service[T, S]) {
	for _, spec := range service.Specs {
		if _, err := service.CreateOrUpdateResource(ctx, spec, service.Name()); err != nil && !azure.IsOperationNotDoneError(err) {
			ref := spec.ResourceRef()
			gvk, _ := w.api.GroupVersionKindFor(ref)
			w.failures[gvk.Kind+"/"+ref.GetName()] = err
		}
	}
}

// Provision makes every object one that Azure has.
func (w *World) Provision(live Live) {
	names := slices.Collect(func(yield func(string) bool) {
		for _, p := range w.manifests.Pools {
			if !yield(p.XR.Name) {
				return
			}
		}
	})
	for obj := range w.api.Objects() {
		provision(obj, live, names)
	}
}

func provision(obj client.Object, live Live, pools []string) {
	if resource, ok := obj.(genruntime.MetaObject); ok {
		resource.SetConditions(conditions.Conditions{{Type: conditions.ConditionTypeReady, Status: metav1.ConditionTrue}})
	}
	switch o := obj.(type) {
	case *networks.VirtualNetwork:
		o.Status.Tags = o.Spec.Tags
	case *resources.ResourceGroup:
		o.Status.Tags = o.Spec.Tags
	case *containers.ManagedCluster:
		o.Status.CurrentKubernetesVersion = &live.Version
		for _, name := range pools {
			o.Status.AgentPoolProfiles = append(o.Status.AgentPoolProfiles, containers.ManagedClusterAgentPoolProfile_STATUS{Name: &name})
		}
	case *preview.ManagedCluster:
		o.Status.CurrentKubernetesVersion = &live.Version
		for _, name := range pools {
			o.Status.AgentPoolProfiles = append(o.Status.AgentPoolProfiles, preview.ManagedClusterAgentPoolProfile_STATUS{Name: &name})
		}
	case *containers.ManagedClustersAgentPool:
		o.Status.Count = &live.Count
	case *preview.ManagedClustersAgentPool:
		o.Status.Count = &live.Count
	}
}

// Failures returns CAPZ's errors, by kind and name of the object that they keep from being written.
func (w *World) Failures() map[string]error { return w.failures }

// Objects returns the ASO objects as they would be stored, by kind and name.
func (w *World) Objects() (map[string]map[string]any, error) {
	all := map[string]map[string]any{}
	for obj := range w.api.Objects() {
		if _, isASO := obj.(genruntime.MetaObject); !isASO {
			continue
		}
		gvk, err := w.api.GroupVersionKindFor(obj)
		if err != nil {
			return nil, err
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", gvk.Kind, obj.GetName(), err)
		}
		content["apiVersion"], content["kind"] = gvk.GroupVersion().String(), gvk.Kind
		delete(content, "status")
		all[gvk.Kind+"/"+obj.GetName()] = content
	}
	return all, nil
}
