package contract

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

const networkRefs = `
  crossplane:
    resourceRefs:
    - {apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, name: rg}
    - {apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, name: vnet}
`

var (
	groupGVK  = schema.GroupVersionKind{Group: "resources.azure.com", Version: "v1api20200601", Kind: "ResourceGroup"}
	vnetGVK   = schema.GroupVersionKind{Group: "network.azure.com", Version: "v1api20240301", Kind: "VirtualNetwork"}
	subnetGVK = schema.GroupVersionKind{Group: "network.azure.com", Version: "v1api20240301", Kind: "VirtualNetworksSubnet"}
)

// infrastructureWithNetwork is being deleted and has composed a resource group and a network.
func infrastructureWithNetwork(t *testing.T, finalizers ...string) *unstructured.Unstructured {
	t.Helper()
	return with(parse(t, infrastructureYAML[:len(infrastructureYAML)-len("spec: {}\n")]+"spec:"+networkRefs),
		ofCluster, deleting(append(finalizers, Finalizer)...))
}

// letGo makes an object that is being deleted vanish, as ASO does when Azure is done.
func (m *management) letGo(kind schema.GroupVersionKind, name string) {
	m.t.Helper()
	m.update(kind, name, func(obj *unstructured.Unstructured) { obj.SetFinalizers(nil) })
	m.takeWrites()
}

func TestDeleteInOrder(t *testing.T) {
	m := newManagement(t, myCluster(clusterDeleting), infrastructureWithNetwork(t, crossplaneFinalizer),
		with(parse(t, groupYAML), controlled(asoClusterKind, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
		with(parse(t, vnetYAML), controlled(asoClusterKind, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
	)
	r := m.reconciler(asoClusterKind)
	steps := []struct {
		name   string
		before func()
		want   []string
	}{
		{name: "the network first", want: []string{"delete VirtualNetwork vnet"}},
		{name: "and not again"},
		{name: "then the group", before: func() { m.letGo(vnetGVK, "vnet") }, want: []string{"delete ResourceGroup rg"}},
		{name: "Crossplane may still compose", before: func() { m.letGo(groupGVK, "rg") }},
		{name: "then the composite resource", before: func() {
			m.update(asoClusterKind, "my-cluster", func(o *unstructured.Unstructured) {
				controllerutil.RemoveFinalizer(o, crossplaneFinalizer)
			})
		}, want: []string{"patch AzureASOManagedCluster my-cluster"}},
	}
	for _, step := range steps {
		if step.before != nil {
			step.before()
		}
		m.reconcile(r, "my-cluster")
		if diff := cmp.Diff(step.want, m.takeWrites()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", step.name, diff)
		}
	}
	if xr := m.get(asoClusterKind, "my-cluster"); xr != nil {
		t.Errorf("the composite resource is still there: %v", xr.GetFinalizers())
	}
}

func TestDeleteOfInfrastructureWaitsForWhatUsesIt(t *testing.T) {
	external := annotated("cluster.x-k8s.io/managed-by", "someone")
	tests := map[string]struct {
		user  *unstructured.Unstructured
		waits bool
		event bool
	}{
		"nothing":                   {user: parse(t, poolYAML)},
		"a control plane":           {user: with(parse(t, controlPlaneYAML), ofCluster), waits: true, event: true},
		"a control plane that goes": {user: with(parse(t, controlPlaneYAML), ofCluster, deleting("f")), waits: true},
		"a pool":                    {user: with(parse(t, poolYAML), ofMachinePool), waits: true, event: true},
		"a control plane of others": {user: with(parse(t, controlPlaneYAML), ofCluster, external)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, myCluster(clusterDeleting), infrastructureWithNetwork(t), tc.user,
				with(parse(t, vnetYAML), controlled(asoClusterKind, "my-cluster")))
			result := m.reconcile(m.reconciler(asoClusterKind), "my-cluster")
			if waits := result.RequeueAfter == usedInterval; waits != tc.waits {
				t.Errorf("waits: %v, want %v", waits, tc.waits)
			}
			if writes := m.takeWrites(); (len(writes) == 0) != tc.waits {
				t.Errorf("written: %v", writes)
			}
			if events := m.takeEvents(); (len(events) == 1) != tc.event {
				t.Errorf("events %q, want one: %v", events, tc.event)
			}
		})
	}
}

func TestDeleteLeavesObjectsOfOthers(t *testing.T) {
	m := newManagement(t, myCluster(clusterDeleting), infrastructureWithNetwork(t),
		parse(t, groupYAML), // Nobody controls it.
		with(parse(t, vnetYAML), controlled(asoClusterKind, "other")),
	)
	m.reconcile(m.reconciler(asoClusterKind), "my-cluster")
	want := []string{"patch AzureASOManagedCluster my-cluster"}
	if diff := cmp.Diff(want, m.takeWrites()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if m.get(groupGVK, "rg") == nil || m.get(vnetGVK, "vnet") == nil {
		t.Error("an object of someone else is gone")
	}
}

// TestDeleteAfterAPause has the function's pause still on the objects: with it ASO would leave them in Azure.
func TestDeleteAfterAPause(t *testing.T) {
	tests := map[string]struct {
		annotations []string
		writes      []string
		policy      string
	}{
		"the pause's policy":     {[]string{reconcilePolicyAnnotation, policySkip, aso.AnnotationSkippedByPause, "true"}, []string{"patch VirtualNetwork vnet", "delete VirtualNetwork vnet"}, ""},
		"the user's own policy":  {[]string{reconcilePolicyAnnotation, policySkip}, []string{"delete VirtualNetwork vnet"}, policySkip},
		"held, not in Azure yet": {[]string{reconcilePolicyAnnotation, policySkip, aso.AnnotationHeld, "true"}, []string{"delete VirtualNetwork vnet"}, policySkip},
		"neither, as most often": {nil, []string{"delete VirtualNetwork vnet"}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			vnet := with(parse(t, vnetYAML), controlled(asoClusterKind, "my-cluster"), annotated(tc.annotations...))
			vnet.SetFinalizers([]string{"serviceoperator.azure.com/finalizer"})
			m := newManagement(t, myCluster(clusterDeleting), infrastructureWithNetwork(t), vnet)
			m.reconcile(m.reconciler(asoClusterKind), "my-cluster")
			if diff := cmp.Diff(tc.writes, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := m.get(vnetGVK, "vnet").GetAnnotations()[reconcilePolicyAnnotation]; got != tc.policy {
				t.Errorf("policy %q, want %q", got, tc.policy)
			}
		})
	}
}

func TestDeleteWhoeverOwnsIt(t *testing.T) {
	tests := map[string]func(*unstructured.Unstructured){
		"without a Cluster":                    func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) },
		"externally managed since it was ours": annotated(clusterv1.ManagedByAnnotation, "someone"),
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, with(infrastructureWithNetwork(t), change), with(parse(t, vnetYAML), controlled(asoClusterKind, "my-cluster")))
			m.reconcile(m.reconciler(asoClusterKind), "my-cluster")
			m.reconcile(m.reconciler(asoClusterKind), "my-cluster")
			want := []string{"delete VirtualNetwork vnet", "patch AzureASOManagedCluster my-cluster"}
			if diff := cmp.Diff(want, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDeleteTellsOfARefusalOnce(t *testing.T) {
	refused := func(message string) func(*unstructured.Unstructured) {
		return func(obj *unstructured.Unstructured) {
			obj.Object["status"] = map[string]any{"conditions": []any{map[string]any{
				"type": "Ready", "status": "False", "severity": "Warning", "reason": "OperationNotAllowed", "message": message,
			}}}
		}
	}
	m := newManagement(t, myCluster(), with(parse(t, poolYAML), ofCluster, deleting(Finalizer)),
		with(parse(t, agentPoolYAML), controlled(asoMachinePoolKind, "pool0"), deleting("aso"), refused("the last System pool")))
	r := m.reconciler(asoMachinePoolKind)
	m.reconcile(r, "pool0")
	m.reconcile(r, "pool0")
	m.update(agentPoolGVK, "my-cluster-pool0", refused("another reason"))
	m.reconcile(r, "pool0")
	want := []string{
		"Warning DeletionRefused ManagedClustersAgentPool my-cluster-pool0: OperationNotAllowed: the last System pool",
		"Warning DeletionRefused ManagedClustersAgentPool my-cluster-pool0: OperationNotAllowed: another reason",
	}
	if diff := cmp.Diff(want, m.takeEvents()); diff != "" {
		t.Errorf("events: -want +got:\n%s", diff)
	}
	if m.get(asoMachinePoolKind, "pool0") == nil {
		t.Error("the pool is gone before its agent pool")
	}
}

// poolWithSubnet has composed a subnet beside its agent pool.
func poolWithSubnet(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	return with(parse(t, poolYAML+`    - {apiVersion: network.azure.com/v1api20240301, kind: VirtualNetworksSubnet, name: subnet}
`), ofCluster, deleting(Finalizer))
}

func TestDeletePoolOfADeletedCluster(t *testing.T) {
	policy := func(value string) func(*unstructured.Unstructured) {
		return annotated(reconcilePolicyAnnotation, value)
	}
	waits := annotated(reconcilePolicyAnnotation, policySkip, aso.AnnotationHeld, "true")
	inAzure := func(obj *unstructured.Unstructured) { obj.SetFinalizers([]string{"aso"}) }
	pool := func(changes ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
		return with(with(parse(t, agentPoolYAML), controlled(asoMachinePoolKind, "pool0"), inAzure), changes...)
	}
	managedCluster := func(changes ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
		return with(with(parse(t, managedClusterYAML), controlled(asoControlPlaneKind, "my-cluster")), changes...)
	}
	namespace := func(value string) client.Object {
		ns := defaultNamespace()
		ns.Annotations = map[string]string{reconcilePolicyAnnotation: value}
		return ns
	}
	plain := []string{"delete ManagedClustersAgentPool my-cluster-pool0"}
	gone := "patch AzureASOManagedMachinePool pool0"
	released := append(slices.Clone(plain), gone)
	detached := append([]string{"patch ManagedClustersAgentPool my-cluster-pool0"}, released...)
	tests := map[string]struct {
		cluster    *clusterv1.Cluster
		changes    []func(*unstructured.Unstructured)
		objects    []client.Object
		want       []string
		wantPolicy string
	}{
		"only the pool is deleted":             {cluster: myCluster(), objects: []client.Object{defaultNamespace(), managedCluster(), pool()}, want: plain},
		"the control plane is deleted too":     {cluster: myCluster(), changes: []func(*unstructured.Unstructured){deleting(Finalizer)}, objects: []client.Object{defaultNamespace(), managedCluster(), pool()}, want: detached, wantPolicy: policyDetachOnDelete},
		"goes with the ManagedCluster":         {objects: []client.Object{defaultNamespace(), managedCluster(), pool()}, want: detached, wantPolicy: policyDetachOnDelete},
		"policy manage is no policy":           {objects: []client.Object{defaultNamespace(), managedCluster(policy("manage")), pool(policy("manage"))}, want: detached, wantPolicy: policyDetachOnDelete},
		"a pool that was paused":               {objects: []client.Object{defaultNamespace(), managedCluster(), pool(annotated(reconcilePolicyAnnotation, policySkip, aso.AnnotationSkippedByPause, "true"))}, want: detached, wantPolicy: policyDetachOnDelete},
		"all that was paused":                  {objects: []client.Object{defaultNamespace(), managedCluster(annotated(reconcilePolicyAnnotation, policySkip, aso.AnnotationSkippedByPause, "true")), pool()}, want: detached, wantPolicy: policyDetachOnDelete},
		"a pool to be left alone":              {objects: []client.Object{defaultNamespace(), managedCluster(), pool(policy("skip"))}, want: released, wantPolicy: policySkip},
		"a pool that is held":                  {objects: []client.Object{defaultNamespace(), managedCluster(), pool(waits)}, want: released, wantPolicy: policySkip},
		"the ManagedCluster is held, too":      {objects: []client.Object{defaultNamespace(), managedCluster(waits), pool(waits)}, want: plain, wantPolicy: policySkip},
		"deleted before, and refused":          {objects: []client.Object{defaultNamespace(), managedCluster(), pool(deleting("aso"))}, want: []string{detached[0], gone}, wantPolicy: policySkip},
		"the ManagedCluster stays in Azure":    {objects: []client.Object{defaultNamespace(), managedCluster(policy("detach-on-delete")), pool()}, want: plain},
		"the whole namespace stays in Azure":   {objects: []client.Object{namespace("skip"), managedCluster(), pool()}, want: plain},
		"no ManagedCluster":                    {objects: []client.Object{defaultNamespace(), pool()}, want: plain},
		"the ManagedCluster is someone else's": {objects: []client.Object{defaultNamespace(), with(managedCluster(), controlled(asoControlPlaneKind, "other")), pool()}, want: plain},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.cluster == nil {
				tc.cluster = myCluster(clusterDeleting)
			}
			m := newManagement(t, append(tc.objects, tc.cluster, with(with(parse(t, controlPlaneYAML), ofCluster), tc.changes...),
				with(parse(t, poolYAML), ofCluster, deleting(Finalizer)))...)
			r := m.reconciler(asoMachinePoolKind)
			m.reconcile(r, "pool0")
			if diff := cmp.Diff(tc.want, m.takeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := m.get(agentPoolGVK, "my-cluster-pool0").GetAnnotations()[reconcilePolicyAnnotation]; got != tc.wantPolicy {
				t.Errorf("policy of the agent pool is %q, want %q", got, tc.wantPolicy)
			}
			if waits := slices.Equal(tc.want, plain); waits != (m.get(asoMachinePoolKind, "pool0") != nil) {
				t.Errorf("the pool waits until ASO has let its agent pool go: want %v", waits)
			}
			m.letGo(agentPoolGVK, "my-cluster-pool0")
			m.reconcile(r, "pool0")
			if m.get(asoMachinePoolKind, "pool0") != nil {
				t.Error("the pool is still there after its agent pool")
			}
		})
	}
}

// TestReleaseAtOnce has another writer come in between the look at a composite resource that may go and its release.
func TestReleaseAtOnce(t *testing.T) {
	tests := map[string]struct {
		between func(*unstructured.Unstructured)
		waits   bool
	}{
		"nobody writes": {between: func(*unstructured.Unstructured) {}},
		"Crossplane writes the status": {between: func(o *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(o.Object, "x", "status", "version"); err != nil {
				t.Fatal(err)
			}
		}},
		"a pool leaves something":     {between: annotated(AwaitsDeletionAnnotation, subnetRef), waits: true},
		"something else was composed": {between: func(o *unstructured.Unstructured) { o.SetGeneration(o.GetGeneration() + 1) }, waits: true},
		"somebody else is concerned":  {between: func(o *unstructured.Unstructured) { o.SetFinalizers(append(o.GetFinalizers(), "other")) }, waits: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, myCluster(clusterDeleting), with(parse(t, infrastructureYAML), ofCluster, deleting(Finalizer)))
			quiet := m.Client.(client.WithWatch)
			once := sync.OnceFunc(func() { m.update(asoClusterKind, "my-cluster", tc.between) })
			m.Client = interceptor.NewClient(quiet, interceptor.Funcs{
				Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
					once()
					return c.Patch(ctx, obj, patch, opts...)
				},
			})
			result := m.reconcile(m.reconciler(asoClusterKind), "my-cluster")
			if there := m.get(asoClusterKind, "my-cluster") != nil; there != tc.waits || tc.waits != (result.RequeueAfter == ConflictDelay) {
				t.Errorf("still there: %v, looks again after %s", there, result.RequeueAfter)
			}
		})
	}
}

const subnetRef = "VirtualNetworksSubnet.v1api20240301.network.azure.com/subnet"

func TestDeleteHandsOverWhatIsInUse(t *testing.T) {
	external := annotated("cluster.x-k8s.io/managed-by", "someone")
	tests := map[string]struct {
		infrastructure, controlPlane []func(*unstructured.Unstructured)
		heir                         schema.GroupVersionKind
	}{
		"to the infrastructure":                     {heir: asoClusterKind},
		"to the control plane, if that is not ours": {infrastructure: []func(*unstructured.Unstructured){external}, heir: asoControlPlaneKind},
		"to nobody, if neither is":                  {infrastructure: []func(*unstructured.Unstructured){external}, controlPlane: []func(*unstructured.Unstructured){external}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, defaultNamespace(), myCluster(clusterDeleting), poolWithSubnet(t),
				with(with(parse(t, infrastructureYAML), ofCluster), tc.infrastructure...),
				with(with(parse(t, controlPlaneYAML), ofCluster), tc.controlPlane...),
				with(parse(t, managedClusterYAML), controlled(asoControlPlaneKind, "my-cluster")),
				with(parse(t, agentPoolYAML), controlled(asoMachinePoolKind, "pool0")),
				with(parse(t, subnetYAML), controlled(asoMachinePoolKind, "pool0"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
			)
			r := m.reconciler(asoMachinePoolKind)
			m.reconcile(r, "pool0")
			m.reconcile(r, "pool0")
			subnet := m.get(subnetGVK, "subnet")
			left := tc.heir.Kind != ""
			if deleted := subnet.GetDeletionTimestamp() != nil; deleted == left {
				t.Errorf("the subnet is being deleted: %v", deleted)
			}
			for _, kind := range []schema.GroupVersionKind{asoClusterKind, asoControlPlaneKind} {
				xr, want := m.get(kind, "my-cluster"), ""
				if kind == tc.heir {
					want = subnetRef
				}
				if got := xr.GetAnnotations()[AwaitsDeletionAnnotation]; got != want {
					t.Errorf("%s awaits %q, want %q", kind.Kind, got, want)
				}
				if got := metav1.IsControlledBy(subnet, xr); got != (kind == tc.heir) {
					t.Errorf("%s controls the subnet: %v", kind.Kind, got)
				}
			}
			if gone := m.get(asoMachinePoolKind, "pool0") == nil; gone != left {
				t.Errorf("the pool is gone: %v", gone)
			}
		})
	}
}

func TestDeleteWhatPoolsLeft(t *testing.T) {
	m := newManagement(t, myCluster(clusterDeleting),
		with(infrastructureWithNetwork(t), annotated(AwaitsDeletionAnnotation, subnetRef+",VirtualNetwork.v1api20240301.network.azure.com/gone")),
		with(parse(t, subnetYAML), controlled(asoClusterKind, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
		with(parse(t, vnetYAML), controlled(asoClusterKind, "my-cluster")))
	r := m.reconciler(asoClusterKind)
	m.reconcile(r, "my-cluster")
	if diff := cmp.Diff([]string{"delete VirtualNetworksSubnet subnet"}, m.takeWrites()); diff != "" {
		t.Errorf("at first: -want +got:\n%s", diff)
	}
	m.letGo(subnetGVK, "subnet")
	m.reconcile(r, "my-cluster")
	m.reconcile(r, "my-cluster")
	want := []string{"delete VirtualNetwork vnet", "patch AzureASOManagedCluster my-cluster"}
	if diff := cmp.Diff(want, m.takeWrites()); diff != "" {
		t.Errorf("then: -want +got:\n%s", diff)
	}
}
