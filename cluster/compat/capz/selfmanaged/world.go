package selfmanaged

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20201101"
	network "github.com/Azure/azure-service-operator/v2/api/network/v1api20220701"
	resources "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	"github.com/Azure/azure-service-operator/v2/pkg/common/annotations"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-azure/azure"
	"sigs.k8s.io/cluster-api-provider-azure/azure/scope"
	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/memory"
)

// Scheme has every kind that CAPZ's services for self-managed clusters use.
var Scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, clusterv1.AddToScheme, infrav1.AddToScheme, infrav1exp.AddToScheme, resources.AddToScheme, networks.AddToScheme, network.AddToScheme,
	} {
		utilruntime.Must(add(s))
	}
	return s
}

// Manifests are a self-managed Cluster.
type Manifests struct {
	Cluster      *clusterv1.Cluster
	AzureCluster *infrav1.AzureCluster
	Machines     []Machine
}

// A Machine is one of the Cluster's.
type Machine struct {
	Machine *clusterv1.Machine
	XR      *infrav1.AzureMachine
	// SSHPort is the free port of the API server's load balancer that CAPZ would find for a machine of the control plane.
	SSHPort int32
}

// A World is a management cluster, and an Azure, in which CAPZ reconciles one Cluster.
type World struct {
	manifests *Manifests
	azure     Azure
	api       *memory.API
	// sent is what CAPZ has sent to Azure itself, by ID, and as it reads it again.
	sent map[string]any
	// cluster is the scope of the AzureCluster once it is reconciled.
	cluster *scope.ClusterScope
	// failures are CAPZ's errors, by kind and name of the object that is not reconciled further.
	failures map[string]error
}

// credentials are kept between worlds, as making one takes long.
var credentials = azure.NewCredentialCache()

// Bootstrap is the bootstrap data of every machine.
const Bootstrap = "#cloud-config"

// PrincipalID is that of the identity that Azure gives a virtual machine.
const PrincipalID = "principal"

// bootstrapSecret is the name of the Secret with it.
const bootstrapSecret = "bootstrap"

// NewWorld returns a world with the manifests, and an Azure with nothing in it.
func NewWorld(m *Manifests, a Azure) *World {
	identity := &infrav1.AzureClusterIdentity{ObjectMeta: metav1.ObjectMeta{Name: m.AzureCluster.Spec.IdentityRef.Name},
		Spec: infrav1.AzureClusterIdentitySpec{Type: infrav1.UserAssignedMSI, TenantID: "tenant", ClientID: "client"}}
	bootstrap := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: bootstrapSecret}, Data: map[string][]byte{"value": []byte(Bootstrap)}}
	m.AzureCluster.UID = "cluster"
	for _, machine := range m.Machines {
		name := bootstrapSecret
		machine.Machine.Spec.Bootstrap.DataSecretName = &name
	}
	return &World{manifests: m, azure: a, api: memory.NewAPI(Scheme, identity, bootstrap), sent: map[string]any{}}
}

// Reconcile has CAPZ reconcile the cluster and its machines until nothing is left to wait for.
func (w *World) Reconcile(ctx context.Context) {
	w.failures = map[string]error{}
	cluster, err := w.reconcileCluster(ctx)
	if err != nil {
		w.failures["AzureCluster/"+w.manifests.AzureCluster.Name] = err
		return
	}
	w.cluster = cluster
	for _, m := range w.manifests.Machines {
		if err := w.reconcileMachine(ctx, cluster, m); err != nil {
			w.failures["AzureMachine/"+m.XR.Name] = err
		}
	}
}

// Failures returns CAPZ's errors, by kind and name of the object that is not reconciled further.
func (w *World) Failures() map[string]error { return maps.Clone(w.failures) }

// Sent returns the bodies that CAPZ has sent to Azure itself, as JSON, by ID.
func (w *World) Sent() (map[string][]byte, error) {
	all := map[string][]byte{}
	for id, body := range w.sent {
		content, err := json.Marshal(withoutAnswers(body))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		all[id] = content
	}
	return all, nil
}

// Objects returns the ASO objects that ASO writes to Azure, and those that it only reads.
func (w *World) Objects() (written, read []genruntime.ARMMetaObject, err error) {
	for obj := range w.api.Objects() {
		o, isASO := obj.(genruntime.ARMMetaObject)
		if !isASO {
			continue
		}
		gvk, err := w.api.GroupVersionKindFor(o)
		if err != nil {
			return nil, nil, err
		}
		o.GetObjectKind().SetGroupVersionKind(gvk)
		if o.GetAnnotations()[annotations.ReconcilePolicy] == string(annotations.ReconcilePolicyManage) {
			written = append(written, o)
		} else {
			read = append(read, o)
		}
	}
	return written, read, nil
}

// withoutPanic returns a panic of CAPZ's as an error.
func withoutPanic(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("CAPZ panics: %v", r)
		}
	}()
	return do()
}
