package facts

import (
	"context"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// A management is a management cluster in memory that counts what is read from it and written to it.
type management struct {
	client.Client

	t      testing.TB
	writes []string
	reads  int
}

func newManagement(t testing.TB, objects ...client.Object) *management {
	t.Helper()
	m := &management{t: t}
	wrote := func(verb string, obj client.Object) { m.writes = append(m.writes, verb+" "+obj.GetName()) }
	m.Client = fake.NewClientBuilder().WithScheme(fixture.Scheme(t)).WithObjects(objects...).
		WithIndex(&clusterv1.MachinePool{}, infrastructureIndex, indexInfrastructure).
		WithIndex(access.NewObject(composite.AzureMachine.GroupVersionKind), access.ClusterIndex, access.IndexCluster).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
				wrote("create", obj)
				return c.Create(ctx, obj, opts...)
			},
			Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
				wrote("patch", obj)
				return c.Patch(ctx, obj, patch, opts...)
			},
			Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
				wrote("delete", obj)
				return c.Delete(ctx, obj, opts...)
			},
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
				m.reads++
				return c.Get(ctx, key, obj, opts...)
			},
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				err := c.List(ctx, list, opts...)
				if pools, ok := list.(*clusterv1.MachinePoolList); ok {
					m.reads += len(pools.Items)
				}
				return err
			},
		}).Build()
	return m
}

// reconcile has the facts of Cluster my-cluster and of the pools written, and returns the writes.
func (m *management) reconcile(watchFilter string, pools ...string) []string {
	m.t.Helper()
	m.writes = nil
	w := writer{Client: m.Client, watchFilter: watchFilter, mapper: m.RESTMapper(),
		operators: newOperators(azure.Operators{Secrets: m.Client, Namespaces: []string{"aso", "more"}})}
	f := families()[slices.IndexFunc(families(), func(f family) bool { return f.controlPlane.Family == composite.ASOManaged })]
	named := func(name string) ctrl.Request {
		return ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: name}}
	}
	if _, err := (&clusterWriter{writer: w, family: f}).Reconcile(m.t.Context(), named("my-cluster")); err != nil {
		m.t.Fatal(err)
	}
	for _, pool := range pools {
		if _, err := (&machinePoolWriter{writer: w, family: f}).Reconcile(m.t.Context(), named(pool)); err != nil {
			m.t.Fatal(err)
		}
	}
	return m.writes
}

// objects returns kind and name of each object in all ClusterFacts, by the name of the facts.
func (m *management) objects() map[string][]string {
	m.t.Helper()
	list := &v1alpha1.ClusterFactsList{}
	if err := m.List(m.t.Context(), list); err != nil {
		m.t.Fatal(err)
	}
	all := map[string][]string{}
	for _, facts := range list.Items {
		for _, o := range facts.Spec.Objects {
			u := &unstructured.Unstructured{}
			if err := u.UnmarshalJSON(o.Raw); err != nil {
				m.t.Fatal(err)
			}
			all[facts.Name] = append(all[facts.Name], u.GetKind()+" "+u.GetName())
		}
	}
	return all
}

const infra = "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: "

func infrastructure(t testing.TB) *unstructured.Unstructured {
	return fixture.Parse(t, infra+"AzureASOManagedCluster\nmetadata: {name: my-cluster}\nspec: {}")
}

func controlPlane(t testing.TB) *unstructured.Unstructured {
	return fixture.Parse(t, infra+"AzureASOManagedControlPlane\nmetadata: {name: my-cluster}\n"+
		"spec: {resources: [{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: my-cluster}}], crossplane: {resourceRefs: []}}")
}

func pool(t testing.TB, name string) *unstructured.Unstructured {
	return fixture.Parse(t, infra+"AzureASOManagedMachinePool\nmetadata: {name: "+name+"}\nspec: {resources: []}")
}

func machinePool(name, refersTo string) *clusterv1.MachinePool {
	return &clusterv1.MachinePool{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), Labels: map[string]string{clusterv1.ClusterNameLabel: "my-cluster"}},
		Spec: clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Template: clusterv1.MachineTemplateSpec{Spec: clusterv1.MachineSpec{
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: composite.InfrastructureGroup, Kind: composite.AzureASOManagedMachinePool.Kind, Name: refersTo},
		}}},
	}
}
