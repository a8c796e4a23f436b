package adoption

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	resourceGroup = `
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata: {name: rg, namespace: default, annotations: {serviceoperator.azure.com/credential-from: mine}}
spec: {azureName: rg, location: westeurope}
`
	managedCluster = `
apiVersion: containerservice.azure.com/v1api20250801
kind: ManagedCluster
metadata:
  name: aks
  namespace: default
  annotations: {sigs.k8s.io/cluster-api-provider-azure-adopt: "true", serviceoperator.azure.com/credential-from: mine, serviceoperator.azure.com/resource-id: /x}
spec: {azureName: aks, owner: {name: rg}, kubernetesVersion: 1.33.6, agentPoolProfiles: [{name: pool0}]}
status: {conditions: [{type: Ready, status: "True"}]}
`
	agentPool = `
apiVersion: containerservice.azure.com/v1api20250801
kind: ManagedClustersAgentPool
metadata: {name: aks-pool0, namespace: default, annotations: {sigs.k8s.io/cluster-api-provider-azure-adopt: "true"}}
spec: {azureName: pool0, owner: {name: aks}, count: 2, enableAutoScaling: true, minCount: 1, maxCount: 3}
status: {conditions: [{type: Ready, status: "True"}]}
`
	controlPlane = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedControlPlane
metadata: {name: aks, namespace: default, uid: cp, labels: {cluster.x-k8s.io/cluster-name: my-cluster}}
spec: {}
`
)

type edit func(*unstructured.Unstructured)

// parse returns the object of a text, as the edits leave it.
func parse(t *testing.T, text string, edits ...edit) client.Object {
	t.Helper()
	objects, err := kubeyaml.Parse([]byte(text))
	if err != nil || len(objects) != 1 {
		t.Fatalf("%d objects, %v", len(objects), err)
	}
	for _, e := range edits {
		e(objects[0])
	}
	return objects[0]
}

func controlledBy(kind, name string) edit {
	return func(u *unstructured.Unstructured) {
		yes := true
		u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "infrastructure.cluster.x-k8s.io/v1beta1", Kind: kind, Name: name, UID: "cp", Controller: &yes}})
	}
}

func annotated(name, value string) edit {
	return func(u *unstructured.Unstructured) { aso.Annotate(u, name, value) }
}

func setting(value any, path ...string) edit {
	return func(u *unstructured.Unstructured) { _ = unstructured.SetNestedField(u.Object, value, path...) }
}

func reconciler(m *fixture.Management, kind aso.Kind) *Reconciler {
	return &Reconciler{API: m.API(), Kind: kind, Watched: func(metav1.Object) bool { return true }}
}

func specOf(m *fixture.Management, kind schema.GroupVersionKind, name string) map[string]any {
	o := m.Find(kind, name)
	if o == nil {
		return nil
	}
	return spec.Value(o)
}

func TestCluster(t *testing.T) {
	m := fixture.New(t, parse(t, resourceGroup), parse(t, managedCluster, annotated(AnnotationName, "my-cluster")))
	r := reconciler(m, aso.ManagedCluster)
	m.Reconcile(r, "aks")
	want := []string{"patch ManagedCluster aks", "create AzureASOManagedCluster my-cluster", "create AzureASOManagedControlPlane my-cluster", "create Cluster my-cluster"}
	if diff := cmp.Diff(want, m.TakeWrites()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	credential := map[string]any{"serviceoperator.azure.com/credential-from": "mine"}
	for kind, want := range map[schema.GroupVersionKind]map[string]any{
		composite.AzureASOManagedCluster.GroupVersionKind: {"resources": []any{map[string]any{
			"apiVersion": "resources.azure.com/v1api20200601", "kind": "ResourceGroup", "metadata": map[string]any{"name": "rg", "annotations": credential},
			"spec": map[string]any{"azureName": "rg", "location": "westeurope"},
		}}},
		composite.AzureASOManagedControlPlane.GroupVersionKind: {"resources": []any{map[string]any{
			"apiVersion": "containerservice.azure.com/v1api20250801", "kind": "ManagedCluster", "metadata": map[string]any{"name": "aks", "annotations": credential},
			"spec": map[string]any{"azureName": "aks", "owner": map[string]any{"name": "rg"}, "kubernetesVersion": "1.33.6"},
		}}},
	} {
		if diff := cmp.Diff(want, specOf(m, kind, "my-cluster")); diff != "" {
			t.Errorf("spec of %s (-want +got):\n%s", kind.Kind, diff)
		}
	}
	if agentPoolProfiles.Has(m.Find(aso.ManagedCluster.GroupVersionKind(), "aks")) {
		t.Error("the pools are in the ManagedCluster still")
	}
	// Once more, as after an end in the middle.
	m.Reconcile(r, "aks")
	if writes := m.TakeWrites(); len(writes) > 0 {
		t.Errorf("it is written again: %q", writes)
	}
	if events := m.TakeEvents(); len(events) > 0 {
		t.Errorf("there are Events: %q", events)
	}
}

func TestClusterNotAdopted(t *testing.T) {
	somebodyElses := parse(t, controlPlane, func(u *unstructured.Unstructured) { u.SetUID("") })
	cases := map[string]struct {
		managed client.Object
		others  []client.Object
		// said is a part of the Event; empty for none.
		said string
		// again reports whether it is looked again by itself.
		again bool
	}{
		"NotAsked":      {managed: parse(t, managedCluster, annotated(Annotation, "false"))},
		"Adopted":       {managed: parse(t, managedCluster, controlledBy("AzureASOManagedControlPlane", "aks"))},
		"SomebodyElses": {managed: parse(t, managedCluster, controlledBy("AzureManagedControlPlane", "other")), said: "it belongs to AzureManagedControlPlane other already"},
		"NotReady": {managed: parse(t, managedCluster, setting([]any{map[string]any{"type": "Ready", "status": "False", "message": "refused"}}, "status", "conditions")),
			said: "must report it as Ready, but says: refused", again: true},
		"NoGroup":   {managed: parse(t, managedCluster), said: "ResourceGroup rg, which owns it, must exist", again: true},
		"NameTaken": {managed: parse(t, managedCluster), others: []client.Object{parse(t, resourceGroup), somebodyElses}, said: "AzureASOManagedControlPlane aks is there already"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, append(c.others, c.managed)...)
			notAdopted(t, m, m.Reconcile(reconciler(m, aso.ManagedCluster), "aks"), c.said, c.again)
		})
	}
}

// notAdopted checks that nothing was written, that an Event has a text, or that there is none where the text is empty, and whether it is looked again.
func notAdopted(t *testing.T, m *fixture.Management, result ctrl.Result, said string, again bool) {
	t.Helper()
	if got := result.RequeueAfter > 0; got != again {
		t.Errorf("it is looked again: %t", got)
	}
	events := strings.Join(m.TakeEvents(), "\n")
	if said == "" && events != "" || !strings.Contains(events, said) {
		t.Errorf("Events are %q, want one with %q", events, said)
	}
	if writes := m.TakeWrites(); len(writes) > 0 {
		t.Errorf("written is %q", writes)
	}
}

// TestGroupOfAnother leaves a resource group to the cluster that has it.
func TestGroupOfAnother(t *testing.T) {
	m := fixture.New(t, parse(t, resourceGroup, controlledBy("AzureASOManagedCluster", "other")), parse(t, managedCluster))
	m.Reconcile(reconciler(m, aso.ManagedCluster), "aks")
	if diff := cmp.Diff(map[string]any{}, specOf(m, composite.AzureASOManagedCluster.GroupVersionKind, "aks")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPool(t *testing.T) {
	m := fixture.New(t, parse(t, managedCluster, controlledBy("AzureASOManagedControlPlane", "aks")), parse(t, controlPlane), parse(t, agentPool))
	m.Reconcile(reconciler(m, aso.ManagedClustersAgentPool), "aks-pool0")
	if diff := cmp.Diff([]string{"create AzureASOManagedMachinePool aks-pool0", "create MachinePool aks-pool0"}, m.TakeWrites()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	want := map[string]any{"resources": []any{map[string]any{
		"apiVersion": "containerservice.azure.com/v1api20250801", "kind": "ManagedClustersAgentPool", "metadata": map[string]any{"name": "aks-pool0"},
		"spec": map[string]any{"azureName": "pool0", "owner": map[string]any{"name": "aks"}, "enableAutoScaling": true, "minCount": int64(1), "maxCount": int64(3)},
	}}}
	if diff := cmp.Diff(want, specOf(m, composite.AzureASOManagedMachinePool.GroupVersionKind, "aks-pool0")); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	machinePool := m.Find(clusterv1.GroupVersion.WithKind("MachinePool"), "aks-pool0")
	if replicas, _, _ := unstructured.NestedInt64(machinePool.Object, "spec", "replicas"); replicas != 2 {
		t.Errorf("the MachinePool has %d replicas", replicas)
	}
	if cluster, _, _ := unstructured.NestedString(machinePool.Object, "spec", "clusterName"); cluster != "my-cluster" {
		t.Errorf("the MachinePool is of Cluster %q", cluster)
	}
	if machinePool.GetAnnotations()[clusterv1.ReplicasManagedByAnnotation] != "aks" {
		t.Error("the MachinePool would scale a pool that AKS scales")
	}
}

func TestPoolNotAdopted(t *testing.T) {
	cases := map[string]struct {
		pool   client.Object
		others []client.Object
		said   string
		again  bool
	}{
		"NoOwner":           {pool: parse(t, agentPool, setting(map[string]any{"armId": "/x"}, "spec", "owner")), said: "spec.owner.name is absent"},
		"NoManagedCluster":  {pool: parse(t, agentPool), said: "ManagedCluster aks, which owns it, must exist", again: true},
		"ClusterNotAdopted": {pool: parse(t, agentPool), others: []client.Object{parse(t, managedCluster)}, said: "ManagedCluster aks must be adopted before", again: true},
		"NoLabel": {pool: parse(t, agentPool), said: "AzureASOManagedControlPlane aks must have a Cluster", again: true, others: []client.Object{
			parse(t, managedCluster, controlledBy("AzureASOManagedControlPlane", "aks")), parse(t, controlPlane, func(u *unstructured.Unstructured) { u.SetLabels(nil) })}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, append(c.others, c.pool)...)
			notAdopted(t, m, m.Reconcile(reconciler(m, aso.ManagedClustersAgentPool), "aks-pool0"), c.said, c.again)
		})
	}
}
