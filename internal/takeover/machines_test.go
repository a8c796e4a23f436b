package takeover

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// machinesOfCAPZ is a cluster of virtual machines that CAPZ has made: with ASO the resource group, and all else without.
const machinesOfCAPZ = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: capz-controller-manager, namespace: capz-system, labels: {cluster.x-k8s.io/provider: infrastructure-azure}}
spec: {replicas: 0}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureCluster
metadata: {name: c, namespace: "n", uid: cluster, annotations: {mine: stays}, finalizers: [azurecluster.infrastructure.cluster.x-k8s.io]}
spec: {location: westeurope}
status: {ready: true, failureDomains: {"1": {controlPlane: true}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureMachine
metadata: {name: m, namespace: "n", uid: machine, annotations: {mine: stays}, finalizers: [azuremachine.infrastructure.cluster.x-k8s.io]}
spec: {vmSize: s}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureMachinePool
metadata: {name: p, namespace: "n", uid: pool, annotations: {mine: stays}, finalizers: [machinepool.cluster.x-k8s.io]}
spec: {location: westeurope}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureMachinePoolMachine
metadata: {name: p-0, namespace: "n", uid: instance, finalizers: [azuremachinepoolmachine.infrastructure.cluster.x-k8s.io]}
spec: {providerID: "azure:///x"}
---
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata:
  name: c
  namespace: "n"
  annotations: {serviceoperator.azure.com/reconcile-policy: manage}
  ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureCluster, name: c, uid: cluster, controller: true}]
`

// composedHere are ASO objects that this project has composed after a takeover.
const composedHere = `
apiVersion: network.azure.com/v1api20201101
kind: NetworkSecurityGroup
metadata:
  name: c-node-nsg
  namespace: "n"
  ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureCluster, name: c, uid: cluster, controller: true}]
---
apiVersion: compute.azure.com/v1api20220301
kind: VirtualMachine
metadata:
  name: m
  namespace: "n"
  annotations: {serviceoperator.azure.com/reconcile-policy: skip}
  finalizers: [removal.infrastructure.cluster.x-k8s.io/in-azure]
  ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureMachine, name: m, uid: machine, controller: true}]
---
apiVersion: network.azure.com/v1api20201101
kind: NetworkSecurityGroup
metadata: {name: somebody-elses, namespace: "n"}
`

// served is a scheme of all kinds of ASO that objects are composed of, and of Cluster API's that a takeover looks at.
func served() *runtime.Scheme {
	scheme := runtime.NewScheme()
	add := func(kind schema.GroupVersionKind) {
		list := kind.GroupVersion().WithKind(kind.Kind + "List")
		scheme.AddKnownTypeWithName(kind, &unstructured.Unstructured{})
		scheme.AddKnownTypeWithName(list, &unstructured.UnstructuredList{})
	}
	for _, kind := range aso.Catalogue() {
		if kind.Version != "" {
			add(kind.GroupVersionKind())
		}
	}
	for _, kind := range composite.Catalogue() {
		add(kind.GroupVersionKind)
	}
	for _, kind := range []schema.GroupVersionKind{deploymentKind, definitionKind, configMapKind, secretKind, poolMachineKind} {
		add(kind)
	}
	return scheme
}

// machinesWalk is the walk over a management cluster with the objects.
func machinesWalk(t *testing.T, texts ...string) *Walk {
	t.Helper()
	var all []client.Object
	for _, text := range texts {
		objects, err := kubeyaml.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			all = append(all, o)
		}
	}
	scheme := served()
	mapper := meta.NewDefaultRESTMapper(nil)
	for kind := range scheme.AllKnownTypes() {
		if !strings.HasSuffix(kind.Kind, "List") {
			mapper.Add(kind, meta.RESTScopeNamespace)
		}
	}
	status := &unstructured.Unstructured{}
	status.SetGroupVersionKind(composite.AzureCluster.GroupVersionKind)
	return &Walk{Walker: walk.Walker{
		Client:     fake.NewClientBuilder().WithScheme(scheme).WithRESTMapper(mapper).WithObjects(all...).WithStatusSubresource(status).Build(),
		FieldOwner: FieldOwner, Say: func(string) {}, Patience: time.Second, Poll: time.Millisecond,
	}}
}

func (w *Walk) object(t *testing.T, kind schema.GroupVersionKind, name string) *unstructured.Unstructured {
	t.Helper()
	o, err := w.Get(context.Background(), kind, "n", name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestMachines takes a cluster of virtual machines over, has what this project composes be there, and returns it.
func TestMachines(t *testing.T) {
	w := machinesWalk(t, machinesOfCAPZ)
	w.steps(t, w.stepsTo(), "hold", "hand over ASO objects", "hand over")
	for kind, name := range map[schema.GroupVersionKind]string{
		composite.AzureCluster.GroupVersionKind: "c", composite.AzureMachine.GroupVersionKind: "m", composite.AzureMachinePool.GroupVersionKind: "p", poolMachineKind: "p-0",
	} {
		if diff := cmp.Diff([]string{names.Finalizer}, w.object(t, kind, name).GetFinalizers()); diff != "" {
			t.Errorf("finalizers of %s (-want +got):\n%s", kind.Kind, diff)
		}
	}
	cluster := w.object(t, composite.AzureCluster.GroupVersionKind, "c")
	if diff := cmp.Diff([]any{map[string]any{"name": "1", "controlPlane": true}}, statusFailureDomains.Value(cluster)); diff != "" {
		t.Errorf("failure domains (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{map[string]any{"apiVersion": groupVersion, "kind": "ResourceGroup", "name": "c"}}, access.SpecResourceRefs.Value(cluster)); diff != "" {
		t.Errorf("resourceRefs (-want +got):\n%s", diff)
	}
	if cluster.GetAnnotations()[stateAnnotation] != "" {
		t.Error("it is still held")
	}
	if again := w.steps(t, w.stepsTo(), "hold", "hand over ASO objects", "hand over"); len(again) > 0 {
		t.Errorf("after the takeover there are still changes: %q", again)
	}

	create(t, w.Client, composedHere)
	w.steps(t, w.stepsBack(), "hold", "detach")
	nsg, vm := w.object(t, aso.NetworkSecurityGroup.GroupVersionKind(), "c-node-nsg"), w.object(t, aso.VirtualMachine.GroupVersionKind(), "m")
	for _, o := range []*unstructured.Unstructured{nsg, vm} {
		if o.GetAnnotations()[aso.AnnotationReconcilePolicy] != aso.PolicySkip || len(o.GetFinalizers()) > 0 {
			t.Errorf("the end of %s %s would delete something in Azure: %v, %v", o.GetKind(), o.GetName(), o.GetAnnotations(), o.GetFinalizers())
		}
	}
	w.steps(t, w.stepsBack(), "hold", "detach", "let go", "hand back ASO objects", "hand back")
	for _, o := range []*unstructured.Unstructured{nsg, vm} {
		if w.object(t, o.GroupVersionKind(), o.GetName()) != nil {
			t.Errorf("%s %s is still there", o.GetKind(), o.GetName())
		}
	}
	group := w.object(t, aso.ResourceGroup.GroupVersionKind(), "c")
	if group == nil || group.GetAnnotations()[aso.AnnotationReconcilePolicy] == aso.PolicySkip {
		t.Error("CAPZ does not get its ResourceGroup back as it was")
	}
	if w.object(t, aso.NetworkSecurityGroup.GroupVersionKind(), "somebody-elses") == nil {
		t.Error("an object of somebody else's is gone")
	}
	before := machinesWalk(t, machinesOfCAPZ)
	for kind, name := range map[schema.GroupVersionKind]string{
		composite.AzureCluster.GroupVersionKind: "c", composite.AzureMachine.GroupVersionKind: "m", composite.AzureMachinePool.GroupVersionKind: "p", poolMachineKind: "p-0",
	} {
		was, is := before.object(t, kind, name), w.object(t, kind, name)
		was.SetResourceVersion(is.GetResourceVersion())
		if diff := cmp.Diff(was, is); diff != "" {
			t.Errorf("%s after the way back (-want +got):\n%s", kind.Kind, diff)
		}
	}
	if again := w.steps(t, w.stepsBack(), "hold", "detach", "let go", "hand back ASO objects", "hand back"); len(again) > 0 {
		t.Errorf("after the way back there are still changes: %q", again)
	}
}

func create(t *testing.T, c client.Client, text string) {
	t.Helper()
	objects, err := kubeyaml.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := c.Create(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDeletedMeanwhile does not hand over what was deleted after CAPZ had stopped.
func TestDeletedMeanwhile(t *testing.T) {
	w := machinesWalk(t, machinesOfCAPZ)
	w.steps(t, w.stepsTo(), "hold")
	if err := w.Client.Delete(context.Background(), w.object(t, composite.AzureMachine.GroupVersionKind, "m")); err != nil {
		t.Fatal(err)
	}
	blocked := &walk.BlockedError{}
	if _, err := w.handOver(context.Background()); !errors.As(err, &blocked) || !strings.Contains(err.Error(), "AzureMachine n/m was deleted after CAPZ had stopped") {
		t.Errorf("got %v", err)
	}
	// The way back is open: CAPZ ends it.
	create(t, w.Client, "{apiVersion: v1, kind: ConfigMap, metadata: {name: crossplane-capz-takeover, namespace: capz-system}}")
	if err := w.checkBack(context.Background()); err != nil {
		t.Errorf("the way back is not open: %v", err)
	}
	w.steps(t, w.stepsBack(), "hold", "detach", "let go", "hand back ASO objects", "hand back")
	machine := w.object(t, composite.AzureMachine.GroupVersionKind, "m")
	if diff := cmp.Diff([]string{"azuremachine.infrastructure.cluster.x-k8s.io"}, machine.GetFinalizers()); diff != "" {
		t.Errorf("finalizers after the way back (-want +got):\n%s", diff)
	}
}

func TestKindsLacking(t *testing.T) {
	w := machinesWalk(t)
	composites := []*unstructured.Unstructured{azureCluster(nil), controlPlane(), azureCluster(nil)}
	if got := w.kindsLacking(composites); len(got) > 0 {
		t.Errorf("all kinds are served, but lacking are %q", got)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range composedOf[composite.AzureCluster.Kind] {
		if kind.Name != aso.LoadBalancer.Name && kind.Name != aso.RouteTable.Name {
			mapper.Add(kind.GroupVersionKind(), meta.RESTScopeNamespace)
		}
	}
	w.Client = fake.NewClientBuilder().WithScheme(served()).WithRESTMapper(mapper).Build()
	got := w.kindsLacking(composites)
	if len(got) != 1 || !strings.Contains(got[0], "RouteTable, LoadBalancer") || !strings.Contains(got[0], "add network.azure.com/* to") {
		t.Errorf("got %q", got)
	}
}

// TestEveryKindIsServed says of every kind without which nothing is composed that this project composes it.
func TestEveryKindIsServed(t *testing.T) {
	for of, kinds := range composedOf {
		for _, kind := range kinds {
			if kind.Version == "" || slices.ContainsFunc(madeByASO, func(k aso.Kind) bool { return k.GroupKind() == kind.GroupKind() }) {
				t.Errorf("%s: %s is a kind that CAPZ makes by ASO, or users write", of, kind.Name)
			}
		}
	}
}

// TestMemberInDeletion waits for CAPZ to end what it has begun with an instance.
func TestMemberInDeletion(t *testing.T) {
	w := machinesWalk(t, machinesOfCAPZ)
	if err := w.Client.Delete(context.Background(), w.object(t, poolMachineKind, "p-0")); err != nil {
		t.Fatal(err)
	}
	blocked := &walk.BlockedError{}
	_, err := w.To(context.Background(), true)
	if !errors.As(err, &blocked) || !slices.ContainsFunc(blocked.Problems, func(p string) bool { return strings.HasPrefix(p, "AzureMachinePoolMachine n/p-0 is being deleted") }) {
		t.Errorf("got %v", err)
	}
}
