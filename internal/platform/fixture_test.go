package platform

import (
	"context"
	"testing"

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
)

// A management is a management cluster in memory that counts what is written to it.
type management struct {
	client.Client

	t        *testing.T
	writes   []string
	recorder *events.FakeRecorder
}

func newManagement(t *testing.T, objects ...client.Object) *management {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	m := &management{t: t, recorder: events.NewFakeRecorder(100)}
	note := func(verb string, obj client.Object) {
		gvk, err := m.GroupVersionKindFor(obj)
		if err != nil {
			t.Fatal(err)
		}
		m.writes = append(m.writes, verb+" "+gvk.Kind+" "+obj.GetName())
	}
	m.Client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithIndex(newObject(claimedKind), claimIndex, indexClaim).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
				note("create", obj)
				return c.Create(ctx, obj, opts...)
			},
			Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
				note("patch", obj)
				return c.Patch(ctx, obj, patch, opts...)
			},
			Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
				note("delete", obj)
				return c.Delete(ctx, obj, opts...)
			},
		}).Build()
	return m
}

func (m *management) reconciler(kind schema.GroupVersionKind) *Reconciler {
	return &Reconciler{Client: m.Client, live: m.Client, events: m.recorder, kind: kind}
}

// reconcile runs the reconciler of the object's kind once and returns what it wrote.
func (m *management) reconcile(obj client.Object, change ...func(*Reconciler)) []string {
	m.t.Helper()
	r := m.reconciler(obj.GetObjectKind().GroupVersionKind())
	for _, c := range change {
		c(r)
	}
	m.writes = nil
	if _, err := r.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(obj)}); err != nil {
		m.t.Fatal(err)
	}
	return m.writes
}

func (m *management) secret(name string) *corev1.Secret {
	m.t.Helper()
	s := &corev1.Secret{}
	if err := m.Get(context.Background(), client.ObjectKey{Namespace: "team", Name: name}, s); err != nil {
		m.t.Fatal(err)
	}
	return s
}

// event returns the event emitted last; empty when there is none.
func (m *management) event() string {
	select {
	case e := <-m.recorder.Events:
		return e
	default:
		return ""
	}
}

// form has the objects of one form of the same cluster: the composite resource, and what the team sees.
type form struct{ xr, owner *unstructured.Unstructured }

func named(kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	u := newObject(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetUID(types.UID(kind.Kind + "-uid"))
	return u
}

func forms(t *testing.T) map[string]form {
	t.Helper()
	xr := named(namespacedKind, "team", "shop")
	claimed := named(claimedKind, "", "shop-x7k2p")
	claim := named(claimKind, "team", "shop")
	set(t, claimed, map[string]any{"namespace": "team", "name": "shop"}, "spec", "claimRef")
	set(t, claim, "shop-x7k2p", "spec", "resourceRef", "name")
	for _, owner := range []*unstructured.Unstructured{xr, claim} {
		set(t, owner, "connection", "spec", "writeConnectionSecretToRef", "name")
	}
	for _, composite := range []*unstructured.Unstructured{xr, claimed} {
		composite.SetFinalizers([]string{Finalizer})
	}
	return map[string]form{"AKSCluster": {xr, xr}, "AKSClusterClaim": {claimed, claim}}
}

func set(t *testing.T, u *unstructured.Unstructured, value any, fields ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(u.Object, value, fields...); err != nil {
		t.Fatal(err)
	}
}

// objects returns what exists in the management cluster, with more.
func (f form) objects(more ...client.Object) []client.Object {
	all := append([]client.Object{f.xr.DeepCopy()}, more...)
	if f.owner != f.xr {
		all = append(all, f.owner.DeepCopy())
	}
	return all
}

func (f form) cluster() *clusterv1.Cluster {
	return &clusterv1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop", UID: "cluster-uid", OwnerReferences: []metav1.OwnerReference{controllerRef(f.xr)}},
		Spec:       clusterv1.ClusterSpec{ControlPlaneEndpoint: clusterv1.APIEndpoint{Host: "shop.example.org", Port: 443}},
	}
}

func kubeconfigSecret(content string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop-kubeconfig", Labels: map[string]string{clusterv1.ClusterNameLabel: "shop"}},
		Type:       clusterv1.ClusterSecretType,
		Data:       map[string][]byte{"value": []byte(content)},
	}
}
