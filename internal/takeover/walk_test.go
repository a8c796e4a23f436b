package takeover

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	resources "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// withCAPZ is a management cluster of CAPZ's.
const withCAPZ = `
apiVersion: v1
kind: Namespace
metadata: {name: capz-system, uid: namespace}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: capz-controller-manager, namespace: capz-system, labels: {cluster.x-k8s.io/provider: infrastructure-azure}}
spec: {replicas: 2}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: capz-validating-webhook-configuration, labels: {cluster.x-k8s.io/provider: infrastructure-azure}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: somebody-elses}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: compositeresourcedefinitions.apiextensions.crossplane.io}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: azureasomanagedcontrolplanes.infrastructure.cluster.x-k8s.io, labels: {by: capz}}
spec: {group: infrastructure.cluster.x-k8s.io}
---
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata:
  name: g
  namespace: "n"
  ownerReferences:
  - {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedControlPlane, name: c, uid: u, controller: true}
`

func walkOf(t *testing.T) *Walk {
	t.Helper()
	objects, err := kubeyaml.Parse([]byte(withCAPZ))
	if err != nil {
		t.Fatal(err)
	}
	all := []client.Object{controlPlane()}
	for _, o := range objects {
		all = append(all, o)
	}
	scheme := runtime.NewScheme() // The fake lists the metadata of kinds that it knows.
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, resources.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return &Walk{Walker: walk.Walker{
		Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(all...).Build(), FieldOwner: FieldOwner, Say: func(string) {}, Patience: time.Second, Poll: time.Millisecond,
	}}
}

// steps takes steps of a way, by their names.
func (w *Walk) steps(t *testing.T, way []walk.Step, wanted ...string) []string {
	t.Helper()
	var made []string
	for _, s := range way {
		if !slices.Contains(wanted, s.Name) {
			continue
		}
		s.Awaited = nil
		changes, err := w.Take(context.Background(), false, s)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		for _, c := range changes {
			made = append(made, c.Step+": "+c.Kind+" "+c.Name)
		}
	}
	return made
}

// controller plays who takes the definition over.
func (w *Walk) controller(t *testing.T, kind string) {
	t.Helper()
	o := w.definition(t)
	yes := true
	o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: kind, Name: "x", UID: "x", Controller: &yes}})
	o.SetLabels(nil)
	if err := w.Client.Update(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}

func (w *Walk) definition(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	o, err := w.Get(context.Background(), definitionKind, "", "azureasomanagedcontrolplanes.infrastructure.cluster.x-k8s.io")
	if err != nil || o == nil {
		t.Fatalf("the definition is gone: %v", err)
	}
	return o
}

func TestSteps(t *testing.T) {
	w := walkOf(t)
	ctx := context.Background()
	before := []string{"keep", "stop CAPZ", "remove webhooks", "hold"}
	want := []string{
		"keep: ConfigMap crossplane-capz-takeover", "hold: AzureASOManagedControlPlane c", "stop CAPZ: Deployment capz-controller-manager",
		"remove webhooks: ValidatingWebhookConfiguration capz-validating-webhook-configuration",
	}
	if diff := cmp.Diff(want, w.steps(t, w.stepsTo(), before...)); diff != "" {
		t.Errorf("to the middle (-want +got):\n%s", diff)
	}
	w.controller(t, xrdKind.Kind)
	want = []string{"hand over ASO objects: ResourceGroup g", "hand over: AzureASOManagedControlPlane c"}
	if diff := cmp.Diff(want, w.steps(t, w.stepsTo(), append(before, "hand over ASO objects", "hand over")...)); diff != "" {
		t.Errorf("from the middle to the end (-want +got):\n%s", diff)
	}
	if again := w.steps(t, w.stepsTo(), append(before, "hand over ASO objects", "hand over")...); len(again) > 0 {
		t.Errorf("at the end there are still changes: %q", again)
	}
	if err := w.removePackage(w.definition(t))(ctx); err == nil {
		t.Error("a package could be deleted while Crossplane has the definitions")
	}
	want = []string{
		"hold: AzureASOManagedControlPlane c", "take the definitions from Crossplane: CustomResourceDefinition azureasomanagedcontrolplanes.infrastructure.cluster.x-k8s.io",
		"restore the definitions: CustomResourceDefinition azureasomanagedcontrolplanes.infrastructure.cluster.x-k8s.io",
		"hand back: AzureASOManagedControlPlane c", "start CAPZ: Deployment capz-controller-manager",
		"restore the webhooks: ValidatingWebhookConfiguration capz-validating-webhook-configuration", "clean up: ConfigMap crossplane-capz-takeover",
	}
	var way []string
	for _, s := range w.stepsBack() {
		if s.Name != "uninstall" {
			way = append(way, s.Name)
		}
	}
	if diff := cmp.Diff(want, w.steps(t, w.stepsBack(), way...)); diff != "" {
		t.Errorf("back (-want +got):\n%s", diff)
	}
	if o := w.definition(t); o.GetLabels()["by"] != "capz" || len(o.GetOwnerReferences()) > 0 {
		t.Errorf("the definition is not as CAPZ had it: labels %v, owners %v", o.GetLabels(), o.GetOwnerReferences())
	}
	xr, err := w.Get(ctx, controlPlane().GroupVersionKind(), "n", "c")
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(xr.GetFinalizers(), names.Finalizer) || xr.GetAnnotations()[names.CrossplanePausedAnnotation] != "" || access.SpecResourceRefs.Has(xr) {
		t.Errorf("something of this project's is left: %v", xr.Object)
	}
	if again := w.steps(t, w.stepsBack(), way...); len(again) > 0 {
		t.Errorf("after the way back there are still changes: %q", again)
	}
}

// TestBackFromTheMiddle returns a cluster whose takeover ended before anything was installed.
func TestBackFromTheMiddle(t *testing.T) {
	w := walkOf(t)
	w.steps(t, w.stepsTo(), "keep", "stop CAPZ", "remove webhooks", "hold")
	w.steps(t, w.stepsBack(), "hold", "take the definitions from Crossplane", "restore the definitions", "hand back ASO objects", "hand back", "start CAPZ", "restore the webhooks", "clean up")
	xr, err := w.Get(context.Background(), controlPlane().GroupVersionKind(), "n", "c")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(controlPlane().Object["metadata"].(map[string]any)["annotations"], any(asAny(xr.GetAnnotations()))); diff != "" { //nolint:forcetypeassert // As above.
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	deployment, err := w.capz(context.Background())
	if err != nil || replicas.Value(deployment) != 2 {
		t.Errorf("CAPZ has %d replicas (%v)", replicas.Value(deployment), err)
	}
}

func asAny(annotations map[string]string) map[string]any {
	out := map[string]any{}
	for k, v := range annotations {
		out[k] = v
	}
	return out
}

func TestDryRunWritesNothing(t *testing.T) {
	w := walkOf(t)
	changes, err := w.To(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) < 6 {
		t.Errorf("want a change for each object, got %v", changes)
	}
	xr, err := w.Get(context.Background(), controlPlane().GroupVersionKind(), "n", "c")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(controlPlane().GetAnnotations(), xr.GetAnnotations()); diff != "" {
		t.Errorf("the dry run has changed an object (-want +got):\n%s", diff)
	}
	if kept, err := w.kept(context.Background()); kept != nil || err != nil {
		t.Errorf("the dry run has kept something: %v, %v", kept, err)
	}
}

func TestChecks(t *testing.T) {
	blocked := &walk.BlockedError{}
	w := walkOf(t)
	if _, err := w.To(context.Background(), false); !errors.As(err, &blocked) {
		t.Errorf("without anything to install: %v", err)
	}
	if _, err := w.Back(context.Background(), false); !errors.As(err, &blocked) {
		t.Errorf("back without a takeover: %v", err)
	}
	empty := &Walk{Walker: walk.Walker{Client: fake.NewClientBuilder().Build(), FieldOwner: FieldOwner, Say: func(string) {}}}
	if _, err := empty.To(context.Background(), false); !errors.As(err, &blocked) {
		t.Errorf("without CAPZ: %v", err)
	}
}
