package contract

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

// A management is a management cluster in memory that counts what is written to it.
type management struct {
	client.Client

	t        *testing.T
	writes   []string
	recorder *events.FakeRecorder
}

// newManagement returns a management cluster with the objects; a composite resource or ASO object among them is
// written as the YAML that a person would.
func newManagement(t *testing.T, objects ...client.Object) *management {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	m := &management{t: t, recorder: events.NewFakeRecorder(100)}
	funcs := interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			m.noteWrite("create", obj)
			return c.Create(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			m.noteWrite("patch", obj)
			return c.Patch(ctx, obj, patch, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			m.noteWrite("delete", obj)
			return c.Delete(ctx, obj, opts...)
		},
	}
	m.Client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(funcs).
		WithReturnManagedFields().
		WithIndex(newXR(asoControlPlaneKind), behindIndex, indexBehind(managedClusterKind)).
		WithIndex(newXR(typedControlPlaneKind), behindIndex, indexBehind(managedClusterKind)).
		WithIndex(&clusterv1.MachinePool{}, clusterIndex, indexCluster).
		WithIndex(newXR(asoMachinePoolKind), clusterIndex, indexCluster).
		WithIndex(newXR(typedMachinePoolKind), clusterIndex, indexCluster).
		WithIndex(newXR(typedMachinePoolKind), behindIndex, indexBehind(agentPoolKind)).Build()
	return m
}

func (m *management) noteWrite(verb string, obj client.Object) {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if kind == "" {
		gvk, err := m.GroupVersionKindFor(obj)
		if err != nil {
			m.t.Fatal(err)
		}
		kind = gvk.Kind
	}
	m.writes = append(m.writes, verb+" "+kind+" "+obj.GetName())
}

// takeWrites returns what was written since it was last called.
func (m *management) takeWrites() []string {
	writes := m.writes
	m.writes = nil
	return writes
}

// takeEvents returns the events since it was last called.
func (m *management) takeEvents() []string {
	var all []string
	for {
		select {
		case event := <-m.recorder.Events:
			all = append(all, event)
		default:
			return all
		}
	}
}

func (m *management) api() api {
	return api{
		Client: client.WithFieldOwner(m.Client, FieldOwner),
		live:   liveReader{Reader: m.Client, mapper: m.RESTMapper()},
		events: newReporter(m.recorder),
	}
}

func (m *management) reconciler(kind schema.GroupVersionKind) *Reconciler {
	return &Reconciler{
		api: m.api(), kind: kind, mirror: noMirror{},
		watch: func(context.Context, schema.GroupVersionKind) error { return nil },
	}
}

type noMirror struct{}

func (noMirror) reconcile(context.Context, *scope) (ctrl.Result, error) { return ctrl.Result{}, nil }

// reconcile runs r for the object of the name in namespace default.
func (m *management) reconcile(r *Reconciler, name string) ctrl.Result {
	m.t.Helper()
	result, err := r.Reconcile(m.t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: name}})
	if err != nil {
		m.t.Fatalf("Reconcile(%s): %v", name, err)
	}
	return result
}

// get returns the object, or nil.
func (m *management) get(kind schema.GroupVersionKind, name string) *unstructured.Unstructured {
	m.t.Helper()
	obj := newXR(kind)
	err := m.Get(m.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, obj)
	if client.IgnoreNotFound(err) != nil {
		m.t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return obj
}

// update changes the object as another writer would.
func (m *management) update(kind schema.GroupVersionKind, name string, change func(*unstructured.Unstructured)) {
	m.t.Helper()
	obj := m.get(kind, name)
	if obj == nil {
		m.t.Fatalf("%s %s does not exist", kind.Kind, name)
	}
	change(obj)
	if err := m.Update(m.t.Context(), obj); err != nil {
		m.t.Fatal(err)
	}
}

// parse returns the object of the YAML in namespace default, with a UID of its kind and name.
func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	obj.SetNamespace("default")
	obj.SetUID(uidOf(obj.GetKind(), obj.GetName()))
	return obj
}

func uidOf(kind, name string) types.UID { return types.UID(strings.ToLower(kind) + "-" + name) }

// with changes obj before it is used.
func with(obj *unstructured.Unstructured, changes ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	for _, change := range changes {
		change(obj)
	}
	return obj
}

// controlled makes obj composed by the composite resource.
func controlled(kind schema.GroupVersionKind, name string) func(*unstructured.Unstructured) {
	yes := true
	return func(obj *unstructured.Unstructured) {
		obj.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: name, UID: uidOf(kind.Kind, name), Controller: &yes,
		}})
	}
}

// ofCluster makes obj a part of Cluster my-cluster, as Cluster API does.
func ofCluster(obj *unstructured.Unstructured) {
	obj.SetLabels(map[string]string{clusterv1.ClusterNameLabel: "my-cluster"})
	obj.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: "my-cluster", UID: "cluster",
	}})
}

// deleting makes obj one that is being deleted and that finalizers hold.
func deleting(finalizers ...string) func(*unstructured.Unstructured) {
	return func(obj *unstructured.Unstructured) {
		now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		obj.SetDeletionTimestamp(&now)
		obj.SetFinalizers(finalizers)
	}
}

func annotated(keysAndValues ...string) func(*unstructured.Unstructured) {
	return func(obj *unstructured.Unstructured) {
		annotations := obj.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		for i := 0; i < len(keysAndValues); i += 2 {
			annotations[keysAndValues[i]] = keysAndValues[i+1]
		}
		obj.SetAnnotations(annotations)
	}
}

// myCluster returns a Cluster whose parts are all named after it.
func myCluster(changes ...func(*clusterv1.Cluster)) *clusterv1.Cluster {
	cluster := &clusterv1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-cluster", UID: "cluster"},
		Spec: clusterv1.ClusterSpec{
			ControlPlaneRef: clusterv1.ContractVersionedObjectReference{
				APIGroup: asoControlPlaneKind.Group, Kind: asoControlPlaneKind.Kind, Name: "my-cluster",
			},
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{
				APIGroup: asoClusterKind.Group, Kind: asoClusterKind.Kind, Name: "my-cluster",
			},
		},
	}
	for _, change := range changes {
		change(cluster)
	}
	return cluster
}

func clusterDeleting(cluster *clusterv1.Cluster) {
	now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	cluster.DeletionTimestamp = &now
	cluster.Finalizers = []string{"cluster.cluster.x-k8s.io"}
}

func defaultNamespace() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
}

// The objects of one Cluster, before anything special is done to them.
const (
	infrastructureYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedCluster
metadata:
  name: my-cluster
  finalizers: [infrastructure.cluster.x-k8s.io/provider-capz]
  annotations: {clusterctl.cluster.x-k8s.io/block-move: "true"}
spec: {}
`
	controlPlaneYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedControlPlane
metadata:
  name: my-cluster
  finalizers: [infrastructure.cluster.x-k8s.io/provider-capz]
  annotations: {clusterctl.cluster.x-k8s.io/block-move: "true"}
spec:
  resources:
  - {apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: my-cluster}}
  crossplane:
    resourceRefs:
    - {apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, name: my-cluster}
`
	managedClusterYAML = `
apiVersion: containerservice.azure.com/v1api20250801
kind: ManagedCluster
metadata: {name: my-cluster}
spec:
  operatorSpec:
    secrets: {adminCredentials: {name: my-cluster-aso-kubeconfig, key: value}}
status: {nodeResourceGroup: MC_rg_my-cluster_westeurope}
`
	poolYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedMachinePool
metadata:
  name: pool0
  finalizers: [infrastructure.cluster.x-k8s.io/provider-capz]
  annotations: {clusterctl.cluster.x-k8s.io/block-move: "true"}
spec:
  resources:
  - {apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedClustersAgentPool, metadata: {name: my-cluster-pool0}, spec: {azureName: pool0}}
  crossplane:
    resourceRefs:
    - {apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedClustersAgentPool, name: my-cluster-pool0}
`
	agentPoolYAML = `
apiVersion: containerservice.azure.com/v1api20250801
kind: ManagedClustersAgentPool
metadata:
  name: my-cluster-pool0
spec:
  azureName: pool0
  owner: {name: my-cluster}
`
)

var (
	agentPoolGVK = agentPoolKind.WithVersion("v1api20250801")
)
