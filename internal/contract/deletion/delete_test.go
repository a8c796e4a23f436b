package deletion

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// deleter takes the next step of the deletion of composite resources of a kind, and comes back after a conflict, as the Reconciler does.
func deleter(m *fixture.Management, kind composite.Kind) reconcile.Func {
	d := &Deleter{API: m.API(), Kind: kind, Watch: fixture.Watch}
	return func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		if m.Find(kind.GroupVersionKind, req.Name) == nil {
			return reconcile.Result{}, nil
		}
		result, err := d.Reconcile(ctx, m.Scope(kind, req.Name))
		if apierrors.IsConflict(err) {
			return reconcile.Result{RequeueAfter: access.ConflictDelay}, nil
		}
		return result, err
	}
}

func TestDeleteInOrder(t *testing.T) {
	m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t, crossplaneFinalizer),
		fixture.With(fixture.Parse(t, fixture.GroupYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
		fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
	)
	r := deleter(m, composite.AzureASOManagedCluster)
	steps := []struct {
		name   string
		before func()
		want   []string
	}{
		{name: "Crossplane may still compose"},
		{name: "the network first", before: func() {
			m.Change(fixture.ASOCluster, "my-cluster", func(o *unstructured.Unstructured) {
				controllerutil.RemoveFinalizer(o, crossplaneFinalizer)
			})
		}, want: []string{"delete VirtualNetwork vnet"}},
		{name: "and not again"},
		{name: "then the group", before: func() { m.Release(fixture.Network, "vnet") }, want: []string{"delete ResourceGroup rg"}},
		{name: "then the composite resource", before: func() { m.Release(fixture.Group, "rg") }, want: []string{"patch AzureASOManagedCluster my-cluster"}},
	}
	for _, step := range steps {
		if step.before != nil {
			step.before()
		}
		m.Reconcile(r, "my-cluster")
		if diff := cmp.Diff(step.want, m.TakeWrites()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", step.name, diff)
		}
	}
	if xr := m.Find(fixture.ASOCluster, "my-cluster"); xr != nil {
		t.Errorf("the composite resource is still there: %v", xr.GetFinalizers())
	}
}

func TestDeleteOfInfrastructureWaitsForWhatUsesIt(t *testing.T) {
	external := fixture.Annotated("cluster.x-k8s.io/managed-by", "someone")
	tests := map[string]struct {
		user  *unstructured.Unstructured
		waits bool
		event bool
	}{
		"nothing":                   {user: fixture.Parse(t, fixture.PoolYAML)},
		"a control plane":           {user: fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), waits: true, event: true},
		"a control plane that goes": {user: fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster, fixture.Deleting("f")), waits: true},
		"a pool":                    {user: fixture.With(fixture.Parse(t, fixture.PoolYAML), fixture.OfMachinePool), waits: true, event: true},
		"a control plane of others": {user: fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster, external)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t), tc.user,
				fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster")))
			result := m.Reconcile(deleter(m, composite.AzureASOManagedCluster), "my-cluster")
			if waits := result.RequeueAfter == pollInterval; waits != tc.waits {
				t.Errorf("waits: %v, want %v", waits, tc.waits)
			}
			if writes := m.TakeWrites(); (len(writes) == 0) != tc.waits {
				t.Errorf("written: %v", writes)
			}
			if events := m.TakeEvents(); (len(events) == 1) != tc.event {
				t.Errorf("events %q, want one: %v", events, tc.event)
			}
		})
	}
}

func TestDeleteLeavesObjectsOfOthers(t *testing.T) {
	m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t),
		fixture.Parse(t, fixture.GroupYAML), // Nobody controls it.
		fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "other")),
	)
	m.Reconcile(deleter(m, composite.AzureASOManagedCluster), "my-cluster")
	want := []string{"patch AzureASOManagedCluster my-cluster"}
	if diff := cmp.Diff(want, m.TakeWrites()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if m.Find(fixture.Group, "rg") == nil || m.Find(fixture.Network, "vnet") == nil {
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
		"doubted to be in Azure": {[]string{aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationLost, "InvalidParameter x"}, []string{"patch VirtualNetwork vnet", "delete VirtualNetwork vnet"}, ""},
		"the pause's policy":     {[]string{aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationSkippedByPause, "true"}, []string{"patch VirtualNetwork vnet", "delete VirtualNetwork vnet"}, ""},
		"the user's own policy":  {[]string{aso.AnnotationReconcilePolicy, aso.PolicySkip}, []string{"delete VirtualNetwork vnet"}, aso.PolicySkip},
		"held, not in Azure yet": {[]string{aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationHeld, "true"}, []string{"delete VirtualNetwork vnet"}, aso.PolicySkip},
		"neither, as most often": {nil, []string{"delete VirtualNetwork vnet"}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			vnet := fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"), fixture.Annotated(tc.annotations...))
			vnet.SetFinalizers([]string{"serviceoperator.azure.com/finalizer"})
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t), vnet)
			m.Reconcile(deleter(m, composite.AzureASOManagedCluster), "my-cluster")
			if diff := cmp.Diff(tc.writes, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := m.Find(fixture.Network, "vnet").GetAnnotations()[aso.AnnotationReconcilePolicy]; got != tc.policy {
				t.Errorf("policy %q, want %q", got, tc.policy)
			}
		})
	}
}

func TestDeleteReportsARefusalOnce(t *testing.T) {
	refused := func(message string) func(*unstructured.Unstructured) {
		return func(obj *unstructured.Unstructured) {
			obj.Object["status"] = map[string]any{"conditions": []any{map[string]any{
				"type": "Ready", "status": "False", "severity": "Warning", "reason": "OperationNotAllowed", "message": message,
			}}}
		}
	}
	m := fixture.New(t, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.PoolYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer)),
		fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), fixture.Controlled(fixture.ASOMachinePool, "pool0"), fixture.Deleting("aso"), refused("the last System pool")))
	r := deleter(m, composite.AzureASOManagedMachinePool)
	m.Reconcile(r, "pool0")
	m.Reconcile(r, "pool0")
	m.Change(fixture.AgentPool, "my-cluster-pool0", refused("another reason"))
	m.Reconcile(r, "pool0")
	want := []string{
		"Warning DeletionRefused ManagedClustersAgentPool my-cluster-pool0: OperationNotAllowed: the last System pool",
		"Warning DeletionRefused ManagedClustersAgentPool my-cluster-pool0: OperationNotAllowed: another reason",
	}
	if diff := cmp.Diff(want, m.TakeEvents()); diff != "" {
		t.Errorf("events: -want +got:\n%s", diff)
	}
	if m.Find(fixture.ASOMachinePool, "pool0") == nil {
		t.Error("the pool is gone before its agent pool")
	}
}

// poolWithSubnet has composed a subnet beside its agent pool.
func poolWithSubnet(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	return fixture.With(fixture.Parse(t, fixture.PoolYAML+`    - {apiVersion: network.azure.com/v1api20240301, kind: VirtualNetworksSubnet, name: subnet}
`), fixture.OfCluster, fixture.Deleting(names.Finalizer))
}

func TestDeletePoolOfADeletedCluster(t *testing.T) {
	policy := func(value string) func(*unstructured.Unstructured) {
		return fixture.Annotated(aso.AnnotationReconcilePolicy, value)
	}
	waits := fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationHeld, "true")
	inAzure := func(obj *unstructured.Unstructured) { obj.SetFinalizers([]string{"aso"}) }
	pool := func(changes ...fixture.Change) *unstructured.Unstructured {
		return fixture.With(fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), fixture.Controlled(fixture.ASOMachinePool, "pool0"), inAzure), changes...)
	}
	managedCluster := func(changes ...fixture.Change) *unstructured.Unstructured {
		return fixture.With(fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.ASOControlPlane, "my-cluster")), changes...)
	}
	namespace := func(value string) client.Object {
		ns := fixture.Namespace()
		ns.Annotations = map[string]string{aso.AnnotationReconcilePolicy: value}
		return ns
	}
	plain := []string{"delete ManagedClustersAgentPool my-cluster-pool0"}
	gone := "patch AzureASOManagedMachinePool pool0"
	released := append(slices.Clone(plain), gone)
	detached := append([]string{"patch ManagedClustersAgentPool my-cluster-pool0"}, released...)
	tests := map[string]struct {
		cluster    *clusterv1.Cluster
		changes    []fixture.Change
		objects    []client.Object
		want       []string
		wantPolicy string
	}{
		"only the pool is deleted":             {cluster: fixture.Cluster(), objects: []client.Object{fixture.Namespace(), managedCluster(), pool()}, want: plain},
		"the control plane is deleted too":     {cluster: fixture.Cluster(), changes: []fixture.Change{fixture.Deleting(names.Finalizer)}, objects: []client.Object{fixture.Namespace(), managedCluster(), pool()}, want: detached, wantPolicy: aso.PolicyDetachOnDelete},
		"goes with the ManagedCluster":         {objects: []client.Object{fixture.Namespace(), managedCluster(), pool()}, want: detached, wantPolicy: aso.PolicyDetachOnDelete},
		"policy manage is no policy":           {objects: []client.Object{fixture.Namespace(), managedCluster(policy("manage")), pool(policy("manage"))}, want: detached, wantPolicy: aso.PolicyDetachOnDelete},
		"a pool that was paused":               {objects: []client.Object{fixture.Namespace(), managedCluster(), pool(fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationSkippedByPause, "true"))}, want: detached, wantPolicy: aso.PolicySkip},
		"all that was paused":                  {objects: []client.Object{fixture.Namespace(), managedCluster(fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationSkippedByPause, "true")), pool()}, want: detached, wantPolicy: aso.PolicyDetachOnDelete},
		"a pool that ASO only reads":           {objects: []client.Object{fixture.Namespace(), managedCluster(), pool(fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationLifecycle, string(aso.CreateOnly)))}, want: detached, wantPolicy: aso.PolicySkip},
		"a ManagedCluster that ASO only reads": {objects: []client.Object{fixture.Namespace(), managedCluster(fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationLifecycle, string(aso.ProviderCreated))), pool()}, want: detached, wantPolicy: aso.PolicyDetachOnDelete},
		"an external ManagedCluster, paused":   {objects: []client.Object{fixture.Namespace(), managedCluster(fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationSkippedByPause, "true", v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal)), pool()}, want: plain},
		"a pool to be left alone":              {objects: []client.Object{fixture.Namespace(), managedCluster(), pool(policy("skip"))}, want: released, wantPolicy: aso.PolicySkip},
		"a pool that is held":                  {objects: []client.Object{fixture.Namespace(), managedCluster(), pool(waits)}, want: released, wantPolicy: aso.PolicySkip},
		"the ManagedCluster is held, too":      {objects: []client.Object{fixture.Namespace(), managedCluster(waits), pool(waits)}, want: plain, wantPolicy: aso.PolicySkip},
		"deleted before, and refused":          {objects: []client.Object{fixture.Namespace(), managedCluster(), pool(fixture.Deleting("aso"))}, want: []string{detached[0], gone}, wantPolicy: aso.PolicySkip},
		"the ManagedCluster stays in Azure":    {objects: []client.Object{fixture.Namespace(), managedCluster(policy("detach-on-delete")), pool()}, want: plain},
		"the whole namespace stays in Azure":   {objects: []client.Object{namespace("skip"), managedCluster(), pool()}, want: plain},
		"no ManagedCluster":                    {objects: []client.Object{fixture.Namespace(), pool()}, want: plain},
		"the ManagedCluster is someone else's": {objects: []client.Object{fixture.Namespace(), fixture.With(managedCluster(), fixture.Controlled(fixture.ASOControlPlane, "other")), pool()}, want: plain},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.cluster == nil {
				tc.cluster = fixture.Cluster(fixture.ClusterDeleting)
			}
			m := fixture.New(t, append(tc.objects, tc.cluster, fixture.With(fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), tc.changes...),
				fixture.With(fixture.Parse(t, fixture.PoolYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer)))...)
			r := deleter(m, composite.AzureASOManagedMachinePool)
			m.Reconcile(r, "pool0")
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := m.Find(fixture.AgentPool, "my-cluster-pool0").GetAnnotations()[aso.AnnotationReconcilePolicy]; got != tc.wantPolicy {
				t.Errorf("policy of the agent pool is %q, want %q", got, tc.wantPolicy)
			}
			if waits := slices.Equal(tc.want, plain); waits != (m.Find(fixture.ASOMachinePool, "pool0") != nil) {
				t.Errorf("the pool waits until ASO has let its agent pool go: want %v", waits)
			}
			m.Release(fixture.AgentPool, "my-cluster-pool0")
			m.Reconcile(r, "pool0")
			if m.Find(fixture.ASOMachinePool, "pool0") != nil {
				t.Error("the pool is still there after its agent pool")
			}
		})
	}
}

// TestReleaseAtOnce has another writer come in between the look at a composite resource that may go and its release.
func TestReleaseAtOnce(t *testing.T) {
	tests := map[string]struct {
		between fixture.Change
		waits   bool
	}{
		"nobody writes": {between: func(*unstructured.Unstructured) {}},
		"Crossplane writes the status": {between: func(o *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(o.Object, "x", "status", "version"); err != nil {
				t.Fatal(err)
			}
		}},
		"a pool transfers something":  {between: fixture.Annotated(names.AwaitsDeletionAnnotation, subnetRef), waits: true},
		"something else was composed": {between: func(o *unstructured.Unstructured) { o.SetGeneration(o.GetGeneration() + 1) }, waits: true},
		"somebody else is concerned":  {between: func(o *unstructured.Unstructured) { o.SetFinalizers(append(o.GetFinalizers(), "other")) }, waits: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer)))
			quiet := m.Client.(client.WithWatch)
			once := sync.OnceFunc(func() { m.Change(fixture.ASOCluster, "my-cluster", tc.between) })
			m.Client = interceptor.NewClient(quiet, interceptor.Funcs{
				Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
					once()
					return c.Patch(ctx, obj, patch, opts...)
				},
			})
			result := m.Reconcile(deleter(m, composite.AzureASOManagedCluster), "my-cluster")
			if there := m.Find(fixture.ASOCluster, "my-cluster") != nil; there != tc.waits || tc.waits != (result.RequeueAfter == access.ConflictDelay) {
				t.Errorf("still there: %v, looks again after %s", there, result.RequeueAfter)
			}
		})
	}
}

const subnetRef = "VirtualNetworksSubnet.v1api20240301.network.azure.com/subnet"

func TestDeleteTransfersWhatIsInUse(t *testing.T) {
	external := fixture.Annotated("cluster.x-k8s.io/managed-by", "someone")
	tests := map[string]struct {
		infrastructure, controlPlane []fixture.Change
		owner                        schema.GroupVersionKind
	}{
		"to the infrastructure":                      {owner: fixture.ASOCluster},
		"to the control plane, if that is unmanaged": {infrastructure: []fixture.Change{external}, owner: fixture.ASOControlPlane},
		"to nobody, if neither is":                   {infrastructure: []fixture.Change{external}, controlPlane: []fixture.Change{external}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.Namespace(), fixture.Cluster(fixture.ClusterDeleting), poolWithSubnet(t),
				fixture.With(fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), fixture.OfCluster), tc.infrastructure...),
				fixture.With(fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), tc.controlPlane...),
				fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.ASOControlPlane, "my-cluster")),
				fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), fixture.Controlled(fixture.ASOMachinePool, "pool0")),
				fixture.With(fixture.Parse(t, fixture.SubnetYAML), fixture.Controlled(fixture.ASOMachinePool, "pool0"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
			)
			r := deleter(m, composite.AzureASOManagedMachinePool)
			m.Reconcile(r, "pool0")
			m.Reconcile(r, "pool0")
			subnet := m.Find(fixture.Subnet, "subnet")
			left := tc.owner.Kind != ""
			if deleted := subnet.GetDeletionTimestamp() != nil; deleted == left {
				t.Errorf("the subnet is being deleted: %v", deleted)
			}
			for _, kind := range []schema.GroupVersionKind{fixture.ASOCluster, fixture.ASOControlPlane} {
				xr, want := m.Find(kind, "my-cluster"), ""
				if kind == tc.owner {
					want = subnetRef
				}
				if got := xr.GetAnnotations()[names.AwaitsDeletionAnnotation]; got != want {
					t.Errorf("%s awaits %q, want %q", kind.Kind, got, want)
				}
				if got := metav1.IsControlledBy(subnet, xr); got != (kind == tc.owner) {
					t.Errorf("%s controls the subnet: %v", kind.Kind, got)
				}
			}
			if gone := m.Find(fixture.ASOMachinePool, "pool0") == nil; gone != left {
				t.Errorf("the pool is gone: %v", gone)
			}
		})
	}
}

func TestDeleteWhatPoolsTransferred(t *testing.T) {
	m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting),
		fixture.With(fixture.NetworkOwner(t), fixture.Annotated(names.AwaitsDeletionAnnotation, subnetRef+",VirtualNetwork.v1api20240301.network.azure.com/gone")),
		fixture.With(fixture.Parse(t, fixture.SubnetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"), func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"aso"}) }),
		fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster")))
	r := deleter(m, composite.AzureASOManagedCluster)
	m.Reconcile(r, "my-cluster")
	if diff := cmp.Diff([]string{"delete VirtualNetworksSubnet subnet"}, m.TakeWrites()); diff != "" {
		t.Errorf("at first: -want +got:\n%s", diff)
	}
	m.Release(fixture.Subnet, "subnet")
	m.Reconcile(r, "my-cluster")
	m.Reconcile(r, "my-cluster")
	want := []string{"delete VirtualNetwork vnet", "patch AzureASOManagedCluster my-cluster"}
	if diff := cmp.Diff(want, m.TakeWrites()); diff != "" {
		t.Errorf("then: -want +got:\n%s", diff)
	}
}

// TestRefusedIsTriedAgain has garbage collection delete everything at once, while a network was in use.
func TestRefusedIsTriedAgain(t *testing.T) {
	refused := fixture.InStatus("conditions", []any{map[string]any{"type": "Ready", "status": "False", "severity": "Warning",
		"reason": "InUseSubnetCannotBeDeleted", "message": "in use", "lastTransitionTime": "2026-01-01T00:00:00Z"}})
	object := func(text string, changes ...fixture.Change) *unstructured.Unstructured {
		return fixture.With(fixture.With(fixture.Parse(t, text), fixture.Controlled(fixture.ASOCluster, "my-cluster"), fixture.Deleting("aso")), changes...)
	}
	circle := func(name, other string) *unstructured.Unstructured {
		return object("{apiVersion: network.azure.com/v1api20240301, kind: VirtualNetwork, metadata: {name: "+name+"}, spec: {peer: {group: network.azure.com, kind: VirtualNetwork, name: "+other+"}}}", refused)
	}
	tests := map[string]struct {
		objects []*unstructured.Unstructured
		want    []string
	}{
		"while something is in it":         {objects: []*unstructured.Unstructured{object(fixture.GroupYAML, refused), object(fixture.VNetYAML, refused), object(fixture.SubnetYAML)}},
		"once nothing is":                  {objects: []*unstructured.Unstructured{object(fixture.GroupYAML, refused), object(fixture.VNetYAML, refused)}, want: []string{"patch VirtualNetwork vnet"}},
		"not while a cluster may be":       {objects: []*unstructured.Unstructured{object(fixture.GroupYAML), object(fixture.VNetYAML, refused), object(fixture.ManagedClusterYAML)}},
		"what refers to each other":        {objects: []*unstructured.Unstructured{circle("left", "right"), circle("right", "left")}, want: []string{"patch VirtualNetwork left", "patch VirtualNetwork right"}},
		"not what was refused before that": {objects: []*unstructured.Unstructured{object(fixture.VNetYAML, refused, func(o *unstructured.Unstructured) { o.SetGeneration(2) })}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var refs []any
			all := []client.Object{fixture.Cluster(fixture.ClusterDeleting)}
			for _, obj := range tc.objects {
				refs = append(refs, map[string]any{"apiVersion": obj.GetAPIVersion(), "kind": obj.GetKind(), "name": obj.GetName()})
				all = append(all, obj)
			}
			all = append(all, fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer),
				fixture.InSpec("crossplane", map[string]any{"resourceRefs": refs})))
			m := fixture.New(t, all...)
			after := m.Reconcile(deleter(m, composite.AzureASOManagedCluster), "my-cluster").RequeueAfter
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if again := after == 20*time.Second; again != (len(tc.want) > 0) {
				t.Errorf("looked at again after %v", after)
			}
		})
	}
}
