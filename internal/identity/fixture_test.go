package identity

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/credential"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry/objects"
)

// What the cases begin with; they replace parts of it.
const (
	theCluster      = `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {namespace: team, name: c, uid: cluster}}`
	theControlPlane = `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, metadata: {namespace: team, name: cp, uid: cp,
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, name: c, uid: cluster}]},
  spec: {crossplane: {compositionRef: {name: x}}, subscriptionID: sub, identityRef: {kind: AzureClusterIdentity, name: id, namespace: ids}}}`
	theIdentity = `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, metadata: {namespace: ids, name: id},
  spec: {type: ServicePrincipal, tenantID: tenant, clientID: app, clientSecret: {name: s, namespace: ids}, allowedNamespaces: {list: [team]}}}`
	theSource = `{apiVersion: v1, kind: Secret, metadata: {namespace: ids, name: s}, stringData: {}, data: {clientSecret: aHVzaA==}}`
	theTeam   = `{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {azure: allowed}}}`
)

// hush is the secret in theSource.
const hush = "hush"

// A management is a management cluster in memory that notes what is written to it.
type management struct {
	client.Client

	t        *testing.T
	api      access.API
	kind     composite.Kind
	told     *objects.Objects
	writes   []string
	recorder *events.FakeRecorder
}

// manage returns a management cluster with objects written as YAML.
func manage(t *testing.T, objects ...string) *management {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	m := &management{t: t, kind: composite.AzureManagedControlPlane, recorder: events.NewFakeRecorder(100)}
	note := func(verb string, obj client.Object) {
		kind, err := m.GroupVersionKindFor(obj)
		if err != nil {
			t.Fatal(err)
		}
		m.writes = append(m.writes, verb+" "+kind.Kind+" "+obj.GetName())
	}
	b := fake.NewClientBuilder().WithScheme(scheme).
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
		})
	for _, index := range indexes() {
		b = b.WithIndex(newObject(index.kind), index.field, index.value)
	}
	for _, text := range objects {
		b = b.WithObjects(object(t, text))
	}
	m.Client = b.Build()
	m.api = access.New(m.Client, m.Client, m.Client, m.RESTMapper(), m.recorder)
	return m
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &obj.Object); err != nil {
		t.Fatal(err)
	}
	return obj
}

func replaced(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

// reconcile reconciles the control plane and returns what was written and the first Event.
func (m *management) reconcile() (writes []string, event string) {
	m.t.Helper()
	m.writes = nil
	if _, err := m.reconciler().Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "team", Name: "cp"}}); err != nil {
		m.t.Fatal(err)
	}
	select {
	case event = <-m.recorder.Events:
	default:
	}
	return m.writes, event
}

func (m *management) reconciler() *Reconciler {
	return &Reconciler{Client: m.Client, kind: m.kind, live: m.Client, events: m.api.Events, recorder: m.recorder, secrets: &credential.Keeper{API: m.api}, keeper: m.keeper(), operators: azure.Operators{Secrets: m.Client}, told: m.told}
}

func (m *management) keeper() *keeper {
	return &keeper{Client: m.Client, live: m.Client, events: m.api.Events}
}

// credential returns the credential Secret; nil when there is none.
func (m *management) credential() *corev1.Secret {
	m.t.Helper()
	secret := &corev1.Secret{}
	err := m.Get(context.Background(), client.ObjectKey{Namespace: "team", Name: "c-aso-secret"}, secret)
	if client.IgnoreNotFound(err) != nil {
		m.t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return secret
}

// noted returns the Secret that is noted on the control plane.
func (m *management) noted() string {
	m.t.Helper()
	return m.annotations()[v1beta1.AnnotationCredential]
}

// annotations returns the annotations of the control plane.
func (m *management) annotations() map[string]string {
	m.t.Helper()
	controlPlane := &metav1.PartialObjectMetadata{}
	controlPlane.SetGroupVersionKind(m.kind.GroupVersionKind)
	if err := m.Get(context.Background(), client.ObjectKey{Namespace: "team", Name: "cp"}, controlPlane); err != nil {
		m.t.Fatal(err)
	}
	return controlPlane.Annotations
}

// certificate returns a certificate with its key as PEM.
func certificate(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "id"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}
